"""Runs the command on bad input, and checks exit codes and messages: usage: refused_test.py STRATA MODELS"""

import os
import random
import resource
import signal
import struct
import subprocess
import sys
import time
import unittest

from command import (FILE, MODEL, OK, RUN, STRATA, TIMEOUT, USAGE, CommandTest, add_model, deep_model, endless_loop, one_node,
                     sequence_model)
from wire import INT64, attribute, floats, graph, model, node, npy, npz, sequence_info, tensor, value_info

FLOATS = 8_000_000  # that take a good second to compress


class BadCommandLine(CommandTest):
    def test_usage(self):
        path = self.file("m.onnx", add_model())
        self.strata("frobnicate", code=USAGE, says="frobnicate")
        self.strata("dump", code=USAGE, says="MODEL is required")
        self.strata("dump", path, "--stage", "cooked", code=USAGE, says="cooked")
        self.strata("run", path, "--random", "x", code=USAGE, says="--random: a whole number")
        self.strata("run", path, "--max-memory", "9Q", "--random", 1, code=USAGE, says="--max-memory: a number of bytes")
        self.strata("run", path, "--input", "x", code=USAGE, says="--input: NAME=VALUE")
        self.strata("optimize", path, "-o", self.folder / "out.txt", code=USAGE, says="tells no format")
        self.strata("bench", path, "--threads", 0, code=USAGE, says="--threads: a number from 1")
        self.strata("bench", path, "--seconds", -1, code=USAGE, says="--seconds: a number of at least 0")
        self.strata("bench", path, "--unroll", "often", code=USAGE, says="often")
        self.strata("bench", path, "--rounding", "maybe", code=USAGE, says="auto|never|always")
        self.strata("dump", path, "--const", "x", code=USAGE, says="--const: NAME=VALUE")
        self.strata("dump", path, "--shape", "x=1,", code=USAGE, says="--shape: a whole number")
        self.strata("dump", path, "--set", "N=99999999999999999999", code=USAGE, says="2^63")
        for option, number in (("--timeout", "0"), ("--timeout", "nan"), ("--timeout", "inf"), ("--rtol", "-1"), ("--atol", "x")):
            self.strata("run", path, option, number, code=USAGE, says=f'{option}: a number')
        self.strata("bench", path, "--seconds", "nan", code=USAGE, says='"nan"')

    def test_a_file_without_a_name(self):
        path = self.file("m.onnx", add_model())
        for option in ("--expect", "--output", "--inputs"):
            self.strata("run", path, "--random", 1, "--set", "N=1", option, "", code=USAGE, says=option)

    def test_contradictions(self):
        path = self.file("m.onnx", add_model())
        opl = self.folder / "m.opl"
        self.strata("optimize", path, "-o", opl)
        for each in (path, opl):
            for option, first, second in (("--set", "N=2", "N=3"), ("--shape", "x=2,2", "x=3,2"),
                                          ("--input", "x=a.npy", "x=b.npy"), ("--const", "x=a.npy", "x=b.npy")):
                self.strata("run", each, option, first, option, second, code=USAGE, says="is given twice")
            self.strata("dump", each, "--shape", "x=4,2", "--set", "N=5", code=USAGE, says="--shape gives N the size 4, --set 5")
            self.strata("dump", each, "--shape", "x=4,2", "--set", "N=4")
        both = model(graph([node("Add", ["x", "w"], ["y"])], [value_info("x", ["N"]), value_info("w", ["N"])], [value_info("y")]))
        self.strata("dump", self.file("both.onnx", both), "--shape", "x=4", "--shape", "w=5", code=USAGE,
                    says="--shape gives N the sizes 5 and 4")

    def test_unknown_instruction_set(self):
        path = self.file("m.onnx", add_model())
        for name, code in (("avx1024", USAGE), ("sse2", 0), ("", 0)):
            run = subprocess.run([STRATA, "dump", path], capture_output=True, text=True,
                                 env={**os.environ, "STRATA_ISA": name})
            self.assertEqual(run.returncode, code, run.stderr)
            self.assertEqual("STRATA_ISA" in run.stderr, code != 0)

    def test_nothing_said(self):
        run = subprocess.run([STRATA], capture_output=True, text=True)
        self.assertEqual(run.returncode, USAGE)
        self.assertIn("Examples", run.stderr)


