"""Runs the official cases with less declared of their inputs: with no shapes, then with a symbol for each size.

usage: undeclared.py STRATA_CONFORMANCE FOLDER

Nothing is declared of outputs and inner values but their types. Each case gives what it gives with all declared, or it
is listed in undeclared.txt with the reason for which its op has to know more. Skipped (77) without onnx or the cases
(STRATA_ONNX_DATA).
"""

import fnmatch
import os
import pathlib
import subprocess
import sys

from case_files import emptied, onnx

HERE = pathlib.Path(__file__).parent


def tensor_types(declared):
    """The tensor types in a type."""
    kind = declared.WhichOneof("value")
    if kind == "tensor_type":
        yield declared.tensor_type
    elif kind in ("sequence_type", "optional_type"):
        yield from tensor_types(getattr(declared, kind).elem_type)


def forget(value, prefix):
    """Drops the shape, or names each size of it where there is a prefix."""
    for tensor in tensor_types(value.type):
        if prefix is None:
            tensor.ClearField("shape")
        for axis, size in enumerate(tensor.shape.dim):
            size.dim_param = f"{prefix}_{axis}"


def write_variant(case, out, variant):
    model = onnx.load(case / "model.onnx")
    for i, value in enumerate(model.graph.input):
        forget(value, f"in{i}" if variant == "symbolic" else None)
    for value in (*model.graph.output, *model.graph.value_info):
        forget(value, None)
    out.mkdir(parents=True)
    onnx.save(model, out / "model.onnx")
    for data in case.glob("test_data_set_*"):
        (out / data.name).symlink_to(data.resolve())


def listed(variant):
    """The patterns of cases that need more, with a mode or *, and the reason."""
    lines = (HERE / "undeclared.txt").read_text().splitlines()
    entries = [line.split(maxsplit=3) for line in lines if line and not line.startswith("#")]
    return [entry for kind, *entry in entries if kind in (variant, "both")]


def matches(name, pattern):
    """A function written out in other ops needs less declared: its pattern says that it is meant."""
    expanded = "_expanded"
    return fnmatch.fnmatchcase(name, pattern) and name.endswith(expanded) == pattern.endswith(expanded)


def expectations(names, variant, path):
    """Writes what is expected of the cases; returns the patterns that no case has."""
    known = [line for line in (HERE / "expected_failures.txt").read_text().splitlines() if line.split()[1:2] != ["~"]]
    entries = listed(variant)
    for name in names:
        known += [f"{name} {mode} {reason}" for pattern, mode, reason in entries if matches(name, pattern)]
    path.write_text("\n".join(known))
    return [pattern for pattern, *_ in entries if not any(matches(name, pattern) for name in names)]


def main(conformance, folder):
    data = os.environ.get("STRATA_ONNX_DATA")
    if not data:
        print("skipped: STRATA_ONNX_DATA names no cases")
        return 77
    out, failed = emptied(folder), False
    models = sorted(pathlib.Path(data).rglob("model.onnx"))
    for variant in ("undeclared", "symbolic"):
        cases = {f"{path.parent.parent.name}/{path.parent.name}": path.parent for path in models}
        for name, case in cases.items():
            write_variant(case, out / variant / name, variant)
        unused = expectations(cases, variant, out / f"{variant}.txt")
        print(f"{variant}: {len(cases)} cases", *(f"no case is {pattern}" for pattern in unused), sep="\n", flush=True)
        # In modes of their own, so that closer agreement is not asked for than kernels for open sizes give.
        modes = [word for mode in ("typed", "declutter", "optimise", "opl") for word in ("--mode", mode)]
        run = subprocess.run([conformance, out / variant, *modes, "--expected", out / f"{variant}.txt"], check=False)
        failed |= run.returncode != 0 or bool(unused) or not cases
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
