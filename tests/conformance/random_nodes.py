"""Runs nodes of random attributes, types and shapes, valid ones and others: none may end the command otherwise than by an
error of its own, and what runs as it is typed must give the same once it is optimised.

usage: random_nodes.py STRATA FOLDER [SEED [NODES_OF_EACH_OP]]
"""

import concurrent.futures
import os
import pathlib
import random
import subprocess
import sys

try:
    import numpy
    import onnx
except ImportError:
    print("skipped: Python has no onnx")
    sys.exit(77)

DOMAINS = ("", "ai.onnx.ml", "ai.onnx.preview.training")
OK, DIFFERENT = 0, 1
ERRORS = {2, 3, 4, 5, 124}  # a wrong use, file, model or run, and out of time
# Each run of these draws anew, or shows what no other stage keeps.
UNLIKE = {"RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Bernoulli", "Multinomial", "Dropout"}
FAR = (2**31 - 1, -(2**31), 2**31, 2**62, 2**63 - 1, -(2**63))
SIZES = (0, 1, 1, 2, 2, 3, 4)
TYPES = {
    "tensor(float)": numpy.float32, "tensor(double)": numpy.float64, "tensor(float16)": numpy.float16,
    "tensor(int64)": numpy.int64, "tensor(int32)": numpy.int32, "tensor(int16)": numpy.int16, "tensor(int8)": numpy.int8,
    "tensor(uint64)": numpy.uint64, "tensor(uint32)": numpy.uint32, "tensor(uint16)": numpy.uint16,
    "tensor(uint8)": numpy.uint8, "tensor(bool)": numpy.bool_,
}


class Draw:
    """A model of one node, as its seed has it."""

    def __init__(self, schema, seed):
        self.random = random.Random(seed)
        self.schema = schema
        self.types = {}  # by type parameter
        self.given = {}  # inputs that are no initializers
        self.shape = [self.random.choice(SIZES) for _ in range(self.random.randrange(5))]

    def model(self):
        inputs, initializers, names = [], [], []
        for number, formal in enumerate(self.formals()):
            if formal.option == onnx.defs.OpSchema.FormalParameterOption.Optional and self.random.random() < 0.5:
                names.append("")
                continue
            names.append(f"x{number}")
            value = self.value(formal)
            if value is None:
                return None
            info = onnx.helper.np_dtype_to_tensor_dtype(value.dtype)
            if self.random.random() < 0.4:
                initializers.append(onnx.numpy_helper.from_array(value, names[-1]))
            else:
                shape = self.random.choice((list(value.shape), list(value.shape), [None] * value.ndim, None))
                self.given[names[-1]] = value
                inputs.append(onnx.helper.make_tensor_value_info(names[-1], info, shape))
        outputs = [f"y{number}" for number in range(self.random.randint(self.schema.min_output,
                                                                        min(self.schema.max_output, 3)))] or ["y0"]
        node = onnx.NodeProto(op_type=self.schema.name, domain=self.schema.domain, input=names, output=outputs)
        node.attribute.extend(self.attributes())
        # Types of outputs are left to be found.
        graph = onnx.helper.make_graph([node], "random", inputs, [onnx.ValueInfoProto(name=name) for name in outputs],
                                       initializers)
        versions = [onnx.helper.make_opsetid(domain, onnx.defs.onnx_opset_version() if domain == "" else
                                             max(s.since_version for s in SCHEMAS if s.domain == domain))
                    for domain in DOMAINS]
        return onnx.helper.make_model(graph, opset_imports=versions, ir_version=10)

    def formals(self):
        formals = list(self.schema.inputs)
        if formals and formals[-1].option == onnx.defs.OpSchema.FormalParameterOption.Variadic:
            formals += [formals[-1]] * self.random.randrange(3)
        return formals

    def value(self, formal):
        """An array, or none where the type is not one of numbers."""
        parameter = formal.type_str
        if parameter not in self.types:
            allowed = sorted(set(formal.types) & TYPES.keys())
            if not allowed:
                return None
            # Mostly the types that most models have, as far as they are allowed.
            common = [t for t in allowed if t in ("tensor(float)", "tensor(int64)")]
            self.types[parameter] = self.random.choice(common if common and self.random.random() < 0.5 else allowed)
        dtype = TYPES[self.types[parameter]]
        shape = self.input_shape()
        count = int(numpy.prod(shape))
        numbers = [self.random.choice((0, 1, 2, -1, 3, 5)) for _ in range(count)]
        if numpy.issubdtype(dtype, numpy.unsignedinteger):
            numbers = [abs(number) for number in numbers]
        if dtype == numpy.int64 and numbers and self.random.random() < 0.05:
            numbers[0] = self.random.choice(FAR)
        return numpy.array(numbers, dtype).reshape(shape)

    def input_shape(self):
        way = self.random.random()
        if way < 0.5:
            return self.shape
        if way < 0.65:  # broadcasts, or nearly
            return [self.random.choice((1, size)) for size in self.shape[self.random.randrange(len(self.shape) + 1):]]
        if way < 0.85:  # a vector of axes or sizes
            return [self.random.randrange(4)]
        return [self.random.choice(SIZES) for _ in range(self.random.randrange(6))]

    def attributes(self):
        kinds = onnx.defs.OpSchema.AttrType
        for name, attribute in sorted(self.schema.attributes.items()):
            if not attribute.required and self.random.random() < 0.5:
                continue
            if attribute.type == kinds.INT:
                value = self.random.choice((0, 0, 1, 1, 1, 2, 3, -1))
                if self.random.random() < 0.1:
                    value = self.random.choice(FAR)
            elif attribute.type == kinds.FLOAT:
                value = self.random.choice((0.0, 0.5, 1.0, -1.0, 1e30, float("inf")))
            elif attribute.type == kinds.INTS:
                value = [self.random.choice((0, 1, 1, 2, 3, -1)) for _ in range(self.random.randrange(1, 5))]
                if self.random.random() < 0.1:
                    value[0] = self.random.choice(FAR)
            elif attribute.type == kinds.FLOATS:
                value = [self.random.choice((0.0, 0.5, 1.0, -1.0)) for _ in range(self.random.randrange(1, 5))]
            elif attribute.type == kinds.STRING and attribute.default_value.s:
                value = attribute.default_value.s
            else:
                continue
            yield onnx.helper.make_attribute(name, value)


