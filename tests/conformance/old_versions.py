"""Makes cases for old versions of ops that take their operands in other ways than the newest, and runs them.

usage: old_versions.py STRATA_CONFORMANCE FOLDER

The expected values are worked out with numpy from the text of each version. Skipped (77) without numpy and onnx.
"""

import sys

from case_files import TensorProto, emptied, np, run, write_groups

RANDOM = np.random.default_rng(5)
X = RANDOM.standard_normal((2, 3, 4)).astype(np.float32)
IMAGE = RANDOM.standard_normal((1, 4, 4, 6)).astype(np.float32)
POSITIVE = np.abs(X) + np.float32(0.1)
INT64 = np.int64


def hardmax(x, axis):
    """With 1 at the first greatest of the axes from `axis` on, as of one."""
    rows = x.reshape(int(np.prod(x.shape[:axis])), -1)
    return (np.arange(rows.shape[1]) == rows.argmax(axis=1)[:, None]).astype(x.dtype).reshape(x.shape)


def norm(x, p, axes):
    return (np.abs(x) ** p).sum(axis=axes, keepdims=True) ** np.float32(1 / p)


def windows(x, size):
    """The windows of 2 by 2 and so on, side by side, last."""
    view = np.lib.stride_tricks.sliding_window_view(x, (size, size), axis=(2, 3))
    return view.reshape(*view.shape[:4], -1)


def batch_norm(x, scale, bias, mean, variance):
    column = [value.reshape(1, -1, 1, 1) for value in (scale, bias, mean, variance)]
    return (x - column[2]) / np.sqrt(column[3] + np.float32(1e-5)) * column[0] + column[1]


def blocks(x, size):
    n, c, h, w = x.shape
    cut = x.reshape(n, size, size, c // size**2, h, w).transpose(0, 3, 4, 1, 5, 2)
    return cut.reshape(n, c // size**2, h * size, w * size)


def reductions():
    functions = {"ReduceL1": lambda x, **k: np.abs(x).sum(**k),
                 "ReduceL2": lambda x, **k: np.sqrt((x * x).sum(**k)),
                 "ReduceLogSum": lambda x, **k: np.log(x.sum(**k)),
                 "ReduceLogSumExp": lambda x, **k: np.log(np.exp(x).sum(**k)),
                 "ReduceSumSquare": lambda x, **k: (x * x).sum(**k)}
    for op, function in functions.items():
        for version, axis in ((1, 1), (11, -1), (13, -1)):
            yield op, version, {"axes": [axis], "keepdims": 0}, [POSITIVE], [function(POSITIVE, axis=axis)]
            yield op, version, {}, [POSITIVE], [function(POSITIVE, axis=None, keepdims=True)]


def shapes():
    yield "Reshape", 1, {"shape": [0, -1]}, [X], [X.reshape(2, 12)]
    yield "Split", 1, {"axis": 1, "split": [1, 2]}, [X], [X[:, :1], X[:, 1:]]
    yield "Split", 1, {"axis": 2}, [X], [X[..., :2], X[..., 2:]]
    yield "Split", 11, {"axis": -2, "split": [1, 2]}, [X], [X[:, :1], X[:, 1:]]
    yield "Squeeze", 11, {"axes": [-1]}, [X[..., :1]], [X[..., 0]]
    yield "Tile", 1, {}, [X, np.float32(2), np.float32(1)], [np.tile(X, (1, 2, 1))]
    yield "Pad", 1, {"paddings": [0, 1, 0, 0, 0, 2], "value": 9.0}, [X], [
        np.pad(X, ((0, 0), (1, 0), (0, 2)), constant_values=9)]
    yield "DepthToSpace", 1, {"blocksize": 2}, [IMAGE], [blocks(IMAGE, 2)]
    yield "Scatter", 11, {"axis": -1}, [np.zeros((1, 3), np.float32), np.array([[-1, 0]]), np.array(
        [[5, 6]], np.float32)], [np.array([[6, 0, 5]], np.float32)]


def numbers():
    yield "Cast", 1, {"to": "INT32"}, [X * 5], [(X * 5).astype(np.int32)]
    yield "Cast", 6, {"to": TensorProto.INT32}, [X * 5], [(X * 5).astype(np.int32)]
    yield "PRelu", 1, {}, [X, np.array([0.5], np.float32)], [np.where(X < 0, X * np.float32(0.5), X)]
    a, b, c = X[0], X[1].T, np.arange(3, dtype=np.float32)
    yield "Gemm", 1, {"broadcast": 1, "alpha": 0.5}, [a, b, c], [np.float32(0.5) * (a @ b) + c]
    order = np.argsort(-X, axis=1, kind="stable")[:, :2]
    yield "TopK", 1, {"axis": 1, "k": 2}, [X], [np.take_along_axis(X, order, 1), order.astype(INT64)]
    for version in (1, 11):
        for axis in (1, 2):
            yield "Hardmax", version, {"axis": axis}, [X], [hardmax(X, axis)]
    parts = [np.array(values, np.float32) for values in ([1, 2, 3, 4], [0, 1, 0, 1], [1, 0, 1, 0], [1, 2, 3, 4])]
    yield "BatchNormalization", 1, {"is_test": 1, "consumed_inputs": [0, 0, 0, 1, 1]}, [IMAGE, *parts], [
        batch_norm(IMAGE, *parts)]
    yield "BatchNormalization", 7, {}, [IMAGE, *parts], [batch_norm(IMAGE, *parts)]


def images():
    twice = IMAGE.repeat(2, axis=2).repeat(3, axis=3)
    yield "Upsample", 1, {"height_scale": 2.0, "width_scale": 3.0}, [IMAGE], [twice]
    yield "Upsample", 7, {"scales": [1.0, 1.0, 2.0, 3.0]}, [IMAGE], [twice]
    scales = np.array([1, 1, 2, 3], np.float32)
    yield "Upsample", 10, {}, [IMAGE, scales], [twice]
    yield "Resize", 10, {}, [IMAGE, scales], [twice]
    # Linear without half pixels: output i is at i / 2, the last one stays at the edge.
    line = np.array([[[[0, 10, 30]]]], np.float32)
    yield "Resize", 10, {"mode": "linear"}, [line, np.array([1, 1, 1, 2], np.float32)], [
        np.array([[[[0, 5, 10, 20, 30, 30]]]], np.float32)]
    yield "LpPool", 1, {"kernel_shape": [2, 2], "p": 3.0}, [IMAGE], [norm(windows(IMAGE, 2), 3, -1)[..., 0]]
    yield "GlobalLpPool", 1, {"p": 3.0}, [IMAGE], [norm(IMAGE, 3, (2, 3))]
    for version in (2, 22):
        yield "GlobalLpPool", version, {}, [IMAGE], [norm(IMAGE, 2, (2, 3))]


def make(folder):
    write_groups(emptied(folder), "old", (reductions, shapes, numbers, images))


def main(conformance, folder):
    make(folder)
    run(conformance, folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
