"""Measures Strata beside ONNX Runtime on models of control flow, and prints a Markdown table.

Usage: control_flow.py STRATA [--models NAME,...] [--threads 1,2] [--rounds N] [--seconds S] [--json FILE]
                       [--write FILE]

The models are made first. Then, model by model, the two engines run in turn, each in its own process: both see the same
state of the machine. A run on one thread is pinned to one core. What is shown are medians over the rounds, of the
latency's median within a round; a ratio is the median of the rounds' ratios. Outputs are compared. --write puts the
table between the two marks in a Markdown file. The exit code is 77 when onnxruntime or onnx is missing, 1 when outputs
differ.
"""

import argparse
import importlib.util
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile

missing = [name for name in ("numpy", "onnx", "onnxruntime") if not importlib.util.find_spec(name)]
if missing:
    print(f"skipped: the Python package {', '.join(missing)} is missing")
    sys.exit(77)

import make_models  # noqa: E402
import numpy as np  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
RELATIVE, ABSOLUTE = 1e-3, 1e-4
BEGIN, END = "<!-- control flow: begin -->", "<!-- control flow: end -->"

# What the latency on one thread should be at most, as a part of ONNX Runtime's.
GOALS = {
    "loop_t256_b16": 0.15,
    "loop_t256_b64": 0.15,
    "loop_t4096_b4": 0.15,
    "loop_scanout": 0.15,
    "seq_loop": 0.15,
    "if_plain": 0.15,
    "if_in_loop": 0.15,
    "loop_lstm": 0.50,
    "scan_lstm": 0.50,
    "op_lstm": 1.00,
    "op_gru": 1.00,
    "greedy_h64": 0.35,
    "greedy_h256": 0.85,
    "kv_concat_loop": 0.40,
    "kv_seq_loop": 0.22,
}


def measure(command, threads):
    """What a process prints as JSON; pinned to one core when it has one thread."""
    core = max(os.sched_getaffinity(0))
    pin = (lambda: os.sched_setaffinity(0, {core})) if threads == 1 else None
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, preexec_fn=pin, timeout=900)
    if done.returncode:
        raise RuntimeError(done.stderr.strip()[-600:])
    return json.loads(done.stdout)


def differences(actual, expected):
    """What is wrong with the outputs in the `.npz` at `actual`, or nothing."""
    with np.load(actual) as ours, np.load(expected) as theirs:
        for name in theirs.files:
            if ours[name].shape != theirs[name].shape:
                return f"{name} has shape {ours[name].shape}, expected {theirs[name].shape}"
            if not np.allclose(ours[name], theirs[name], rtol=RELATIVE, atol=ABSOLUTE):
                return f"{name} is off by {np.abs(ours[name] - theirs[name]).max():.3g}"
    return None


class Comparison:
    """One model: both engines' measurements, a list of rounds for each number of threads."""

    def __init__(self, name, options, folder):
        self.name, self.options, self.folder = name, options, folder
        self.model, self.inputs, self.iterations = make_models.write(folder, name)
        self.ours, self.theirs = {}, {}
        self.wrong = None

    def run(self):
        expected = self.folder / f"{self.name}.expected.npz"
        for threads in self.options.threads:
            self.ours[threads], self.theirs[threads] = [], []
            for _ in range(self.options.rounds):
                self.ours[threads].append(self.bench_strata(threads))
                self.theirs[threads].append(self.bench_peer(threads, expected))
        self.wrong = differences(self.run_strata(), expected)

    def bench_strata(self, threads):
        command = [self.options.strata, "bench", self.model, "--inputs", self.inputs, "--threads", threads]
        return measure([*command, "--seconds", self.options.seconds, "--json"], threads)

    def bench_peer(self, threads, outputs):
        command = [sys.executable, HERE / "peer_onnxruntime.py", self.model, self.inputs, threads]
        return measure([*command, self.options.seconds, outputs], threads)

    def run_strata(self):
        outputs = self.folder / f"{self.name}.actual.npz"
        command = [self.options.strata, "run", self.model, "--inputs", self.inputs, "--output", outputs]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=900)
        return outputs

    def ratio(self, threads):
        pairs = zip(self.ours[threads], self.theirs[threads])
        return statistics.median(ours["median"] / theirs["median"] for ours, theirs in pairs)

    def record(self):
        return {
            "iterations": self.iterations,
            "wrong": self.wrong,
            "ratio": {threads: self.ratio(threads) for threads in self.options.threads},
            "strata": self.ours,
            "onnxruntime": self.theirs,
        }


