"""Transformer encoders and a decoder's step."""

import math

import numpy as np
from case import Case, Weights, normal
from graphs import INT64, Graph

WORDS, POSITIONS = 4096, 512  # a small vocabulary, to keep the files small
WIDTH, HEADS, FORWARD = 384, 12, 1536
LAYERS = 6
GPT_LAYERS, GPT_WIDTH, GPT_HEADS, GPT_WORDS, PAST = 4, 512, 8, 8192, 255


class Parts:
    """The layers that transformers are made of."""

    def __init__(self, g, weights):
        self.g, self.weights = g, weights

    def linear(self, x, inner, outer):
        product = self.g.MatMul(x, self.weights(inner, outer, scale=inner**-0.5))
        return self.g.Add(product, self.weights(outer, scale=0.02))

    def norm(self, x, width):
        return self.g.LayerNormalization(x, *self.scale_and_shift(width), axis=-1, epsilon=1e-12)

    def written_out_norm(self, x, width):
        """As exporters of older opsets write it."""
        g, (scale, shift) = self.g, self.scale_and_shift(width)
        centred = g.Sub(x, g.ReduceMean(x, axes=[-1], keepdims=1))
        variance = g.ReduceMean(g.Pow(centred, g.constant(2.0)), axes=[-1], keepdims=1)
        normal_form = g.Div(centred, g.Sqrt(g.Add(variance, g.constant(1e-12))))
        return g.Add(g.Mul(normal_form, scale), shift)

    def scale_and_shift(self, width):
        return self.g.constant(np.ones(width)), self.weights(width, scale=0.02)

    def heads(self, x, count, width, perm):
        return self.g.Transpose(self.g.Reshape(x, self.g.root.integers(0, 0, count, width // count)), perm=perm)

    def erf_gelu(self, x):
        g = self.g
        erf = g.Erf(g.Div(x, g.constant(math.sqrt(2))))
        return g.Mul(g.Mul(x, g.Add(erf, g.constant(1.0))), g.constant(0.5))

    def tanh_gelu(self, x):
        g = self.g
        cubic = g.Mul(g.Pow(x, g.constant(3.0)), g.constant(0.044715))
        tanh = g.Tanh(g.Mul(g.Add(x, cubic), g.constant(math.sqrt(2 / math.pi))))
        return g.Mul(g.Mul(x, g.Add(tanh, g.constant(1.0))), g.constant(0.5))


def encoder_layer(parts, x, norm, mask=None):
    g = parts.g
    query, keys, values = (
        parts.heads(parts.linear(x, WIDTH, WIDTH), HEADS, WIDTH, perm)
        for perm in ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3])
    )
    scores = g.Div(g.MatMul(query, keys), g.constant(math.sqrt(WIDTH // HEADS)))
    if mask:
        scores = g.Add(scores, mask)
    mixed = g.Transpose(g.MatMul(g.Softmax(scores, axis=-1), values), perm=[0, 2, 1, 3])
    mixed = parts.linear(g.Reshape(mixed, g.integers(0, 0, WIDTH)), WIDTH, WIDTH)
    x = norm(g.Add(mixed, x), WIDTH)
    forward = parts.linear(parts.erf_gelu(parts.linear(x, WIDTH, FORWARD)), FORWARD, WIDTH)
    return norm(g.Add(forward, x), WIDTH)


def encoder_block(length=128):
    """One encoder layer: 12 heads of 32, LayerNormalization as an op."""
    g = Graph()
    parts = Parts(g, Weights(g, 110))
    y = encoder_layer(parts, g.input("x", [1, length, WIDTH]), parts.norm)
    g.output(y, [1, length, WIDTH], name="y")
    return Case(g.model("encoder_block", opset=17), {"x": normal(7, 1, length, WIDTH)})


def mean_over_words(g, x, mask):
    """The mean over what the mask has, of length one."""
    mask = g.Unsqueeze(mask, g.integers(2))
    total = g.ReduceSum(g.Mul(x, mask), g.integers(1), keepdims=0)
    mean = g.Div(total, g.ReduceSum(mask, g.integers(1), keepdims=0))
    return g.Div(mean, g.ReduceL2(mean, axes=[1], keepdims=1))


def minilm6(length):
    """A sentence embedder of the shape of MiniLM-L6, with symbolic sizes and all norms written out."""
    g = Graph()
    weights = Weights(g, 111)
    parts = Parts(g, weights)
    ids, given = (g.input(name, ["batch", "words"], INT64) for name in ("input_ids", "attention_mask"))
    count = g.Gather(g.Shape(ids), g.integers(1))
    positions = g.Slice(weights(POSITIONS, WIDTH, scale=0.02), g.integers(0), count, g.integers(0))
    x = g.Add(g.Gather(weights(WORDS, WIDTH, scale=0.05), ids), positions)
    x = parts.written_out_norm(x, WIDTH)
    given = g.Cast(given, to=1)
    mask = g.Mul(g.Sub(g.constant(1.0), g.Unsqueeze(given, g.integers(1, 2))), g.constant(-1e4))
    for _ in range(LAYERS):
        x = encoder_layer(parts, x, parts.written_out_norm, mask)
    g.output(mean_over_words(g, x, given), ["batch", WIDTH], name="embedding")
    inputs = {
        "input_ids": np.random.default_rng(7).integers(0, WORDS, (1, length)),
        "attention_mask": np.ones((1, length), np.int64),
    }
    read = LAYERS * (4 * WIDTH * WIDTH + 2 * WIDTH * FORWARD) + 2 * length * WIDTH
    return Case(g.model("minilm6"), inputs, weights=4 * read)


def gpt_layer(parts, x, layer):
    g = parts.g
    depth = GPT_WIDTH // GPT_HEADS
    past = [g.input(f"{name}{layer}", [1, GPT_HEADS, "past", depth]) for name in ("past_keys", "past_values")]
    joined = parts.linear(parts.norm(x, GPT_WIDTH), GPT_WIDTH, 3 * GPT_WIDTH)
    parted = g.Split(joined, g.integers(*[GPT_WIDTH] * 3), axis=-1, outputs=3)
    query, key, value = (parts.heads(each, GPT_HEADS, GPT_WIDTH, [0, 2, 1, 3]) for each in parted)
    keys, values = g.Concat(past[0], key, axis=2), g.Concat(past[1], value, axis=2)
    scores = g.Mul(g.MatMul(query, g.Transpose(keys, perm=[0, 1, 3, 2])), g.constant(depth**-0.5))
    mixed = g.Transpose(g.MatMul(g.Softmax(scores, axis=-1), values), perm=[0, 2, 1, 3])
    x = g.Add(x, parts.linear(g.Reshape(mixed, g.integers(1, 1, GPT_WIDTH)), GPT_WIDTH, GPT_WIDTH))
    inner = parts.tanh_gelu(parts.linear(parts.norm(x, GPT_WIDTH), GPT_WIDTH, 4 * GPT_WIDTH))
    for cache in (keys, values):
        g.output(cache, [1, GPT_HEADS, "total", depth])
    return g.Add(x, parts.linear(inner, 4 * GPT_WIDTH, GPT_WIDTH))


def gpt_step():
    """One token of a decoder: weights and a cache of 255 tokens are read, and the cache given out longer by one."""
    g = Graph()
    weights = Weights(g, 112)
    parts = Parts(g, weights)
    x = g.Gather(weights(GPT_WORDS, GPT_WIDTH, scale=0.1), g.input("ids", [1, 1], INT64))
    for layer in range(GPT_LAYERS):
        x = gpt_layer(parts, x, layer)
    logits = g.MatMul(parts.norm(x, GPT_WIDTH), weights(GPT_WIDTH, GPT_WORDS, scale=GPT_WIDTH**-0.5))
    g.output(logits, [1, 1, GPT_WORDS], name="logits")
    shape = 1, GPT_HEADS, PAST, GPT_WIDTH // GPT_HEADS
    names = [f"{name}{layer}" for layer in range(GPT_LAYERS) for name in ("past_keys", "past_values")]
    caches = {name: normal(120 + number, *shape) for number, name in enumerate(names)}
    read = 12 * GPT_LAYERS * GPT_WIDTH * GPT_WIDTH + GPT_WIDTH * GPT_WORDS
    return Case(g.model("gpt_step", opset=17), {"ids": np.array([[17]]), **caches}, weights=4 * read)
