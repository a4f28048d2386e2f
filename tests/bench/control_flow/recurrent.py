"""Recurrent layers, as ops and written out in loops."""

import numpy as np
from case import Case, normal
from graphs import Graph

STEPS, HIDDEN = 100, 256


def lstm_weights(seed):
    """Input and recurrent weights [in, 4 gates] and bias; gates in ONNX's order: input, output, forget, cell."""
    scale = HIDDEN**-0.5
    return (
        normal(seed, HIDDEN, 4 * HIDDEN, scale=scale),
        normal(seed + 1, HIDDEN, 4 * HIDDEN, scale=scale),
        normal(seed + 2, 4 * HIDDEN, scale=0.1),
    )


def lstm_cell(g, x, h, c, weights):
    """The next h and c."""
    w, r, b = weights
    gates = g.Add(g.Add(g.MatMul(x, w), g.MatMul(h, r)), b)
    i, o, f, z = g.Split(gates, g.root.integers(*[HIDDEN] * 4), axis=-1, outputs=4)
    c = g.Add(g.Mul(g.Sigmoid(f), c), g.Mul(g.Sigmoid(i), g.Tanh(z)))
    return g.Mul(g.Sigmoid(o), g.Tanh(c)), c


def lstm_graph():
    g = Graph()
    return g, g.input("x", [STEPS, 1, HIDDEN]), g.input("h0", [1, HIDDEN]), g.input("c0", [1, HIDDEN])


def lstm_case(g, name, h, c, ys):
    g.output(h, [1, HIDDEN], name="h")
    g.output(c, [1, HIDDEN], name="c")
    g.output(ys, [STEPS, 1, HIDDEN], name="ys")
    zeros = np.zeros((1, HIDDEN), np.float32)
    return Case(g.model(name), {"x": normal(5, STEPS, 1, HIDDEN), "h0": zeros, "c0": zeros}, STEPS)


def give_states(body, h, c):
    body.output(h, [1, HIDDEN])
    body.output(c, [1, HIDDEN])
    body.output(body.Identity(h), [1, HIDDEN])


def loop_lstm():
    """An LSTM written out in a Loop, which gathers its step's input."""
    g, x, h0, c0 = lstm_graph()
    weights = [g.constant(each) for each in lstm_weights(10)]
    body, counter = g.loop_body()
    h, c = body.input("h_in", [1, HIDDEN]), body.input("c_in", [1, HIDDEN])
    give_states(body, *lstm_cell(body, body.Gather(x, counter, axis=0), h, c, weights))
    return lstm_case(g, "loop_lstm", *g.Loop(g.integers(STEPS), "", h0, c0, body=body, outputs=3))


def scan_layer(g, x, h0, c0, seed):
    weights = [g.constant(each) for each in lstm_weights(seed)]
    body = g.body()
    h, c, step = (body.input(body.fresh(name), [1, HIDDEN]) for name in ("h_in", "c_in", "x_in"))
    give_states(body, *lstm_cell(body, step, h, c, weights))
    return g.Scan(h0, c0, x, body=body, num_scan_inputs=1, outputs=3)


def scan_lstm():
    """The same in a Scan."""
    g, x, h0, c0 = lstm_graph()
    return lstm_case(g, "scan_lstm", *scan_layer(g, x, h0, c0, 10))


def stacked_scan():
    """Two such layers, one on top of the other."""
    g, x, h0, c0 = lstm_graph()
    lower = scan_layer(g, x, h0, c0, 10)
    return lstm_case(g, "stacked_scan", *scan_layer(g, lower[2], h0, c0, 20))


def op_layer(g, x, h0, c0, seed):
    w, r, b = lstm_weights(seed)
    bias = g.constant(np.concatenate([b, np.zeros_like(b)])[None])
    leading = g.integers(0)
    states = g.Unsqueeze(h0, leading), g.Unsqueeze(c0, leading)
    ys, h, c = g.LSTM(x, g.constant(w.T[None]), g.constant(r.T[None]), bias, "", *states, hidden_size=HIDDEN, outputs=3)
    return g.Squeeze(h, leading), g.Squeeze(c, leading), g.Squeeze(ys, g.integers(1))


def op_lstm():
    """The same as the LSTM op."""
    g, x, h0, c0 = lstm_graph()
    return lstm_case(g, "op_lstm", *op_layer(g, x, h0, c0, 10))


def stacked_lstm():
    """Two LSTM ops, one on top of the other."""
    g, x, h0, c0 = lstm_graph()
    lower = op_layer(g, x, h0, c0, 10)
    return lstm_case(g, "stacked_lstm", *op_layer(g, lower[2], h0, c0, 20))


def op_gru():
    """The GRU op whose reset gate acts on the product."""
    g = Graph()
    x = g.input("x", [STEPS, 1, HIDDEN])
    w, r = (g.constant(normal(seed, 1, 3 * HIDDEN, HIDDEN, scale=HIDDEN**-0.5)) for seed in (30, 31))
    bias = g.constant(np.zeros((1, 6 * HIDDEN)))
    ys, h = g.GRU(x, w, r, bias, hidden_size=HIDDEN, linear_before_reset=1, outputs=2)
    g.output(ys, [STEPS, 1, 1, HIDDEN], name="ys")
    g.output(h, [1, 1, HIDDEN], name="h")
    return Case(g.model("op_gru"), {"x": normal(5, STEPS, 1, HIDDEN)}, STEPS)
