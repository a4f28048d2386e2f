"""Scan: axes, directions, lengths, states."""

import itertools

import numpy as np

from .build import array, case, graph, node

X = array([[1, 2, 3], [4, 5, 6]])
SUM = [node("Add", "a x", "b"), node("Neg", "b", "e")]


def scan(body, inputs="s d", outputs="y z", count=1, **options):
    return node("Scan", inputs, outputs, body=body, num_scan_inputs=count, **options)


def body(size, nodes=SUM, outputs="b e"):
    return graph(f"a:f[{size}] x:f[{size}]", " ".join(f"{n}:f[{size}]" for n in outputs.split()), nodes)


def directions_and_axes():
    for in_axis, out_axis, back_in, back_out in itertools.product((0, 1, -1), (0, 1, -1, -2), (0, 1), (0, 1)):
        plain = (in_axis, out_axis) == (0, 0) and (back_in or back_out)
        if not plain and (in_axis, out_axis, back_in, back_out) not in (
                (1, 0, 0, 0), (-1, 0, 0, 0), (0, 1, 0, 0), (0, -1, 0, 0), (0, -2, 0, 0), (1, 1, 1, 1), (-1, -1, 1, 0), (-1, -2, 0, 1)):
            continue
        size = 3 if in_axis == 0 else 2
        name = f"scan_in_{in_axis}_{'back' if back_in else 'on'}_out_{out_axis}_{'back' if back_out else 'on'}".replace("-", "m")
        yield case(name, f"s:f[{size}] d:f[2,3]", f"y:f[{size}] z:f",
                   [scan(body(size), scan_input_axes=[in_axis], scan_output_axes=[out_axis],
                         scan_input_directions=[back_in], scan_output_directions=[back_out])], [array([0] * size), X])
    opposite = graph("x:f[] y:f[]", "e:f[]", [node("Sub", "x y", "e")])
    yield case("scan_opposite_directions", "d:f[N] h:f[N]", "z:f[N]",
               [scan(opposite, "d h", "z", 2, scan_input_directions=[0, 1])], [array([1, 2, 3]), array([10, 20, 30])])


def lengths():
    empty = [array([1, 2, 3]), array([]).reshape(0, 3)]
    yield case("scan_no_steps", "s:f[3] d:f[N,3]", "y:f[3] z:f[N,3]", [scan(body(3))], empty, [empty[0], X])
    yield case("scan_no_steps_static", "s:f[3] d:f[0,3]", "y:f[3] z:f[0,3]", [scan(body(3))], empty)
    yield case("scan_no_steps_states_only", "s:f[3] d:f[N,3]", "y:f[3]",
               [scan(body(3, SUM[:1], "b"), outputs="y")], empty, [empty[0], X])
    yield case("scan_no_state", "d:f[2,3]", "z:f[2,3]",
               [scan(graph("x:f[3]", "e:f[3]", [node("Neg", "x", "e")]), "d", "z")], [X])
    first = body(3, [node("Gather", "h start", "r"), node("Add", "a r", "b"), node("Neg", "x", "e")])
    yield case("scan_no_steps_over_no_rows", "s:f[3] d:f[0,3] h:f[0,3]", "y:f[3] z:f[0,3]", [scan(first)], [*empty, empty[1]],
               initializers={"start": array(0, "i")})
    open_rank = graph("x:f[]", "e", [node("Mul", "x k", "e")])
    yield case("scan_no_steps_unknown_rank", "k:f d:f[N]", "z:f", [scan(open_rank, "d", "z", scan_output_axes=[1])],
               [X, array([])], expected=[np.zeros((0, 0), np.float32)])
    shaped = graph("x:f[]", "e:f[2,3]", [node("Mul", "x k", "m"), node("Reshape", "m t", "e")])
    given = [array([1, 2, 3, 4, 5, 6]), array([2, 3], "i")]
    yield case("scan_no_steps_declared_element", "k:f[6] t:i[2] d:f[N]", "z:f", [scan(shaped, "d", "z", scan_output_axes=[1])],
               [*given, array([])], [*given, array([1, 2])])
    pair = graph("x:f[] y:f[]", "e:f[]", [node("Add", "x y", "e")])
    for name, types, code in (("static", "d:f[2] h:f[3]", 4), ("dynamic", "d:f[N] h:f[K]", 5)):
        yield case(f"refuse_scan_lengths_differ_{name}", types, "z:f", [scan(pair, "d h", "z", 2)],
                   [array([1, 2]), array([1, 2, 3])], refused=(code, "(C5) scanned inputs have 2 and 3 slices"))


