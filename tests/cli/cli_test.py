"""Runs the command on good input: usage: cli_test.py STRATA MODELS"""

import json
import sys
import unittest

import wire
from command import (DIFFERENT, FILE, MODELS, USAGE, CommandTest, add_model, branches_model, counted_loop,
                     sequence_model)
from wire import attribute, floats, graph, model, node, npy, npz, tensor, value_info


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
        self.strata("dump", path, "--set", "N=x", code=USAGE, says="--set: a whole number")
        opl = self.folder / "m.opl"
        self.strata("optimize", path, "-o", opl)
        self.assertIn("f32[4,2]", self.strata("dump", opl, "--set", "N=4"))

    def test_run_reads_npy_and_compares(self):
        path = self.file("m.onnx", add_model())
        x = self.file("x.npy", npy("<f4", [1, 2], floats(1, 2)))
        answers = self.folder / "y.npz"
        self.assertIn("2.0, 4.0", self.strata("run", path, "--input", f"x={x}", "--output", answers))
        self.strata("run", path, "--input", f"x={x}", "--expect", answers)
        link = self.folder / "link.npz"
        link.symlink_to("y.npz")
        answers.write_bytes(b"of an earlier model")
        self.strata("run", path, "--input", f"x={x}", "--output", link)
        self.assertTrue(link.is_symlink())
        other = self.file("other.npy", npy("<f4", [1, 2], floats(1, 3)))
        self.assertIn("differs", self.strata("run", path, "--input", f"x={other}", "--expect", answers, code=DIFFERENT))

    def test_run_writes_a_folder_of_pb_files(self):
        path = self.file("m.onnx", add_model())
        out = self.folder / "answers"
        self.strata("run", path, "--random", 1, "--set", "N=4", "--output", f"{out}/")
        (out / "output_1.pb").write_bytes(b"of an earlier model")
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

    def test_sequences_are_read_from_npz(self):
        path = self.file("s.onnx", sequence_model())
        one = npy("<f4", [2], floats(1, 2))
        for count in (0, 2):
            arrays = self.file("s.npz", npz(**{f"s.{i}": one for i in range(count)}))
            self.assertRegex(self.strata("run", path, "--inputs", arrays), rf"^n  i64\[\] {count}\n")

    def test_names_and_paths_hold_equals_signs(self):
        path = self.file("m.onnx", model(graph([node("Sub", ["a", "a=b"], ["y"])],
                                               [value_info("a", [2]), value_info("a=b", [2])], [value_info("y", [2])])))
        a = self.file("run=1.npy", npy("<f4", [2], floats(1, 2)))
        b = self.file("b.npy", npy("<f4", [2], floats(5, 5)))
        for option in ("--input", "--const"):
            self.assertIn("-4.0, -3.0", self.strata("run", path, option, f"a={a}", option, f"a=b={b}"))
            self.strata("run", path, option, f"c={a}", code=USAGE, says='no input "c"')

    def test_what_a_terminal_would_obey_is_escaped(self):
        nodes = [node("Relu", ["x"], ["\x1b[31my"]), node("Neg", ["\x1b[31my"], ["z\a"])]
        path = self.file("m.onnx", model(graph(nodes, [value_info("x", [2])],
                                               [value_info("\x1b[31my", [2]), value_info("z\a", [2])])))
        for words in (("dump", path), ("run", path, "--random", 1)):
            shown = self.strata(*words)
            self.assertIn('"\\x1b[31my"', shown)
            self.assertNotIn("\a", shown)

    def test_operations_of_unknown_sizes_are_unknown(self):
        w = tensor("w", [2, 3], floats(1, 2, 3, 4, 5, 6))
        path = self.file("m.onnx", model(graph([node("MatMul", ["x", "w"], ["y"])], [value_info("x", ["N", 2])],
                                               [value_info("y", ["N", 3])], [w])))
        opl = self.folder / "m.opl"
        self.assertIn("FLOPs unknown", self.strata("optimize", path, "-o", opl, "--explain"))
        for each in (path, opl):
            for stage in ("typed", "optimise"):
                shown = ("dump", each, "--stage", stage)
                self.assertIn("FLOPs unknown", self.strata(*shown))
                self.assertIsNone(json.loads(self.strata(*shown, "--json"))["summary"]["flops"])
                self.assertIn(", 48 FLOPs", self.strata(*shown, "--set", "N=4"))
        self.assertIn(", 0 FLOPs", self.strata("dump", self.file("add.onnx", add_model())))

    def test_random_integers_fit_their_type(self):
        for data_type, largest in ((wire.UINT4, 9), (wire.INT4, 7), (wire.UINT2, 3), (wire.INT2, 1)):
            nodes = [node("Cast", ["x"], ["c"], attributes=[attribute("to", integer=wire.FLOAT)]),
                     node("ReduceMin", ["c"], ["least"]), node("ReduceMax", ["c"], ["most"])]
            outputs = [value_info("least", [1]), value_info("most", [1])]
            path = self.file("m.onnx", model(graph(nodes, [value_info("x", [1000], data_type)], outputs), 25))
            run = self.strata("run", path, "--random", 1)
            self.assertRegex(run, rf"least  f32\[1\] 0\.0\nmost  f32\[1\] {largest}\.0\n")

    def test_ops_are_listed_with_what_they_become(self):
        self.assertRegex(self.strata("ops"), r"Tanh +ai.onnx +native +1,6,13\n")
        listed = json.loads(self.strata("ops", "--json"))
        self.assertEqual(listed["schema"], "strata.ops/2")
        ops = {(each["domain"], each["op"]): each for each in listed["ops"]}
        self.assertEqual(ops["ai.onnx", "Tanh"]["versions"], {"1": "native", "6": "native", "13": "native"})
        self.assertEqual(ops["ai.onnx", "Tanh"]["becomes"], ["Tanh"])
        self.assertNotIn("absent", {support for each in ops.values() for support in each["versions"].values()})
        self.assertIn("| Tanh | 1,6,13 | native | Tanh |  |\n", self.strata("ops", "--markdown"))
        self.strata("ops", "--json", "--markdown", code=USAGE, says="--json excludes --markdown")

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
        self.assertIn("1 node, ", self.strata("bench", path, "--input", f"x={x}", "--seconds", 0))

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
            self.strata("run", path, "--unroll", wrong, code=USAGE, says="--unroll: auto|never|N")

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

    def test_an_input_of_which_the_file_has_a_value(self):
        mul = graph([node("Mul", ["x", "w"], ["y"])], [value_info("x", [1, 2]), value_info("w", ["K"])],
                    [value_info("y", [1, 2])], [tensor("w", [2], floats(2, 3))])
        path, opl = self.file("m.onnx", model(mul)), self.folder / "m.opl"
        x = f"x={self.file('x.npy', npy('<f4', [1, 2], floats(1, 1)))}"
        w = f"w={self.file('w.npy', npy('<f4', [2], floats(5, 7)))}"
        wrong = f"w={self.file('wrong.npy', npy('<i8', [1], bytes(8)))}"
        self.assertIn("2.0, 3.0", self.strata("run", path, "--input", x))
        self.assertIn("5.0, 7.0", self.strata("run", path, "--input", x, "--input", w))
        self.assertIn("5.0, 7.0", self.strata("run", path, "--input", x, "--const", w))
        self.assertIn("4.0, 4.0", self.strata("run", path, "--input", x, "--const", "w=4"))
        self.strata("run", path, "--input", x, "--input", wrong, code=USAGE, says="i64")
        self.strata("run", path, "--input", x, "--as-input", "w", code=USAGE, says='no value for input "w"')
        self.assertIn("input  w  f32[K]", self.strata("dump", path, "--as-input", "w"))
        self.strata("optimize", path, "--as-input", "w", "-o", opl)
        self.assertIn("5.0, 7.0", self.strata("run", opl, "--input", x, "--input", w))
        self.strata("dump", path, "--as-input", "x", code=USAGE, says='the file has no value for an input "x"')
        self.strata("dump", path, "--as-input", "w", "--as-input", "w", code=USAGE, says="is given twice")
        self.strata("dump", opl, "--as-input", "w", code=USAGE, says="--as-input is for ONNX files")

    def test_a_constant_keeps_its_number(self):
        def cast_of(data_type):
            nodes = [node("Cast", ["c"], ["y"], attributes=[attribute("to", integer=11)])]
            return model(graph(nodes, [value_info("c", [], data_type)], [value_info("y", [], 11)]), 21)

        for data_type, kept, lost in (
            (wire.INT8, {"-128": "-128.0", "1e2": "100.0"}, ("300", "1.5", "-129", "nan", "1e99")),
            (wire.UINT64, {"18446744073709551615": "1.8446744073709552e+19"}, ("-1", "18446744073709551616")),
            (wire.INT64, {"-5": "-5.0"}, ("9223372036854775808",)),
            (wire.FLOAT, {"0.5": "0.5", "16777217": "16777216.0"}, ("1e99", "-1e39")),
            (wire.FLOAT8E4M3FN, {"448": "448.0", "0.3": "0.3125"}, ("1000", "-500")),
            (wire.BOOL, {"1": "1.0"}, ("2",)),
        ):
            path = self.file("c.onnx", cast_of(data_type))
            for text, number in kept.items():
                self.assertIn(f" {number}\n", self.strata("run", path, "--const", f"c={text}"))
            for text in lost:
                self.strata("run", path, "--const", f"c={text}", code=USAGE, says=f"cannot be {text}")

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
        for command in ("dump", "optimize", "run", "bench", "ops"):
            self.assertIn(f"Examples:\n  strata {command} ", self.strata(command, "--help"))
            self.assertEqual(self.strata("help", command), self.strata(command, "--help"))
        self.assertEqual(self.strata("help"), self.strata("--help"))
        self.strata("help", "dumb", code=USAGE, says='there is no command "dumb"')
        self.assertRegex(self.strata("--version"), r"^strata \d+\.\d+\.\d+\n$")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
