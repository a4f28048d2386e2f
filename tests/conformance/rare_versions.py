"""Makes cases for versions of ops that the official cases leave out and versions.py cannot make, and runs them.

usage: rare_versions.py STRATA_CONFORMANCE FOLDER

The expected values are worked out with numpy from the text of each version, those of ai.onnx.ml by hand.
"""

import pathlib
import sys

from case_files import TensorProto, emptied, helper, info_of, model_of, np, run, write_case, write_groups
from onnx import TypeProto, parser

RANDOM = np.random.default_rng(11)
INT64 = np.int64
ML = "ai.onnx.ml"


def normal(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def gru_way(x, w, r, bias, h, length, act, back):
    """The states of one direction and one sequence, zero past its end, and the last of them."""
    size = len(h)
    (wz, wr, wh), (rz, rr, rh) = w.reshape(3, size, -1), r.reshape(3, size, size)
    bz, br, bh, cz, cr, ch = bias.reshape(6, size)
    out = np.zeros((len(x), size), np.float32)
    for t in reversed(range(length)) if back else range(length):
        z = act[0](x[t] @ wz.T + h @ rz.T + bz + cz)
        reset = act[0](x[t] @ wr.T + h @ rr.T + br + cr)
        h = (1 - z) * act[1](x[t] @ wh.T + (reset * h) @ rh.T + ch + bh) + z * h
        out[t] = h
    return out, h.astype(np.float32)


def gru(x, w, r, bias=None, lengths=None, initial=None, back=(False,), act=(sigmoid, np.tanh)):
    """What the six inputs of a GRU give: Y and Y_h."""
    steps, batch, size = x.shape[0], x.shape[1], r.shape[2]
    bias = np.zeros((len(back), 6 * size)) if bias is None else bias
    initial = np.zeros((len(back), batch, size)) if initial is None else initial
    lengths = [steps] * batch if lengths is None else lengths
    ways = [[gru_way(x[:, n], w[d], r[d], bias[d], initial[d, n], lengths[n], act, back[d]) for n in range(batch)]
            for d in range(len(back))]
    states = np.array([[way[0] for way in one] for one in ways]).transpose(2, 0, 1, 3)
    return [states, np.array([[way[1] for way in one] for one in ways])]


def recurrent():
    x, w, r, bias, h = normal(5, 3, 4), normal(2, 6, 4), normal(2, 6, 2), normal(2, 12), normal(2, 3, 2)
    one = [x, w[:1], r[:1]]
    yield "GRU", 1, {"hidden_size": 2, "output_sequence": 1}, one, gru(*one)
    more = [*one, bias[:1], None, h[:1]]
    yield "GRU", 1, {"hidden_size": 2, "direction": "reverse", "output_sequence": 1}, more, gru(*more, back=(True,))
    both = [x, w, r, bias, np.array([5, 1, 3], np.int32), h]
    yield "GRU", 1, {"hidden_size": 2, "direction": "bidirectional", "output_sequence": 1}, both, gru(
        *both, back=(False, True))
    yield "GRU", 1, {"hidden_size": 2, "activations": ["Tanh", "Sigmoid"]}, more, gru(*more, act=(np.tanh, sigmoid))


def bilinear(image, y, x):
    """Between the four elements around a point; 0 more than one element outside."""
    height, width = image.shape
    if not (-1 <= y <= height and -1 <= x <= width):
        return 0
    y, x = min(max(y, 0), height - 1), min(max(x, 0), width - 1)
    top, left = int(y), int(x)
    down, right = min(top + 1, height - 1), min(left + 1, width - 1)
    dy, dx = y - top, x - left
    return ((1 - dy) * ((1 - dx) * image[top, left] + dx * image[top, right])
            + dy * ((1 - dx) * image[down, left] + dx * image[down, right]))


def roi_mean(image, roi, size, scale, ratio):
    """The means over the bins of one region, whose corners are points: nothing is moved by half an element."""
    left, top, right, bottom = roi * scale
    height, width = max(bottom - top, 1) / size[0], max(right - left, 1) / size[1]
    rows, columns = (ratio or int(np.ceil(height)), ratio or int(np.ceil(width)))
    return np.array([[np.mean([bilinear(image, top + (i + (a + 0.5) / rows) * height,
                                        left + (j + (b + 0.5) / columns) * width)
                               for a in range(rows) for b in range(columns)])
                      for j in range(size[1])] for i in range(size[0])])


def regions():
    images = normal(2, 2, 8, 9)
    rois = np.array([[1, 1, 6.5, 6], [0, 2, 3, 4.4], [-3, -2, 1, 1], [5, 5, 12, 11], [2.2, 2.2, 2.3, 2.3]], np.float32)
    batch = np.array([0, 1, 1, 0, 1])
    for scale, ratio in ((1.0, 2), (0.5, 0), (1.0, 0)):
        expected = np.array([[roi_mean(channel.astype(np.float64), roi, (3, 2), scale, ratio) for channel in images[n]]
                             for roi, n in zip(rois.astype(np.float64), batch)]).astype(np.float32)
        yield "RoiAlign", 10, {"output_height": 3, "output_width": 2, "spatial_scale": scale,
                               "sampling_ratio": ratio}, [images, rois, batch], [expected]
    # One sampling point a bin, on an element: the greatest of one is that one.
    whole = np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4)
    yield "RoiAlign", 10, {"mode": "max", "output_height": 2, "output_width": 2, "sampling_ratio": 1}, [
        whole, np.array([[0, 0, 4, 4]], np.float32), np.array([0])], [whole[:, :, 1::2, 1::2]]


