"""Makes the cases that docs/numerics.md states, and runs them.

usage: numerics.py STRATA_CONFORMANCE FOLDER

The expected values are written out. Skipped (77) without numpy and onnx.
"""

import sys

from case_files import emptied, np, run, write_groups

NAN, INF = float("nan"), float("inf")
LEAST, GREATEST = -(2**31), 2**31 - 1


def f32(*values):
    return np.array(values, np.float32)


def i32(*values):
    return np.array(values, np.int32)


def i8(*values):
    return np.array(values, np.int8)


def u8(*values):
    return np.array(values, np.uint8)


def integers():
    yield "Add", 14, {}, [i32(GREATEST), i32(1)], [i32(LEAST)]
    yield "Add", 14, {}, [i8(127), i8(1)], [i8(-128)]
    yield "Mul", 14, {}, [np.array([2**62]), np.array([6])], [np.array([-(2**63)])]
    yield "Abs", 13, {}, [i32(LEAST)], [i32(LEAST)]
    yield "Neg", 13, {}, [i32(LEAST)], [i32(LEAST)]
    yield "Div", 14, {}, [i32(LEAST, 7, -7), i32(-1, 2, 2)], [i32(LEAST, 3, -3)]
    yield "Mod", 13, {}, [i32(LEAST, -7, 7), i32(-1, 2, -2)], [i32(0, 1, -1)]
    yield "Mod", 13, {"fmod": 1}, [i32(LEAST, -7, 7), i32(-1, 2, -2)], [i32(0, -1, 1)]
    yield "ReduceSum", 11, {"keepdims": 0}, [i32(GREATEST, GREATEST, 3)], [np.int32(1)]
    yield "BitShift", 11, {"direction": "LEFT"}, [u8(255, 255, 255), u8(3, 8, 200)], [u8(248, 0, 0)]
    yield "BitShift", 11, {"direction": "RIGHT"}, [u8(255, 255, 255), u8(3, 8, 200)], [u8(31, 0, 0)]


def floats():
    yield "Max", 13, {}, [f32(NAN, 1), f32(1, NAN)], [f32(NAN, NAN)]
    yield "Min", 13, {}, [f32(NAN, 1), f32(1, NAN)], [f32(NAN, NAN)]
    yield "ReduceMax", 13, {"keepdims": 0}, [f32(1, NAN, 2)], [np.float32(NAN)]
    yield "ArgMax", 13, {"keepdims": 0}, [f32(1, NAN, 2)], [np.int64(1)]
    yield "Relu", 14, {}, [f32(NAN, -INF, INF)], [f32(NAN, 0, INF)]
    yield "Clip", 13, {}, [f32(NAN, INF), np.float32(0), np.float32(1)], [f32(NAN, 1)]
    yield "Sign", 13, {}, [f32(NAN, -INF, 0)], [f32(NAN, -1, 0)]
    yield "Div", 14, {}, [f32(1, -1, 0), f32(0, 0, 0)], [f32(INF, -INF, NAN)]
    yield "Sqrt", 13, {}, [f32(-1, INF)], [f32(NAN, INF)]
    yield "Pow", 15, {}, [f32(0, -8, NAN), f32(-1, 0.5, 0)], [f32(INF, NAN, 1)]
    numbers, step = f32(NAN, INF, -INF, 1), np.float32(0.5)
    yield "QuantizeLinear", 13, {}, [numbers, step, np.uint8(7)], [u8(0, 255, 0, 9)]
    yield "QuantizeLinear", 13, {}, [numbers, step, np.int8(7)], [i8(-128, 127, -128, 9)]
    # The sign of zero shows in the reciprocal.
    yield "Reciprocal", 13, {}, [f32(0.0, -0.0)], [f32(INF, -INF)]
    yield "Cast", 13, {"to": 6}, [f32(1.9, -1.9, NAN)], [i32(1, -1, 0)]
    yield "Cast", 13, {"to": 6}, [f32(3e9, -3e9, INF)], [i32(2**31 - 1, -(2**31), 2**31 - 1)]
    yield "Cast", 13, {"to": 2}, [f32(300, -1, 255.9)], [np.array([255, 0, 255], np.uint8)]
    yield "Cast", 13, {"to": 3}, [i32(200, -129)], [np.array([-56, 127], np.int8)]
    yield "Round", 11, {}, [f32(0.5, 1.5, -2.5)], [f32(0, 2, -2)]


def empty():
    nothing = np.zeros((2, 0), np.float32)
    axes = np.array([1])
    for op, value in (("ReduceSum", 0), ("ReduceProd", 1), ("ReduceMax", -INF), ("ReduceMin", INF)):
        version = 13 if op == "ReduceSum" else 18
        yield op, version, {"keepdims": 0}, [nothing, axes], [f32(value, value)]
    none = np.zeros((0, 6), np.float32)
    yield "Reshape", 14, {}, [none, np.array([0, 2, -1])], [none.reshape(0, 2, 3)]
    yield "MatMul", 13, {}, [nothing, np.zeros((0, 1), np.float32)], [np.zeros((2, 1), np.float32)]


def positions():
    backward = [np.array([-4]), np.array([LEAST]), np.array([0]), np.array([-1])]
    yield "Slice", 13, {}, [f32(5, 6, 7), *backward], [f32(5)]
    yield "Slice", 13, {}, [f32(), *backward], [f32()]
    image, same = f32(1, 2, 3, 4, 5).reshape(1, 1, 5), {"auto_pad": "SAME_UPPER", "strides": [5]}
    yield "Conv", 11, same, [image, f32(2, 3).reshape(1, 1, 2)], [f32(8).reshape(1, 1, 1)]
    yield "MaxPool", 12, {**same, "kernel_shape": [2]}, [image], [f32(2).reshape(1, 1, 1)]
    row = np.ones((1, 2), np.float32)
    yield "Squeeze", 13, {}, [row, np.zeros(0, np.int64)], [row]
    # The frames 1 2 and 3 4: sums and differences, and no imaginary part.
    spectra = f32(3, 0, -1, 0, 7, 0, -1, 0).reshape(1, 2, 2, 2)
    two = np.array(2, np.int64)
    yield "STFT", 17, {}, [f32(1, 2, 3, 4).reshape(1, 4), two, None, two], [spectra]


def make(folder):
    write_groups(emptied(folder), "numerics", (integers, floats, empty, positions))


def main(conformance, folder):
    make(folder)
    run(conformance, folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