class BadFiles(CommandTest):
    def refused(self, content, code, says, name="m.onnx"):
        self.strata("dump", self.file(name, content), code=code, says=says)

    def test_files_that_are_no_model(self):
        lfs = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 5\n"
        self.refused(b"", FILE, "holds nothing")
        self.refused(b"hello world, this is text\n", FILE, "holds text")
        self.refused(lfs, FILE, "LFS")
        self.refused(bytes((i * 197 + i * i * 31 + 11) % 256 for i in range(4096)), FILE, "holds other data")
        self.refused(add_model()[:-20], FILE, "truncated or damaged")
        self.refused(add_model()[:60], FILE, "truncated or damaged")
        # Fields of a node, an attribute, a tensor and a sparse one that are of no type, or longer than what they are in.
        for field in (b"\x0f", b"\x0a\xff", b"\x2a\x03\x0a\x7f\x01", b"\x2a\x04\x2a\x02\x0f\x01", b"\x00"):
            node = b"\x0a" + bytes([len(field) + 1]) + field + b"\x01"
            self.refused(b"\x08\x0a\x3a" + bytes([len(node)]) + node, FILE, "m.onnx")
        self.strata("dump", self.folder / "missing.onnx", code=FILE, says="missing.onnx")
        (self.folder / "link").symlink_to("anywhere")  # nor is a folder looked through for models
        self.strata("dump", self.folder, code=FILE, says="there is no graph.nnef")
        text = self.folder / "text.nnef"
        text.write_text("version 1.0;\ngraph g(x) -> (x) { x = external(shape = [1]); }\n")
        self.strata("dump", text, code=FILE, says="an OPL text named graph.nnef")

    def test_names_that_no_file_can_be_found_by(self):
        loop = self.folder / "loop.npz"
        loop.symlink_to("loop.npz")
        path = self.file("m.onnx", add_model())
        for name, reason in ((loop, "Too many levels"), (f"{self.folder}/{'n' * 256}.npz", "too long"),
                             (f"{path}/x.npz", "Not a directory")):
            self.strata("dump", name, code=FILE, says=reason)
            self.strata("run", path, "--random", 1, "--set", "N=1", "--output", name, code=FILE, says=reason)
            self.strata("run", path, "--input", f"x={name}", code=FILE, says=reason)
            self.strata("run", path, "--inputs", name, code=FILE, says=reason)
            self.strata("run", path, "--random", 1, "--set", "N=1", "--expect", name, code=FILE, says=reason)

    def test_devices_and_pipes(self):
        path = self.file("m.onnx", add_model())
        self.strata("run", path, "--input", "x=/dev/zero", code=FILE, says="neither a regular file nor a pipe")
        self.strata("run", path, "--input", f"x={self.folder}", code=FILE, says="a folder")
        run = subprocess.run([STRATA, "run", path, "--input", "x=/dev/stdin"], capture_output=True, timeout=60,
                             input=npy("<f4", [1, 2], floats(1, 2)))
        self.assertEqual(run.returncode, OK, run.stderr)
        self.assertIn(b"2.0, 4.0", run.stdout)

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
            self.strata("dump", path, code=MODEL, says="is outside the model's folder")
        self.file("w.bin", floats(1, 2))
        self.strata("dump", self.file("m.onnx", with_weights("w.bin")))

    def test_models_that_break_the_rules(self):
        self.refused(one_node("Frobnicate", ["x"], ["y"]), MODEL, "Frobnicate")
        self.refused(one_node("Relu", ["x"], ["y"], domain="com.example"), MODEL, "com.example")
        self.refused(one_node("Relu", ["x"], ["y"], opset=9999), MODEL, "9999")
        self.refused(one_node("Add", ["x"], ["y"]), MODEL, "Add takes 2 inputs, 1 given")
        self.refused(one_node("Relu", ["nowhere"], ["y"]), MODEL, "nowhere")
        cycle = graph([node("Add", ["x", "b"], ["a"]), node("Relu", ["a"], ["b"])], [value_info("x", [2])], [value_info("b")])
        self.refused(model(cycle), MODEL, 'a cycle through Add "a"')
        twice = graph([node("Relu", ["x"], ["y"]), node("Neg", ["x"], ["y"])], [value_info("x", [2])], [value_info("y")])
        self.refused(model(twice), MODEL, "y")

    def test_a_declared_shape_that_only_rewriting_contradicts(self):
        inputs, c = [value_info("x", [1])], tensor("c", [3], floats(1, 0, 1))
        alone = graph([node("NonZero", ["c"], ["y"])], inputs, [value_info("y", [1, 3], data_type=INT64)], [c])
        self.refused(model(alone), MODEL, 'output 0 is i64[1,2], the model says i64[1,3]\n  in rule fold_constants\n  in NonZero "y"')
        unique = [node("Unique", ["c"], ["u"]), node("Add", ["u", "x"], ["y"])]
        behind = graph(unique, inputs, [value_info("y", [3])], [c])
        self.refused(model(behind), MODEL, 'output 0 is f32[2], the model says f32[3]\n  in Add "y"')
        path = self.file("m.onnx", model(behind))
        self.strata("run", path, "--random", 1, code=MODEL, says="with --ignore-output-shapes it loads")
        self.strata("run", path, "--random", 1, "--ignore-output-shapes")

    def test_time_that_runs_out_while_loading(self):
        pipe = self.folder / "m.onnx"
        os.mkfifo(pipe)  # which nobody writes to
        for command in (["dump"], ["optimize", "-o", self.folder / "m.opl"], ["run"], ["bench"]):
            self.strata(command[0], pipe, *command[1:], "--timeout", 0.1, code=TIMEOUT, says="--timeout ran out")
        self.assertEqual(list(self.folder.iterdir()), [pipe])

    def test_tensors_that_break_the_rules(self):
        def with_tensor(weights):
            return model(graph([node("Add", ["x", "w"], ["y"])], [value_info("x", [2])], [value_info("y")], [weights]))
        self.refused(with_tensor(tensor("w", [1 << 40, 1 << 40], b"")), MODEL, "more elements than int64 can count")
        self.refused(with_tensor(tensor("w", [-2], b"")), MODEL, "a negative size")
        self.refused(with_tensor(tensor("w", [2], floats(1, 2, 3))), MODEL, "raw_data has 12 bytes")
        self.refused(with_tensor(tensor("w", [2], b"\0\0\0")), MODEL, "raw_data has 3 bytes")
        self.refused(with_tensor(tensor("w", [2], floats(1, 2), data_type=99)), MODEL, "data type 99")

    def test_subgraphs_nested_100_deep(self):
        self.strata("dump", self.file("m.onnx", deep_model(100)), code=RUN, says="nest deeper than 32")

    def test_damaged_opl(self):
        good = self.folder / "good.opl"
        self.strata("optimize", self.file("m.onnx", add_model()), "-o", good)
        content = good.read_bytes()
        self.refused(content[: len(content) // 2], FILE, "truncated gzip input", name="half.opl")
        plain = self.folder / "plain"
        self.strata("optimize", self.folder / "m.onnx", "-o", f"{plain}/")
        text = (plain / "graph.nnef").read_text()
        (plain / "graph.nnef").write_text(text.replace("graph", "grpah", 1))
        self.strata("dump", plain, code=MODEL, says="graph.nnef:")

    def test_damaged_arrays(self):
        path = self.file("m.onnx", add_model())
        good = npy("<f4", [1, 2], floats(1, 2))
        for name, content, reason in (("half.npy", good[:-3], "holds 5 bytes of data"), ("empty.npy", b"", "the file is empty"),
                                      ("header.npy", good[:20], "ends within its header")):
            self.strata("run", path, "--input", f"x={self.file(name, content)}", code=FILE, says=reason)
        self.strata("run", path, "--input", "x=missing.npy", code=FILE, says="missing.npy")
        self.strata("run", path, "--inputs", self.file("x.npz", b"PK\3\4 no archive"), code=FILE, says="x.npz")
        self.strata("run", path, "--inputs", self.file("x.npy", good), code=USAGE, says="holds one value")
        self.strata("run", path, "--random", 1, "--set", "N=1", "--expect", "y.pb", code=USAGE, says="holds one value")

    def test_arrays_that_would_be_lost(self):
        one = npy("<f4", [2], floats(1, 2))
        path = self.file("s.onnx", sequence_model())
        for names, left in (("s.0 s.2", "s.2"), ("s.1", "s.1"), ("s.0 s.01", "s.01"), ("s.0 s.0.0", "s.0.0"), ("s", "s")):
            arrays = self.file("s.npz", npz(**{name: one for name in names.split()}))
            self.strata("run", path, "--inputs", arrays, code=USAGE, says=f'"{left}"')
        add = self.file("m.onnx", add_model())
        row = npy("<f4", [1, 2], floats(1, 2))
        self.strata("run", add, "--inputs", self.file("x.npz", npz(**{"x": row, "x.7": row})), code=USAGE, says='"x.7"')
        both = self.file("both.onnx", sequence_model(value_info("s.1", [2])))
        self.strata("run", both, "--inputs", self.file("s.npz", npz(**{"s.0": one, "s.1": one})), code=USAGE,
                    says='"s.1" may be of input "s" or of "s.1"')


class CutShort(CommandTest):
    """A command that cannot finish what it writes leaves the file that was there, and no other."""

    def setUp(self):
        super().setUp()
        weights = random.Random(1).randbytes(4 * FLOATS)
        self.model = self.file("m.onnx", model(graph([node("Add", ["x", "w"], ["y"], "add")], [value_info("x", [FLOATS])],
                                                     [value_info("y", [FLOATS])], [tensor("w", [FLOATS], weights)])))
        self.file("m.opl", b"before")
        self.target = self.folder / "m.opl"

    def check_nothing_lost(self):
        self.assertEqual(self.target.read_bytes(), b"before")
        self.assertEqual(sorted(each.name for each in self.folder.iterdir()), ["m.onnx", "m.opl"])

    def test_interrupted(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            run = subprocess.Popen([STRATA, "optimize", self.model, "-o", self.target])
            while run.poll() is None and not list(self.folder.glob(".m.opl.*")):
                time.sleep(0.001)
            run.send_signal(number)
            self.assertEqual(run.wait(), -number)
            self.check_nothing_lost()

    def test_interrupted_on_a_folder(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            run = subprocess.Popen([STRATA, "optimize", self.model, "-o", self.folder / "model.nnef"])
            while run.poll() is None and not list(self.folder.glob(".model.nnef.*")):
                time.sleep(0.0001)
            run.send_signal(number)
            self.assertEqual(run.wait(), -number)
            self.check_nothing_lost()

    def test_too_large_for_the_user(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
        run = subprocess.run([STRATA, "optimize", self.model, "-o", self.target], preexec_fn=limit, capture_output=True, text=True)
        self.assertEqual(run.returncode, FILE, run.stderr)
        self.assertIn("File too large", run.stderr)
        self.check_nothing_lost()


class BadRuns(CommandTest):
    def test_inputs_that_do_not_fit(self):
        path = self.file("m.onnx", add_model())
        good = self.file("x.npy", npy("<f4", [1, 2], floats(1, 2)))
        wide = self.file("wide.npy", npy("<f4", [1, 3], floats(1, 2, 3)))
        integer = self.file("integer.npy", npy("<i8", [1, 2], bytes(16)))
        self.strata("run", path, code=USAGE, says='"x"')
        self.strata("run", path, code=USAGE, says="while giving inputs to " + path)
        self.strata("bench", path, code=USAGE, says="--set N=4")
        self.strata("run", path, "--random", 1, code=USAGE, says="--set N=4")
        self.strata("run", path, "--input", f"xx={good}", code=USAGE, says='"x"')
        self.strata("run", path, "--input", f"x={wide}", code=USAGE, says="[1,3]")
        self.strata("run", path, "--input", f"x={integer}", code=USAGE, says="i64")
        self.strata("run", path, "--input", f"x={integer}", code=USAGE, says="while reading " + integer)

    def test_a_size_without_a_name(self):
        path = self.file("m.onnx", model(graph([node("Relu", ["x"], ["y"])], [value_info("x", ["", 2])], [value_info("y", ["", 2])])))
        self.strata("dump", path, "--set", "u0=1", code=USAGE, says="a size that the file does not name is given by --shape")
        self.strata("dump", path, "--shape", "x=1,2")

    def test_a_declared_output_that_narrows_an_input(self):
        path = self.file("m.onnx", model(graph([node("Relu", ["x"], ["y"])], [value_info("x", ["N", 2])], [value_info("y", [1, 2])])))
        x = self.file("x.npy", npy("<f4", [3, 2], floats(1, 2, 3, 4, 5, 6)))
        self.strata("run", path, "--input", f"x={x}", code=USAGE, says='with --ignore-output-shapes "x" is f32[N,2]')
        self.strata("run", path, "--input", f"x={x}", "--ignore-output-shapes")
        wide = self.file("wide.npy", npy("<f4", [3, 1], floats(1, 2, 3)))
        fits = self.file("fits.onnx", add_model())
        run = subprocess.run([STRATA, "run", fits, "--input", f"x={wide}"], capture_output=True, text=True)
        self.assertNotIn("--ignore-output-shapes", run.stderr)

    def test_a_size_that_becomes_negative(self):
        plain = self.folder / "plain"
        nodes = [node("Relu", ["x"], ["y"]), node("Relu", ["a"], ["b"])]
        path = self.file("m.onnx", model(graph(nodes, [value_info("x", ["N", 2]), value_info("a", ["N"])],
                                               [value_info("y", ["N", 2]), value_info("b", ["N"])])))
        self.strata("optimize", path, "-o", f"{plain}/")
        text = plain / "graph.nnef"
        text.write_text(text.read_text().replace("[N, 2]", "[N*N-5, 2]"))
        self.strata("run", plain, "--random", 1, "--set", "N=3")
        for words in (("dump", plain), ("run", plain, "--random", 1)):
            self.strata(*words, "--set", "N=2", code=USAGE, says='input "x" is f32[N*N-5,2], of which a size would be -1')
        a = self.file("a.npy", npy("<f4", [2], floats(1, 2)))
        self.strata("run", plain, "--random", 1, "--input", f"a={a}", code=USAGE, says="of which N*N-5 would be -1")

    def test_a_folder_of_more_inputs_than_there_are(self):
        path = self.file("m.onnx", add_model())
        given = self.folder / "given"
        self.strata("run", path, "--random", 1, "--set", "N=1", "--output", f"{given}/")
        for name in ("input_1.pb", "input_5.pb"):
            (given / "output_0.pb").rename(given / name)
            self.strata("run", path, "--inputs", given, code=USAGE, says=f'{name}" is one input too many, the model has 1')
            (given / name).rename(given / "output_0.pb")

    def test_outputs_that_cannot_be_written(self):
        path = self.file("m.onnx", add_model())
        wanted = ("--random", 1, "--set", "N=1")
        nowhere = self.folder / "no" / "where.npz"
        self.strata("run", path, *wanted, "--output", nowhere, code=FILE, says=f'"{nowhere}": No such file')
        self.strata("run", path, *wanted, "--output", f"{path}/", code=FILE, says="File exists")
        self.strata("run", path, *wanted, "--output", self.folder / "y.txt", code=USAGE, says="tells no format")
        self.strata("optimize", path, "-o", self.folder / "no" / "where.opl", code=FILE, says="No such file")
        self.assertEqual([each.name for each in self.folder.iterdir()], ["m.onnx"], "something was left behind")

    def test_an_output_that_no_npz_can_name(self):
        path = self.file("m.onnx", model(graph([node("Neg", ["x"], ["a\\b"])], [value_info("x", [2])], [value_info("a\\b", [2])])))
        # Before the run, for which there are no inputs.
        self.strata("run", path, "--output", self.folder / "y.npz", code=USAGE, says="without a zero or a backslash")

    def test_outputs_whose_arrays_have_one_name(self):
        nodes = [node("SequenceConstruct", ["x", "x"], ["s"]), node("Neg", ["x"], ["s.1"])]
        path = self.file("m.onnx", model(graph(nodes, [value_info("x", [2])], [sequence_info("s", [2]), value_info("s.1", [2])])))
        # Before the run, for which there are no inputs.
        self.strata("run", path, "--output", self.folder / "y.npz", code=USAGE, says='"s" and "s.1" may have the same name')
        self.strata("run", path, "--random", 1, "--output", f"{self.folder}/y/")
        self.strata("run", path, "--random", 1, "--expect", f"{self.folder}/y")

    def test_limits(self):
        path = self.file("loop.onnx", endless_loop())
        wanted = ("--random", 1)
        self.strata("run", path, *wanted, "--max-iterations", 1000, code=RUN, says="iterations")
        self.strata("run", path, *wanted, "--timeout", 0.5, code=TIMEOUT, says="time")
        self.strata("bench", path, *wanted, "--max-iterations", 1000, code=RUN, says="iterations")
        add = self.file("m.onnx", add_model())
        self.strata("run", add, *wanted, "--set", "N=1000000", "--max-memory", "1M", code=RUN, says="total_bytes")
        self.strata("run", add, *wanted, "--set", "N=1000000", "--max-memory", "1M", "--timeout", 1e-9, code=RUN, says="total_bytes")
        self.strata("bench", add, "--set", "N=100000", "--seconds", 60, "--timeout", 0.2, code=TIMEOUT, says="the limit time")

    def test_sizes_that_no_machine_has(self):
        def of_image(op, *inputs, **lists):
            weights = tensor("w", [1, 1, 2, 2], floats(1, 2, 3, 4))
            attributes = [attribute(name, integers=list(given)) for name, given in lists.items()]
            one = node(op, ["x", *inputs], ["y"], "large", attributes=attributes)
            sizes = tensor("sizes", [4], struct.pack("<4q", 1, 1, 4, 1 << 40), data_type=INT64)
            scales = tensor("scales", [4], floats(1, 1, 1e30, 1))
            return model(graph([one], [value_info("x", [1, 1, 4, 4])], [value_info("y", list("nchw"))], [weights, sizes, scales]))

        giga = 10**9
        for code, content in (
            (RUN, of_image("Resize", "", "", "sizes")),
            (MODEL, of_image("Resize", "", "scales")),
            (RUN, of_image("Conv", "w", pads=[giga] * 4)),
            (RUN, of_image("Conv", "w", pads=[giga] * 4, dilations=[giga] * 2)),
            (MODEL, of_image("Conv", "w", strides=[1 << 62] * 2)),
            (RUN, of_image("ConvTranspose", "w", strides=[giga] * 2)),
            (RUN, of_image("MaxPool", kernel_shape=[giga, 1], pads=[giga - 4, 0, 0, 0])),
            (RUN, of_image("AveragePool", kernel_shape=[giga] * 2, pads=[giga - 4] * 2 + [0] * 2)),
        ):
            self.strata("run", self.file("m.onnx", content), "--random", 1, code=code, says='"large"')

    def test_a_closed_pipe_is_quiet(self):
        path = self.file("m.onnx", add_model())
        process = subprocess.Popen([STRATA, "ops"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdout.close()
        self.assertEqual(process.stderr.read(), b"")
        process.stderr.close()
        process.wait()
        with open("/dev/full", "wb") as full:
            for words in (["dump", path], ["--version"], ["--help"], ["ops"]):
                run = subprocess.run([STRATA, *words], stdout=full, stderr=subprocess.PIPE, text=True)
                self.assertEqual(run.returncode, FILE, run.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
