"""Models whose flow or values are not numbers alone: If, a while-like Loop, sequences, strings."""

import numpy as np

from .case import Case, drawn, f32


def if_branch():
    """The branch depends on the data; both capture a computed value and a weight."""
    scale, shift = f32([2, -1, 0.5, 3]), f32([1, 10, 100, 1000])
    data = []
    for x in (f32([1, 2, 3, 4]), f32([1, 2, 3, -40])):
        doubled = x + x
        y = doubled * scale if doubled.sum() > 0 else shift - doubled
        data.append((dict(x=x), dict(y=y)))
    text = """<ir_version: 8, opset_import: ["": 17]>
    if_branch (float[4] x) => (float[4] y) {
      doubled = Add (x, x)
      total = ReduceSum <keepdims = 0> (doubled)
      positive = Greater (total, zero)
      y = If <then_branch = scaled () => (float[4] by_scale) { by_scale = Mul (doubled, scale) },
              else_branch = shifted () => (float[4] from_shift) { from_shift = Sub (shift, doubled) }> (positive)
    }"""
    return Case("if_branch", text, data, dict(scale=scale, shift=shift, zero=f32(0)))


def if_rank():
    """The branches' ranks differ, so the rank after it is open; a later op carries it along."""
    data = []
    for x, pick in ((f32([[1, 2, 3], [4, 5, 6]]), True), (f32([[1, 2, 3], [4, 5, 6]]), False)):
        data.append((dict(x=x, pick=np.array(pick)), dict(y=-(x.sum(axis=1) if pick else x.ravel()))))
    text = """<ir_version: 8, opset_import: ["": 17]>
    if_rank (float[N,3] x, bool pick) => (float[K] y) {
      either = If <then_branch = summed () => (float[N] sums) { sums = ReduceSum <keepdims = 0> (x, last) },
                   else_branch = kept () => (float[N,3] same) { same = Identity (x) }> (pick)
      negated = Neg (either)
      y = Reshape (negated, flat)
    }"""
    return Case("if_rank", text, data, dict(last=np.array([1]), flat=np.array([-1])))


def collatz(n):
    """The numbers that follow n until 1: half of an even one, three times an odd one plus one."""
    path = []
    while n > 1:
        n = 3 * n + 1 if n % 2 else n // 2
        path.append(n)
    return path


def while_loop():
    """Collatz numbers: the trip count depends on the data and may be zero."""
    data = []
    for start in (6, 27, 1):
        path = collatz(start)
        last = path[-1] if path else start
        data.append((dict(start=np.array(start)),
                     dict(last=np.array(last), count=np.array(len(path)), path=np.array(path, np.int64))))
    text = """<ir_version: 8, opset_import: ["": 17]>
    while_loop (int64 start) => (int64 last, int64 count, int64[K] path) {
      first_go = Greater (start, one)
      last, count, path = Loop <body = step
        (int64 i, bool go_in, int64 n, int64 steps) => (bool go, int64 next, int64 more_steps, int64 visited) {
          rest = Mod (n, two)
          even = Equal (rest, zero)
          half = Div (n, two)
          tripled = Mul (n, three)
          grown = Add (tripled, one)
          next = Where (even, half, grown)
          more_steps = Add (steps, one)
          visited = Identity (next)
          go = Greater (next, one)
      }> ( , first_go, start, zero)
    }"""
    numbers = dict(zero=np.array(0), one=np.array(1), two=np.array(2), three=np.array(3))
    return Case("while_loop", text, data, numbers)


def sequence():
    """A sequence is built, gets an item in the middle, is measured, read and joined."""
    draw = drawn(301)
    x, y, z = draw(2, 3), draw(1, 3), draw(4, 3)
    items = [x, z, y]
    expected = dict(items=items, joined=np.concatenate(items), last=y, count=np.array(len(items)))
    text = """<ir_version: 8, opset_import: ["": 17]>
    sequence (float[A,3] x, float[B,3] y, float[C,3] z)
      => (seq(float[K,3]) items, float[L,3] joined, float[P,3] last, int64 count) {
      pair = SequenceConstruct (x, y)
      items = SequenceInsert (pair, z, one)
      joined = ConcatFromSequence <axis = 0> (items)
      last = SequenceAt (items, minus_one)
      count = SequenceLength (items)
    }"""
    return Case("sequence", text, [(dict(x=x, y=y, z=z), expected)], dict(one=np.array(1), minus_one=np.array(-1)))


def strings():
    """Joins with broadcasting, drops stop words and lowers the case; some text is beyond ASCII."""
    greeting = np.array(["Hello ", "Grüße "], object).reshape(2, 1)
    names = np.array(["Ada", "Émile", ""], object)
    words = np.array(["The", "CAT", "and", "the", "Dog"], object)
    joined = np.array([[g + n for n in names] for g in greeting[:, 0]], object)
    kept = np.array([word.lower() for word in words if word.lower() not in ("the", "and")], object)
    text = """<ir_version: 9, opset_import: ["": 20]>
    strings (string[2,1] greeting, string[N] names, string[W] words)
      => (string[2,N] joined, string[K] kept, string[N] same) {
      joined = StringConcat (greeting, names)
      kept = StringNormalizer <case_change_action = "LOWER", is_case_sensitive = 0, stopwords = ["the", "and"]> (words)
      same = Identity (names)
    }"""
    inputs = dict(greeting=greeting, names=names, words=words)
    data = [(inputs, dict(joined=joined, kept=kept, same=names))]
    return Case("strings", text, data, peer="reference")  # onnxruntime needs the machine to have locale en_US


CASES = (if_branch, if_rank, while_loop, sequence, strings)
