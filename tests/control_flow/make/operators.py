"""The operators that bodies use, on numpy arrays, lists and None."""

import numpy as np
from onnx import helper, numpy_helper


def concat(*parts, axis):
    return np.concatenate(parts, axis)


def constant(value):
    return numpy_helper.to_array(value)


def cast(x, to):
    return np.asarray(x).astype(helper.tensor_dtype_to_np_dtype(to))


def strings_joined(a, b):
    return np.array(np.frompyfunc(lambda x, y: x + y, 2, 1)(a, b), dtype=object)


def sequence_insert(items, item, position=None):
    at = len(items) if position is None else int(position)
    assert -len(items) <= at <= len(items)
    at = at + len(items) if at < 0 else at
    return items[:at] + [item] + items[at:]


def sequence_erase(items, position=None):
    at = (int(position) if position is not None else -1) % len(items)
    return items[:at] + items[at + 1 :]


def joined(items, axis, new_axis=0):
    return np.stack(items, axis) if new_axis else np.concatenate(items, axis)


def optional_of(held=None, type=None):
    return held


OPERATORS = {
    "Add": lambda a, b: a + b,
    "And": np.logical_and,
    "Cast": cast,
    "Concat": concat,
    "ConcatFromSequence": joined,
    "Constant": constant,
    "Div": lambda a, b: a // b,
    "Equal": lambda a, b: np.asarray(a == b),
    "Gather": lambda x, indices: np.take(x, indices, 0),
    "Greater": lambda a, b: np.asarray(a > b),
    "Identity": lambda x: x,
    "Less": lambda a, b: np.asarray(a < b),
    "Mul": lambda a, b: a * b,
    "Neg": lambda x: -x,
    "Not": np.logical_not,
    "Optional": optional_of,
    "OptionalGetElement": lambda x: x,
    "OptionalHasElement": lambda x=None: np.array(x is not None),
    "ReduceSum": lambda x, keepdims=1: np.sum(x, keepdims=bool(keepdims), dtype=x.dtype),
    "Reshape": lambda x, shape: np.reshape(x, shape),
    "SequenceAt": lambda items, position: items[int(position)],
    "SequenceConstruct": lambda *items: list(items),
    "SequenceEmpty": lambda dtype=1: [],
    "SequenceErase": sequence_erase,
    "SequenceInsert": sequence_insert,
    "SequenceLength": lambda items: np.array(len(items), np.int64),
    "Shape": lambda x: np.array(np.shape(x), np.int64),
    "Squeeze": lambda x, axes: np.squeeze(x, tuple(int(a) for a in np.ravel(axes))),
    "StringConcat": strings_joined,
    "Sub": lambda a, b: a - b,
    "Unsqueeze": lambda x, axes: np.expand_dims(x, tuple(int(a) for a in np.ravel(axes))),
}
