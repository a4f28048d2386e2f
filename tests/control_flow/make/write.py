"""Writes a case: the model, the inputs, and what the interpreter or the author says of the outcome."""

import numpy as np
from onnx import numpy_helper

from .interpreter import run_model


def write(case, folder):
    home = folder / ("refused" if case.refused else "cases") / case.name
    home.mkdir(parents=True)
    (home / "model.onnx").write_bytes(case.model.SerializeToString(deterministic=True))
    if case.refused:
        code, says = case.refused
        (home / "refused.txt").write_text(f"{code}\n{says}\n")
    graph = case.model.graph
    for number, inputs in enumerate(case.runs):
        data = home / f"test_data_set_{number}"
        data.mkdir()
        write_values(data, "input", inputs, graph.input)
        if not case.refused:
            write_values(data, "output", case.expected or run_model(case.model, inputs), graph.output)


def write_values(folder, kind, values, infos):
    for i, (value, info) in enumerate(zip(values, infos, strict=True)):
        (folder / f"{kind}_{i}.pb").write_bytes(proto(value, info).SerializeToString(deterministic=True))


def proto(value, info):
    which = info.type.WhichOneof("value")
    if which == "sequence_type":
        return numpy_helper.from_list([np.asarray(item) for item in value], info.name, dtype=1)
    if which == "optional_type":
        return numpy_helper.from_optional(value, info.name, dtype=1)
    return numpy_helper.from_array(np.asarray(value), info.name)
