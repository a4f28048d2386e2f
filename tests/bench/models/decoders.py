"""A decoder as exporters for ONNX Runtime write it: grouped heads that turn and go on with a cache, norms by the root
of the mean of squares, and weights of four bits whose products may round what they meet to bytes."""

import numpy as np
from case import Case, Weights, normal
from graphs import INT64, Graph
from onnx import TensorProto

DOMAIN = "com.microsoft"
LAYERS, WIDTH, HEADS, KEY_HEADS, FORWARD, WORDS, PLACES = 2, 1024, 16, 4, 2816, 8192, 2048
DEPTH = WIDTH // HEADS
BITS, BLOCK, BYTES = 4, 32, 4  # BYTES is an accuracy_level
SLACK = 200.0  # a byte that is rounded otherwise is felt by all behind it


class Floats:
    """Products with weights that are floats."""

    bytes_each = 4

    def __init__(self, g):
        self.g, self.weights = g, Weights(g, 130)

    def product(self, x, inner, outer):
        return self.g.MatMul(x, self.weights(inner, outer, scale=inner**-0.5))


class FourBits:
    """Products with weights of four bits in blocks, as MatMulNBits has them."""

    bytes_each = BITS / 8 + 4 / BLOCK

    def __init__(self, g):
        self.g, self.random = g, np.random.default_rng(131)

    def product(self, x, inner, outer):
        numbers = self.random.integers(0, 256, (outer, inner // BLOCK, BLOCK * BITS // 8))
        # Whole numbers from -8 to 7 have a deviation of 4.6.
        scales = self.random.uniform(0.75, 1.25, outer * inner // BLOCK) * inner**-0.5 / 4.6
        constants = self.g.constant(numbers, np.uint8), self.g.constant(scales)
        sizes = {"K": inner, "N": outer, "bits": BITS, "block_size": BLOCK}
        return self.g.MatMulNBits(x, *constants, domain=DOMAIN, accuracy_level=BYTES, **sizes)


def turns(g):
    """Cosines and sines of what a head turns by at each place."""
    angles = np.outer(np.arange(PLACES), 1e4 ** -(np.arange(DEPTH // 2) / (DEPTH // 2)))
    return g.constant(np.cos(angles)), g.constant(np.sin(angles))


def layer(g, kind, number, x, skipped, shared):
    """Returns what goes on, normed and not; the caches are outputs of the graph."""
    scale = [g.constant(np.ones(WIDTH)) for _ in range(2)]
    products = [kind.product(x, WIDTH, size) for size in (WIDTH, KEY_HEADS * DEPTH, KEY_HEADS * DEPTH)]
    past = [g.input(f"{name}{number}", ["batch", KEY_HEADS, "past", DEPTH]) for name in ("past_keys", "past_values")]
    mixed, *caches = g.GroupQueryAttention(
        *products, *past, *shared, outputs=3, domain=DOMAIN, num_heads=HEADS, kv_num_heads=KEY_HEADS, do_rotary=1
    )
    for cache in caches:
        g.output(cache, ["batch", KEY_HEADS, "total", DEPTH])

    def joined(product, scale):
        names = [g.fresh("normed"), "", "", g.fresh("sum")]
        g.node("SkipSimplifiedLayerNormalization", [skipped, product, scale], names, domain=DOMAIN, epsilon=1e-5)
        return names[0], names[3]

    x, skipped = joined(kind.product(mixed, WIDTH, WIDTH), scale[0])
    gate, up = (kind.product(x, WIDTH, FORWARD) for _ in range(2))
    inner = g.Mul(g.Mul(gate, g.Sigmoid(gate)), up)
    return joined(kind.product(inner, FORWARD, WIDTH), scale[1])


def decoder(kind, steps, past):
    """`steps` words behind a cache of `past`; the sizes are symbols."""
    g = Graph()
    kind = kind(g)
    ids = g.input("input_ids", ["batch", "steps"], INT64)
    last = g.input("seqlens_k", ["batch"], TensorProto.INT32)
    total = g.input("total_sequence_length", [], TensorProto.INT32)
    shared = last, total, *turns(g)
    skipped = g.Gather(Weights(g, 132)(WORDS, WIDTH), ids)
    x = g.SimplifiedLayerNormalization(skipped, g.constant(np.ones(WIDTH)), axis=-1, epsilon=1e-5)
    for number in range(LAYERS):
        x, skipped = layer(g, kind, number, x, skipped, shared)
    g.output(kind.product(x, WIDTH, WORDS), ["batch", "steps", WORDS], name="logits")
    inputs = {
        "input_ids": np.random.default_rng(7).integers(0, WORDS, (1, steps)),
        "seqlens_k": np.array([past + steps - 1], np.int32),
        "total_sequence_length": np.array(past + steps, np.int32),
    }
    for number in range(LAYERS):
        for seed, name in enumerate(("past_keys", "past_values")):
            inputs[f"{name}{number}"] = normal(140 + 2 * number + seed, 1, KEY_HEADS, past, DEPTH, scale=0.5)
    read = LAYERS * (2 * WIDTH * (WIDTH + KEY_HEADS * DEPTH) + 3 * WIDTH * FORWARD) + WIDTH * WORDS
    return Case(g.model("decoder", opset=17, domains=[DOMAIN]), inputs, weights=int(read * kind.bytes_each), slack=SLACK)