SCHEMAS = [schema for schema in onnx.defs.get_all_schemas() if schema.domain in DOMAINS]


def strata(*words):
    # Memory that an attribute of a random size asks for is refused.
    command = [sys.argv[1], *map(str, words), "--timeout", "20", "--max-memory", "256M"]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def fault(model, given, path):
    """What is wrong with how the command takes the model, or none; and whether it runs."""
    inputs, outputs = path.with_suffix(".npz"), path.with_suffix(".typed.npz")
    onnx.save(model, path)
    numpy.savez(inputs, **given)
    words = ["run", path, "--inputs", inputs] if given else ["run", path]
    typed = strata(*words, "--stage", "typed", "--output", outputs)
    if typed.returncode not in ERRORS | {OK}:
        return typed, False
    if typed.returncode == OK and model.graph.node[0].op_type not in UNLIKE:
        words += ["--expect", outputs, "--rtol", "1e-3", "--atol", "1e-4"]
    optimised = strata(*words)
    # Simplified it may run all the same.
    fits = optimised.returncode == OK or (typed.returncode in ERRORS and optimised.returncode in ERRORS)
    return None if fits else optimised, typed.returncode == OK


def main():
    folder = pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    times = int(sys.argv[4]) if len(sys.argv) > 4 else 4
    drawn = []
    for schema in sorted(SCHEMAS, key=lambda schema: (schema.domain, schema.name)):
        for number in range(times):
            draw = Draw(schema, f"{seed} {schema.domain} {schema.name} {number}")
            model = draw.model()
            if model is not None:
                drawn.append((model, draw.given, folder / f"{schema.name}_{seed}_{number}.onnx"))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda each: fault(*each), drawn))
    wrong = [(path, run) for (_, _, path), (run, _) in zip(drawn, results) if run is not None]
    running = sum(runs for _, runs in results)
    for path, run in wrong:
        print(f"{path}: exit code {run.returncode}\n{run.stdout[-500:]}{run.stderr[-1000:]}")
    print(f"{len(drawn)} nodes, of which {running} run; {len(wrong)} are wrong")
    return 1 if wrong or running < len(drawn) // 4 else 0


if __name__ == "__main__":
    sys.exit(main())
