"""Loops that decode a token at a time."""

import numpy as np
from case import Case, normal
from graphs import BOOL, FLOAT, INT64, Graph


def greedy(width, words, steps=200):
    """Greedy decoding by a small recurrent net; a data-dependent condition ends it after `steps` tokens."""
    g = Graph()
    first, state, length = g.input("first", [1], INT64), g.input("state", [1, width]), g.input("length", [], INT64)
    embedding = g.constant(normal(40, words, width, scale=0.5))
    inner, recurrent = (g.constant(normal(seed, width, width, scale=width**-0.5)) for seed in (41, 42))
    project = g.constant(normal(43, width, words, scale=width**-0.5))
    end = words - 1  # so unlikely that the length alone ends the loop
    bias = g.constant([0.0] * end + [-1e9])

    body, counter, _ = g.while_body()
    token, h = body.input("token", [1], INT64), body.input("h", [1, width])
    embedded = body.Gather(embedding, token, axis=0)
    h = body.Tanh(body.Add(body.MatMul(embedded, inner), body.MatMul(h, recurrent)))
    logits = body.Add(body.MatMul(h, project), bias)
    token = body.ArgMax(logits, axis=-1, keepdims=0)
    going = body.Not(body.Equal(body.Squeeze(token, g.integers(0)), g.constant(end, np.int64)))
    more = body.Less(body.Add(counter, g.constant(1, np.int64)), length)
    body.output(body.And(going, more), [], BOOL)
    body.output(token, [1], INT64)
    body.output(h, [1, width])
    body.output(body.Identity(token), [1], INT64)

    last, h, tokens = g.Loop("", g.constant(True, bool), first, state, body=body, outputs=3)
    g.output(last, [1], INT64, name="last")
    g.output(h, [1, width], name="h_last")
    g.output(tokens, ["steps", 1], INT64, name="tokens")
    inputs = {
        "first": np.array([3]),
        "state": np.zeros((1, width), np.float32),
        "length": np.array(steps),
    }
    return Case(g.model("greedy"), inputs, steps)


KV_STEPS, HEADS, DEPTH = 256, 4, 64


def attention_step(body, value, keys_of, values_of):
    """One token attends to all before it. `keys_of` and `values_of` add this token's to the cache."""
    width, root = HEADS * DEPTH, body.root
    heads, joined = root.integers(1, HEADS, DEPTH), root.integers(1, width)

    def projected(seed):
        product = body.MatMul(value, root.constant(normal(seed, width, width, scale=width**-0.5)))
        return body.Transpose(body.Reshape(product, heads), perm=[1, 0, 2])

    query = projected(50)
    keys, values = keys_of(projected(51)), values_of(projected(52))
    scores = body.Mul(body.MatMul(query, body.Transpose(keys, perm=[0, 2, 1])), root.constant(DEPTH**-0.5))
    mixed = body.MatMul(body.Softmax(scores, axis=-1), values)
    return body.Tanh(body.Add(body.Reshape(body.Transpose(mixed, perm=[1, 0, 2]), joined), value))


def kv_case(g, name, y, keys, values):
    g.output(y, [1, HEADS * DEPTH], name="y")
    g.output(keys, [HEADS, "T", DEPTH], name="keys")
    g.output(values, [HEADS, "T", DEPTH], name="values")
    return Case(g.model(name), {"x": normal(6, 1, HEADS * DEPTH)}, KV_STEPS)


def kv_concat_loop():
    """256 steps of attention over caches that grow by Concat."""
    g = Graph()
    x = g.input("x", [1, HEADS * DEPTH])
    body, _ = g.loop_body()
    value = body.input("value", [1, HEADS * DEPTH])
    caches = [body.input(name, [HEADS, "t", DEPTH]) for name in ("keys_in", "values_in")]
    grown = []

    def append_to(cache):
        return lambda item: grown.append(body.Concat(cache, item, axis=1)) or grown[-1]

    body.output(attention_step(body, value, *map(append_to, caches)), [1, HEADS * DEPTH])
    for cache in grown:
        body.output(cache, [HEADS, "t1", DEPTH])
    empty = g.constant(np.zeros((HEADS, 0, DEPTH)))
    return kv_case(g, "kv_concat_loop", *g.Loop(g.integers(KV_STEPS), "", x, empty, empty, body=body, outputs=3))


def kv_seq_loop():
    """The same with sequences that are joined in each step."""
    g = Graph()
    x = g.input("x", [1, HEADS * DEPTH])
    body, _ = g.loop_body()
    value = body.input("value", [1, HEADS * DEPTH])
    caches = [body.sequence_input(name) for name in ("keys_in", "values_in")]
    grown = []

    def append_to(cache):
        def joined(item):
            grown.append(body.SequenceInsert(cache, item))
            return body.ConcatFromSequence(grown[-1], axis=1)

        return joined

    body.output(attention_step(body, value, *map(append_to, caches)), [1, HEADS * DEPTH])
    for cache in grown:
        body.sequence_output(cache)
    empty = [g.SequenceEmpty(dtype=FLOAT) for _ in range(2)]
    y, *sequences = g.Loop(g.integers(KV_STEPS), "", x, *empty, body=body, outputs=3)
    return kv_case(g, "kv_seq_loop", y, *(g.ConcatFromSequence(each, axis=1) for each in sequences))
