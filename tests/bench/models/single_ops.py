"""One op on about a million elements."""

import dataclasses

import numpy as np
from case import BYTE_WEIGHTS, Case
from graphs import FLOAT, INT64, Graph
from onnx import TensorProto, helper

PLANES = [1, 64, 128, 128]
UINT8 = TensorProto.UINT8
OPSET = 17


@dataclasses.dataclass
class Single:
    """`operands` follow the inputs: constants, or "" for one that is left out."""

    op: str
    operands: tuple = ()
    attributes: dict = dataclasses.field(default_factory=dict)
    inputs: int = 1
    shape: list = dataclasses.field(default_factory=lambda: PLANES)
    given: int = FLOAT
    least: float | None = None  # of the input, where it is not normal noise but uniform, up to 2
    opset: int = OPSET

    def __call__(self):
        g = Graph()
        names = [f"x{number}" for number in range(self.inputs)]
        wires = [g.input(name, self.shape, self.given) for name in names]
        wires += [wire_of(g, each) for each in self.operands]
        y = g.node(self.op, wires, outputs=2 if self.op == "TopK" else 1, **self.attributes)
        g.inferred_output(y[0] if self.op == "TopK" else y, "y", self.opset)
        return Case(g.model(self.op.lower(), self.opset), {name: self.values(seed) for seed, name in enumerate(names)})

    def values(self, seed):
        random = np.random.default_rng(seed)
        if self.given == UINT8:
            return random.integers(0, 256, self.shape).astype(np.uint8)
        if self.least is not None:
            return random.uniform(self.least, 2, self.shape).astype(np.float32)
        return random.standard_normal(self.shape, np.float32)


def wire_of(g, operand):
    """Python's floats become constants of f32, its whole numbers of i64."""
    if isinstance(operand, str):
        return operand
    value = np.asarray(operand)
    if isinstance(operand, np.ndarray):
        return g.constant(value, value.dtype)
    return g.constant(value, np.int64 if value.dtype.kind == "i" else np.float32)


def noise(*shape):
    return np.random.default_rng(140).standard_normal(shape, np.float32)


def reduction(op, axes):
    return Single(op, attributes={"axes": axes, "keepdims": 1})


def best(axis):
    return Single("ArgMax", attributes={"axis": axis, "keepdims": 1})


def resize(mode, **more):
    where = "asymmetric" if mode == "nearest" else "half_pixel"
    attributes = {"mode": mode, "coordinate_transformation_mode": where, **more}
    return Single("Resize", ("", [1.0, 1.0, 2.0, 2.0]), attributes)


def window(op, **more):
    return Single(op, attributes={"kernel_shape": [3, 3], "pads": [1] * 4, **more})


def deconv(size, pad):
    attributes = {"kernel_shape": [size] * 2, "strides": [2, 2], "pads": [pad] * 4}
    return Single("ConvTranspose", (noise(64, 32, size, size),), attributes)


def conv_integer():
    weights = np.random.default_rng(141).integers(*BYTE_WEIGHTS, (64, 64, 3, 3)).astype(np.int8)
    attributes = {"kernel_shape": [3, 3], "pads": [1] * 4}
    case = Single("ConvInteger", (weights,), attributes, given=UINT8)()
    return dataclasses.replace(case, weights=weights.nbytes, products="int8")


def forest(count=100, depth=6, rows=10000, features=20):
    """Full trees of random tests over rows of noise, as those of scikit-learn are written."""
    random = np.random.default_rng(143)
    inner, nodes = 2**depth - 1, 2 ** (depth + 1) - 1
    here = np.arange(nodes)
    is_leaf = here >= inner
    leaves = np.tile(here[is_leaf], count)
    attributes = {
        "nodes_treeids": np.repeat(np.arange(count), nodes),
        "nodes_nodeids": np.tile(here, count),
        "nodes_featureids": random.integers(0, features, count * nodes),
        "nodes_values": random.standard_normal(count * nodes, np.float32),
        "nodes_modes": np.tile(np.where(is_leaf, "LEAF", "BRANCH_LEQ"), count),
        "nodes_truenodeids": np.tile(np.where(is_leaf, 0, 2 * here + 1), count),
        "nodes_falsenodeids": np.tile(np.where(is_leaf, 0, 2 * here + 2), count),
        "target_treeids": np.repeat(np.arange(count), nodes - inner),
        "target_nodeids": leaves,
        "target_ids": np.zeros_like(leaves),
        "target_weights": random.standard_normal(leaves.size, np.float32),
    }
    g = Graph()
    x = g.input("x0", [rows, features])
    lists = {name: values.tolist() for name, values in attributes.items()}
    y = g.node("TreeEnsembleRegressor", [x], domain="ai.onnx.ml", n_targets=1, **lists)
    g.output(y, [rows, 1], name="y")
    model = g.unchecked_model("trees", OPSET)
    model.opset_import.append(helper.make_opsetid("ai.onnx.ml", 3))
    return Case(model, {"x0": random.standard_normal((rows, features), np.float32)})


