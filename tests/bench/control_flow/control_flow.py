"""Measures Strata beside ONNX Runtime on models of control flow, and prints a Markdown table.

Usage: control_flow.py STRATA [--models NAME,...] [--threads 1,2] [--rounds N] [--seconds S] [--json FILE]
                       [--write FILE]

The models are made first. Then, model by model, the two engines run in turn, each in its own process: both see the same
state of the machine. A run on one thread is pinned to one core. What is shown are medians over the rounds, of the
latency's median within a round; a ratio is the median of the rounds' ratios. Where these lie far apart, there are up to
twice as many rounds. Outputs are compared. --write puts the table between the two marks in a Markdown file. The exit
code is 77 when onnxruntime or onnx is missing, 1 when outputs differ.
"""

import argparse
import json
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import report  # noqa: E402

report.skip_without("numpy", "onnx", "onnxruntime")

import make_models  # noqa: E402
from comparison import Comparison, middle, rounds_text  # noqa: E402
from report import number  # noqa: E402

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


def row(comparison):
    first = comparison.options.threads[0]
    ours, theirs = (comparison.rounds[engine][first] for engine in ("strata", "onnxruntime"))
    iterations = comparison.case.iterations
    typed, after = ours[0]["typed"], ours[0]["decluttered"]
    cells = [comparison.name, str(iterations)]
    for threads in comparison.options.threads:
        cells += [number(comparison.latency(threads, engine) * 1e6) for engine in ("strata", "onnxruntime")]
        cells.append(number(comparison.ratio(threads)))
    cells.append(number(GOALS.get(comparison.name)))
    cells.append(f"{typed['nodes']} → {after['nodes']}")
    cells.append(f"{typed['loops']} → {after['loops']}")
    cells.append(f"{middle(ours, 'peak_bytes', 1e-6):.0f} / {middle(theirs, 'own_peak_bytes', 1e-6):.0f}")
    cells.append(f"{number(middle(ours, 'creation', 1e3))} / {number(middle(theirs, 'creation', 1e3))}")
    allocations = ours[0]["allocations"]
    cells.append(number(None if allocations is None else allocations / iterations))
    return cells


def table(comparisons, threads):
    head = ["model", "iterations"]
    for count in threads:
        head += [f"Strata µs, {count}T", f"ORT µs, {count}T", f"ratio, {count}T"]
    head += ["goal", "nodes", "loops", "peak MB", "session ms", "allocations"]
    return report.markdown_table(head, map(row, comparisons))


def page(comparisons, options):
    import onnxruntime

    text = table(comparisons, options.threads)
    text += f"\nOn {report.processor()}, against ONNX Runtime {onnxruntime.__version__} from PyPI;\n"
    text += f"{rounds_text(options)}. Where a cell has two numbers, they are\n"
    text += "Strata's and ONNX Runtime's; its peak memory is less what Python and numpy take. Nodes and loops are those of\n"
    text += "the typed model and of the decluttered one, bodies included. Allocations are from the heap, per iteration.\n"
    return text


def options_of(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    report.add_options(parser, rounds=5, seconds=0.5)
    parser.add_argument("--models", type=lambda text: text.split(","), default=list(make_models.MODELS))
    return parser.parse_args(arguments)


def compared(name, options, folder):
    """The comparison of one model, said in a line on stderr; nothing when an engine fails."""
    comparison = Comparison(name, make_models.MODELS[name](), options, folder)
    try:
        comparison.run()
    except RuntimeError as error:
        print(f"{name}: FAILED: {error}", file=sys.stderr)
        return None
    ratios = ", ".join(f"{number(comparison.ratio(threads))} at {threads}T" for threads in options.threads)
    print(f"{name}: {ratios}", file=sys.stderr)
    if comparison.wrong:
        print(f"{name}: FAILED: {comparison.wrong}", file=sys.stderr)
    return comparison


def main():
    options = options_of(sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        all_compared = [compared(name, options, pathlib.Path(folder)) for name in options.models]
    done = [each for each in all_compared if each]
    text = page(done, options)
    print(text, end="")
    if options.json:
        options.json.write_text(json.dumps({each.name: each.record() for each in done}, indent=1) + "\n")
    if options.write:
        report.write_into(options.write, "control flow", text)
    return 1 if any(each is None or each.wrong for each in all_compared) else 0


if __name__ == "__main__":
    sys.exit(main())
