"""What tests of the command share: a test case that runs it, and models to run it on. Usage of each: TEST.py STRATA MODELS"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import wire
from wire import attribute, floats, graph, model, node, sequence_info, tensor, value_info

OK, DIFFERENT, USAGE, FILE, MODEL, RUN, TIMEOUT = 0, 1, 2, 3, 4, 5, 124
STRATA, MODELS = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()


def add_model(opset=17):
    """y = x + w for x of [N,2]."""
    return model(graph([node("Add", ["x", "w"], ["y"], "add")], [value_info("x", ["N", 2])], [value_info("y", ["N", 2])],
                       [tensor("w", [2], floats(1, 2))]), opset)


def sequence_model(*more_inputs):
    """The number of items of a sequence s of f32[2]."""
    return model(graph([node("SequenceLength", ["s"], ["n"])], [sequence_info("s", [2]), *more_inputs],
                       [value_info("n", [], wire.INT64)]))


def one_node(op, inputs, outputs, **more):
    opset = more.pop("opset", 17)
    return model(graph([node(op, inputs, outputs, **more)], [value_info("x", [2])], [value_info("y")]), opset)


def branches_model():
    """y = -x if c, else exp(x)."""
    then_branch = graph([node("Neg", ["x"], ["r"])], [], [value_info("r", [2])])
    else_branch = graph([node("Exp", ["x"], ["r"])], [], [value_info("r", [2])])
    branches = [attribute("then_branch", graph_value=then_branch), attribute("else_branch", graph_value=else_branch)]
    return model(graph([node("If", ["c"], ["y"], attributes=branches)], [value_info("c", [], 9), value_info("x", [2])],
                       [value_info("y", [2])]))


def endless_loop():
    """Loop without trip count or condition, one carried value."""
    body = graph([node("Identity", ["c"], ["c_out"]), node("Add", ["v", "v"], ["v_out"])],
                 [value_info("i", data_type=wire.INT64), value_info("c", data_type=9), value_info("v", [2])],
                 [value_info("c_out", data_type=9), value_info("v_out", [2])])
    loop = node("Loop", ["", "", "x"], ["y"], "loop", attributes=[attribute("body", graph_value=body)])
    return model(graph([loop], [value_info("x", [2])], [value_info("y", [2])]))


def counted_loop(trips):
    """v = v + v, `trips` times."""
    body = graph([node("Identity", ["c"], ["c_out"]), node("Add", ["v", "v"], ["v_out"])],
                 [value_info("i", data_type=wire.INT64), value_info("c", data_type=9), value_info("v", [2])],
                 [value_info("c_out", data_type=9), value_info("v_out", [2])])
    loop = node("Loop", ["trips", "", "x"], ["y"], "loop", attributes=[attribute("body", graph_value=body)])
    count = tensor("trips", [], trips.to_bytes(8, "little"), data_type=wire.INT64)
    return model(graph([loop], [value_info("x", [2])], [value_info("y", [2])], [count]))


def deep_model(depth):
    """If nodes nested `depth` deep: the then branch goes on, the else branch ends."""
    end = graph([node("Identity", ["x"], ["r"])], [], [value_info("r", [2])])
    inner = end
    for _ in range(depth):
        branches = [attribute("then_branch", graph_value=inner), attribute("else_branch", graph_value=end)]
        inner = graph([node("If", ["c"], ["r"], attributes=branches)], [], [value_info("r", [2])])
    branches = [attribute("then_branch", graph_value=inner), attribute("else_branch", graph_value=end)]
    outer = node("If", ["c"], ["y"], attributes=branches)
    return model(graph([outer], [value_info("c", [], 9), value_info("x", [2])], [value_info("y", [2])]))


class CommandTest(unittest.TestCase):
    def setUp(self):
        self.home = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.home.name)
        self.addCleanup(self.home.cleanup)

    def file(self, name, content):
        path = self.folder / name
        path.write_bytes(content)
        return str(path)

    def strata(self, *words, code=OK, says=""):
        """Runs the command; what it must exit with, and what its error must say. Gives what it prints, or its error."""
        run = subprocess.run([STRATA, *map(str, words)], capture_output=True, text=True, timeout=120)
        shown = f"strata {' '.join(map(str, words))}\nstdout: {run.stdout[-2000:]}\nstderr: {run.stderr[-2000:]}"
        self.assertEqual(run.returncode, code, shown)
        self.assertNotIn("\x1b", run.stdout + run.stderr, "colours, although this is no terminal")
        if code in (OK, DIFFERENT):
            self.assertNotIn("error:", run.stderr)
            return run.stdout
        errors = [line for line in run.stderr.splitlines() if line.startswith("error: ")]
        self.assertEqual(len(errors), 1, shown)
        self.assertTrue(says, "what the error says is to be tested, too")
        self.assertIn(says, run.stderr, shown)
        return run.stderr
