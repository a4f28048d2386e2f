"""Builds ONNX graphs from Python expressions: `g.Add(a, b)` adds a node and returns the name of its output."""

import numpy as np
from onnx import TensorProto, checker, helper, numpy_helper, shape_inference

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL


class Graph:
    """One graph. Constants of a body lie in the outermost graph, as exporters leave them."""

    def __init__(self, outer=None):
        self.outer = outer
        self.root = outer.root if outer else self
        self.nodes, self.inputs, self.outputs, self.constants = [], [], [], []
        self.names = 0

    def __getattr__(self, op):
        if not op[0].isupper():
            raise AttributeError(op)
        return lambda *inputs, **attributes: self.node(op, inputs, **attributes)

    def node(self, op, inputs, outputs=1, **attributes):
        """Adds a node; `outputs` is their number, or their names."""
        names = [self.fresh(op) for _ in range(outputs)] if isinstance(outputs, int) else list(outputs)
        bodies = {key: value.proto(key) if isinstance(value, Graph) else value for key, value in attributes.items()}
        self.nodes.append(helper.make_node(op, list(inputs), names, **bodies))
        return names[0] if len(names) == 1 else names

    def fresh(self, stem):
        self.root.names += 1
        return f"{stem.lower()}{self.root.names}"

    def constant(self, value, dtype=np.float32):
        name = self.fresh("const")
        self.root.constants.append(numpy_helper.from_array(np.array(value, dtype), name))
        return name

    def integers(self, *values):
        return self.constant(values, np.int64)

    def input(self, name, shape, dtype=FLOAT):
        self.inputs.append(helper.make_tensor_value_info(name, dtype, shape))
        return name

    def output(self, wire, shape, dtype=FLOAT, name=None):
        """Gives `wire` out, under `name` when that is another."""
        if name and name != wire:
            wire = self.node("Identity", [wire], outputs=[name])
        self.outputs.append(helper.make_tensor_value_info(wire, dtype, shape))

    def inferred_output(self, wire, name, opset):
        """Gives `wire` out, of the type and shape that ONNX infers."""
        self.nodes.append(helper.make_node("Identity", [wire], [name]))
        model = shape_inference.infer_shapes(self.unchecked_model("inferred", opset), data_prop=True, strict_mode=True)
        self.outputs.append(next(each for each in model.graph.value_info if each.name == name))

    def sequence_input(self, name):
        self.inputs.append(helper.make_tensor_sequence_value_info(name, FLOAT, None))
        return name

    def sequence_output(self, wire):
        self.outputs.append(helper.make_tensor_sequence_value_info(wire, FLOAT, None))

    def body(self):
        return Graph(self)

    def while_body(self):
        """A body of Loop, without its condition: its graph, the iteration number and the last condition."""
        body = self.body()
        return body, body.input(body.fresh("i"), [], INT64), body.input(body.fresh("go"), [], BOOL)

    def loop_body(self):
        """A body of Loop: its graph and the iteration number; the condition is passed on."""
        body, counter, condition = self.while_body()
        body.output(body.Identity(condition), [], BOOL)
        return body, counter

    def proto(self, name):
        return helper.make_graph(self.nodes, name, self.inputs, self.outputs, self.constants)

    def unchecked_model(self, name, opset, domains=()):
        imports = [helper.make_opsetid("", opset), *(helper.make_opsetid(domain, 1) for domain in domains)]
        return helper.make_model(self.proto(name), opset_imports=imports, ir_version=8)

    def model(self, name, opset=16, domains=()):
        """`domains` are those of ops besides ONNX's own, which its checker does not know."""
        model = self.unchecked_model(name, opset, domains)
        if not domains:
            checker.check_model(model, full_check=True)
        return model