def row_by_4_bits(inner=2048, outer=8192, block=32):
    """What a language model of 4 bits a weight does for each new token."""
    random = np.random.default_rng(146)
    weights = random.integers(0, 256, (outer, inner // block, block // 2)).astype(np.uint8)
    scales = random.uniform(0.001, 0.01, outer * inner // block).astype(np.float32)
    g = Graph()
    wires = [g.input("x0", [1, inner]), g.constant(weights, np.uint8), g.constant(scales, np.float32)]
    sizes = {"K": inner, "N": outer, "bits": 4, "block_size": block}
    g.output(g.node("MatMulNBits", wires, domain="com.microsoft", **sizes), [1, outer], name="y")
    model = g.unchecked_model("matmul_4bits", OPSET)
    model.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    return Case(model, {"x0": random.standard_normal((1, inner), np.float32)}, weights=weights.nbytes)


def product_of_three():
    g = Graph()
    names = [g.input(f"x{number}", [256, 256]) for number in range(3)]
    g.inferred_output(g.node("Einsum", names, equation="ij,jk,kl->il"), "y", OPSET)
    random = np.random.default_rng(144)
    inputs = {name: random.standard_normal((256, 256), np.float32) for name in names}
    return Case(g.model("einsum", OPSET), inputs)


def shuffled(*shape):
    """Along the first axis, each column for itself."""
    rows = np.random.default_rng(145).random(shape)
    return rows.argsort(0)


def shuffled_rows():
    return np.random.default_rng(142).permutation(65536)


def places():
    """Of a grid, nearly all of them inside the image."""
    return np.random.default_rng(150).uniform(-1, 1, (1, 128, 128, 2)).astype(np.float32)


def regions(count=128):
    """Corners of regions of some thirty elements along each axis."""
    random = np.random.default_rng(151)
    first, size = random.uniform(0, 90, (count, 2)), random.uniform(20, 38, (count, 2))
    return np.concatenate([first, first + size], 1).astype(np.float32), np.zeros(count, np.int64)


CHANNELS = noise(64, 1, 1)
ROWS = [65536, 16]
FEW = [262144, 4]  # to a row
FAR = {"least": 0.1}
MIDDLE = np.array(128, np.uint8)

UNARY = "Relu Exp Sigmoid Tanh Erf HardSwish HardSigmoid LeakyRelu Elu Softplus Sin Floor Neg".split()

SINGLES = {
    **{op.lower(): Single(op) for op in UNARY},
    "log": Single("Log", **FAR),
    "sqrt": Single("Sqrt", **FAR),
    "reciprocal": Single("Reciprocal", **FAR),
    "add": Single("Add", inputs=2),
    "add_channels": Single("Add", (CHANNELS,)),
    "mul_scalar": Single("Mul", (0.7,)),
    "div": Single("Div", inputs=2, **FAR),
    "pow2": Single("Pow", (2.0,), **FAR),
    "pow1p7": Single("Pow", (1.7,), **FAR),
    "prelu_channels": Single("PRelu", (CHANNELS,)),
    "clip": Single("Clip", (0.0, 6.0)),
    "greater": Single("Greater", inputs=2),
    "max2": Single("Max", inputs=2),
    "softmax_last": Single("Softmax", attributes={"axis": -1}),
    "softmax_few": Single("Softmax", attributes={"axis": -1}, shape=FEW),
    "softmax_channels": Single("Softmax", attributes={"axis": 1}),
    "reducemean_last": reduction("ReduceMean", [-1]),
    "reducemean_hw": reduction("ReduceMean", [2, 3]),
    "reducemean_channels": reduction("ReduceMean", [1]),
    "reducemean_batch": dataclasses.replace(reduction("ReduceMean", [0, 2, 3]), shape=[4, 64, 64, 64]),
    "reducemean_few": dataclasses.replace(reduction("ReduceMean", [-1]), shape=FEW),
    "reducemax_last": reduction("ReduceMax", [-1]),
    "reducel2_last": reduction("ReduceL2", [-1]),
    "argmax_last": best(-1),
    "argmax_few": dataclasses.replace(best(-1), shape=FEW),
    "argmax_channels": best(1),
    "cumsum_last": Single("CumSum", (3,)),
    "transpose_nhwc": Single("Transpose", attributes={"perm": [0, 2, 3, 1]}),
    "transpose_hw": Single("Transpose", attributes={"perm": [0, 1, 3, 2]}),
    "concat2": Single("Concat", attributes={"axis": 1}, inputs=2),
    "slice_step2": Single("Slice", ([0], [128], [3], [2])),
    "pad_reflect": Single("Pad", ([0, 0, 1, 1, 0, 0, 1, 1],), {"mode": "reflect"}),
    "pad_constant": Single("Pad", ([0, 0, 1, 1, 0, 0, 1, 1],)),
    "resize_nearest": resize("nearest", nearest_mode="floor"),
    "resize_linear": resize("linear"),
    "resize_cubic": resize("cubic"),
    "maxpool3": window("MaxPool"),
    "maxpool3_bytes": dataclasses.replace(window("MaxPool"), given=UINT8),
    "avgpool3": window("AveragePool"),
    "globalavgpool": Single("GlobalAveragePool"),
    "lrn5": Single("LRN", attributes={"size": 5}),
    "instancenorm": Single("InstanceNormalization", (noise(64), noise(64))),
    "batchnorm": Single("BatchNormalization", (noise(64), noise(64), noise(64), noise(64) ** 2 + 0.5)),
    "lpnorm_last": Single("LpNormalization", attributes={"axis": -1}),
    "layernorm_last": Single("LayerNormalization", (noise(128), noise(128)), {"axis": -1}),
    "cast_f16": Single("Cast", attributes={"to": TensorProto.FLOAT16}),
    "cast_i64": Single("Cast", attributes={"to": INT64}),
    "cast_u8": Single("Cast", attributes={"to": UINT8}, **FAR),
    "quantize": Single("QuantizeLinear", (0.02, MIDDLE)),
    "dequantize": Single("DequantizeLinear", (0.02, MIDDLE), given=UINT8),
    "topk10_last": Single("TopK", ([10],), {"axis": -1}),
    "convtranspose_4x4s2": deconv(4, 1),
    "convtranspose_2x2s2": deconv(2, 0),
    "convinteger_3x3": conv_integer,
    "depthtospace2": Single("DepthToSpace", attributes={"blocksize": 2}),
    "gather_rows": Single("Gather", (shuffled_rows(),), {"axis": 0}, shape=ROWS),
    "gatherelements": Single("GatherElements", (shuffled(*ROWS),), {"axis": 0}, shape=ROWS),
    "gathernd": Single("GatherND", (shuffled_rows()[:, None],), shape=ROWS),
    "gridsample": Single("GridSample", (places(),), {"mode": "bilinear"}),
    "deformconv3": Single(
        "DeformConv", (noise(32, 32, 3, 3), noise(1, 18, 64, 64)), {"pads": [1] * 4}, shape=[1, 32, 64, 64], opset=19
    ),
    "roialign": Single("RoiAlign", regions(), {"output_height": 7, "output_width": 7, "sampling_ratio": 2}),
    "scatterelements": Single("ScatterElements", (shuffled(*ROWS), noise(*ROWS)), {"axis": 0}, shape=ROWS),
    "scatternd_add": Single(
        "ScatterND", (shuffled_rows()[:, None], noise(*ROWS)), {"reduction": "add"}, shape=ROWS
    ),
    "trees100": forest,
    "einsum3": product_of_three,
    "matmul_4bits_row": row_by_4_bits,
    "scatternd": Single("ScatterND", (shuffled_rows()[:, None], noise(*ROWS)), shape=ROWS),
    "nonzero": Single("NonZero"),
    "expand": Single("Expand", (PLANES,), shape=[1, 64, 1, 128]),
}
