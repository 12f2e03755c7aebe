"""A table in, a table out, with the standard library alone.

    pyrun run examples/report.py --in examples/sales.csv
"""

import csv
import os
from collections import defaultdict
from pathlib import Path

totals = defaultdict(float)
with open("sales.csv", newline="", encoding="utf-8") as f:
    rows = list(csv.DictReader(f))
for row in rows:
    totals[row["region"]] += float(row["amount"])

print(f"{len(rows)} rows, {len(totals)} regions")
for region, total in sorted(totals.items(), key=lambda item: -item[1]):
    print(f"  {region:<6} {total:10.2f}")

summary = Path(os.environ["ARTIFACTS_DIR"]) / "summary.csv"
with summary.open("w", newline="", encoding="utf-8") as f:
    out = csv.writer(f)
    out.writerow(["region", "total"])
    out.writerows(sorted(totals.items()))
