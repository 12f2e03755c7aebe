"""Figures come out by themselves; they need an interpreter that has Matplotlib.

    pyrun run examples/plot.py --in examples/sales.csv --python /usr/bin/python3
"""

import csv

import matplotlib.pyplot as plt

months, amounts = [], []
with open("sales.csv", newline="", encoding="utf-8") as f:
    for row in csv.DictReader(f):
        if row["region"] == "north":
            months.append(row["month"])
            amounts.append(float(row["amount"]))

plt.plot(months, amounts, marker="o")
plt.title("Sales in the north")
plt.show()  # becomes figure-1.png
print(f"{len(months)} months")