def states():
    yield case("scan_value_twice", "s:f[3] d:f[2,3]", "y:f[3] z:f[2,3]", [scan(body(3, SUM[:1], "b b"))], [X[0], X])
    yield case("scan_element_returned", "s:f[3] d:f[2,3]", "y:f[3] z:f[2,3]",
               [scan(body(3, SUM[:1], "b x"), scan_input_directions=[1])], [X[0], X])
    yield case("scan_state_unchanged", "s:f[3] d:f[2,3]", "y:f[3] z:f[2,3]",
               [scan(body(3, [node("Neg", "x", "e")], "a e"))], [X[0], X])
    yield case("scan_captures", "s:f[3] d:f[2,3] k:f[3]", "y:f[3] z:f[2,3]",
               [scan(body(3, [node("Add", "a x", "b"), node("Mul", "b k", "e")]))], [X[0], X, array([2, 3, 4])])
    texts = graph("a:s[] x:s[]", "b:s[] e:s[]", [node("StringConcat", "a x", "b"), node("Identity", "b", "e")])
    yield case("scan_strings_back", "s:s[] d:s[3]", "y:s[] z:s[3]", [scan(texts, scan_input_directions=[1], scan_output_directions=[1])],
               [array("-", "s"), array(["a", "bb", "é"], "s")], opset=20)
    yield case("scan_unused_output", "s:f[3] d:f[2,3]", "z:f[2,3]", [scan(body(3), outputs="_ z")], [X[0], X])
    grows = graph("a:f[K] x:f[3]", "b:f[L] e:f[3]", [node("Concat", "a x", "b", axis=0), node("Neg", "x", "e")])
    yield case("refuse_scan_state_grows", "s:f[3] d:f[2,3]", "y:f z:f[2,3]", [scan(grows)], [X[0], X], refused=(4, "state"))
    for name, inputs, outputs, says in (
            ("lacks_input", "x:f[3]", "e:f[3]", "takes 1 input"), ("lacks_output", "a:f[3] x:f[3]", "b:f[3]", "has 1 output"),
            ("has_more_outputs", "a:f[3] x:f[3]", "b:f[3] e:f[3] n:f[3]", "has 3 outputs")):
        nodes = [node("Add", "s x", "b"), node("Neg", "b", "e"), node("Neg", "x", "n")]
        yield case(f"refuse_scan_body_{name}", "s:f[3] d:f[2,3]", "y:f[3] z:f[2,3]", [scan(graph(inputs, outputs, nodes))],
                   [X[0], X], refused=(4, f"the body of Scan {says}"))
    yield case("refuse_scan_axis_out_of_range", "s:f[3] d:f[2,3]", "y:f[3] z:f", [scan(body(3), scan_input_axes=[2])],
               [X[0], X], refused=(4, "axis"))
    yield case("refuse_scan_sequence_state", "s:seq.f d:f[2,3]", "y:seq.f z:f[2,3]",
               [scan(graph("a:seq.f x:f[3]", "b:seq.f e:f[3]", [node("SequenceInsert", "a x", "b"), node("Neg", "x", "e")]))],
               [[X[0]], X], refused=(4, "state"))
    varies = graph("x:i[]", "e:f", [node("Unsqueeze", "x zero", "n"), node("ConstantOfShape", "n", "e")])
    yield case("refuse_scan_element_varies", "d:i[N]", "z:f", [scan(varies, "d", "z")], [array([1, 2], "i")],
               initializers={"zero": array([0], "i")}, refused=(5, "(C6)"))


def batches():
    data = array([[[1], [2], [3]], [[4], [5], [6]]])
    start = array([[10], [20]])
    each = dict(opset=8, ir=3)
    yield case("scan_8", "s:f[2,1] d:f[2,3,1]", "y:f[2,1] z:f[2,3,1]", [scan(body(1), "_ s d")], [start, data], **each)
    for name, options in (("", {}), ("_back", {"directions": [1]})):
        yield case("scan_8_lengths" + name, "n:i[2] s:f[2,1] d:f[2,3,1]", "y:f[2,1] z:f[2,3,1]",
                   [scan(body(1), "n s d", **options)], [array([3, 2], "i"), start, data], **each)


CASES = [directions_and_axes, lengths, states, batches]
