"""Short ways to write graphs, models and cases.

A value is written `name` or `name:type`; a type is `f`, `i` (int64), `b`, `s`, … with an optional shape, as in
`f[2,N]`, and `seq.` or `opt.` before it. `_` stands for an empty name.
"""

import dataclasses

import numpy as np
from onnx import TensorProto, helper, numpy_helper

DTYPES = {"f": (TensorProto.FLOAT, np.float32), "d": (TensorProto.DOUBLE, np.float64), "i": (TensorProto.INT64, np.int64),
          "w": (TensorProto.INT32, np.int32), "b": (TensorProto.BOOL, np.bool_), "s": (TensorProto.STRING, np.object_)}


def type_of(text):
    for prefix, make in (("seq.", helper.make_sequence_type_proto), ("opt.", helper.make_optional_type_proto)):
        if text.startswith(prefix):
            return make(type_of(text[len(prefix):]))
    letter, bracket, dims = text.partition("[")
    shape = [int(d) if d.lstrip("-").isdigit() else d for d in dims.rstrip("]").split(",") if d] if bracket else None
    return helper.make_tensor_type_proto(DTYPES[letter][0], shape)


def value(text):
    name, colon, type_text = text.partition(":")
    info = helper.make_empty_tensor_value_info(name)
    if colon:
        info.type.CopyFrom(type_of(type_text))
    else:
        info.ClearField("type")
    return info


def array(data, letter="f"):
    return np.array(data, DTYPES[letter][1])


def node(op, inputs, outputs, **attributes):
    names = [["" if name == "_" else name for name in side.split()] for side in (inputs, outputs)]
    return helper.make_node(op, *names, **attributes)


def constant(name, data, letter="i"):
    return helper.make_node("Constant", [], [name], value=numpy_helper.from_array(array(data, letter), name + "_value"))


def graph(inputs, outputs, nodes, initializers=None, name="g"):
    tensors = [numpy_helper.from_array(data, key) for key, data in (initializers or {}).items()]
    return helper.make_graph(nodes, name, [value(v) for v in inputs.split()], [value(v) for v in outputs.split()], tensors)


def model(main, opset=17, ir=8, functions=()):
    opsets = [helper.make_opsetid("", opset)] + ([helper.make_opsetid("local", 1)] if functions else [])
    return helper.make_model(main, opset_imports=opsets, ir_version=ir, functions=list(functions), producer_name="strata")


@dataclasses.dataclass
class Case:
    """A model, the inputs of each run, how it is refused (exit code, part of the message), and the outputs of its one
    run where the interpreter cannot tell."""

    name: str
    model: object
    runs: list
    refused: tuple = ()
    expected: tuple = ()


def case(name, inputs, outputs, nodes, *runs, initializers=None, refused=(), expected=(), **more):
    """A case whose main graph is given by its parts; each run is the list of its inputs."""
    return Case(name, model(graph(inputs, outputs, nodes, initializers, "main"), **more), list(runs), refused, expected)


def loop(body, inputs="M cond s", outputs="y", **attributes):
    return node("Loop", inputs, outputs, body=body, **attributes)


def branches(condition, outputs, then_branch, else_branch):
    return node("If", condition, outputs, then_branch=then_branch, else_branch=else_branch)
