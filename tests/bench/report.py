"""What the benchmarks share of their tables, and of their command lines."""

import importlib.util
import os
import pathlib
import platform
import sys


def skip_without(*packages):
    """Ends the process with 77, which counts as skipped, when a Python package is missing."""
    missing = [name for name in packages if not importlib.util.find_spec(name)]
    if missing:
        print(f"skipped: the Python package {', '.join(missing)} is missing")
        sys.exit(77)


def add_options(parser, rounds, seconds):
    parser.add_argument("strata", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--threads", type=lambda text: [int(each) for each in text.split(",")], default=[1, 2])
    parser.add_argument("--rounds", type=int, default=rounds)
    parser.add_argument("--seconds", type=float, default=seconds, help="of timed runs of an engine in a round")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--write", type=pathlib.Path)


def number(value):
    """About three significant digits, without an exponent; a dash for nothing."""
    if value is None:
        return "–"
    digits = 3 if value < 0.01 else 2 if value < 9.995 else 1 if value < 99.95 else 0
    return f"{value:.{digits}f}"


def percent(part):
    return "–" if part is None else f"{100 * part:.0f} %"


def markdown_table(head, rows, texts=1):
    """A table whose first `texts` columns are texts, the others numbers."""
    aligned = ["---"] * texts + ["---:"] * (len(head) - texts)
    return "".join(f"| {' | '.join(cells)} |\n" for cells in [head, aligned, *rows])


def processor():
    with open("/proc/cpuinfo") as info:
        names = [line.split(":")[1].strip() for line in info if line.startswith("model name")]
    return f"{len(os.sched_getaffinity(0))} cores of {names[0] if names else platform.machine()}"


def write_into(path, marked, text):
    """Replaces what stands between the two marks of this name in a Markdown file."""
    begin, end = f"<!-- {marked}: begin -->", f"<!-- {marked}: end -->"
    page = path.read_text()
    start, stop = page.index(begin) + len(begin), page.index(end)
    path.write_text(f"{page[:start]}\n\n{text}\n{page[stop:]}")
