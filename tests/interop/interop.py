"""Models go from Strata to tract and back, and give the same answers on both sides.

Usage: interop.py STRATA [NAME...]   (STRATA: the `strata` executable)

For each model: `strata optimize` writes OPL that tract loads; tract writes NNEF that Strata loads; both sides and
their counterparts must agree. The exit code is 77 when the Python package `tract` or `onnx` is missing, else the
number of failures.
"""

import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import onnx
    import tract
    from onnx import TensorProto, helper, numpy_helper
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

RELATIVE, ABSOLUTE = 1e-3, 1e-5
OPEN = 5  # the size of an axis that a model leaves open
READ_BY_STRATA_ALONE = {"deconvolutions", "quantized", "resized_by_the_importer", "spectrum"}  # of what Strata writes; docs/opl.md says why


def light_models():
    """The real networks that the onnx package carries, their weights replaced by constants."""
    folder = pathlib.Path(onnx.__file__).parent / "backend/test/data/light"
    return {path.stem: path for path in sorted(folder.glob("*.onnx"))}


def small_model(name, nodes, shape, initializers, path):
    """Writes a model of one f32 input `x` and one output `y`."""
    graph = helper.make_graph(
        nodes,
        name,
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(value, key) for key, value in initializers.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, path)
    return path


def scan_body(size):
    """Adds a slice to the state, and gives the square of the sum."""
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [size]) for name in ("h", "row", "next", "square")]
    nodes = [helper.make_node("Add", ["h", "row"], ["next"]), helper.make_node("Mul", ["next", "next"], ["square"])]
    return helper.make_graph(nodes, "body", values[:2], values[2:])


