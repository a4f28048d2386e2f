"""Runs the command on good and bad input and checks exit codes and messages: usage: cli_test.py STRATA MODELS"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import wire
from wire import attribute, floats, graph, model, node, npy, tensor, value_info

OK, DIFFERENT, USAGE, FILE, MODEL, RUN, TIMEOUT = 0, 1, 2, 3, 4, 5, 124
STRATA, MODELS = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()


def add_model(opset=17):
    """y = x + w for x of [N,2]."""
    return model(graph([node("Add", ["x", "w"], ["y"], "add")], [value_info("x", ["N", 2])], [value_info("y", ["N", 2])],
                       [tensor("w", [2], floats(1, 2))]), opset)


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
        """Runs the command; what it must exit with, and what its error must say."""
        run = subprocess.run([STRATA, *map(str, words)], capture_output=True, text=True, timeout=120)
        shown = f"strata {' '.join(map(str, words))}\nstdout: {run.stdout[-2000:]}\nstderr: {run.stderr[-2000:]}"
        self.assertEqual(run.returncode, code, shown)
        self.assertNotIn("\x1b", run.stdout + run.stderr, "colours, although this is no terminal")
        if code in (OK, DIFFERENT):
            self.assertNotIn("error:", run.stderr)
        else:
            errors = [line for line in run.stderr.splitlines() if line.startswith("error: ")]
            self.assertEqual(len(errors), 1, shown)
            self.assertIn(says, run.stderr, shown)
        return run.stdout


class GoodInput(CommandTest):
    def test_dump_shows_every_stage(self):
        path = self.file("m.onnx", add_model())
        for stage in ("load", "analyse", "typed", "declutter", "optimise"):
            self.assertIn("f32[N,2]", self.strata("dump", path, "--stage", stage))

    def test_dump_json_has_a_schema(self):
        dumped = json.loads(self.strata("dump", self.file("m.onnx", add_model()), "--json"))
        self.assertEqual(dumped["schema"], "strata.dump/1")
        self.assertEqual(dumped["summary"]["nodes"], 1)
        self.assertEqual(dumped["graph"]["inputs"][0]["shape"], ["N", 2])

    def test_dump_gives_a_symbol_its_size(self):
        path = self.file("m.onnx", add_model())
        self.assertIn("f32[4,2]", self.strata("dump", path, "--set", "N=4"))
        self.strata("dump", path, "--set", "M=4", code=USAGE, says='"M"')
        self.strata("dump", path, "--set", "N=x", code=USAGE)
        opl = self.folder / "m.opl"
        self.strata("optimize", path, "-o", opl)
        self.assertIn("f32[4,2]", self.strata("dump", opl, "--set", "N=4"))

    def test_run_reads_npy_and_compares(self):
        path = self.file("m.onnx", add_model())
        x = self.file("x.npy", npy("<f4", [1, 2], floats(1, 2)))
        answers = self.folder / "y.npz"
        self.assertIn("2.0, 4.0", self.strata("run", path, "--input", f"x={x}", "--output", answers))
        self.strata("run", path, "--input", f"x={x}", "--expect", answers)
        other = self.file("other.npy", npy("<f4", [1, 2], floats(1, 3)))
        self.assertIn("differs", self.strata("run", path, "--input", f"x={other}", "--expect", answers, code=DIFFERENT))

    def test_run_writes_a_folder_of_pb_files(self):
        path = self.file("m.onnx", add_model())
        out = self.folder / "answers"
        self.strata("run", path, "--random", 1, "--set", "N=4", "--output", f"{out}/")
        self.assertEqual([each.name for each in out.iterdir()], ["output_0.pb"])
        self.strata("run", path, "--random", 1, "--set", "N=4", "--expect", out)
        self.strata("run", path, "--random", 2, "--set", "N=4", "--expect", out, code=DIFFERENT)

    def test_every_stage_gives_the_answers_of_the_bundled_models(self):
        for case in sorted(each.parent for each in MODELS.glob("*/model.onnx")):
            data = case / "test_data_set_0"
            for stage in ("typed", "declutter", "optimise"):
                self.strata("run", case / "model.onnx", "--inputs", data, "--expect", data, "--stage", stage)

    def test_opl_gives_the_answers_of_onnx(self):
        for case in sorted(each.parent for each in MODELS.glob("*/model.onnx")):
            opl, data = self.folder / f"{case.name}.opl", case / "test_data_set_0"
            self.assertIn("before:", self.strata("optimize", case / "model.onnx", "-o", opl, "--explain"))
            self.strata("run", opl, "--inputs", data, "--expect", data)

    def test_npz_holds_every_kind_of_value(self):
        for case in sorted(each.parent for each in MODELS.glob("*/model.onnx")):
            answers, data = self.folder / "answers.npz", case / "test_data_set_0"
            self.strata("run", case / "model.onnx", "--inputs", data, "--output", answers)
            self.strata("run", case / "model.onnx", "--inputs", data, "--expect", answers)

    def test_ops_are_listed_with_what_they_become(self):
        self.assertRegex(self.strata("ops"), r"Tanh +ai.onnx +native +1,6,13\n")
        listed = json.loads(self.strata("ops", "--json"))
        self.assertEqual(listed["schema"], "strata.ops/2")
        ops = {(each["domain"], each["op"]): each for each in listed["ops"]}
        self.assertEqual(ops["ai.onnx", "Tanh"]["versions"], {"1": "native", "6": "native", "13": "native"})
        self.assertEqual(ops["ai.onnx", "Tanh"]["becomes"], ["Tanh"])
        self.assertNotIn("absent", {support for each in ops.values() for support in each["versions"].values()})
        self.assertIn("| Tanh | 1,6,13 | native | Tanh |  |\n", self.strata("ops", "--markdown"))
        self.strata("ops", "--json", "--markdown", code=USAGE)

    def test_bench_measures(self):
        path = self.file("m.onnx", add_model())
        wanted = ("--set", "N=4", "--seconds", 0.01)
        self.assertIn("median", self.strata("bench", path, *wanted))
        measured = json.loads(self.strata("bench", path, *wanted, "--threads", 2, "--json"))
        self.assertEqual(measured["schema"], "strata.bench/1")
        self.assertEqual(measured["threads"], 2)
        self.assertEqual(measured["decluttered"], {"nodes": 1, "loops": 0, "ifs": 0})
        self.assertGreater(measured["runs"], 0)
        self.assertTrue(0 < measured["minimum"] <= measured["median"])
        self.assertTrue(0 < measured["creation"] and 0 < measured["peak_bytes"])

    def test_bench_reads_inputs(self):
        path = self.file("m.onnx", add_model())
        x = self.file("x.npy", npy("<f4", [1, 2], floats(1, 2)))
        self.assertIn("1 nodes", self.strata("bench", path, "--input", f"x={x}", "--seconds", 0))

    def test_bench_counts_loops(self):
        path = MODELS / "loop_lstm" / "model.onnx"
        for unroll, left in (("never", 1), ("auto", 0)):
            measured = json.loads(self.strata("bench", path, "--seconds", 0, "--unroll", unroll, "--json"))
            self.assertEqual((measured["typed"]["loops"], measured["decluttered"]["loops"]), (1, left))

    def test_unroll_says_which_loops_are_laid_out(self):
        path = self.file("m.onnx", counted_loop(100))
        for words, has_loop in (((), True), (("--unroll", "auto"), True), (("--unroll", "never"), True),
                                (("--unroll", "99"), True), (("--unroll", "100"), False)):
            dumped = self.strata("dump", path, "--json", *words)
            self.assertEqual('"Loop"' in dumped, has_loop, words)
            self.assertIn("y", self.strata("run", path, "--random", 1, *words))
            out = self.folder / "m.opl"
            self.assertEqual("unroll_loops" in self.strata("optimize", path, "-o", out, "--explain", *words), not has_loop)
        self.assertIn("--unroll", self.strata("optimize", "--help"))
        for wrong in ("often", "-1", "1.5"):
            self.strata("run", path, "--unroll", wrong, code=USAGE)

    def test_an_input_is_given_its_shape(self):
        path = self.file("m.onnx", add_model())
        opl = self.folder / "m.opl"
        self.strata("optimize", path, "-o", opl)
        for each in (path, opl):
            self.assertIn("f32[4,2]", self.strata("dump", each, "--shape", "x=4,2"))
            self.strata("dump", each, "--shape", "x=4,3", code=USAGE, says="[4,3]")
            self.strata("dump", each, "--shape", "x=4", code=USAGE, says="[4]")
            self.strata("dump", each, "--shape", "z=4,2", code=USAGE, says='"x"')
        self.strata("dump", path, "--shape", "x=4,two", code=USAGE, says="two")

    def test_an_input_becomes_a_constant(self):
        path = self.file("m.onnx", add_model())
        opl = self.folder / "m.opl"
        self.strata("optimize", path, "-o", opl)
        x = self.file("x.npy", npy("<f4", [1, 2], floats(1, 2)))
        wide = self.file("wide.npy", npy("<f4", [1, 3], floats(1, 2, 3)))
        for each in (path, opl):
            self.assertIn("2.0, 4.0", self.strata("run", each, "--const", f"x={x}"))
            self.strata("run", each, "--const", "x=3", code=USAGE, says="more than the number 3")
            self.strata("run", each, "--const", f"x={wide}", code=USAGE, says="[1,3]")
            self.strata("run", each, "--const", f"z={x}", code=USAGE, says='"x"')
            self.strata("run", each, "--const", "x=missing.npy", code=FILE, says="missing.npy")

    def test_a_branch_is_chosen_by_a_constant(self):
        path = self.file("if.onnx", branches_model())
        opl = self.folder / "if.opl"
        self.strata("optimize", path, "-o", opl)
        for each in (path, opl):
            for value, op in ((1, "Neg"), (0, "Exp")):
                summary = json.loads(self.strata("dump", each, "--const", f"c={value}", "--json"))["summary"]
                self.assertEqual(summary["ops"], {op: 1})

    def test_help_teaches(self):
        self.assertIn("Examples", self.strata("--help"))
        for command in ("dump", "optimize", "run", "bench"):
            self.assertIn("Examples", self.strata(command, "--help"))
        self.assertRegex(self.strata("--version"), r"^strata \d+\.\d+\.\d+\n$")


class BadCommandLine(CommandTest):
    def test_usage(self):
        path = self.file("m.onnx", add_model())
        self.strata("frobnicate", code=USAGE)
        self.strata("dump", code=USAGE)
        self.strata("dump", path, "--stage", "cooked", code=USAGE, says="cooked")
        self.strata("run", path, "--random", "x", code=USAGE)
        self.strata("run", path, "--max-memory", "9Q", "--random", 1, code=USAGE)
        self.strata("run", path, "--input", "x", code=USAGE)
        self.strata("optimize", path, "-o", self.folder / "out.txt", code=USAGE)
        self.strata("bench", path, "--threads", 0, code=USAGE)
        self.strata("bench", path, "--seconds", -1, code=USAGE)
        self.strata("bench", path, "--unroll", "often", code=USAGE, says="often")
        self.strata("dump", path, "--const", "x", code=USAGE)
        self.strata("dump", path, "--shape", "x=1,", code=USAGE)

    def test_nothing_said(self):
        run = subprocess.run([STRATA], capture_output=True, text=True)
        self.assertEqual(run.returncode, USAGE)
        self.assertIn("Examples", run.stderr)


class BadFiles(CommandTest):
    def refused(self, content, code, says="", name="m.onnx"):
        self.strata("dump", self.file(name, content), code=code, says=says)

    def test_files_that_are_no_model(self):
        lfs = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 5\n"
        self.refused(b"", FILE, "holds nothing")
        self.refused(b"hello world, this is text\n", FILE)
        self.refused(lfs, FILE, "LFS")
        self.refused(bytes((i * 197 + i * i * 31 + 11) % 256 for i in range(4096)), FILE)
        self.refused(add_model()[:-20], FILE)
        self.refused(add_model()[:60], FILE)
        self.strata("dump", self.folder / "missing.onnx", code=FILE, says="missing.onnx")
        self.strata("dump", self.folder, code=FILE)

    def test_external_data(self):
        def with_weights(location):
            return model(graph([node("Add", ["x", "w"], ["y"])], [value_info("x", [2])], [value_info("y", [2])],
                               [tensor("w", [2], external=location)]))
        self.refused(with_weights("missing.bin"), FILE, "missing.bin")
        (self.folder / "inner").mkdir()
        self.file("secret.bin", floats(1, 2))
        for location in ("../secret.bin", "/etc/hostname", "../inner/../secret.bin"):
            path = self.folder / "inner" / "m.onnx"
            path.write_bytes(with_weights(location))
            run = subprocess.run([STRATA, "dump", str(path)], capture_output=True, text=True)
            self.assertIn(run.returncode, (FILE, MODEL), run.stderr)
        self.file("w.bin", floats(1, 2))
        self.strata("dump", self.file("m.onnx", with_weights("w.bin")))

    def test_models_that_break_the_rules(self):
        self.refused(one_node("Frobnicate", ["x"], ["y"]), MODEL, "Frobnicate")
        self.refused(one_node("Relu", ["x"], ["y"], domain="com.example"), MODEL, "com.example")
        self.refused(one_node("Relu", ["x"], ["y"], opset=9999), MODEL, "9999")
        self.refused(one_node("Add", ["x"], ["y"]), MODEL)
        self.refused(one_node("Relu", ["nowhere"], ["y"]), MODEL, "nowhere")
        cycle = graph([node("Add", ["x", "b"], ["a"]), node("Relu", ["a"], ["b"])], [value_info("x", [2])], [value_info("b")])
        self.refused(model(cycle), MODEL)
        twice = graph([node("Relu", ["x"], ["y"]), node("Neg", ["x"], ["y"])], [value_info("x", [2])], [value_info("y")])
        self.refused(model(twice), MODEL, "y")

    def test_tensors_that_break_the_rules(self):
        def with_tensor(weights):
            return model(graph([node("Add", ["x", "w"], ["y"])], [value_info("x", [2])], [value_info("y")], [weights]))
        self.refused(with_tensor(tensor("w", [1 << 40, 1 << 40], b"")), MODEL)
        self.refused(with_tensor(tensor("w", [-2], b"")), MODEL)
        self.refused(with_tensor(tensor("w", [2], floats(1, 2, 3))), MODEL)
        self.refused(with_tensor(tensor("w", [2], b"\0\0\0")), MODEL)
        self.refused(with_tensor(tensor("w", [2], floats(1, 2), data_type=99)), MODEL)

    def test_subgraphs_nested_100_deep(self):
        run = subprocess.run([STRATA, "dump", self.file("m.onnx", deep_model(100))], capture_output=True, text=True, timeout=60)
        self.assertIn(run.returncode, (FILE, MODEL, RUN), run.stderr)
        self.assertTrue(run.stderr.startswith("error: "), run.stderr)

    def test_damaged_opl(self):
        good = self.folder / "good.opl"
        self.strata("optimize", self.file("m.onnx", add_model()), "-o", good)
        content = good.read_bytes()
        self.refused(content[: len(content) // 2], FILE, name="half.opl")
        plain = self.folder / "plain"
        self.strata("optimize", self.folder / "m.onnx", "-o", f"{plain}/")
        text = (plain / "graph.nnef").read_text()
        (plain / "graph.nnef").write_text(text.replace("graph", "grpah", 1))
        self.strata("dump", plain, code=MODEL, says="graph.nnef:")

    def test_damaged_arrays(self):
        path = self.file("m.onnx", add_model())
        good = npy("<f4", [1, 2], floats(1, 2))
        for name, content in (("half.npy", good[:-3]), ("header.npy", good[:20]), ("empty.npy", b"")):
            self.strata("run", path, "--input", f"x={self.file(name, content)}", code=FILE)
        self.strata("run", path, "--input", "x=missing.npy", code=FILE, says="missing.npy")
        self.strata("run", path, "--inputs", self.file("x.npz", b"PK\3\4 no archive"), code=FILE)


class BadRuns(CommandTest):
    def test_inputs_that_do_not_fit(self):
        path = self.file("m.onnx", add_model())
        good = self.file("x.npy", npy("<f4", [1, 2], floats(1, 2)))
        wide = self.file("wide.npy", npy("<f4", [1, 3], floats(1, 2, 3)))
        integer = self.file("integer.npy", npy("<i8", [1, 2], bytes(16)))
        self.strata("run", path, code=USAGE, says='"x"')
        self.strata("bench", path, code=USAGE, says="--set N=4")
        self.strata("run", path, "--random", 1, code=USAGE, says="--set N=4")
        self.strata("run", path, "--input", f"xx={good}", code=USAGE, says='"x"')
        self.strata("run", path, "--input", f"x={wide}", code=USAGE, says="[1,3]")
        self.strata("run", path, "--input", f"x={integer}", code=USAGE, says="i64")

    def test_outputs_that_cannot_be_written(self):
        path = self.file("m.onnx", add_model())
        wanted = ("--random", 1, "--set", "N=1")
        self.strata("run", path, *wanted, "--output", self.folder / "no" / "where.npz", code=FILE)
        self.strata("run", path, *wanted, "--output", f"{path}/", code=FILE)
        self.strata("run", path, *wanted, "--output", self.folder / "y.txt", code=USAGE)
        self.strata("optimize", path, "-o", self.folder / "no" / "where.opl", code=FILE)
        self.assertEqual([each.name for each in self.folder.iterdir()], ["m.onnx"], "something was left behind")

    def test_limits(self):
        path = self.file("loop.onnx", endless_loop())
        wanted = ("--random", 1)
        self.strata("run", path, *wanted, "--max-iterations", 1000, code=RUN, says="iterations")
        self.strata("run", path, *wanted, "--timeout", 0.5, code=TIMEOUT, says="time")
        self.strata("bench", path, *wanted, "--max-iterations", 1000, code=RUN, says="iterations")
        add = self.file("m.onnx", add_model())
        self.strata("run", add, *wanted, "--set", "N=1000000", "--max-memory", "1M", code=RUN, says="total_bytes")

    def test_a_closed_pipe_is_quiet(self):
        path = self.file("m.onnx", add_model())
        process = subprocess.Popen([STRATA, "ops"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdout.close()
        self.assertEqual(process.stderr.read(), b"")
        process.stderr.close()
        process.wait()
        with open("/dev/full", "wb") as full:
            run = subprocess.run([STRATA, "dump", path], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(run.returncode, FILE, run.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
