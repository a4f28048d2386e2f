"""What a body sees: captures, shadows, constants of its own, functions, nested bodies."""

from onnx import helper

from .build import array, branches, case, constant, graph, loop, node

MIC = "M:i[] cond:b[] s:f[2]"
KEEP = node("Identity", "c", "c2")
DOUBLE = node("Add", "v v", "w")
RUN = [array(3, "i"), array(True, "b"), array([1, 2])]


def body(outputs, nodes, initializers=None, inputs="i:i[] c:b[] v:f[2]"):
    return graph(inputs, outputs, nodes, initializers)


def constants():
    ten = {"ten": array([10, 20])}
    yield case("loop_outer_value_returned", MIC, "y:f[2] z:f[N,2]",
               [loop(body("c2:b[] w:f[2] k", [KEEP, DOUBLE]), outputs="y z")], RUN, initializers={"k": array([5, 6])})
    yield case("loop_initializer_returned", MIC, "y:f[2] z:f[N,2]",
               [loop(body("c2:b[] ten:f[2] ten:f[2]", [KEEP], ten), outputs="y z")], RUN)
    yield case("loop_initializer_used", MIC, "y:f[2]",
               [loop(body("c2:b[] w:f[2]", [KEEP, node("Add", "v ten", "w")], ten))], RUN)
    both = graph("i:i[] c:b[] v:f[2] ten:f[2]", "c2:b[] w:f[2]", [KEEP, node("Add", "v ten", "w")], ten)
    yield case("loop_initializer_is_input_ir_3", MIC, "y:f[2]", [loop(both)], RUN, opset=7, ir=3)
    yield case("refuse_loop_initializer_is_input", MIC, "y:f[2]", [loop(both)], RUN, refused=(4, "initializer"))


def names():
    yield case("refuse_inner_output_shadows", MIC, "y:f[2]",
               [node("Neg", "s", "w"), loop(body("c2:b[] w:f[2]", [KEEP, DOUBLE]))], RUN, refused=(4, "outside of the body"))
    yield case("loop_input_shadows_outer", "M:i[] c:b[] v:f[2]", "y:f[2]", [loop(body("c2:b[] w:f[2]", [KEEP, DOUBLE]), "M c v")],
               RUN)
    yield case("loop_inner_name_of_own_output", MIC, "w:f[2]", [loop(body("c2:b[] w:f[2]", [KEEP, DOUBLE]), outputs="w")],
               RUN)
    yield case("refuse_capture_of_later_value", MIC, "y:f[2]",
               [loop(body("c2:b[] w:f[2]", [KEEP, node("Add", "v late", "w")])), node("Neg", "s", "late")], RUN,
               refused=(4, "makes later"))
    yield case("loop_unused_output", MIC, "z:f[N,2]",
               [loop(body("c2:b[] w:f[2] e:f[2]", [KEEP, DOUBLE, node("Neg", "v", "e")]), outputs="_ z")], RUN)
    yield case("loop_untyped_body", MIC, "y:f z:f",
               [loop(body("c2 w e", [KEEP, DOUBLE, node("Neg", "v", "e")], inputs="i c v"), outputs="y z")], RUN)
    yield case("refuse_function_sees_caller", "s:f[2]", "y:f[2]", [node("Hidden", "s", "y", domain="local")], [RUN[2]],
               functions=[helper.make_function("local", "Hidden", ["v"], ["w"], [node("Add", "v s", "w")],
                                               [helper.make_opsetid("", 17)])], refused=(4, '"s"'))


def nested():
    scan = graph("a:f[] x:f[]", "b:f[] e:f[]",
                 [helper.make_node("Cast", ["i"], ["fi"], to=1), node("Mul", "x fi", "xi"), node("Add", "a xi", "sum"),
                  node("Add", "sum k", "b"), node("Identity", "b", "e")])
    then = graph("", "r:f[2]", [node("Scan", "zero_f v", "last r", body=scan, num_scan_inputs=1)])
    other = graph("", "r2:f[2]", [node("Neg", "v", "r2")])
    yield case("loop_if_scan", MIC, "y:f[2]",
               [loop(body("c2:b[] w:f[2]", [KEEP, constant("two", 2), node("Less", "i two", "first"),
                                            branches("first", "w", then, other)]))],
               RUN, initializers={"k": array(0.5), "zero_f": array(0)})
    inner = body("c2:b[] w:f[2]", [KEEP, node("Cast", "outer_i", "f", to=1),
                                   node("Add", "v f", "w")])
    def outer(name):
        return graph("i_{0}:i[] c_{0}:b[] v_{0}:f[2]".format(name), "c2_{0}:b[] w_{0}:f[2]".format(name),
                     [node("Identity", f"c_{name}", f"c2_{name}"), node("Identity", f"i_{name}", "outer_i"),
                      loop(inner, f"M cond v_{name}", f"w_{name}")])
    yield case("loop_siblings_share_names", MIC, "y:f[2] y2:f[2]",
               [loop(outer("a")), loop(outer("b"), "M cond y", "y2")], RUN)
    by = helper.make_node("Constant", [], ["by"])
    by.attribute.append(ref("value", "by"))
    function = helper.make_function("local", "Repeat", ["M", "s"], ["y"], [
        loop(body("c2:b[] w:f[2]", [KEEP, by, node("Mul", "v by", "w")]), "M _ s")],
        [helper.make_opsetid("", 17)], attributes=["by"])
    yield case("loop_in_function", "M:i[] s:f[2]", "y:f[2]",
               [node("Repeat", "M s", "y", domain="local", by=tensor(3))], [RUN[0], RUN[2]], functions=[function])
    leaf = graph("", "deep:f[2]", [node("Mul", "near near", "deep")])
    mid = graph("", "r:f[2]", [node("Add", "s s", "near"), branches("c2", "r", leaf, graph("", "o:f[2]", [node("Neg", "near", "o")]))])
    yield case("if_in_if", "c:b[] c2:b[] s:f[2]", "y:f[2]",
               [branches("c", "y", mid, graph("", "q:f[2]", [node("Identity", "s", "q")]))],
               *[[array(a, "b"), array(b, "b"), RUN[2]] for a, b in ((1, 1), (1, 0), (0, 0))])


def ref(name, outer):
    attribute = helper.make_attribute(name, tensor(0))
    attribute.ClearField("t")
    attribute.ref_attr_name = outer
    return attribute


def tensor(number):
    return helper.make_tensor("by", 1, [], [number])


CASES = [constants, names, nested]