def group_norm(x, scale, bias, groups, epsilon):
    rows = x.reshape(x.shape[0], groups, -1).astype(np.float64)
    mean, variance = rows.mean(axis=2, keepdims=True), rows.var(axis=2, keepdims=True)
    out = (rows - mean) / np.sqrt(variance + epsilon) * scale[:, None] + bias[:, None]
    return out.reshape(x.shape).astype(np.float32)


def normalized():
    x, scale, bias = normal(2, 6, 3, 2), normal(3), normal(3)
    yield "GroupNormalization", 18, {"num_groups": 3}, [x, scale, bias], [group_norm(x, scale, bias, 3, 1e-5)]
    x = normal(2, 6)
    yield "GroupNormalization", 18, {"num_groups": 3, "epsilon": 0.5}, [x, scale, bias], [
        group_norm(x, scale, bias, 3, 0.5)]


def resized():
    # Only 11 has it: output i takes the element (i + 0.5) / scale of the input.
    yield "Resize", 11, {"coordinate_transformation_mode": "tf_half_pixel_for_nn", "nearest_mode": "floor"}, [
        np.array([[1, 2, 3, 4]], np.float32), np.zeros(0, np.float32), np.array([1, 1.5], np.float32)], [
        np.array([[1, 2, 2, 3, 4, 4]], np.float32)]


def labels():
    words = ["a", "b", "c"]
    texts = np.array(["c", "z", "a"], object)
    yield "LabelEncoder", 1, {"classes_strings": words}, [texts], [np.array([2, -1, 0])], ML
    yield "LabelEncoder", 1, {"classes_strings": words, "default_int64": 9}, [texts], [np.array([2, 9, 0])], ML
    yield "LabelEncoder", 1, {"classes_strings": words, "default_string": "?"}, [np.array([[1, 3], [-1, 0]])], [
        np.array([["b", "?"], ["?", "a"]], object)], ML
    yield "LabelEncoder", 2, {"keys_strings": words, "values_int64s": [7, 8, 7], "default_int64": 5}, [texts], [
        np.array([7, 5, 7])], ML
    yield "LabelEncoder", 2, {"keys_int64s": [4, 2], "values_strings": ["four", "two"], "default_string": "?"}, [
        np.array([2, 3])], [np.array(["two", "?"], object)], ML
    # Keys are compared bit by bit, says the text; ONNX Runtime and the reference evaluator find no NaN.
    yield "LabelEncoder", 2, {"keys_floats": [1.5, float("nan")], "values_floats": [0.25, 4.0]}, [
        np.array([np.nan, 1.5, 1], np.float32)], [np.array([4, 0.25, -0.0], np.float32)], ML


def map_info(name, key, value):
    element = helper.make_tensor_type_proto(value, None)
    return helper.make_value_info(name, TypeProto(map_type=TypeProto.Map(key_type=key, value_type=element)))


def write_map_case(folder, op, attributes, keys, values, expected):
    """A case of one node of ai.onnx.ml that takes a map."""
    keys, values, expected = np.array(keys), np.array(values), np.array(expected)
    info = map_info("x", *[info_of("", each).type.tensor_type.elem_type for each in (keys, values)])
    node = helper.make_node(op, ["x"], ["y"], domain=ML, **attributes)
    as_objects = [each.astype(object) if each.dtype.kind == "U" else each for each in (keys, values, expected)]
    write_case(folder, model_of(1, [node], [info], [info_of("y", expected)], ML), as_objects[:2], as_objects[2:])


