"""Runs the command on good input: usage: cli_test.py STRATA MODELS"""

import json
import sys
import unittest

from command import DIFFERENT, FILE, MODELS, USAGE, CommandTest, add_model, branches_model, counted_loop
from wire import floats, graph, model, node, npy, value_info


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

    def test_open_sizes_of_random_inputs_are_asked_for(self):
        named = self.file("named.onnx", add_model())
        self.strata("run", named, "--random", 1, code=USAGE, says="--set N=4")
        unnamed = self.file("unnamed.onnx", model(graph([node("Relu", ["x"], ["y"])], [value_info("x", [2, ""])],
                                                        [value_info("y", [2, ""])])))
        self.strata("run", unnamed, "--random", 1, code=USAGE, says="--shape x=2,4")
        self.strata("run", unnamed, "--random", 1, "--shape", "x=2,4")

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


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
