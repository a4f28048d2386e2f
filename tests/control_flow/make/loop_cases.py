"""Loop: trip counts and conditions, states, scan outputs."""

import numpy as np

from .build import array, case, constant, graph, loop, node

MIC = "M:i[] cond:b[] s:f[2]"
S = [array([1, 2])]
DOUBLE = node("Add", "v v", "w")
KEEP = node("Identity", "c", "c2")
STATE_BODY = graph("i:i[] c:b[] v:f[2]", "c2:b[] w:f[2]", [KEEP, DOUBLE])


def run(most, condition, *states):
    return [array(most, "i"), array(condition, "b"), *states]


def scan_body(shown, nodes, states="v:f[2]", results="w:f[2]"):
    return graph(f"i:i[] c:b[] {states}", f"c2:b[] {results} {shown}", [KEEP, *nodes])


def trips():
    body = scan_body("e:f[2]", [DOUBLE, node("Identity", "v", "e")])
    both = "y:f[2] z:f[N,2]"
    runs = {"zero_trips": (0, True), "negative_trips": (-3, True), "false_at_entry": (4, False)}
    for name, (most, condition) in runs.items():
        yield case(f"loop_{name}", MIC, both, [loop(body, outputs="y z")], run(most, condition, *S))
    yield case("loop_zero_trips_symbolic_element", "M:i[] cond:b[] s:f[K]", "y:f z:f",
               [loop(scan_body("e:f[A]", [node("Concat", "v v", "w", axis=0), node("Identity", "v", "e")], "v:f[A]", "w:f"),
                     outputs="y z")], run(0, True, *S))
    beside = scan_body("e", [node("Concat", "v v", "w", axis=0), node("Cast", "i", "n", to=1), node("Add", "p n", "e")], "v", "w")
    yield case("loop_zero_trips_outer_size", "M:i[] cond:b[] s:f[K] x:f[N]", "y:f z:f",
               [node("Pad", "x ends", "p"), loop(beside, outputs="y z")],
               [*run(0, True, *S), array([3, 4, 5])], expected=[*S, np.zeros((0, 5), np.float32)],
               initializers={"ends": array([1, 1], "i")})
    open_rank = scan_body("e:f", [node("Unsqueeze", "v zero", "w"), node("Neg", "v", "e")], "v:f", "w:f")
    yield case("loop_zero_trips_unknown_rank", MIC, "y:f z:f", [loop(open_rank, outputs="y z")], run(0, True, *S),
               initializers={"zero": array([0], "i")})
    shaped = [DOUBLE, node("Reshape", "x t", "e")]
    given = [*S, array([1, 2, 3, 4, 5, 6]), array([2, 3], "i")]
    for rank in ("2", "R"):  # of an element of unknown sizes, and of unknown rank
        yield case(f"loop_zero_trips_declared_element_{rank.lower()}", f"{MIC} x:f[6] t:i[{rank}]", "y:f[2] z:f",
                   [loop(scan_body("e:f[2,3]", shaped), outputs="y z")], run(0, True, *given), run(2, True, *given))
    yield case("loop_zero_trips_declared_output", f"{MIC} x:f[6] t:i[2]", "y:f[2] z:f[N,2,3]",
               [loop(scan_body("e", shaped), outputs="y z")], run(0, True, *given), expected=[*S, np.zeros((0, 2, 3), np.float32)])
    first = scan_body("e:f[2]", [node("Gather", "x start", "r"), node("Add", "v r", "w"), node("Neg", "r", "e")])
    rows = [node("Shape", "x", "n"), node("Gather", "n start", "M"), loop(first, "M _ s", "y z")]
    for rank in ("0", "N"):  # a size that is known, and one that is not
        yield case(f"loop_zero_trips_over_no_rows_{rank.lower()}", f"s:f[2] x:f[{rank},2]", "y:f[2] z:f",
                   rows, [*S, np.zeros((0, 2), np.float32)], initializers={"start": array(0, "i")})
    columns = [node("Shape", "x", "n"), node("Concat", "n rest", "t", axis=0), node("Reshape", "v t", "e"), DOUBLE]
    yield case("loop_zero_trips_divides_by_a_size_of_zero", f"{MIC} x:f[N]", "y:f[2] z:f",
               [loop(scan_body("e:f", columns), outputs="y z")], run(2, True, *S, array([7, 8])),
               initializers={"rest": array([-1], "i")})
    yield case("loop_zero_trips_divides_by_a_size_of_zero_unread", f"{MIC} x:f[N]", "y:f[2]",
               [loop(scan_body("e:f", columns), outputs="y _")], run(2, True, *S, array([7, 8])), run(0, True, *S, array([])),
               initializers={"rest": array([-1], "i")})
    flags = scan_body("e:b[3]", [DOUBLE, node("Reshape", "x t", "e")])
    yield case("loop_zero_trips_declared_bools", f"{MIC} x:b[3] t:i[R]", "y:f[2] z:b",
               [loop(flags, outputs="y z")], *[run(n, True, *S, array([1, 0, 1], "b"), array([3], "i")) for n in (0, 2)])
    beyond = scan_body("e:f[2]", [node("Gather", "table seven", "r"), node("Add", "v r", "w"), node("Neg", "v", "e")])
    yield case("loop_false_at_entry_wrong_for_constants", "s:f[2]", "y:f[2] z:f",
               [constant("never", False, "b"), loop(beyond, "_ never s", "y z")], S,
               initializers={"table": array([1, 2]), "seven": array(7, "i")})
    numbered = graph("i:i[1] c:b[] v:f[2]", "c2:b[] w:f[2]", [KEEP, node("Cast", "i", "n", to=1), node("Add", "v n", "w")])
    yield case("loop_iteration_declared_rank_1", MIC, "y:f[2]", [loop(numbered)], run(3, True, *S))
    yield case("loop_no_condition_runs_all", "M:i[] s:f[2]", "y:f[2]",
               [loop(graph("i:i[] c:b[] v:f[2]", "c2:b[] w:f[2]", [constant("c2", False, "b"), DOUBLE]), "M _ s")],
               [array(3, "i"), *S])
    limit = {"limit": array(20)}
    count = [DOUBLE, node("ReduceSum", "w", "t", keepdims=0), node("Less", "t limit", "c2")]
    counting = graph("i:i[] c:b[] v:f[2]", "c2:b[] w:f[2] e:f[2]", [*count, node("Neg", "v", "e")])
    yield case("loop_while", "cond:b[] s:f[2]", both, [loop(counting, "_ cond s", "y z")],
               [array(True, "b"), *S], [array(False, "b"), *S], initializers=limit)
    yield case("loop_huge_trips_early_exit", MIC, both, [loop(counting, outputs="y z")], run(2**62, True, *S),
               initializers=limit)
    yield case("loop_trips_of_rank_1", "M:i[1] cond:b[] s:f[2]", "y:f[2]", [loop(STATE_BODY)],
               [array([3], "i"), array(True, "b"), *S])
    yield case("loop_condition_of_rank_1", "M:i[] cond:b[1] s:f[2]", "y:f[2]", [loop(STATE_BODY)],
               [array(3, "i"), array([True], "b"), *S], [array(3, "i"), array([False], "b"), *S])
    handed_on = graph("i:i[] c:b[] v:f[2] u:b[]", "c2:b[] w:f[2] c:b[]", [KEEP, DOUBLE])
    yield case("loop_condition_of_rank_1_handed_on", "M:i[] cond:b[1] s:f[2] t:b[1]", "y:f[2] n:f[]",
               [loop(handed_on, "M cond s t", "y u"), node("Cast", "u", "z", to=1), node("ReduceSum", "z", "n", keepdims=0)],
               [array(3, "i"), array([True], "b"), *S, array([False], "b")])
    changing = [constant("two", 2), node("Less", "i two", "l"), constant("zero", [0]), node("Unsqueeze", "l zero", "c2")]
    handed_on = graph("i:i[] c:b[1] v:f[2] u:b[1]", "c2:b[1] w:f[2] c:b[1]", [*changing, DOUBLE])
    yield case("loop_condition_changes_rank", "M:i[] cond:b[] s:f[2] t:b[]", "y:f[2] u:b", [loop(handed_on, "M cond s t", "y u")],
               *[[array(n, "i"), array(True, "b"), *S, array(False, "b")] for n in (5, 1, 0)])
    handed_on = graph("i:i[] c:b v:f[2] u:b", "c2:b w:f[2] c:b", [constant("c2", [True], "b"), DOUBLE])
    yield case("loop_true_condition_changes_rank", "s:f[2] t:b[]", "y:f[2] u:b",
               [constant("three", 3), constant("always", True, "b"), loop(handed_on, "three always s t", "y u")],
               [*S, array(False, "b")])
    counted = [node("Less", "i limit", "c2"), DOUBLE]
    yield case("loop_true_condition_of_rank_1", "s:f[2]", "y:f[2]",
               [constant("always", [True], "b"),
                loop(graph("i:i[] c:b[] v:f[2]", "c2:b[] w:f[2]", counted), "_ always s")],
               S, initializers={"limit": array(2, "i")})
    yield case("loop_body_condition_of_rank_1", MIC, "y:f[2]",
               [loop(graph("i:i[] c:b[] v:f[2]", "c2:b[1] w:f[2]",
                           [constant("one", 1), node("Less", "i one", "l"), constant("zero", [0]),
                            node("Unsqueeze", "l zero", "c2"), DOUBLE]))], run(5, True, *S))


