"""Measures another engine on one model as `strata bench --json` measures Strata, and prints the same keys.

A peer's command is: SCRIPT MODEL INPUTS.npz THREADS SECONDS [OUTPUTS.npz]

Peak memory is given twice: of the process, and less what Python and numpy had taken before. A cold start begins when
these are loaded, and ends with the first run: the engine's library, a session, a run.
"""

import json
import statistics
import sys
import time

import numpy as np

WARMUPS = 3
LEAST_CREATIONS, MOST_CREATIONS, CREATION_SECONDS = 3, 10, 0.2


def process_bytes(label):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith(label))


def run_times(run, seconds):
    for _ in range(WARMUPS):
        run()
    times, end = [], time.perf_counter() + seconds
    while not times or time.perf_counter() < end:
        before = time.perf_counter_ns()
        run()
        times.append((time.perf_counter_ns() - before) / 1e9)
    return times


def seconds_of(work):
    """What `work` returns, and how long it took."""
    before = time.perf_counter()
    made = work()
    return made, time.perf_counter() - before


def creation_again(make):
    """The least time to make a session, over at least as many tries as `strata bench` takes; freeing it does not
    count."""
    times, end = [], time.perf_counter() + CREATION_SECONDS
    while len(times) < LEAST_CREATIONS or (len(times) < MOST_CREATIONS and time.perf_counter() < end):
        _, seconds = seconds_of(make)
        times.append(seconds)
    return min(times)


def measured(make_engine, path, inputs, threads, seconds):
    """The engine, a session, and what was measured. An engine has `version`, `session(path, inputs, threads)`,
    `runner(session, inputs)`, which is called to run it, and `outputs(session, inputs)`."""
    at_start = process_bytes("VmRSS:")
    engine, loading = seconds_of(make_engine)
    session, first = seconds_of(lambda: engine.session(path, inputs, threads))
    run, binding = seconds_of(lambda: engine.runner(session, inputs))
    _, first_run = seconds_of(run)
    times = run_times(run, seconds)
    peak = process_bytes("VmHWM:")
    return engine, session, {
        "version": engine.version,
        "threads": threads,
        "runs": len(times),
        "minimum": min(times),
        "median": statistics.median(times),
        "mean": statistics.fmean(times),
        "creation": creation_again(lambda: engine.session(path, inputs, threads)),
        "first_creation": first,
        "cold": loading + first + binding + first_run,
        "peak_bytes": peak,
        "own_peak_bytes": peak - at_start,
        "library_bytes": engine.library_bytes,
    }


def main(make_engine):
    path, inputs_path, threads, seconds = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
    with np.load(inputs_path) as stored:
        inputs = {name: np.ascontiguousarray(stored[name]) for name in stored.files}
    engine, session, result = measured(make_engine, path, inputs, threads, seconds)
    if len(sys.argv) > 5:
        np.savez(sys.argv[5], **engine.outputs(session, inputs))
    print(json.dumps(result))
