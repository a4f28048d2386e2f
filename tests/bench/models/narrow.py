"""The same model with floats of 16 bits, as converters make it for shipping."""

import dataclasses

import numpy as np
from onnx import TensorProto, checker, numpy_helper

SLACK = 20.0  # ONNX Runtime rounds at fewer places than each op


def halved(make, *sizes):
    """The case that `make(*sizes)` gives, with f16 for all that is f32: weights, inputs and outputs."""
    case = make(*sizes)
    graph = case.model.graph
    for constant in graph.initializer:
        if constant.data_type == TensorProto.FLOAT:
            value = numpy_helper.to_array(constant).astype(np.float16)
            constant.CopyFrom(numpy_helper.from_array(value, constant.name))
    for value in (*graph.input, *graph.output):
        if value.type.tensor_type.elem_type == TensorProto.FLOAT:
            value.type.tensor_type.elem_type = TensorProto.FLOAT16
    if all(each.domain == "" for each in case.model.opset_import):
        checker.check_model(case.model, full_check=True)
    inputs = {
        name: value.astype(np.float16) if value.dtype == np.float32 else value for name, value in case.inputs.items()
    }
    return dataclasses.replace(case, inputs=inputs, weights=case.weights and case.weights // 2, slack=SLACK)
