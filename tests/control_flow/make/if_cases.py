"""If: conditions, branches that differ, names."""

import numpy as np

from .build import array, branches, case, constant, graph, node, type_of

X = "c:b[] x:f[2]"
RUNS = [[array(c, "b"), array([1, 2])] for c in (True, False)]
NEG = graph("", "n:f[2]", [node("Neg", "x", "n")])
DOUBLE = graph("", "d:f[2]", [node("Add", "x x", "d")])
COLUMN = graph("", "u:f[2,1]", [constant("axes", [1]), node("Unsqueeze", "x axes", "u")])
LIAR = graph("", "u:f[2]", [constant("axes", [1]), node("Unsqueeze", "x axes", "u")])


def conditions():
    for dims in ([1], [1, 1]):
        text = ",".join(map(str, dims))
        yield case(f"if_condition_of_rank_{len(dims)}", f"c:b[{text}] x:f[2]", "y:f[2]", [branches("c", "y", NEG, DOUBLE)],
                   *[[c.reshape(dims), x] for c, x in RUNS])
    two = [array([True, False], "b"), RUNS[0][1]]
    for name, shape in (("static", "2"), ("dynamic", "N")):
        yield case(f"refuse_if_two_conditions_{name}", f"c:b[{shape}] x:f[2]", "y:f[2]", [branches("c", "y", NEG, DOUBLE)],
                   two, refused=(5, "(C1) the condition has 2 elements"))
    yield case("if_constant_condition", "x:f[2]", "y:f[2] y2:f[2]",
               [branches("yes", "y", NEG, DOUBLE),
                branches("no", "y2", graph("", "n:f[2]", [node("Neg", "x", "n")]), graph("", "d2:f[2]", [node("Add", "x x", "d2")]))],
               [RUNS[0][1]], initializers={"yes": array(True, "b"), "no": array(False, "b")})


def shapes():
    yield case("if_ranks_differ", X, "y:f", [branches("c", "y", NEG, COLUMN)], *RUNS)
    yield case("if_contradicts_declared_shape", X, "y:f", [branches("c", "t", NEG, LIAR), node("Neg", "t", "y")], *RUNS)
    yield case("refuse_if_1_shapes_differ", X, "y:f[2]",
               [branches("c", "y", NEG, graph("", "o:f[4]", [node("Concat", "x x", "o", axis=0)]))], RUNS[0],
               opset=10, ir=3, refused=(4, "f32[2] in one branch and f32[4] in the other"))
    yield case("refuse_if_branches_give_differently_many", X, "y:f[2] z:f[2]",
               [branches("c", "y z", NEG, graph("", "o:f[2] p:f[2]", [node("Neg", "x", "o"), node("Abs", "x", "p")]))],
               RUNS[0], refused=(4, "a branch of If has 1 output, the node 2"))
    yield case("refuse_if_dtypes_differ", X, "y:f[2]",
               [branches("c", "y", NEG, graph("", "o:i[2]", [node("Cast", "x", "o", to=7)]))], RUNS[0], refused=(4, "(C4)"))