def own_models(folder):
    rng = np.random.default_rng(1)

    def weights(*shape):
        return rng.standard_normal(shape).astype(np.float32)

    def bytes_of(*shape):
        return rng.integers(-100, 100, shape).astype(np.int8)

    node = helper.make_node
    cases = {
        "mlp": (
            [
                node("Gemm", ["x", "w1", "b1"], ["h"], transB=1),
                node("Relu", ["h"], ["r"]),
                node("MatMul", ["r", "w2"], ["m"]),
                node("Add", ["m", "b2"], ["a"]),
                node("Softmax", ["a"], ["y"], axis=-1),
            ],
            [4, 8],
            {"w1": weights(16, 8), "b1": weights(16), "w2": weights(16, 5), "b2": weights(5)},
        ),
        "convolutions": (
            [
                node("Conv", ["x", "w1", "b1"], ["c"], pads=[1, 0, 2, 1], strides=[2, 1], dilations=[1, 2]),
                node("Conv", ["c", "w2"], ["d"], group=4, auto_pad="SAME_LOWER", strides=[2, 2]),
                node("LeakyRelu", ["d"], ["l"], alpha=0.1),
                node("MaxPool", ["l"], ["m"], kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1),
                node("AveragePool", ["m"], ["p"], kernel_shape=[2, 2], pads=[1, 1, 0, 0]),
                node("AveragePool", ["p"], ["q"], kernel_shape=[2, 2], pads=[1, 1, 0, 0], count_include_pad=1),
                node("GlobalAveragePool", ["q"], ["y"]),
            ],
            [2, 3, 19, 17],
            {"w1": weights(4, 3, 3, 3), "b1": weights(4), "w2": weights(8, 1, 2, 2)},
        ),
        "shapes": (
            [
                node("Transpose", ["x"], ["t"], perm=[0, 2, 1]),
                node("Slice", ["t", "starts", "ends", "axes"], ["s"]),
                node("Pad", ["s", "pads"], ["p"]),
                node("Split", ["p"], ["s1", "s2"], axis=1),
                node("Concat", ["s2", "s1"], ["c"], axis=-1),
                node("Reshape", ["c", "shape"], ["r"]),
                node("ReduceSum", ["r", "axis"], ["u"], keepdims=0),
                node("Mul", ["u", "v"], ["m"]),
                node("Where", ["flag", "m", "u"], ["w"]),
                node("Gather", ["w", "pick"], ["y"], axis=1),
            ],
            [2, 6, 4],
            {
                "starts": np.array([1, 0], np.int64),
                "ends": np.array([5, -1], np.int64),
                "axes": np.array([2, 1], np.int64),
                "pads": np.array([0, 1, 0, 0, 0, 1], np.int64),
                "shape": np.array([2, -1, 5], np.int64),
                "axis": np.array([2], np.int64),
                "v": weights(1),
                "flag": np.array([True]),
                "pick": np.array([2, 0], np.int64),
            },
        ),
        "functions": (
            [
                node("Exp", ["x"], ["a"]),
                node("Sqrt", ["a"], ["b"]),
                node("Erf", ["b"], ["c"]),
                node("Sigmoid", ["c"], ["d"]),
                node("Pow", ["d", "two"], ["e"]),
                node("Clip", ["e", "low", "high"], ["f"]),
                node("Tanh", ["f"], ["g"]),
                node("Softplus", ["g"], ["h"]),
                node("Reciprocal", ["h"], ["i"]),
                node("Cast", ["i"], ["j"], to=TensorProto.DOUBLE),
                node("Cast", ["j"], ["k"], to=TensorProto.FLOAT),
                node("LogSoftmax", ["k"], ["y"], axis=1),
            ],
            [3, 5],
            {"two": np.array(2, np.float32), "low": np.array(0.2, np.float32), "high": np.array(0.9, np.float32)},
        ),
        "open_sizes": (
            [
                node("Slice", ["x", "one", "end"], ["a"]),
                node("Slice", ["x", "minus_one", "end"], ["b"]),
                node("Slice", ["x", "zero", "minus_one"], ["c"]),
                node("ReduceMean", ["a"], ["m"], axes=[0], keepdims=1),
                node("Sub", ["c", "m"], ["d"]),
                node("Concat", ["d", "b"], ["y"], axis=0),
            ],
            ["N", 6],
            {
                "zero": np.array([0], np.int64),
                "one": np.array([1], np.int64),
                "minus_one": np.array([-1], np.int64),
                "end": np.array([2**63 - 1], np.int64),
            },
        ),
        "lstm": (
            [node("LSTM", ["x", "w", "r", "b"], ["", "", "c"], hidden_size=4), node("Neg", ["c"], ["y"])],
            ["N", 2, 3],
            {"w": weights(1, 16, 3), "r": weights(1, 16, 4), "b": weights(1, 32)},
        ),
        "gru": (
            [node("GRU", ["x", "w", "r", "b"], ["y"], hidden_size=4, direction="bidirectional")],
            ["N", 2, 3],
            {"w": weights(2, 12, 3), "r": weights(2, 12, 4), "b": weights(2, 24)},
        ),
        "gru_reset_after": (
            [node("GRU", ["x", "w", "r", "b"], ["y"], hidden_size=4, linear_before_reset=1)],
            [5, 2, 3],
            {"w": weights(1, 12, 3), "r": weights(1, 12, 4), "b": weights(1, 24)},
        ),
        "scan": (
            [
                node(
                    "Scan",
                    ["start", "x"],
                    ["last", "all"],
                    body=scan_body(3),
                    num_scan_inputs=1,
                    scan_input_axes=[1],
                    scan_input_directions=[1],
                    scan_output_axes=[1],
                ),
                node("Unsqueeze", ["last", "one"], ["column"]),
                node("Concat", ["column", "all"], ["y"], axis=1),
            ],
            [3, "N"],
            {"start": weights(3), "one": np.array([1], np.int64)},
        ),
        "resized": (
            [
                node("Resize", ["x", "", "scales"], ["a"], mode="linear"),
                node("Resize", ["a", "", "", "sizes"], ["b"], mode="cubic"),
                node("Resize", ["b", "", "scales"], ["c"], mode="nearest", nearest_mode="floor"),
                node("GridSample", ["c", "grid"], ["y"]),
            ],
            [1, 2, 4, 6],
            {
                "scales": np.array([1, 1, 2, 1.5], np.float32),
                "sizes": np.array([1, 2, 5, 7], np.int64),
                "grid": rng.uniform(-1, 1, (1, 3, 3, 2)).astype(np.float32),
            },
        ),
        "resized_by_the_importer": (
            [
                node("Resize", ["x", "", "scales"], ["a"], mode="nearest", nearest_mode="ceil"),
                node("Resize", ["a", "", "scales"], ["y"], mode="cubic", cubic_coeff_a=-0.5, exclude_outside=1),
            ],
            [1, 2, 4, 6],
            {"scales": np.array([1, 1, 2, 1.5], np.float32)},
        ),
        "scattered": (
            [
                node("ScatterElements", ["x", "places", "v"], ["a"], axis=1, reduction="add"),
                node("ScatterND", ["a", "rows", "row"], ["b"]),
                node("Trilu", ["b", "k"], ["c"], upper=0),
                node("CumSum", ["c", "axis"], ["d"], reverse=1, exclusive=1),
                node("ArgMax", ["d"], ["e"], axis=1, keepdims=0),
                node("OneHot", ["e", "depth", "values"], ["f"], axis=0),
                node("MatMul", ["f", "d"], ["y"]),
            ],
            [4, 4],
            {
                "places": np.array([[0, 2], [3, 1]], np.int64),
                "v": weights(2, 2),
                "rows": np.array([[2]], np.int64),
                "row": weights(1, 4),
                "k": np.array(1, np.int64),
                "axis": np.array(1, np.int64),
                "depth": np.array(4, np.int64),
                "values": np.array([-1, 2.5], np.float32),
            },
        ),
        "root_mean_square": (
            [
                node("Mul", ["x", "x"], ["a"]),
                node("ReduceMean", ["a"], ["b"], axes=[1], keepdims=1),
                node("Add", ["b", "epsilon"], ["c"]),
                node("Sqrt", ["c"], ["d"]),
                node("Reciprocal", ["d"], ["e"]),
                node("Mul", ["x", "e"], ["f"]),
                node("Mul", ["f", "scale"], ["y"]),
            ],
            [2, 6],
            {"epsilon": np.array(1e-5, np.float32), "scale": weights(6)},
        ),
        "quantized": (
            [
                node("Mul", ["x", "most"], ["a"]),
                node("Cast", ["a"], ["bytes"], to=TensorProto.UINT8),
                node(
                    "QLinearConv",
                    ["bytes", "x_scale", "x_zero", "w", "w_scale", "w_zero", "y_scale", "y_zero", "bias"],
                    ["b"],
                    pads=[1, 1, 1, 1],
                ),
                node("QLinearMatMul", ["b", "y_scale", "y_zero", "m", "m_scale", "m_zero", "y_scale", "x_zero"], ["c"]),
                node("Cast", ["c"], ["y"], to=TensorProto.FLOAT),
            ],
            [1, 3, 6, 5],
            {
                "most": np.array(255, np.float32),
                "x_scale": np.array(0.02, np.float32),
                "x_zero": np.array(120, np.uint8),
                "w": bytes_of(4, 3, 3, 3),
                "w_scale": np.array([0.01, 0.02, 0.03, 0.005], np.float32),
                "w_zero": np.zeros(4, np.int8),
                "y_scale": np.array(0.1, np.float32),
                "y_zero": np.array(99, np.uint8),
                "bias": np.array([300, -200, 0, 1000], np.int32),
                "m": bytes_of(5, 7),
                "m_scale": np.array(0.005, np.float32),
                "m_zero": np.array(-3, np.int8),
            },
        ),
        "spectrum": (
            [node("STFT", ["x", "step", "window"], ["y"], onesided=0)],
            [1, 32, 1],
            {"step": np.array(4, np.int64), "window": np.hanning(8).astype(np.float32)},
        ),
        "deconvolutions": (
            [
                node("ConvTranspose", ["x", "w1", "b1"], ["a"], strides=[2, 1], pads=[1, 0, 0, 1]),
                node("ConvTranspose", ["a", "w2"], ["y"], group=2, dilations=[1, 2]),
            ],
            [2, 3, 5, 4],
            {"w1": weights(3, 4, 3, 2), "b1": weights(4), "w2": weights(4, 3, 2, 2)},
        ),
    }
    return {
        name: small_model(name, nodes, shape, constants, folder / f"{name}.onnx")
        for name, (nodes, shape, constants) in cases.items()
    }


