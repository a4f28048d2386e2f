"""Feed-forward models: a two-layer perceptron and a transformer encoder block."""

import math

import numpy as np

from .case import Case, drawn, f32


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def mlp():
    draw = drawn(201)
    w0, b0, w1, b1 = draw(12, 6, scale=0.5), draw(12), draw(4, 12, scale=0.5), draw(4)
    data = []
    for batch in (3, 1):
        x = draw(batch, 6)
        hidden = np.maximum(x.astype(np.float64) @ w0.T + b0, 0)
        data.append((dict(x=x), dict(y=f32(hidden @ w1.T + b1))))
    text = """<ir_version: 8, opset_import: ["": 17]>
    mlp (float[N,6] x) => (float[N,4] y) {
      sum = Gemm <transB = 1> (x, w0, b0)
      hidden = Relu (sum)
      y = Gemm <transB = 1> (hidden, w1, b1)
    }"""
    return Case("mlp", text, data, dict(w0=w0, b0=b0, w1=w1, b1=b1))


WIDTH, HEADS = 16, 2

ENCODER = """<ir_version: 8, opset_import: ["": 17]>
encoder (float[N,S,16] x) => (float[N,S,16] y) {
  normed = LayerNormalization <axis = -1> (x, norm0_scale, norm0_bias)
  projected = MatMul (normed, qkv_weight)
  qkv = Add (projected, qkv_bias)
  q, k, v = Split <axis = -1> (qkv, thirds)
  q_rows = Reshape (q, split_heads)
  k_rows = Reshape (k, split_heads)
  v_rows = Reshape (v, split_heads)
  q_heads = Transpose <perm = [0, 2, 1, 3]> (q_rows)
  k_heads = Transpose <perm = [0, 2, 3, 1]> (k_rows)
  v_heads = Transpose <perm = [0, 2, 1, 3]> (v_rows)
  products = MatMul (q_heads, k_heads)
  scores = Mul (products, head_scale)
  attention = Softmax <axis = -1> (scores)
  mixed_heads = MatMul (attention, v_heads)
  mixed_rows = Transpose <perm = [0, 2, 1, 3]> (mixed_heads)
  mixed = Reshape (mixed_rows, join_heads)
  attended = MatMul (mixed, out_weight)
  middle = Add (x, attended)
  middle_normed = LayerNormalization <axis = -1> (middle, norm1_scale, norm1_bias)
  up = MatMul (middle_normed, up_weight)
  up_sum = Add (up, up_bias)
  up_scaled = Div (up_sum, sqrt_two)
  up_erf = Erf (up_scaled)
  up_gate = Add (up_erf, one)
  up_gated = Mul (up_sum, up_gate)
  gelu = Mul (up_gated, half)
  down = MatMul (gelu, down_weight)
  down_sum = Add (down, down_bias)
  y = Add (middle, down_sum)
}"""


def encoder_weights(draw):
    return dict(
        norm0_scale=1 + draw(WIDTH, scale=0.1), norm0_bias=draw(WIDTH, scale=0.1),
        norm1_scale=1 + draw(WIDTH, scale=0.1), norm1_bias=draw(WIDTH, scale=0.1),
        qkv_weight=draw(WIDTH, 3 * WIDTH, scale=0.3), qkv_bias=draw(3 * WIDTH, scale=0.1),
        out_weight=draw(WIDTH, WIDTH, scale=0.3),
        up_weight=draw(WIDTH, 4 * WIDTH, scale=0.3), up_bias=draw(4 * WIDTH, scale=0.1),
        down_weight=draw(4 * WIDTH, WIDTH, scale=0.2), down_bias=draw(WIDTH, scale=0.1),
        thirds=np.array([WIDTH] * 3), split_heads=np.array([0, 0, HEADS, WIDTH // HEADS]),
        join_heads=np.array([0, 0, WIDTH]), head_scale=f32((WIDTH // HEADS) ** -0.5),
        sqrt_two=f32(math.sqrt(2)), one=f32(1), half=f32(0.5))


def layer_norm(x, scale, bias):
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / np.sqrt((centred ** 2).mean(axis=-1, keepdims=True) + 1e-5) * scale + bias


def encoder_reference(x, w):
    batch, length, _ = x.shape
    qkv = layer_norm(x, w["norm0_scale"], w["norm0_bias"]) @ w["qkv_weight"] + w["qkv_bias"]
    q, k, v = (part.reshape(batch, length, HEADS, -1) for part in np.split(qkv, 3, axis=-1))
    attention = softmax(np.einsum("bihd,bjhd->bhij", q, k) / math.sqrt(WIDTH / HEADS))
    mixed = np.einsum("bhij,bjhd->bihd", attention, v).reshape(batch, length, WIDTH)
    middle = x + mixed @ w["out_weight"]
    up = layer_norm(middle, w["norm1_scale"], w["norm1_bias"]) @ w["up_weight"] + w["up_bias"]
    gelu = up * 0.5 * (1 + np.vectorize(math.erf)(up / math.sqrt(2)))
    return middle + gelu @ w["down_weight"] + w["down_bias"]


def encoder():
    """Pre-norm, two heads, one matrix for queries, keys and values, symbolic batch and length."""
    draw = drawn(219)  # no output is near zero, where a relative tolerance means little
    weights = encoder_weights(draw)
    wide = {name: value.astype(np.float64) for name, value in weights.items()}
    data = []
    for batch, length in ((2, 5), (1, 1)):
        x = draw(batch, length, WIDTH)
        data.append((dict(x=x), dict(y=f32(encoder_reference(x.astype(np.float64), wide)))))
    return Case("encoder", ENCODER, data, weights)


CASES = (mlp, encoder)