def untaken():
    reshape = graph("", "r:f[2]", [node("Reshape", "x p", "r")])
    yield case("if_other_branch_fails_at_run", X + " p:i[1]", "y:f", [branches("c", "y", NEG, reshape)],
               [*RUNS[0], array([5], "i")], [*RUNS[1], array([2], "i")])
    numbers = {"k": array([1, 2], "i"), "none": array(0, "i"), "far": array([7], "i")}
    for name, op, outer in (("quotient", "Div", "k none"), ("element", "Gather", "k far")):
        bad = graph("", "r", [node(op, outer, "r")])
        yield case(f"if_other_branch_has_no_{name}", "c:b[] x:i[2]", "y:i", [branches("c", "y", graph("", "n", [node("Neg", "x", "n")]), bad)],
                   [RUNS[0][0], array([1, 2], "i")], initializers=numbers)
    columns = [node("Shape", "p", "n"), constant("rest", [-1]), node("Concat", "n rest", "t", axis=0), node("Reshape", "x t", "r")]
    yield case("if_other_branch_divides_by_a_size_of_zero", X + " p:f[P]", "y:f",
               [branches("c", "y", NEG, graph("", "r:f", columns))], [*RUNS[0], array([])], [*RUNS[1], array([3, 4])])
    numbers = {"zero": array(0), "nan": array(np.nan), "one": array(1)}
    endless = graph("", "r", [node("Range", "zero nan one", "r")])
    yield case("if_other_branch_never_ends", X, "y:f", [branches("c", "y", NEG, endless)], RUNS[0], initializers=numbers)
    rank_by_condition = [branches("c", "t", COLUMN, graph("", "s", [node("Identity", "x", "s")])),
                         node("Transpose", "t", "p", perm=[1, 0])]
    yield case("if_other_branch_is_decided_and_fails", X, "y:f",
               [branches("c", "y", NEG, graph("", "p", rank_by_condition))], RUNS[0])
    squeeze = graph("", "q", [constant("last", [1]), node("Squeeze", "x last", "q")])
    asks = [node("Shape", "x", "dims"), constant("axis", 1), node("Gather", "dims axis", "size"), constant("one", 1),
            node("Equal", "size one", "is_one"), branches("is_one", "y", squeeze, graph("", "i", [node("Identity", "x", "i")]))]
    wide, narrow = array([[1, 2, 3], [4, 5, 6]]), array([[1], [2]])
    for name, dims, runs in (("symbolic", "2,N", [[wide], [narrow]]), ("wide", "2,3", [[wide]]), ("narrow", "2,1", [[narrow]])):
        yield case(f"if_last_axis_is_one_{name}", f"x:f[{dims}]", "y:f", asks, *runs)
    asks_three = [node("Shape", "x", "dims"), constant("axis", 1), node("Gather", "dims axis", "size"), constant("three", 3),
                  node("Equal", "size three", "is_three"),
                  branches("is_three", "s", graph("", "e", [constant("far", [7]), node("Gather", "x far", "e", axis=1)]),
                           graph("", "i", [node("Identity", "x", "i")]))]
    yield case("if_other_branch_holds_one_that_fails", "c:b[] x:f[2,3]", "y:f",
               [branches("c", "y", graph("", "n", [node("Neg", "x", "n")]), graph("", "s", asks_three))],
               [array(True, "b"), wide])
    sizes = [graph("", f"k{len(count)}", [constant(f"k{len(count)}", count)]) for count in ([2], [7, 1])]
    read = [graph("", "r", [node(op, inputs, "t"), node("Reshape", "t k", "r")]) for op, inputs in (("Neg", "x"), ("Add", "x x"))]
    yield case("if_other_branch_fails_for_what_a_sibling_gives", X, "y:f",
               [branches("c", "k", *sizes), branches("c", "y", *read)], RUNS[0])


def names():
    yield case("if_outer_value_returned", X, "y:f[2]", [branches("c", "y", graph("", "x", []), DOUBLE)], *RUNS)
    yield case("if_branches_share_names", X, "y:f[2]",
               [branches("c", "y", graph("", "r:f[2]", [node("Neg", "x", "t"), node("Add", "t x", "r")]),
                         graph("", "r:f[2]", [node("Add", "x x", "t"), node("Add", "t x", "r")]))], *RUNS)
    two = [graph("", f"p{k}:f[2] q{k}:f[2]", [node("Neg", "x", f"p{k}"), node(op, "x x", f"q{k}")]) for k, op in enumerate(("Add", "Mul"))]
    yield case("if_unused_output", X, "y:f[2]", [branches("c", "_ y", *two)], *RUNS)


def kinds():
    some = graph("", "o:opt.f[2]", [node("Optional", "x", "o")])
    none = graph("", "o2:opt.f[2]", [node("Optional", "", "o2", type=type_of("f[2]"))])
    yield case("if_no_optional", X, "y:b[]", [branches("c", "o", some, none), node("OptionalHasElement", "o", "y")],
               *RUNS, opset=18)
    empty = graph("", "e:seq.f", [node("SequenceEmpty", "", "e")])
    full = graph("", "e:seq.f", [node("SequenceConstruct", "x x", "e")])
    yield case("if_empty_sequence", X, "y:seq.f n:i[]", [branches("c", "y", empty, full), node("SequenceLength", "y", "n")],
               *RUNS)


CASES = [conditions, shapes, untaken, names, kinds]