def strata(*arguments):
    done = subprocess.run([str(a) for a in arguments], capture_output=True, text=True, timeout=600)
    if done.returncode:
        raise RuntimeError(f"strata {arguments[1]}: {done.stderr.strip()[:400]}")


def run_strata(binary, model, name, value, folder):
    given, result = folder / "in.npz", folder / "out.npz"
    np.savez(given, **{name: value})
    strata(binary, "run", model, "--inputs", given, "--output", result)
    with np.load(result) as outputs:
        return outputs[outputs.files[0]]


def run_tract(model, value):
    return model.into_runnable().run([value])[0].to_numpy()


def agree(label, actual, expected):
    if actual.shape != expected.shape:
        raise RuntimeError(f"{label}: shape {actual.shape}, not {expected.shape}")
    if not np.allclose(actual, expected, rtol=RELATIVE, atol=ABSOLUTE):
        raise RuntimeError(f"{label}: off by {np.abs(actual - expected).max()}")


def check(binary, path, folder):
    graph = onnx.load(path, load_external_data=False).graph
    constants = {tensor.name for tensor in graph.initializer}
    source = next(value for value in graph.input if value.name not in constants)
    shape = [dim.dim_value or OPEN for dim in source.type.tensor_type.shape.dim]
    value = np.random.default_rng(0).random(shape, dtype=np.float32)
    nnef = tract.nnef().with_onnx()
    typed = tract.onnx().load(path).into_model()
    expected = run_tract(typed, value)

    agree("strata", run_strata(binary, path, source.name, value, folder), expected)
    ours = folder / "strata.nnef.tgz"
    strata(binary, "optimize", path, "-o", ours)
    if path.stem in READ_BY_STRATA_ALONE:
        agree("strata on its own file", run_strata(binary, ours, source.name, value, folder), expected)
    else:
        agree("tract on Strata's file", run_tract(nnef.load(ours), value), expected)
    written = folder / "tract.nnef.tgz"
    try:
        nnef.write_model_to_tar_gz(tract.onnx().load(path).into_model(), written)
    except tract.TractError:
        return "one way, for tract cannot write it"
    name = nnef.load(written).input_name(0)
    agree("strata on tract's file", run_strata(binary, written, name, value, folder), expected)
    return "both ways"


def main():
    if len(sys.argv) < 2:
        print(__doc__)
        return 2
    binary, wanted = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]
    failures = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        models = own_models(folder) | light_models()
        if unknown := set(wanted) - set(models):
            print(f"there is no model {', '.join(sorted(unknown))}")
            return 2
        for name, path in models.items():
            if wanted and name not in wanted:
                continue
            try:
                print(f"{name}: ok, {check(binary, path, folder)}", flush=True)
            except Exception as error:  # a panic of tract as well as a refusal of ours
                failures += 1
                print(f"{name}: FAILED: {str(error)[:600]}", flush=True)
    return min(failures, 70)


if __name__ == "__main__":
    sys.exit(main())
