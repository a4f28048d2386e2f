"""Loops and branches of nodes so small that all their cost is what surrounds them."""

import numpy as np
from case import Case, normal
from graphs import BOOL, FLOAT, Graph


def tiny_loop(trips, length):
    """`trips` iterations of `length` nodes that multiply and add in turn on float[16]."""
    g = Graph()
    x, factor, shift = (g.input(name, [16]) for name in ("x", "factor", "shift"))
    body, _ = g.loop_body()
    value = body.input("value", [16])
    for step in range(length):
        value = body.Add(value, shift) if step % 2 else body.Mul(value, factor)
    body.output(value, [16])
    g.output(g.Loop(g.integers(trips), g.constant(True, bool), x, body=body), [16], name="y")
    return Case(g.model("tiny_loop"), tiny_inputs(), trips)


def tiny_inputs():
    return {
        "x": normal(1, 16),
        "factor": np.full(16, 0.999, np.float32),
        "shift": np.full(16, 0.001, np.float32),
    }


def loop_scanout():
    """1024 iterations, each of which stacks a float[64]."""
    g = Graph()
    x, factor = g.input("x", [64]), g.input("factor", [64])
    body, _ = g.loop_body()
    value = body.Mul(body.input("value", [64]), factor)
    body.output(value, [64])
    body.output(body.Tanh(value), [64])
    last, stack = g.Loop(g.integers(1024), "", x, body=body, outputs=2)
    g.output(last, [64], name="y")
    g.output(stack, [1024, 64], name="ys")
    return Case(g.model("loop_scanout"), {"x": normal(2, 64), "factor": np.full(64, 0.999, np.float32)}, 1024)


def seq_loop():
    """A sequence that grows by one float[32] in each of 512 iterations, stacked afterwards."""
    g = Graph()
    x = g.input("x", [32])
    body, counter = g.loop_body()
    grown = body.SequenceInsert(body.sequence_input("items"), body.Add(x, body.Cast(counter, to=FLOAT)))
    body.sequence_output(grown)
    items = g.Loop(g.integers(512), "", g.SequenceEmpty(dtype=FLOAT), body=body)
    g.output(g.ConcatFromSequence(items, axis=0, new_axis=1), [512, 32], name="y")
    return Case(g.model("seq_loop"), {"x": normal(3, 32)}, 512)


def if_plain():
    """One If between two branches of one node."""
    g = Graph()
    x, choice = g.input("x", [16]), g.input("choice", [], BOOL)
    doubled, negated = g.body(), g.body()
    doubled.output(doubled.Mul(x, g.constant(2.0)), [16])
    negated.output(negated.Neg(x), [16])
    g.output(g.If(choice, then_branch=doubled, else_branch=negated), [16], name="y")
    return Case(g.model("if_plain"), {"x": normal(4, 16), "choice": np.array(True)}, 1)


def if_in_loop():
    """256 iterations; even ones multiply and add, the others subtract or take the greater by turns."""
    g = Graph()
    x, factor, shift = (g.input(name, [16]) for name in ("x", "factor", "shift"))
    body, counter = g.loop_body()
    value = body.input("value", [16])

    def remainder_is(graph, divisor, wanted):
        remainder = graph.Mod(counter, g.constant(divisor, np.int64))
        return graph.Equal(remainder, g.constant(wanted, np.int64))

    even, odd = body.body(), body.body()
    even.output(even.Add(even.Mul(value, factor), shift), [16])
    first, third = odd.body(), odd.body()
    first.output(first.Sub(value, shift), [16])
    third.output(third.Max(value, shift), [16])
    odd.output(odd.If(remainder_is(odd, 4, 1), then_branch=first, else_branch=third), [16])
    body.output(body.If(remainder_is(body, 2, 0), then_branch=even, else_branch=odd), [16])
    g.output(g.Loop(g.integers(256), "", x, body=body), [16], name="y")
    return Case(g.model("if_in_loop"), tiny_inputs(), 256)
