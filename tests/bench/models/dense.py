"""Matrix products, alone and in small nets, and lines of tiny nodes."""

import numpy as np
from case import BYTE_WEIGHTS, Case, Weights, normal
from graphs import Graph
from onnx import TensorProto


def mlp(batch):
    """784-512-512-10 with Relu between and Softmax at the end."""
    g = Graph()
    weights = Weights(g, 100)
    value, widths = g.input("x", [batch, 784]), [784, 512, 512, 10]
    for inner, outer in zip(widths, widths[1:]):
        value = g.Gemm(value, weights.scaled(outer, inner), g.constant(np.zeros(outer)), transB=1)
        value = g.Relu(value) if outer > 10 else g.Softmax(value, axis=-1)
    g.output(value, [batch, 10], name="y")
    return Case(g.model("mlp"), {"x": normal(7, batch, 784)})


def matmul(rows, inner, columns):
    """A product with a constant."""
    g = Graph()
    product = g.MatMul(g.input("x", [rows, inner]), Weights(g, 101)(inner, columns))
    g.output(product, [rows, columns], name="y")
    return Case(g.model("matmul"), {"x": normal(7, rows, inner)})


def matmul_integer(rows, inner, columns):
    """A product of u8 with a constant of i8."""
    g = Graph()
    random = np.random.default_rng(102)
    factor = g.constant(random.integers(*BYTE_WEIGHTS, (inner, columns)), np.int8)
    product = g.MatMulInteger(g.input("x", [rows, inner], TensorProto.UINT8), factor)
    g.output(product, [rows, columns], TensorProto.INT32, name="y")
    inputs = {"x": random.integers(0, 256, (rows, inner)).astype(np.uint8)}
    return Case(g.model("matmul_integer"), inputs, weights=inner * columns, products="int8")


def chain(length):
    """`length` nodes that multiply and add in turn on float[16]."""
    g = Graph()
    value, factor, shift = (g.input(name, [16]) for name in ("x", "factor", "shift"))
    for step in range(length):
        value = g.Add(value, shift) if step % 2 else g.Mul(value, factor)
    g.output(value, [16], name="y")
    inputs = {"x": normal(7, 16), "factor": np.full(16, 0.999, np.float32), "shift": np.full(16, 0.001, np.float32)}
    return Case(g.model("chain"), inputs)
