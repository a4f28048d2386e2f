"""Sequences and optionals: positions, and as states of a loop."""

from .build import array, branches, case, constant, graph, loop, node, type_of

A, B = array([1, 2]), array([3, 4, 5])
KEEP = node("Identity", "c", "c2")


def at(position):
    return array(position, "i")


def positions():
    for op, outputs, inside in (("SequenceAt", "y:f", (0, 1, -1, -2)), ("SequenceErase", "y:seq.f", (0, 1, -1, -2))):
        yield case(f"sequence_{op[8:].lower()}", "s:seq.f p:i[]", outputs, [node(op, "s p", "y")],
                   *[[[A, B], at(p)] for p in inside])
    yield case("sequence_insert", "s:seq.f t:f[2] p:i[]", "y:seq.f", [node("SequenceInsert", "s t p", "y")],
               *[[[A, B], A, at(p)] for p in (0, 1, 2, -1, -2)])
    for op, outputs, outside in (("SequenceAt", "y:f", (2, -3)), ("SequenceErase", "y:seq.f", (2, -3))):
        for p in outside:
            yield case(f"refuse_{op.lower()}_{'above' if p > 0 else 'below'}", "s:seq.f p:i[]", outputs,
                       [node(op, "s p", "y")], [[A, B], at(p)], refused=(5, "position"))
    for p in (3, -3):
        yield case(f"refuse_sequenceinsert_{'above' if p > 0 else 'below'}", "s:seq.f t:f[2] p:i[]", "y:seq.f",
                   [node("SequenceInsert", "s t p", "y")], [[A, B], A, at(p)], refused=(5, "position"))
    yield case("sequence_erase_last", "s:seq.f", "y:seq.f", [node("SequenceErase", "s", "y")], [[A, B]], [[B]])
    yield case("sequence_shapes_differ", "a:f[2] b:f[3]", "y:seq.f z:f n:i[]",
               [node("SequenceConstruct", "a b a", "y"), constant("one", 1), node("SequenceAt", "y one", "z"),
                node("SequenceLength", "y", "n")], [A, B])
    items = [node("SequenceAt", "s p", "x"), node("SequenceAt", "s q", "z"),
             branches("c", "y", graph("", "r", [node("Neg", "x", "n"), node("Add", "n z", "r")]),
                      graph("", "d", [node("Sub", "x z", "d")]))]
    places = [at(0), at(1), array(True, "b")]
    yield case("sequence_items_of_two_sizes", "a:f[N] b:f[M] p:i[] q:i[] c:b[]", "y:f",
               [node("SequenceConstruct", "a b", "s"), *items], [A[:1], B, *places])
    yield case("sequence_items_of_two_sizes_given", "s:seq.f[K] p:i[] q:i[] c:b[]", "y:f", items, [[A[:1], B], *places])
    yield case("concat_from_sequence_new_last_axis", "s:seq.f", "y:f",
               [node("ConcatFromSequence", "s", "y", axis=-1, new_axis=1)], [[A, A + 10, A + 20]])
    body = graph("x:f[2]", "r:f[2]", [node("Add", "x k", "r")])
    yield case("sequence_map_captures", "s:seq.f k:f[2]", "y:seq.f", [node("SequenceMap", "s", "y", body=body)],
               [[A, A + 1], A])
    yield case("sequence_map_of_what_is_made", "a:f[2] b:f[3]", "y:seq.f",
               [node("SequenceConstruct", "a b", "s"),
                node("SequenceMap", "s", "y", body=graph("x", "r", [node("Neg", "x", "r")]))], [A, B])
    several = graph("x y k", "r q", [node("Concat", "x y", "r", axis=0), node("Mul", "x k", "q")])
    yield case("sequence_map_several", "s:seq.f t:seq.f k:f[1]", "y:seq.f z:seq.f",
               [node("SequenceMap", "s t k", "y z", body=several)], [[A, B], [B, A], A[:1]])
    yield case("sequence_map_nothing", "s:seq.f k:f[2]", "y:seq.f", [node("SequenceMap", "s", "y", body=body)],
               [[], A], expected=[[]])
    yield case("refuse_sequence_map_of_tensor", "s:f[2,2] k:f[2]", "y:seq.f", [node("SequenceMap", "s", "y", body=body)],
               [array([[1, 2], [3, 4]]), A], refused=(4, "the first input is a tensor(f32), no sequence"))


def states():
    grows = graph("i:i[] c:b[] v:seq.f", "c2:b[] w:seq.f", [KEEP, node("SequenceInsert", "v x", "w")])
    yield case("loop_sequence_state", "M:i[] cond:b[] s:seq.f x:f[2]", "y:seq.f", [loop(grows)],
               *[[at(n), array(True, "b"), [B], A] for n in (3, 0)])
    fills = graph("i:i[] c:b[] v:opt.f[2]", "c2:b[] w:opt.f[2]",
                  [KEEP, node("Cast", "i", "f", to=1), node("Add", "x f", "t"), node("Optional", "t", "w")])
    typed = dict(type=type_of("f[2]"))
    yield case("loop_optional_filled", "M:i[] x:f[2]", "h:b[] g:f[2]",
               [node("Optional", "", "s", **typed), loop(fills, "M _ s", "o"), node("OptionalHasElement", "o", "h"),
                node("OptionalGetElement", "o", "g")], [at(3), A], opset=18)
    yield case("loop_no_optional", "M:i[] x:f[2]", "h:b[]",
               [node("Optional", "", "s", **typed), loop(fills, "M _ s", "o"), node("OptionalHasElement", "o", "h")],
               *[[at(n), A] for n in (0, 2)], opset=18)
    yield case("refuse_get_of_no_optional", "M:i[] x:f[2]", "g:f[2]",
               [node("Optional", "", "s", **typed), loop(fills, "M _ s", "o"), node("OptionalGetElement", "o", "g")],
               [at(0), A], opset=18, refused=(5, "optional"))


CASES = [positions, states]
