"""What every bundled model is made of, and how it is written and checked."""

from dataclasses import dataclass, field

import numpy as np
import onnx
import onnx.parser
from onnx import numpy_helper
from onnx.reference import ReferenceEvaluator

# The official runner's tolerance is looser; a reference in double precision can ask for more.
RTOL, ATOL = 1e-5, 1e-7


@dataclass
class Case:
    """One bundled model.

    text      the graph in ONNX's text syntax
    weights   initializers of the outermost graph, by name
    data      data sets: (inputs, expected outputs), both by name; a list stands for a sequence
    arrays    further inputs to write as NAME.npy
    metadata  goes into the model file
    peer      whose answers to compare with: "onnxruntime", or "reference" for onnx's own evaluator
    """

    name: str
    text: str
    data: list
    weights: dict = field(default_factory=dict)
    arrays: dict = field(default_factory=dict)
    metadata: dict = field(default_factory=dict)
    peer: str = "onnxruntime"

    def model(self):
        """The checked ModelProto; every node is named after its first output."""
        model = onnx.parser.parse_model(self.text)
        model.producer_name = "strata-models"
        for name, value in self.weights.items():
            model.graph.initializer.append(numpy_helper.from_array(np.array(value, order="C"), name))
        for key, value in sorted(self.metadata.items()):
            model.metadata_props.add(key=key, value=value)
        name_nodes(model.graph)
        onnx.checker.check_model(model, full_check=True)
        return model


def name_nodes(graph, prefix=""):
    for node in graph.node:
        node.name = prefix + next(output for output in node.output if output)
        for attribute in node.attribute:
            if attribute.HasField("g"):
                name_nodes(attribute.g, node.name + "/")


def proto(value, name):
    if isinstance(value, list):
        return numpy_helper.from_list(value, name)
    return numpy_helper.from_array(value, name)


def write(case, folder):
    """Writes `folder`/NAME in the layout of ONNX's backend tests. Returns the model file's size."""
    home = folder / case.name
    home.mkdir(parents=True, exist_ok=True)
    model = case.model()
    content = model.SerializeToString(deterministic=True)
    (home / "model.onnx").write_bytes(content)
    for number, (inputs, expected) in enumerate(case.data):
        data = home / f"test_data_set_{number}"
        data.mkdir(exist_ok=True)
        for kind, infos, values in (("input", model.graph.input, inputs),
                                    ("output", model.graph.output, expected)):
            for slot, info in enumerate(infos):
                message = proto(values[info.name], info.name)
                path = data / f"{kind}_{slot}.pb"
                path.write_bytes(message.SerializeToString(deterministic=True))
    for name, value in case.arrays.items():
        np.save(home / f"{name}.npy", value)
    return len(content)


def cross_check(case):
    """Compares the expected outputs with the peer's. Throws AssertionError where they differ."""
    run = PEERS[case.peer](case.model())
    for number, (inputs, expected) in enumerate(case.data):
        answers = run(list(expected), inputs)
        for name, answer in zip(expected, answers):
            compare(answer, expected[name], f"{case.name}, data set {number}, {name}")


def onnxruntime_peer(model):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"]).run


def reference_peer(model):
    return ReferenceEvaluator(model).run


PEERS = {"onnxruntime": onnxruntime_peer, "reference": reference_peer}


def compare(answer, expected, what):
    if isinstance(expected, list):
        assert len(answer) == len(expected), f"{what}: {len(answer)} items, not {len(expected)}"
        for item, (a, e) in enumerate(zip(answer, expected)):
            compare(a, e, f"{what}[{item}]")
        return
    answer = np.asarray(answer)
    assert answer.shape == expected.shape, f"{what}: {answer.shape}, not {expected.shape}"
    if expected.dtype.kind == "f":
        np.testing.assert_allclose(answer, expected, RTOL, ATOL, err_msg=what)
    else:
        np.testing.assert_array_equal(answer, expected, err_msg=what)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def f32(x):
    return np.array(x, np.float32, order="C")


def drawn(seed):
    """A source of float32 arrays whose values are small multiples of 1/256, the same everywhere."""
    generator = np.random.RandomState(seed)

    def draw(*shape, scale=1.0):
        return f32(np.round(generator.standard_normal(shape) * scale * 256) / 256)

    return draw
