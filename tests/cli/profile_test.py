"""Runs `strata run --profile` and checks what it prints and writes: usage: profile_test.py STRATA MODELS"""

import json
import sys
import unittest

import wire
from command import FILE, USAGE, CommandTest
from wire import attribute, floats, graph, model, node, tensor, value_info

TRIPS, WIDTH = 100, 64
ROUNDING = 0.1  # microseconds that a clock may be off


def looping_model():
    """v = tanh(v w), 100 times, for v of [1,64]; then relu."""
    nodes = [node("Identity", ["c"], ["c_on"]), node("MatMul", ["v", "w"], ["vw"], "product"),
             node("Tanh", ["vw"], ["v_on"], "tanh")]
    inputs = [value_info("i", data_type=wire.INT64), value_info("c", data_type=9), value_info("v", [1, WIDTH])]
    body = graph(nodes, inputs, [value_info("c_on", data_type=9), value_info("v_on", [1, WIDTH])])
    loop = node("Loop", ["trips", "", "x"], ["v_last"], "steps", attributes=[attribute("body", graph_value=body)])
    constants = [tensor("trips", [], TRIPS.to_bytes(8, "little"), data_type=wire.INT64),
                 tensor("w", [WIDTH, WIDTH], floats(*[0.01] * WIDTH * WIDTH))]
    return model(graph([loop, node("Relu", ["v_last"], ["y"], "last")], [value_info("x", [1, WIDTH])],
                       [value_info("y", [1, WIDTH])], constants))


class Profile(CommandTest):
    def setUp(self):
        super().setUp()
        self.model = self.file("m.onnx", looping_model())

    def lines(self, *words):
        """Of the table of nodes: how far each is indented, its numbers and its text."""
        nodes = self.strata("run", self.model, "--random", 1, "--profile", *words).split("node, with its bodies\n")[1]
        return nodes.splitlines()

    def test_the_table_tells_loops_by_iteration(self):
        (loop,) = [line for line in self.lines() if "iterations" in line]
        self.assertRegex(loop, r"steps\S*  Loop: 100 iterations, [\d.]+ µs each$")

    def test_a_body_has_calls_and_speed(self):
        (product,) = [line for line in self.lines() if "MatMul" in line]
        time, share, percent, calls, flops, prefix = product.split()[:6]
        self.assertEqual((percent, calls), ("%", "100"))
        self.assertLessEqual(float(share), 100)
        # 100 products of 2 * 64 * 64 operations.
        speed = float(flops) * {"M": 1e6, "G": 1e9, "T": 1e12}[prefix]
        self.assertAlmostEqual(speed * float(time) * 1e-6, 100 * 2 * 64 * 64, delta=0.02 * 819200)

    def test_it_stands_before_or_after_other_options(self):
        for words in (("--random", 1, "--profile", self.folder / "m.json"), ("--profile", "--random", 1)):
            self.assertIn("profile of ", self.strata("run", self.model, *words))

    def test_the_trace_nests(self):
        trace = self.folder / "trace.json"
        self.strata("run", self.model, "--random", 1, "--threads", 2, f"--profile={trace}")
        events = json.loads(trace.read_text())["traceEvents"]
        named = {}
        for event in events:
            self.assertEqual(event["ph"], "X")
            named.setdefault(event["args"].get("op", "run"), []).append(event)
        iterations = [event for event in named["Loop"] if event["name"].startswith("iteration ")]
        self.assertEqual([event["name"] for event in iterations], [f"iteration {n}" for n in range(TRIPS)])
        (run,), (loop,) = named["run"], [event for event in named["Loop"] if event not in iterations]
        (products,) = [found for op, found in named.items() if op.startswith("MatMul")]
        self.assertEqual(len(products), TRIPS)
        self.assertEqual(products[0]["args"]["flops"], 2 * WIDTH * WIDTH)
        for outer, inner in [(run, loop), *((loop, each) for each in iterations), *zip(iterations, products)]:
            self.assertLessEqual(outer["ts"], inner["ts"] + ROUNDING)
            self.assertLessEqual(inner["ts"] + inner["dur"], outer["ts"] + outer["dur"] + ROUNDING)

    def test_a_trace_is_json(self):
        self.strata("run", "--profile", self.model, "--random", 1, code=USAGE, says="put --profile after MODEL")
        profiled = ("run", self.model, "--random", 1, "--profile")
        self.strata(*profiled, self.folder / "t.txt", code=USAGE, says="t.txt")
        nowhere = self.strata(*profiled, self.folder / "no" / "t.json", code=FILE, says='t.json": No such file')
        self.assertNotIn("random inputs", nowhere)  # before the run


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
