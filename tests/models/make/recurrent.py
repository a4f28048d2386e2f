"""Recurrent models: ONNX's LSTM, GRU and RNN, and the same LSTM cell inside Loop and Scan."""

import numpy as np

from .case import Case, drawn, f32, sigmoid

STEPS, BATCH, FEATURES, HIDDEN = 16, 2, 8, 16


def lstm_cell(x, h, c, w, r, bias):
    """One step. w [4*hidden, features], r [4*hidden, hidden], bias [4*hidden], gates in ONNX's order i, o, f, c."""
    i, o, f, z = np.split(x @ w.T + h @ r.T + bias, 4, axis=-1)
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(z)
    return sigmoid(o) * np.tanh(c), c


def lstm(x, w, r, b, h, c):
    """All steps of one direction. b [8*hidden] is the input's bias, then the recurrence's. Returns y, h, c."""
    bias = b[:b.size // 2] + b[b.size // 2:]
    steps = []
    for x_t in x:
        h, c = lstm_cell(x_t, h, c, w, r, bias)
        steps.append(h)
    return np.stack(steps), h, c


def gru(x, w, r, b, h):
    """Gates in ONNX's order z, r, h; the reset gate applies before the matrix product."""
    wb, rb = np.split(b, 2)
    wz, wr, wh = np.split(w, 3)
    rz, rr, rh = np.split(r, 3)
    bz, br, bh = np.split(wb + rb, 3)
    steps = []
    for x_t in x:
        update = sigmoid(x_t @ wz.T + h @ rz.T + bz)
        reset = sigmoid(x_t @ wr.T + h @ rr.T + br)
        candidate = np.tanh(x_t @ wh.T + (reset * h) @ rh.T + bh)
        h = (1 - update) * candidate + update * h
        steps.append(h)
    return np.stack(steps), h


def rnn(x, w, r, b, h):
    wb, rb = np.split(b, 2)
    steps = []
    for x_t in x:
        h = np.tanh(x_t @ w.T + wb + h @ r.T + rb)
        steps.append(h)
    return np.stack(steps), h


def double(*arrays):
    return [np.asarray(a, np.float64) for a in arrays]


def loop_lstm():
    """An LSTM cell written out in a Loop of 16 steps that gathers its input by the iteration number."""
    draw = drawn(101)
    x = draw(STEPS, BATCH, FEATURES)
    w, r = draw(FEATURES, 4 * HIDDEN, scale=0.35), draw(HIDDEN, 4 * HIDDEN, scale=0.25)
    bias = draw(4 * HIDDEN, scale=0.1)
    zero = np.zeros((BATCH, HIDDEN))
    wide = np.concatenate([bias, np.zeros(4 * HIDDEN)])
    y, h, c = lstm(*double(x, w.T, r.T), wide, zero, zero)
    text = """<ir_version: 8, opset_import: ["": 17]>
    loop_lstm (float[16,2,8] x) => (float[16,2,16] y, float[2,16] h_last, float[2,16] c_last) {
      h_last, c_last, y = Loop <body = step
        (int64 i, bool go_in, float[2,16] h, float[2,16] c) =>
        (bool go, float[2,16] h_next, float[2,16] c_next, float[2,16] h_step) {
          go = Identity (go_in)
          x_t = Gather <axis = 0> (x, i)
          from_input = MatMul (x_t, input_weight)
          from_state = MatMul (h, state_weight)
          sum = Add (from_input, from_state)
          gates = Add (sum, bias)
          gate_i, gate_o, gate_f, gate_c = Split <axis = -1> (gates, gate_sizes)
          input_gate = Sigmoid (gate_i)
          output_gate = Sigmoid (gate_o)
          forget_gate = Sigmoid (gate_f)
          candidate = Tanh (gate_c)
          kept = Mul (forget_gate, c)
          added = Mul (input_gate, candidate)
          c_next = Add (kept, added)
          squashed = Tanh (c_next)
          h_next = Mul (output_gate, squashed)
          h_step = Identity (h_next)
      }> (steps, always, h_first, c_first)
    }"""
    weights = dict(steps=np.array(STEPS), always=np.array(True), h_first=f32(zero), c_first=f32(zero),
                   input_weight=w, state_weight=r, bias=bias, gate_sizes=np.array([HIDDEN] * 4))
    data = [(dict(x=x), dict(y=f32(y), h_last=f32(h), c_last=f32(c)))]
    return Case("loop_lstm", text, data, weights, arrays=dict(x=x))


def lstm_op():
    """One direction, initial states, all three outputs, symbolic numbers of steps and sequences."""
    draw = drawn(102)
    w, r, b = draw(1, 24, 4, scale=0.4), draw(1, 24, 6, scale=0.3), draw(1, 48, scale=0.1)
    data = []
    for steps, batch in ((5, 3), (1, 1)):
        x, h, c = draw(steps, batch, 4), draw(1, batch, 6), draw(1, batch, 6)
        y, h_n, c_n = lstm(*double(x, w[0], r[0], b[0], h[0], c[0]))
        data.append((dict(x=x, h=h, c=c), dict(y=f32(y[:, None]), y_h=f32(h_n[None]), y_c=f32(c_n[None]))))
    text = """<ir_version: 8, opset_import: ["": 17]>
    lstm (float[T,N,4] x, float[1,N,6] h, float[1,N,6] c)
      => (float[T,1,N,6] y, float[1,N,6] y_h, float[1,N,6] y_c) {
      y, y_h, y_c = LSTM <hidden_size = 6> (x, w, r, b, , h, c)
    }"""
    return Case("lstm", text, data, dict(w=w, r=r, b=b))


def lstm_bidirectional():
    """Both directions, the initial states left out."""
    draw = drawn(103)
    x = draw(6, 2, 4)
    w, r, b = draw(2, 20, 4, scale=0.4), draw(2, 20, 5, scale=0.3), draw(2, 40, scale=0.1)
    zero = np.zeros((2, 5))
    y0, h0, c0 = lstm(*double(x, w[0], r[0], b[0]), zero, zero)
    y1, h1, c1 = lstm(*double(x[::-1], w[1], r[1], b[1]), zero, zero)
    expected = dict(y=f32(np.stack([y0, y1[::-1]], axis=1)), y_h=f32(np.stack([h0, h1])), y_c=f32(np.stack([c0, c1])))
    text = """<ir_version: 8, opset_import: ["": 17]>
    lstm_bidirectional (float[6,2,4] x) => (float[6,2,2,5] y, float[2,2,5] y_h, float[2,2,5] y_c) {
      y, y_h, y_c = LSTM <hidden_size = 5, direction = "bidirectional"> (x, w, r, b)
    }"""
    return Case("lstm_bidirectional", text, [(dict(x=x), expected)], dict(w=w, r=r, b=b))


def gru_op():
    """The reverse direction."""
    draw = drawn(104)
    x, h = draw(5, 2, 3), draw(1, 2, 4)
    w, r, b = draw(1, 12, 3, scale=0.5), draw(1, 12, 4, scale=0.4), draw(1, 24, scale=0.1)
    y, h_n = gru(*double(x[::-1], w[0], r[0], b[0], h[0]))
    text = """<ir_version: 8, opset_import: ["": 17]>
    gru (float[5,2,3] x, float[1,2,4] h) => (float[5,1,2,4] y, float[1,2,4] y_h) {
      y, y_h = GRU <hidden_size = 4, direction = "reverse"> (x, w, r, b, , h)
    }"""
    return Case("gru", text, [(dict(x=x, h=h), dict(y=f32(y[::-1][:, None]), y_h=f32(h_n[None])))], dict(w=w, r=r, b=b))


def rnn_op():
    """The plain recurrence, only its last state asked for."""
    draw = drawn(105)
    x = draw(7, 2, 3)
    w, r, b = draw(1, 4, 3, scale=0.5), draw(1, 4, 4, scale=0.4), draw(1, 8, scale=0.1)
    _, h = rnn(*double(x, w[0], r[0], b[0]), np.zeros((2, 4)))
    text = """<ir_version: 8, opset_import: ["": 17]>
    rnn (float[T,N,3] x) => (float[1,N,4] y_h) {
      , y_h = RNN <hidden_size = 4> (x, w, r, b)
    }"""
    return Case("rnn", text, [(dict(x=x), dict(y_h=f32(h[None])))], dict(w=w, r=r, b=b))


def scan():
    """Scan-11 over two inputs, one of them backwards, with a running sum and an output stacked backwards."""
    draw = drawn(106)
    start, a, b = draw(3), draw(6, 3), draw(6, 3)
    state, totals, products = start.astype(np.float64), [], []
    for a_t, b_t in zip(*double(a, b[::-1])):
        products.append(state * b_t)
        state = state + a_t
        totals.append(state)
    expected = dict(last=f32(state), totals=f32(totals), products=f32(products[::-1]))
    text = """<ir_version: 8, opset_import: ["": 11]>
    scan (float[3] start, float[T,3] a, float[T,3] b) => (float[3] last, float[T,3] totals, float[T,3] products) {
      last, totals, products = Scan <num_scan_inputs = 2, scan_input_directions = [0, 1],
                                     scan_output_directions = [0, 1], body = step
        (float[3] state, float[3] a_t, float[3] b_t) => (float[3] next, float[3] total, float[3] product) {
          product = Mul (state, b_t)
          next = Add (state, a_t)
          total = Identity (next)
      }> (start, a, b)
    }"""
    return Case("scan", text, [(dict(start=start, a=a, b=b), expected)])


CASES = (loop_lstm, lstm_op, lstm_bidirectional, gru_op, rnn_op, scan)
