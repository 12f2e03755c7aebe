"""What bootstrap.py does for matplotlib, run when the script has imported pyplot.

Figures are saved where plt.show() would show them, and text falls back to fonts
for Chinese, Japanese and Korean. Must work on matplotlib 3.6 and newer.
bootstrap.py gives it NOTES, and FOLDER to write to.
"""
import os
import sys

UNDO = []  # calls that leave matplotlib as it came


def adopt(pyplot):
    """Gives pyplot a show() that needs no display."""
    import functools

    figure_class = pyplot.Figure

    @functools.wraps(pyplot.show)
    def show(*args, **kwargs):
        save(pyplot, pyplot.get_fignums())

    @functools.wraps(figure_class.show)
    def show_one(self, warn=True):
        number = getattr(self, "number", None)
        if number not in pyplot.get_fignums():
            return plain_show(self, warn)  # it knows how to refuse
        save(pyplot, [number])

    plain_show = figure_class.show
    put(pyplot, "show", show)
    put(figure_class, "show", show_one)
    try:
        add_fonts()
    except Exception as broken:
        NOTES.append("fonts: %r" % broken)


def put(place, name, value):
    plain = place.__dict__.get(name, UNDO)
    UNDO.append(lambda: delattr(place, name) if plain is UNDO else setattr(place, name, plain))
    setattr(place, name, value)


def give_back():
    """In a copy that is asked for no figures: leaves all as matplotlib made it."""
    while UNDO:
        UNDO.pop()()


def add_fonts():
    from matplotlib import font_manager

    known = font_manager.fontManager
    wanted = ("Noto Sans CJK", "Source Han Sans", "WenQuanYi", "Droid Sans Fallback", "IPA", "Noto Serif CJK",
              "Source Han Serif", "AR PL", "TakaoGothic", "VL Gothic", "UnBatang", "NanumGothic", "Baekmuk")
    # One style of a family is enough; a set of three covers all three scripts.
    have = {entry.name: entry.fname for entry in known.ttflist if entry.name.startswith(wanted)}
    have = sorted(have, key=lambda n: [n.startswith(w) for w in wanted].index(True))[:3]
    if not have:
        import warnings

        warnings.filterwarnings("ignore", r"Glyph \d+ .*missing from ", UserWarning)
        mine = warnings.filters[0]
        UNDO.append(lambda: warnings.filters.remove(mine))
        return
    # Asked for behind whatever families a text has, so that rcParams stay as
    # they are and no style sheet takes the fonts away again.
    plain = known._find_fonts_by_props

    def find(prop, *args, **kwargs):
        paths = plain(prop, *args, **kwargs)
        for family in have:
            other = prop.copy()
            other.set_family(family)
            path = known.findfont(other, *args, **kwargs)
            if path not in paths:
                paths.append(path)
        return paths

    put(known, "_find_fonts_by_props", find)


def save(pyplot, numbers):
    """Writes figures as figure-N.png, never over a file that is there, and closes them."""
    for number in numbers:
        figure = pyplot.figure(number)
        free = 1
        while True:
            path = "%s/figure-%d.png" % (FOLDER, free)
            try:
                file = open(path, "xb")
                break
            except FileExistsError:
                free += 1
        try:
            with file:
                figure.savefig(file, format="png")
        except BaseException:
            os.unlink(path)
            raise
        finally:
            pyplot.close(figure)


def save_all():
    """Saves what is still open."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        save(pyplot, pyplot.get_fignums())