def number(value):
    """About three significant digits, without an exponent."""
    digits = 3 if value < 0.01 else 2 if value < 9.995 else 1 if value < 99.95 else 0
    return f"{value:.{digits}f}"


def middle(rounds, key, unit=1.0):
    return statistics.median(each[key] for each in rounds) * unit


def row(comparison):
    first = comparison.options.threads[0]
    ours, theirs = comparison.ours[first], comparison.theirs[first]
    typed, after = ours[0]["typed"], ours[0]["decluttered"]
    goal = GOALS.get(comparison.name)
    cells = [comparison.name, str(comparison.iterations)]
    for threads in comparison.options.threads:
        cells.append(number(middle(comparison.ours[threads], "median", 1e6)))
        cells.append(number(middle(comparison.theirs[threads], "median", 1e6)))
        cells.append(number(comparison.ratio(threads)))
    cells.append(number(goal) if goal else "–")
    cells.append(f"{typed['nodes']} → {after['nodes']}")
    cells.append(f"{typed['loops']} → {after['loops']}")
    cells.append(f"{middle(ours, 'peak_bytes', 1e-6):.0f} / {middle(theirs, 'own_peak_bytes', 1e-6):.0f}")
    cells.append(f"{number(middle(ours, 'creation', 1e3))} / {number(middle(theirs, 'creation', 1e3))}")
    allocations = ours[0]["allocations"]
    cells.append("–" if allocations is None else number(allocations / comparison.iterations))
    return cells


def table(comparisons, threads):
    head = ["model", "iterations"]
    for count in threads:
        head += [f"Strata µs, {count}T", f"ORT µs, {count}T", f"ratio, {count}T"]
    head += ["goal", "nodes", "loops", "peak MB", "session ms", "allocations"]
    aligned = ["---"] + ["---:"] * (len(head) - 1)
    rows = [head, aligned, *map(row, comparisons)]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in rows)


def processor():
    with open("/proc/cpuinfo") as info:
        names = [line.split(":")[1].strip() for line in info if line.startswith("model name")]
    return f"{len(os.sched_getaffinity(0))} cores of {names[0] if names else platform.machine()}"


def report(comparisons, options):
    import onnxruntime

    text = table(comparisons, options.threads)
    text += f"\nOn {processor()}, against ONNX Runtime {onnxruntime.__version__} from PyPI;\n"
    text += f"medians of {options.rounds} paired rounds of {options.seconds} s. Where a cell has two numbers, they are\n"
    text += "Strata's and ONNX Runtime's; its peak memory is less what Python and numpy take. Nodes and loops are those of\n"
    text += "the typed model and of the decluttered one, bodies included. Allocations are from the heap, per iteration.\n"
    return text


def write_into(path, text):
    page = path.read_text()
    start, end = page.index(BEGIN) + len(BEGIN), page.index(END)
    path.write_text(f"{page[:start]}\n\n{text}\n{page[end:]}")


def options_of(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("strata", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--models", type=lambda text: text.split(","), default=list(make_models.MODELS))
    parser.add_argument("--threads", type=lambda text: [int(each) for each in text.split(",")], default=[1, 2])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--write", type=pathlib.Path)
    return parser.parse_args(arguments)


def main():
    options = options_of(sys.argv[1:])
    done, failed = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for name in options.models:
            comparison = Comparison(name, options, pathlib.Path(folder))
            try:
                comparison.run()
            except RuntimeError as error:
                failed += 1
                print(f"{name}: FAILED: {error}", file=sys.stderr)
                continue
            done.append(comparison)
            failed += comparison.wrong is not None
            ratios = ", ".join(f"{number(comparison.ratio(threads))} at {threads}T" for threads in options.threads)
            print(f"{name}: {ratios}", file=sys.stderr)
            if comparison.wrong:
                print(f"{name}: FAILED: {comparison.wrong}", file=sys.stderr)
    text = report(done, options)
    print(text, end="")
    if options.json:
        options.json.write_text(json.dumps({each.name: each.record() for each in done}, indent=1) + "\n")
    if options.write:
        write_into(options.write, text)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
