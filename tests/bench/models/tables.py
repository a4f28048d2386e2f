"""The tables of the models' benchmark, and what they come to."""

import math
import statistics

from comparison import middle
from goals import GOALS, LIBRARY_GOAL, MOST_BY_THREADS, MOST_RATIO, OTHER_GOALS, SMALL_BYTES, SMALL_SECONDS
from report import markdown_table, number, percent

PEER = "onnxruntime"
TITLES = {"strata": "Strata", "onnxruntime": "ORT", "tract": "tract"}
# Of a measure: its title, ONNX Runtime's key, and the unit.
OTHER = {
    "creation": ("session again, ms", "creation", 1e3),
    "first_creation": ("session first, ms", "first_creation", 1e3),
    "cold": ("cold start, ms", "cold", 1e3),
    "peak_bytes": ("peak MB", "own_peak_bytes", 1e-6),
}


def microseconds(seconds):
    return number(None if seconds is None else seconds * 1e6)


def part_of_bound(row, engine, threads):
    latency, bound = row.latency(threads, engine), row.bounds.get(threads)
    return None if latency is None or bound is None else bound / latency


def latency_table(rows, threads, engines):
    head = ["model"]
    for count in threads:
        head += [f"{TITLES[engine]} µs, {count}T" for engine in engines]
        head += [f"/ {TITLES[engine]}, {count}T" for engine in engines[1:]]
    head += ["goal", *(f"of the bound, {count}T: Strata, ORT" for count in threads)]
    return markdown_table(head, [latency_cells(row, threads, engines) for row in rows])


def latency_cells(row, threads, engines):
    cells = [row.name]
    for count in threads:
        cells += [microseconds(row.latency(count, engine)) for engine in engines]
        cells += [number(row.ratio(count, engine)) for engine in engines[1:]]
    cells.append(number(GOALS.get(row.name)))
    for count in threads:
        cells.append(", ".join(percent(part_of_bound(row, engine, count)) for engine in engines[:2]))
    return cells


def other(row, measure):
    """Strata's and ONNX Runtime's value of a measure, on as many threads as are measured first."""
    first = row.options.threads[0]
    ours = statistics.median(row.colds) if measure == "cold" else middle(row.rounds["strata"][first], measure)
    return ours, middle(row.rounds[PEER][first], OTHER[measure][1])


def other_table(rows):
    head = ["model", *(f"{title}: Strata, ORT, ratio" for title, _, _ in OTHER.values())]
    return markdown_table(head, [[row.name, *(other_cell(row, measure) for measure in OTHER)] for row in rows])


def other_cell(row, measure):
    ours, theirs = other(row, measure)
    unit, goal = OTHER[measure][2], OTHER_GOALS[measure].get(row.name)
    wanted = f" (goal {number(goal)})" if goal else ""
    return f"{number(ours * unit)}, {number(theirs * unit)}, {number(ours / theirs)}{wanted}"


def geometric_mean(ratios):
    return math.exp(statistics.fmean(math.log(ratio) for ratio in ratios))


def listed(title, found):
    return f"- {title}: {', '.join(found) if found else 'none'}.\n"


def above(rows, threads, most):
    """Rows whose ratio is above what `most` says of them, or nothing."""
    found = []
    for row in rows:
        limit = most(row.name)
        worse = [f"{number(row.ratio(count))} at {count}T" for count in threads if limit and row.ratio(count) > limit]
        if worse:
            found.append(f"{row.name} {' and '.join(worse)}")
    return found


def others_above(rows):
    """Measures other than latency that are above their goals."""
    found = []
    for row in rows:
        for measure, goals in OTHER_GOALS.items():
            ours, theirs = other(row, measure)
            if row.name in goals and ours / theirs > goals[row.name]:
                found.append(f"{row.name} {OTHER[measure][0].split(',')[0]} {number(ours / theirs)}")
    return found


def doubtful_threads(row):
    """The numbers of threads that seem to be slower than one, whose runs alone are pinned to a core."""
    first, *more = row.options.threads
    return [count for count in more if first == 1 and row.latency(count) > MOST_BY_THREADS * row.latency(first)]


def slower_on_more_threads(rows):
    """Rows that are slower than on one thread when both are measured in turn on whatever cores."""
    ratios = [(row.name, count, gain) for row in rows for count, gain in row.gains.items()]
    return [f"{name} {number(ratio)} at {count}T" for name, count, ratio in ratios if ratio > MOST_BY_THREADS]


def summary(rows, threads):
    """Means and what falls short."""
    text = ""
    for peer in rows[0].rounds:
        for count in threads if peer != "strata" else ():
            ratios = [row.ratio(count, peer) for row in rows if row.ratio(count, peer) is not None]
            if ratios:
                mean = number(geometric_mean(ratios))
                text += f"- Geometric mean of Strata / {TITLES[peer]} at {count}T: {mean} over {len(ratios)} rows.\n"
    text += listed(f"Above {MOST_RATIO}", above(rows, threads, lambda _: MOST_RATIO))
    text += listed("Above their goals", above(rows, threads, GOALS.get))
    text += listed("Other measures above their goals", others_above([row for row in rows if row.is_net()]))
    if threads[0] == 1:
        text += listed("Slower on more threads than on one", slower_on_more_threads(rows))
    refused = [row.name for row in rows if "tract" in row.refusals]
    return text + (listed("Not run by tract", refused) if refused else "")


def joined_means(rows, threads, others):
    """Means of the ratios to ONNX Runtime over the rows and those of another benchmark, by its `--json`."""
    text = ""
    for count in threads:
        more = [record["ratio"][str(count)] for record in others.values() if str(count) in record["ratio"]]
        mean = number(geometric_mean([row.ratio(count) for row in rows] + more))
        text += f"- Geometric mean at {count}T with the {len(more)} models of control flow: {mean}.\n"
    return text


def library_line(ours, theirs):
    sizes = f"{number(ours * 1e-6)} MB of Strata (its core and OPL's reader in a program, stripped)"
    ratio = f"ratio {number(ours / theirs)}, goal {number(LIBRARY_GOAL)}"
    return f"- Library: {sizes}, {number(theirs * 1e-6)} MB of ONNX Runtime; {ratio}.\n"


def small_runtime_line(memory, time):
    text = f"{number(memory * 1e-6)} MB (goal {number(SMALL_BYTES * 1e-6)}) and {number(time * 1e3)} ms"
    return f"- A process that runs a model of one node from OPL takes {text} (goal {number(SMALL_SECONDS * 1e3)}).\n"
