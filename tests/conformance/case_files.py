"""Writes cases in the official layout, for the scripts here. They end as skipped (77) without numpy and onnx."""

import pathlib
import shutil
import subprocess
import sys

try:
    import numpy as np
    import onnx
    from onnx import TensorProto, helper, numpy_helper
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)


def write_case(folder, model, inputs, outputs):
    """Inputs and outputs are tensors; a map is two: its keys and its values."""
    data = pathlib.Path(folder) / "test_data_set_0"
    data.mkdir(parents=True)
    onnx.save(model, data.parent / "model.onnx")
    for kind, values in (("input", inputs), ("output", outputs)):
        for i, value in enumerate(values):
            (data / f"{kind}_{i}.pb").write_bytes(numpy_helper.from_array(np.asarray(value), "").SerializeToString())


def info_of(name, value):
    value = np.asarray(value)
    kind = TensorProto.STRING if value.dtype.kind in "OU" else helper.np_dtype_to_tensor_dtype(value.dtype)
    return helper.make_tensor_value_info(name, kind, value.shape)


def model_of(opset, nodes, inputs, outputs, domain=""):
    """Inputs and outputs are infos; a domain has its own version, the opset."""
    opsets = [helper.make_opsetid("", 15)] if domain else []
    graph = helper.make_graph(nodes, "g", inputs, outputs)
    return helper.make_model(graph, opset_imports=opsets + [helper.make_opsetid(domain, opset)],
                             ir_version=8 if domain else 3 if opset < 10 else 10)


def write(folder, op, version, attributes, inputs, outputs, domain=""):
    """A case of one node; an input that is None is left out."""
    names = ["" if value is None else f"x{i}" for i, value in enumerate(inputs)], [f"y{i}" for i in range(len(outputs))]
    info = [[info_of(name, value) for name, value in zip(names[i], values) if name]
            for i, values in enumerate((inputs, outputs))]
    model = model_of(version, [helper.make_node(op, *names, domain=domain, **attributes)], *info, domain)
    write_case(folder, model, [value for value in inputs if value is not None], outputs)


def write_groups(folder, name, groups):
    """The cases that generators give: op, version, and what else `write` takes."""
    for group in groups:
        for i, (op, version, *case) in enumerate(group()):
            write(pathlib.Path(folder) / name / f"{group.__name__}_{op}_{version}_{i}", op, version, *case)


def emptied(folder):
    shutil.rmtree(folder, ignore_errors=True)
    return pathlib.Path(folder)


def run(conformance, folder):
    sys.exit(subprocess.run([conformance, folder, "--expected", "none"]).returncode)