def stacks():
    yield case("loop_scalar_elements", MIC, "y:f[2] z:f[N]",
               [loop(scan_body("e:f[]", [DOUBLE, node("ReduceSum", "v", "e", keepdims=0)]), outputs="y z")],
               run(3, True, *S))
    yield case("loop_rank_2_elements", "M:i[] cond:b[] s:f[2,2]", "y:f[2,2] z:f[N,2,2]",
               [loop(scan_body("e:f[2,2]", [DOUBLE, node("Neg", "v", "e")], "v:f[2,2]", "w:f[2,2]"), outputs="y z")],
               run(3, True, array([[1, 2], [3, 4]])))
    yield case("loop_iteration_returned", "M:i[] cond:b[]", "z:i[N]",
               [loop(graph("i:i[] c:b[]", "c:b[] i:i[]", []), "M cond", "z")], run(3, True), run(0, True))
    yield case("loop_state_unchanged", MIC, "y:f[2]",
               [loop(graph("i:i[] c:b[] v:f[2]", "c:b[] v:f[2]", []))], run(3, True, *S))
    yield case("loop_state_shown", MIC, "y:f[2] z:f[N,2]",
               [loop(graph("i:i[] c:b[] v:f[2]", "c2:b[] w:f[2] v:f[2]", [KEEP, DOUBLE]), outputs="y z")],
               run(3, True, *S))
    yield case("loop_one_value_twice", "M:i[] cond:b[] s:f[2] t:f[2]", "y:f[2] y2:f[2] z:f[N,2] z2:f[N,2]",
               [loop(graph("i:i[] c:b[] v:f[2] v2:f[2]", "c2:b[] w:f[2] w:f[2] w:f[2] w:f[2]",
                           [KEEP, node("Add", "v v2", "w")]), "M cond s t", "y y2 z z2")],
               run(3, True, *S, array([5, 7])))
    yield case("loop_bool_elements", MIC, "y:f[2] z:b[N,2]",
               [loop(scan_body("e:b[2]", [DOUBLE, node("Greater", "w four", "e")]), outputs="y z")],
               run(3, True, *S), initializers={"four": array(4)})
    yield case("loop_condition_shown", MIC, "y:f[2] z:b[N]",
               [loop(graph("i:i[] c:b[] v:f[2]", "c2:b[] w:f[2] e:b[]",
                           [constant("one", 1), node("Less", "i one", "c2"), DOUBLE, node("Identity", "c", "e")]),
                     outputs="y z")], run(5, True, *S))
    strings = scan_body("e:s[2]", [node("StringConcat", "v x", "w"), node("Identity", "w", "e")], "v:s[2]", "w:s[2]")
    yield case("loop_strings", "M:i[] cond:b[] s:s[2] x:s[2]", "y:s[2] z:s[N,2]", [loop(strings, outputs="y z")],
               *[run(n, True, array(["a", ""], "s"), array(["é", "long enough for the heap"], "s")) for n in (3, 0)],
               opset=20)


