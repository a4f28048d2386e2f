"""Runs a graph node by node in plain Python, as the ONNX standard words it; the origin of all expected outputs.

Tensors are numpy arrays, sequences lists, an empty optional None and any other optional what it holds.
"""

import numpy as np
from onnx import helper, numpy_helper

from .operators import OPERATORS


def run_model(model, inputs):
    names = [value.name for value in model.graph.input]
    constants = {tensor.name for tensor in model.graph.initializer}
    given = [name for name in names if name not in constants]
    functions = {(f.domain, f.name): f for f in model.functions}
    return run_graph(model.graph, dict(zip(given, inputs, strict=True)), {}, functions)


def run_graph(graph, inputs, outer, functions, attributes=None):
    """The outputs of `graph`: what `inputs` binds hides what is visible outside."""
    scope = dict(outer)
    scope.update({tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer})
    scope.update(inputs)
    run_nodes(graph.node, scope, functions, attributes or {})
    return [scope[value.name] for value in graph.output]


def run_nodes(nodes, scope, functions, outer_attributes):
    for node in nodes:
        attributes = {}
        for attribute in node.attribute:
            if attribute.ref_attr_name:
                if attribute.ref_attr_name in outer_attributes:
                    attributes[attribute.name] = outer_attributes[attribute.ref_attr_name]
            else:
                attributes[attribute.name] = helper.get_attribute_value(attribute)
        inputs = [scope[name] if name else Missing for name in node.input]
        context = Context(scope, functions, outer_attributes, len(node.output))
        if (node.domain, node.op_type) in functions:
            outputs = call(functions[node.domain, node.op_type], inputs, attributes, functions)
        elif node.op_type in CONTROL:
            outputs = CONTROL[node.op_type](context, inputs, **attributes)
        else:
            outputs = OPERATORS[node.op_type](*[i for i in inputs if i is not Missing], **attributes)
            outputs = list(outputs) if isinstance(outputs, tuple) else [outputs]
        for name, result in zip(node.output, outputs):
            if name:
                scope[name] = result


class Missing:
    """An input that is left out."""


class Context:
    def __init__(self, scope, functions, attributes, output_count):
        self.scope, self.functions, self.attributes = scope, functions, attributes
        self.output_count = output_count

    def run(self, body, values):
        names = [value.name for value in body.input]
        constants = {tensor.name for tensor in body.initializer}
        given = [name for name in names if name not in constants]
        return run_graph(body, dict(zip(given, values, strict=True)), self.scope, self.functions, self.attributes)


def call(function, inputs, attributes, functions):
    scope = dict(zip(function.input, inputs))
    run_nodes(function.node, scope, functions, attributes)
    return [scope[name] for name in function.output]


def run_if(context, inputs, then_branch, else_branch):
    (condition,) = np.asarray(inputs[0]).ravel()
    return context.run(then_branch if condition else else_branch, [])


def run_loop(context, inputs, body):
    most, condition = (list(inputs) + [Missing, Missing])[:2]
    states = list(inputs[2:])
    goes_on = condition is Missing or bool(np.asarray(condition).item())
    stacks = [[] for _ in range(len(body.output) - 1 - len(states))]
    incoming = np.array(goes_on) if condition is Missing else condition
    turn = 0
    while goes_on and (most is Missing or turn < int(np.asarray(most).item())):
        results = context.run(body, [np.array(turn, np.int64), incoming, *states])
        incoming = results[0]
        goes_on = condition is Missing or bool(np.asarray(incoming).item())
        states = results[1 : 1 + len(states)]
        for stack, part in zip(stacks, results[1 + len(states) :], strict=True):
            stack.append(part)
        turn += 1
    shown = body.output[1 + len(states) :]
    return states + [np.stack(s) if s else no_turns(info, 0) for s, info in zip(stacks, shown)]


def no_turns(info, axis):
    """The scan output of zero iterations: 0 for each size that the body does not state, rank 1 without a shape."""
    shape = [d.dim_value for d in info.type.tensor_type.shape.dim]
    shape.insert(axis if axis >= 0 else axis + len(shape) + 1, 0)
    return np.zeros(shape, helper.tensor_dtype_to_np_dtype(info.type.tensor_type.elem_type))


def run_scan(context, inputs, body, num_scan_inputs, **options):
    first = len(inputs) - num_scan_inputs
    states, scanned = list(inputs[:first]), inputs[first:]
    count = len(body.output) - first
    in_axes = options.get("scan_input_axes", [0] * num_scan_inputs)
    in_directions = options.get("scan_input_directions", [0] * num_scan_inputs)
    out_axes = options.get("scan_output_axes", [0] * count)
    out_directions = options.get("scan_output_directions", [0] * count)
    (turns,) = {value.shape[axis] for value, axis in zip(scanned, in_axes)}
    stacks = [[] for _ in range(count)]
    for turn in range(turns):
        slices = [np.take(value, turns - 1 - turn if backward else turn, axis)
                  for value, axis, backward in zip(scanned, in_axes, in_directions)]
        results = context.run(body, [*states, *slices])
        states = results[:first]
        for stack, part in zip(stacks, results[first:], strict=True):
            stack.append(part)
    outputs = []
    for stack, axis, backward, info in zip(stacks, out_axes, out_directions, body.output[first:]):
        parts = stack[::-1] if backward else stack
        outputs.append(np.stack(parts, axis) if parts else no_turns(info, axis))
    return states + outputs


def run_batched_scan(context, inputs, body, num_scan_inputs, directions=None):
    """Scan-8: each element of the batch by itself; what follows a shorter sequence is 0."""
    lengths, values = inputs[0], inputs[1:]
    first = len(values) - num_scan_inputs
    batch, longest = values[first].shape[:2]
    rows = []
    for b in range(batch):
        length = longest if lengths is Missing else int(lengths[b])
        row = [v[b] for v in values[:first]] + [v[b][:length] for v in values[first:]]
        results = run_scan(context, row, body, num_scan_inputs, scan_input_directions=directions or [0] * num_scan_inputs)
        padded = [np.concatenate([r, np.zeros((longest - length, *r.shape[1:]), r.dtype)]) for r in results[first:]]
        rows.append(results[:first] + padded)
    return [np.stack(column) for column in zip(*rows)]


def any_scan(context, inputs, body, num_scan_inputs, **options):
    first_is_lengths = len(body.input) < len(inputs)
    run = run_batched_scan if first_is_lengths else run_scan
    return run(context, inputs, body, num_scan_inputs, **options)


def map_sequence(context, inputs, body):
    rows = [context.run(body, [item] + [v[i] if isinstance(v, list) else v for v in inputs[1:]])
            for i, item in enumerate(inputs[0])]
    return [list(column) for column in zip(*rows)]


CONTROL = {"If": run_if, "Loop": run_loop, "Scan": any_scan, "SequenceMap": map_sequence}