def maps(folder):
    f32 = np.float32
    write_map_case(folder / "cast_map", "CastMap", {}, [5, 1, 3], f32([0.5, 1.5, 2.5]), f32([[1.5, 2.5, 0.5]]))
    write_map_case(folder / "cast_map_sparse", "CastMap", {"map_form": "SPARSE", "max_map": 5}, [3, 1],
                   f32([0.5, 1.5]), f32([[0, 1.5, 0, 0.5, 0]]))
    write_map_case(folder / "cast_map_to_integers", "CastMap", {"cast_to": "TO_INT64"}, [2, 1], ["-7", "12"],
                   [[12, -7]])
    write_map_case(folder / "cast_map_texts", "CastMap", {"cast_to": "TO_STRING"}, [2, 1], ["p", "q"], [["q", "p"]])
    write_map_case(folder / "vectorizer_texts", "DictVectorizer", {"string_vocabulary": ["a", "c", "b", "z"]},
                   ["c", "a"], f32([8, 4]), f32([4, 8, 0, 0]))
    write_map_case(folder / "vectorizer_integers", "DictVectorizer", {"int64_vocabulary": [5, -3, 9]}, [9, 5],
                   [2, 7], [7, 0, 2])
    rows = f32([[0.5, 1.5], [2.5, 3.5]])
    for key, attribute, kind in ((["n", "y"], "classlabels_strings", TensorProto.STRING),
                                 ([4, 6], "classlabels_int64s", TensorProto.INT64)):
        zipped = map_info("y", kind, TensorProto.FLOAT)
        zipped.type.CopyFrom(TypeProto(sequence_type=TypeProto.Sequence(elem_type=zipped.type)))
        node = helper.make_node("ZipMap", ["x"], ["y"], domain=ML, **{attribute: key})
        keys = np.array(key, object if kind == TensorProto.STRING else INT64)
        write_case(folder / attribute, model_of(1, [node], [info_of("x", rows)], [zipped], ML), [rows], [keys, rows])


IF = """<ir_version: 3, opset_import: ["" : %d]> g (bool c, float[2] x) => (float[2] y) {
  y = If (c) <then_branch = t () => (float[2] a) { a = Neg(x) }, else_branch = e () => (float[2] b) { b = Abs(x) }>
}"""
# Sums so far, from the last column of the input to the first and back; and the sum.
SCAN = """<ir_version: 10, opset_import: ["" : %d]> g (float[2] s, float[2, 3] x) => (float[2] f, float[3, 2] y) {
  f, y = Scan <num_scan_inputs = 1, scan_input_axes = [-1], scan_input_directions = [1], scan_output_directions = [1],
    body = b (float[2] a, float[2] e) => (float[2] c, float[2] d) { c = Add(a, e)  d = Identity(c) }> (s, x)
}"""


def bodies(folder):
    x = normal(2)
    for version in (1, 10):
        for chosen, expected in ((True, -x), (False, np.abs(x))):
            write_case(folder / f"if_{version}_{chosen}", parser.parse_model(IF % version), [np.array(chosen), x],
                       [expected])
    start, columns = normal(2), normal(2, 3)
    sums = start + np.cumsum(columns[:, ::-1].T, axis=0)
    for version in (11, 16, 19, 21, 23, 24, 25):
        write_case(folder / f"scan_{version}", parser.parse_model(SCAN % version), [start, columns],
                   [sums[-1], sums[::-1]])


def optionals(folder):
    x = normal(3)
    of_x = helper.make_optional_type_proto(helper.make_tensor_type_proto(TensorProto.FLOAT, [3]))
    for version in (15, 28):
        filled = [helper.make_node("Optional", ["x"], ["o"]), helper.make_node("OptionalHasElement", ["o"], ["has"]),
                  helper.make_node("OptionalGetElement", ["o"], ["y"])]
        full = np.array(True)
        write_case(folder / f"optional_{version}", model_of(
            version, filled, [info_of("x", x)], [info_of("has", full), info_of("y", x)]), [x], [full, x])
        empty = [helper.make_node("Optional", [], ["o"], type=of_x.optional_type.elem_type), filled[1]]
        write_case(folder / f"optional_empty_{version}", model_of(version, empty, [], [info_of("has", full)]), [],
                   [np.array(False)])


def make(folder):
    write_groups(emptied(folder), "rare", (recurrent, regions, normalized, resized, labels))
    for group in (maps, bodies, optionals):
        group(pathlib.Path(folder) / "rare")


def main(conformance, folder):
    make(folder)
    run(conformance, folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