def states():
    yield case("loop_states_swapped", "M:i[] cond:b[] s:f[2] t:f[2]", "y:f[2] y2:f[2]",
               [loop(graph("i:i[] c:b[] v:f[2] u:f[2]", "c:b[] u:f[2] v:f[2]", []), "M cond s t", "y y2")],
               *[run(n, True, *S, array([5, 7])) for n in (3, 2)])
    yield case("loop_state_grows", MIC, "y:f[N]",
               [loop(graph("i:i[] c:b[] v:f[K]", "c2:b[] w:f[L]", [KEEP, node("Concat", "v s", "w", axis=0)]))],
               run(3, True, *S), run(0, True, *S))
    yield case("loop_empty_element_beside_growth", "M:i[] cond:b[] s:f[2] x:f[K]", "y:f[N] z:f[T,K]",
               [loop(graph("i:i[] c:b[] v:f[J]", "c2:b[] w:f[L] e:f[K]",
                           [KEEP, node("Concat", "v s", "w", axis=0), node("Neg", "x", "e")]), outputs="y z")],
               *[run(3, True, *S, x) for x in (array([]), array([4, 5]))])
    yield case("loop_iteration_carried_beside_growth", "M:i[] s:f[2] n:i[]", "y:f[N] last:i[]",
               [loop(graph("i:i[] c:b[] v:f[K] m:i[]", "c2:b[] w:f[L] i:i[]",
                           [KEEP, node("Concat", "v s", "w", axis=0)]), "M _ s n", "y last")],
               *[[array(n, "i"), *S, array(7, "i")] for n in (0, 1, 2, 3, 4)])
    yield case("loop_state_changes_rank", MIC, "y:f",
               [loop(graph("i:i[] c:b[] v:f", "c2:b[] w:f", [KEEP, node("Unsqueeze", "v zero", "w")]))],
               run(3, True, *S), run(0, True, *S), initializers={"zero": array([0], "i")})
    # Each state takes the one before: how far the first one's growth reaches is seen one state at a time.
    queue = range(12)
    taken = [node("Concat", "v0 s0", "w0", axis=0), *[node("Neg", f"v{i - 1}", f"w{i}") for i in queue[1:]]]
    for name, last in (("sizes", []), ("ranks", [node("Unsqueeze", "v11 zero", "w12")])):
        count = len(queue) + len(last)
        v, w, s, y = (" ".join(f"{letter}{i}" for i in range(count)) for letter in "vwsy")
        body = graph(f"i:i[] c:b[] {v.replace(' ', ':f ')}:f", f"c2:b[] {w.replace(' ', ':f ')}:f", [KEEP, *taken, *last])
        yield case(f"loop_state_{name}_follow_each_other", f"M:i[] cond:b[] {s.replace(' ', ':f[1] ')}:f[1]",
                   f"{y.replace(' ', ':f ')}:f", [loop(body, f"M cond {s}", y)],
                   *[run(n, True, *[array([float(i)]) for i in range(count)]) for n in (0, 2, 14)],
                   initializers={"zero": array([0], "i")})
    yield case("loop_1", MIC, "y:f[2]", [loop(STATE_BODY)], run(3, True, *S), opset=7, ir=3)


