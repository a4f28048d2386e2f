"""Loops, and a model without one, that make values whose sizes only the data tell."""

import numpy as np
from case import Case, normal
from graphs import BOOL, FLOAT, INT64, Graph


def uniform(seed, *shape):
    return np.random.default_rng(seed).random(shape, np.float32)


def loop_while(g, body, *values):
    """A Loop that its body's condition ends, and as many outputs as it carries values."""
    return g.Loop("", g.constant(True, bool), *values, body=body, outputs=len(values))


def select_loop(trips=300):
    """The sum of what is above a threshold, which rises: what PyTorch makes of x[x > threshold].sum()."""
    g = Graph()
    x = g.input("x", ["N"])
    body, counter = g.loop_body()
    threshold = body.Mul(body.Cast(counter, to=FLOAT), g.constant(1 / trips))
    places = body.Transpose(body.NonZero(body.Greater(x, threshold)), perm=[1, 0])
    chosen = body.ReduceSum(body.GatherND(x, places), keepdims=0)
    body.output(body.Add(body.input("sum", []), chosen), [])
    g.output(g.Loop(g.integers(trips), "", g.constant(0), body=body), [], name="y")
    return Case(g.model("select_loop"), {"x": uniform(70, 200)}, trips)


def shrink_loop(length=300):
    """A vector that loses what is furthest from its mean, until one number is left."""
    g = Graph()
    x, one = g.input("x", ["N"]), g.constant(1, np.int64)
    body, *_ = g.while_body()
    value = body.input("value", ["K"])
    distance = body.Abs(body.Sub(value, body.ReduceMean(value, keepdims=1)))
    rest = body.Compress(value, body.Less(distance, body.ReduceMax(distance, keepdims=1)), axis=0)
    body.output(body.Greater(body.Size(rest), one), [], BOOL)
    body.output(rest, ["L"])
    g.output(loop_while(g, body, x), ["M"], name="y")
    return Case(g.model("shrink_loop"), {"x": uniform(71, length)}, length - 1)


def kept_by_suppression(places, scores, distance):
    """How many places are kept where the best suppresses all near it, again and again."""
    kept = 0
    while len(scores):
        best = places[scores.argmax()]
        far = ((places - best) ** 2).sum(axis=1) > distance
        places, scores, kept = places[far], scores[far], kept + 1
    return kept


def suppress_loop(count=500, distance=1.0):
    """Non-maximum suppression, written out: the best of what is left, and then what is not near it."""
    g = Graph()
    places, scores = g.input("places", ["N", 4]), g.input("scores", ["N"])
    body, *_ = g.while_body()
    near, left, kept = body.input("near", ["K", 4]), body.input("left", ["K"]), body.input("kept", ["B"])
    best = body.ArgMax(left, axis=0, keepdims=1)
    apart = body.Sub(near, body.Gather(near, best, axis=0))
    far = body.Greater(body.ReduceSum(body.Mul(apart, apart), g.integers(1), keepdims=0), g.constant(distance))
    rest = body.Compress(left, far, axis=0)
    body.output(body.Greater(body.Size(rest), g.constant(0, np.int64)), [], BOOL)
    body.output(body.Compress(near, far, axis=0), ["L", 4])
    body.output(rest, ["L"])
    body.output(body.Concat(kept, body.Gather(left, best, axis=0), axis=0), ["C"])
    *_, best_scores = loop_while(g, body, places, scores, g.constant(np.zeros(0)))
    g.output(best_scores, ["M"], name="y")
    inputs = {"places": 5 * uniform(72, count, 4), "scores": uniform(73, count)}
    return Case(g.model("suppress_loop"), inputs, kept_by_suppression(*inputs.values(), distance))


def segments_loop(count=300):
    """A layer and a maximum over segments of a matrix, of which each has a length of its own."""
    g = Graph()
    x = g.input("x", ["N", 16])
    begins, ends = (g.input(name, [count, 1], INT64) for name in ("begins", "ends"))
    body, counter = g.loop_body()
    begin, end = (body.Gather(each, counter, axis=0) for each in (begins, ends))
    segment = body.Relu(body.Slice(x, begin, end, g.integers(0)))
    product = body.MatMul(segment, g.constant(normal(74, 16, 8, scale=0.25)))
    body.output(body.ReduceMax(product, axes=[0], keepdims=0), [8])
    g.output(g.Loop(g.integers(count), "", body=body), [count, 8], name="y")
    random = np.random.default_rng(75)
    begin = random.integers(0, 900, (count, 1))
    inputs = {"x": normal(76, 1000, 16), "begins": begin, "ends": begin + random.integers(1, 90, (count, 1))}
    return Case(g.model("segments_loop"), inputs, count)


def crops_loop(count=60):
    """Crops of an image, resized to one size, with a convolution and a mean on top."""
    g = Graph()
    image, corners = g.input("image", [1, 3, 240, 320]), g.input("corners", [count, 4], INT64)
    body, counter = g.loop_body()
    begin, end = body.node("Split", [body.Gather(corners, counter, axis=0), g.integers(2, 2)], outputs=2, axis=0)
    crop = body.Slice(image, begin, end, g.integers(2, 3))
    resized = body.Resize(crop, "", "", g.integers(1, 3, 32, 32), mode="linear")
    weights = g.constant(normal(77, 16, 3, 3, 3, scale=0.2))
    features = body.Relu(body.Conv(resized, weights, pads=[1] * 4, strides=[2, 2]))
    body.output(body.Flatten(body.GlobalAveragePool(features)), [1, 16])
    g.output(g.Loop(g.integers(count), "", body=body), [count, 1, 16], name="y")
    random = np.random.default_rng(78)
    first = np.stack([random.integers(0, 180, count), random.integers(0, 250, count)], 1)
    size = np.stack([random.integers(8, 60, count), random.integers(8, 70, count)], 1)
    inputs = {"image": uniform(79, 1, 3, 240, 320), "corners": np.hstack([first, first + size])}
    return Case(g.model("crops_loop"), inputs, count)


def counts(length=20000):
    """How often each number of a vector is in it: Unique, and what it counts for each number."""
    g = Graph()
    x = g.input("x", ["N"], INT64)
    _, _, place, count = g.node("Unique", [x], outputs=4, sorted=1)
    g.output(g.Gather(count, place), ["N"], INT64, name="y")
    return Case(g.model("counts"), {"x": np.random.default_rng(80).integers(0, 500, length)}, 1)
