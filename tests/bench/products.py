"""Measures products and convolutions by Strata beside oneDNN, and prints a Markdown table for each number of threads.

Usage: products.py STRATA_ONEDNN_BENCH [--threads 1,2] [--rounds R] [--write FILE]

The program, which is built where CMake finds oneDNN, times both by turns; what is shown are the shortest times over the
rounds. The peak is what strata_bench_peak, built beside it, measures in the same run. --write puts the tables between
the two marks in a Markdown file.
"""

import argparse
import os
import pathlib
import sys

import report
from comparison import measure

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "models"))

import bounds  # noqa: E402

TIMES = ["session", "kernels", "onednn", "winograd"]
UNITS = {"f32": "GF/s", "int8": "GOP/s"}
HEAD = ["shape", "Strata µs", "its kernels µs", "oneDNN µs", "oneDNN Winograd µs", "kernels", "of the peak",
        "oneDNN's best", "kernels / oneDNN's best"]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--threads", type=lambda text: [int(each) for each in text.split(",")], default=[1, 2])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--write", type=pathlib.Path)
    return parser.parse_args()


def best_of(rounds):
    """The rows of one round with the shortest times of all."""
    rows = rounds[0]
    for same in zip(*rounds):
        for time in TIMES:
            same[0][time] = min((row[time] for row in same if row[time]), default=None)
        same[0]["kernels"] = min(same[0]["kernels"], same[0]["session"])
    return rows


def measured(options, threads):
    """What the program says in some rounds. OpenMP's threads, which oneDNN runs on, are set by its environment."""
    os.environ["OMP_NUM_THREADS"] = str(threads)
    rounds = [measure([options.program, threads], threads) for _ in range(options.rounds)]
    return rounds[0]["onednn"], best_of([each["rows"] for each in rounds])


def cells(row, peak):
    theirs = min(row[time] for time in ("onednn", "winograd") if row[time])
    speed = lambda time: f"{row['flops'] / time / 1e3:.0f} {UNITS[row['kind']]}"  # noqa: E731
    of_peak = row["flops"] / row["kernels"] * 1e6 / peak[row["kind"]] if row["kind"] in peak else None
    return [row["name"], *(report.number(row[time]) for time in TIMES), speed(row["kernels"]),
            report.percent(of_peak), speed(theirs), report.number(row["kernels"] / theirs)]


def main():
    options = arguments()
    machine = bounds.Machine(options.program.parent / "strata_bench_peak", options.threads)
    text = ""
    for threads in options.threads:
        version, rows = measured(options, threads)
        text += f"On {threads} thread{'s' if threads > 1 else ''}:\n\n"
        text += report.markdown_table(HEAD, [cells(row, machine.peaks[threads]) for row in rows]) + "\n"
    text += f"Against oneDNN {version} on {report.processor()}; shortest times of {options.rounds} rounds.\n"
    text += f"The peak is measured in the same run: {'; '.join(map(machine.described, options.threads))}.\n"
    print(text)
    if options.write:
        report.write_into(options.write, "products", text)


main()