def refused():
    yield case("refuse_loop_int32_trips", "M:w[] cond:b[] s:f[2]", "y:f[2]", [loop(STATE_BODY)],
               [array(3, "w"), array(True, "b"), *S], refused=(4, "element types differ"))
    yield case("refuse_loop_1_without_state", "M:i[] cond:b[]", "z:i[N]",
               [loop(graph("i:i[] c:b[]", "c2:b[] e:i[]", [KEEP, node("Identity", "i", "e")]), "M cond", "z")],
               run(3, True), opset=7, ir=3, refused=(4, "input"))
    yield case("refuse_loop_element_varies", MIC, "y:f[N] z:f",
               [loop(graph("i:i[] c:b[] v:f[K]", "c2:b[] w:f[L] e:f[J]",
                           [KEEP, node("Concat", "v s", "w", axis=0), node("Neg", "v", "e")]), outputs="y z")],
               run(3, True, *S), refused=(5, "is [1,4] after [1,2]"))
    yield case("refuse_loop_sequence_stacked", "M:i[] cond:b[] s:f[2]", "y:f[2] z:seq.f",
               [loop(graph("i:i[] c:b[] v:f[2]", "c2:b[] w:f[2] e:seq.f",
                           [KEEP, DOUBLE, node("SequenceConstruct", "v", "e")]), outputs="y z")],
               run(3, True, *S), refused=(4, "kinds differ"))
    for name, inputs, outputs, nodes, says in (
            ("lacks_input", "i:i[] c:b[]", "c2:b[] w:f[2]", [KEEP, node("Neg", "s", "w")], "takes 2 inputs"),
            ("has_more_inputs", "i:i[] c:b[] v:f[2] u:f[2]", "c2:b[] w:f[2]", [KEEP, DOUBLE], "takes 4 inputs"),
            ("lacks_output", "i:i[] c:b[] v:f[2]", "c2:b[]", [KEEP], "has 1 output"),
            ("has_more_outputs", "i:i[] c:b[] v:f[2]", "c2:b[] w:f[2] e:f[2]", [KEEP, DOUBLE, node("Neg", "v", "e")],
             "has 3 outputs")):
        yield case(f"refuse_loop_body_{name}", MIC, "y:f[2]", [loop(graph(inputs, outputs, nodes))], run(3, True, *S),
                   refused=(4, f"the body of Loop {says}"))
    yield case("refuse_loop_endless", "s:f[2]", "y:f[2]", [loop(STATE_BODY, "_ _ s")], S,
               refused=(5, "iterations"))


CASES = [trips, stacks, states, refused]
