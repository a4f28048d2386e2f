"""Makes cases of ai.onnx.ml, which has few official ones, and of MaxRoiPool, and runs them.

usage: ml_cases.py STRATA_CONFORMANCE FOLDER

The answers are those of onnx.reference, of ONNX Runtime, or of both where they agree with the standard. Known to be
wrong and left out: the reference's probabilities of three classes and more (its matrix Q has sums where the paper has
products), and ONNX Runtime's trees where NaN meets BRANCH_NEQ (it takes the true branch whatever the node says). Skipped
(77) without the two packages.
"""

import sys

import case_files

try:
    import numpy as np
    import onnx
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper
    from onnx.reference import ReferenceEvaluator
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

FLOAT, INT64, STRING = TensorProto.FLOAT, TensorProto.INT64, TensorProto.STRING
TRANSFORMS = ["NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO"]
KERNELS = ["LINEAR", "POLY", "RBF", "SIGMOID"]
MODES = ["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ"]
REFERENCE, RUNTIME = ["reference"], ["runtime"]
BOTH = REFERENCE + RUNTIME


def floats(generator, count):
    return [float(value) for value in generator.standard_normal(count).astype(np.float32)]


def type_of(array):
    return STRING if array.dtype.kind in "OU" else helper.np_dtype_to_tensor_dtype(array.dtype)


def answers(model, inputs, oracle):
    feeds = {each.name: value for each, value in zip(model.graph.input, inputs)}
    if oracle == "reference":
        return ReferenceEvaluator(model).run(None, feeds)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, feeds)


class Cases:
    """Writes cases in the official layout."""

    def __init__(self, folder):
        self.folder = folder / "ml"
        self.random = np.random.default_rng(7)
        self.rows = self.random.standard_normal((6, 3)).astype(np.float32)

    def add(self, name, op, attributes, inputs, outputs, oracles=BOTH, version=1, domain="ai.onnx.ml", also=()):
        """`also` are later versions that mean the same, but that the oracles lack or call deprecated."""
        inputs = [np.asarray(value) for value in inputs]
        names = [f"x{i}" for i in range(len(inputs))], [f"y{i}" for i in range(len(outputs))]
        node = helper.make_node(op, *names, domain=domain, **attributes)
        graph = helper.make_graph(
            [node], "g",
            [helper.make_tensor_value_info(name, type_of(value), value.shape) for name, value in zip(names[0], inputs)],
            [helper.make_tensor_value_info(name, kind, None) for name, kind in zip(names[1], outputs)])
        opsets = [helper.make_opsetid("", 15)] * bool(domain) + [helper.make_opsetid(domain, version)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=8)
        for oracle in oracles:
            given = answers(model, inputs, oracle)
            self.write(f"{name}_{oracle}", model, inputs, outputs, given)
            for later in also:
                restamped = onnx.ModelProto()
                restamped.CopyFrom(model)
                restamped.opset_import[-1].version = later
                self.write(f"{name}_{oracle}_as_{later}", restamped, inputs, outputs, given)

    def write(self, name, model, inputs, outputs, expected):
        expected = [np.asarray(value).astype(object if kind == STRING else helper.tensor_dtype_to_np_dtype(kind))
                    for value, kind in zip(expected, outputs)]
        case_files.write_case(self.folder / name, model, inputs, expected)


def linear(cases):
    weights = floats(cases.random, 9)
    three = {"coefficients": weights, "intercepts": weights[:3]}
    for transform in TRANSFORMS:
        cases.add(f"classifier_{transform}", "LinearClassifier",
                  {**three, "classlabels_ints": [5, 7, 9], "post_transform": transform}, [cases.rows], [INT64, FLOAT])
        cases.add(f"classifier_text_{transform}", "LinearClassifier",
                  {**three, "classlabels_strings": ["a", "b", "c"], "post_transform": transform}, [cases.rows],
                  [STRING, FLOAT])
        # Of the two, only the reference transforms the two scores that one score stands for.
        cases.add(f"classifier_two_{transform}", "LinearClassifier",
                  {"coefficients": weights[:3], "intercepts": weights[:1], "classlabels_ints": [5, 7],
                   "post_transform": transform}, [cases.rows], [INT64, FLOAT],
                  BOTH if transform == "LOGISTIC" else REFERENCE)
    cases.add("classifier_one", "LinearClassifier",
              {"coefficients": weights[:3], "intercepts": weights[:1], "classlabels_ints": [5]}, [cases.rows],
              [INT64, FLOAT], REFERENCE)
    two = {"coefficients": weights[:6], "intercepts": weights[:2], "targets": 2}
    cases.add("regressor", "LinearRegressor", two, [cases.rows], [FLOAT])
    cases.add("regressor_f64", "LinearRegressor", two, [cases.rows.astype(np.float64)], [FLOAT], REFERENCE)


def preprocessing(cases):
    numbers = floats(cases.random, 6)
    small = np.array([[0, 0, 0], [1, -2, 3]])
    for norm in ["MAX", "L1", "L2"]:
        cases.add(f"normalizer_{norm}", "Normalizer", {"norm": norm}, [cases.rows], [FLOAT], RUNTIME)
        cases.add(f"normalizer_{norm}_integers", "Normalizer", {"norm": norm}, [small], [FLOAT], RUNTIME)
    scale = {"offset": numbers[:3], "scale": numbers[3:]}
    cases.add("scaler", "Scaler", scale, [cases.rows], [FLOAT])
    cases.add("scaler_integers", "Scaler", scale, [small], [FLOAT], RUNTIME)
    cases.add("scaler_one", "Scaler", {"offset": numbers[:1], "scale": numbers[3:4]}, [cases.rows], [FLOAT])
    holes = np.array([[1, np.nan], [np.nan, 4]], np.float32)
    cases.add("imputer_nan", "Imputer", {"imputed_value_floats": [7.0, 8.0], "replaced_value_float": float("nan")},
              [holes], [FLOAT])
    cases.add("imputer_one", "Imputer", {"imputed_value_floats": [7.0], "replaced_value_float": 1.0}, [holes], [FLOAT])
    cases.add("imputer_integers", "Imputer", {"imputed_value_int64s": [7, 8], "replaced_value_int64": 1},
              [np.array([[1, 1], [3, 4]])], [INT64])
    cases.add("one_hot", "OneHotEncoder", {"cats_int64s": [1, 2, 9]}, [np.array([[1, 2], [9, 4]])], [FLOAT])
    cases.add("one_hot_float", "OneHotEncoder", {"cats_int64s": [1, 2, 9]},
              [np.array([[1.5, -2], [9, 4]], np.float32)], [FLOAT], RUNTIME)
    cases.add("one_hot_text", "OneHotEncoder", {"cats_strings": ["a", "b"], "zeros": 0},
              [np.array(["b", "a", "a"], object)], [FLOAT])
    cases.add("vectorizer", "FeatureVectorizer", {"inputdimensions": [3, 2]}, [cases.rows, cases.rows[:, :2]], [FLOAT])
    cases.add("vectorizer_cut", "FeatureVectorizer", {"inputdimensions": [2, 4]}, [cases.rows, cases.rows], [FLOAT])
    categories = {"cats_int64s": [1, 2, 3], "cats_strings": ["a", "b", "c"]}
    cases.add("mapper", "CategoryMapper", {**categories, "default_int64": -5},
              [np.array([["a", "z"], ["c", "b"]], object)], [INT64], RUNTIME)
    cases.add("mapper_back", "CategoryMapper", {**categories, "default_string": "q"}, [np.array([1, 9, 3])], [STRING],
              RUNTIME)


def machines(cases):
    vectors, weights = floats(cases.random, 15), floats(cases.random, 10)
    common = {"support_vectors": vectors, "kernel_params": [0.5, 0.1, 3.0]}
    one = {**common, "n_supports": 5, "coefficients": weights[:5], "rho": [0.05]}
    two = {**common, "coefficients": weights[:5], "vectors_per_class": [3, 2], "rho": [0.05], "kernel_type": "RBF"}
    three = {**common, "coefficients": weights, "vectors_per_class": [1, 2, 2], "rho": [0.05, -0.1, 0.2]}
    for kernel in KERNELS:
        cases.add(f"svr_{kernel}", "SVMRegressor", {**one, "kernel_type": kernel}, [cases.rows], [FLOAT])
        cases.add(f"svr_one_class_{kernel}", "SVMRegressor", {**one, "kernel_type": kernel, "one_class": 1},
                  [cases.rows], [FLOAT])
        cases.add(f"svc_{kernel}", "SVMClassifier", {**three, "kernel_type": kernel, "classlabels_ints": [5, 7, 9]},
                  [cases.rows], [INT64, FLOAT])
    for transform in TRANSFORMS:
        more = {"kernel_type": "RBF", "post_transform": transform}
        cases.add(f"svc_{transform}", "SVMClassifier", {**three, **more, "classlabels_strings": ["a", "b", "c"]},
                  [cases.rows], [STRING, FLOAT])
        cases.add(f"svc_probabilities_{transform}", "SVMClassifier",
                  {**three, **more, "classlabels_ints": [5, 7, 9], "prob_a": [-1.5, -1.0, -2.0],
                   "prob_b": [0.2, 0.1, 0.0]}, [cases.rows], [INT64, FLOAT], RUNTIME)
        cases.add(f"svc_two_probabilities_{transform}", "SVMClassifier",
                  {**two, **more, "classlabels_ints": [5, 7], "prob_a": [-1.5], "prob_b": [0.2]}, [cases.rows],
                  [INT64, FLOAT])
        cases.add(f"svc_two_{transform}", "SVMClassifier", {**two, **more, "classlabels_ints": [5, 7]}, [cases.rows],
                  [INT64, FLOAT], BOTH if transform in ("NONE", "LOGISTIC") else REFERENCE)
        cases.add(f"svc_linear_{transform}", "SVMClassifier",
                  {"coefficients": floats(cases.random, 9), "rho": [0.1, 0.1], "classlabels_ints": [5, 7, 9],
                   "post_transform": transform}, [cases.rows], [INT64, FLOAT], REFERENCE)


def forest(random, targets, votes, prefix, modes=("BRANCH_LEQ",), trees=5, depth=3):
    """Random trees; each leaf has weights for so many targets."""
    nodes, leaves = [], []

    def grow(tree, ids, left):
        me, place = next(ids), len(nodes)
        if left == 0 or (left < depth and random.random() < 0.2):
            nodes.append([tree, me, 0, 0.0, "LEAF", 0, 0, 0])
            chosen = random.choice(targets, size=votes, replace=False)
            leaves.extend([tree, me, int(target), floats(random, 1)[0]] for target in chosen)
            return me
        nodes.append([tree, me, int(random.integers(3)), floats(random, 1)[0], str(random.choice(modes)), 0, 0,
                      int(random.integers(2))])
        nodes[place][5], nodes[place][6] = grow(tree, ids, left - 1), grow(tree, ids, left - 1)
        return me

    for tree in range(trees):
        grow(tree, iter(range(1000)), depth)
    fields = ["treeids", "nodeids", "featureids", "values", "modes", "truenodeids", "falsenodeids",
              "missing_value_tracks_true"]
    out = {f"nodes_{field}": [node[i] for node in nodes] for i, field in enumerate(fields)}
    for i, field in enumerate(["treeids", "nodeids", "ids", "weights"]):
        out[f"{prefix}_{field}"] = [leaf[i] for leaf in leaves]
    return out


def trees(cases):
    rows = cases.random.standard_normal((20, 3)).astype(np.float32)
    rows[3, 1] = rows[7] = np.nan
    base = floats(cases.random, 3)
    for aggregate in ["SUM", "AVERAGE", "MIN", "MAX"]:
        for targets, votes in [(1, 1), (2, 1), (3, 2), (3, 3)]:
            attributes = {**forest(cases.random, targets, votes, "target"), "n_targets": targets,
                          "aggregate_function": aggregate}
            # ONNX Runtime gives 0 to a target that no leaf has a weight for.
            oracles = REFERENCE if aggregate in ("MIN", "MAX") and votes < targets else BOTH
            name = f"trees_{aggregate}_{targets}_{votes}"
            cases.add(name, "TreeEnsembleRegressor", attributes, [rows], [FLOAT], oracles)
            cases.add(f"{name}_base", "TreeEnsembleRegressor", {**attributes, "base_values": base[:targets]}, [rows],
                      [FLOAT], REFERENCE)
    every_mode = {**forest(cases.random, 1, 1, "target", MODES), "n_targets": 1}
    cases.add("trees_modes", "TreeEnsembleRegressor", every_mode, [rows], [FLOAT], REFERENCE)
    cases.add("trees_modes_3", "TreeEnsembleRegressor", every_mode, [rows], [FLOAT], REFERENCE, version=3, also=(5,))
    in_f64 = dict(every_mode)
    for name in ("target_weights", "nodes_values"):
        in_f64[f"{name}_as_tensor"] = numpy_helper.from_array(np.array(in_f64.pop(name), np.float64))
    full = rows[~np.isnan(rows).any(axis=1)].astype(np.float64)
    cases.add("trees_f64", "TreeEnsembleRegressor", in_f64, [full], [FLOAT], RUNTIME, version=3)
    for transform in TRANSFORMS:
        for classes, votes in [(3, 1), (3, 3), (4, 2)]:
            cases.add(f"forest_{classes}_{votes}_{transform}", "TreeEnsembleClassifier",
                      {**forest(cases.random, classes, votes, "class"), "post_transform": transform,
                       "classlabels_int64s": list(range(10, 10 + classes))}, [rows], [INT64, FLOAT],
                      # ONNX Runtime never chooses a class without votes.
                      BOTH if votes == classes else REFERENCE)
        cases.add(f"forest_one_{transform}", "TreeEnsembleClassifier",
                  {**forest(cases.random, 1, 1, "class"), "classlabels_strings": ["n", "y"],
                   "post_transform": transform}, [rows], [STRING, FLOAT],
                  # Some weights are negative: by ONNX Runtime's rule alone, scores are no probabilities then.
                  RUNTIME if transform == "NONE" else REFERENCE)
        cases.add(f"forest_two_{transform}", "TreeEnsembleClassifier",
                  {**forest(cases.random, 2, 2, "class"), "classlabels_int64s": [4, 5], "post_transform": transform},
                  [rows], [INT64, FLOAT], REFERENCE)
    cases.add("forest_version", "TreeEnsembleClassifier",
              {**forest(cases.random, 3, 3, "class"), "classlabels_strings": ["a", "b", "c"],
               "post_transform": "SOFTMAX"}, [rows], [STRING, FLOAT], version=3, also=(5,))


def regions(cases):
    images = cases.random.standard_normal((2, 3, 8, 9)).astype(np.float32)
    rois = np.array([[0, 1, 1, 6, 6], [1, 0, 2, 3, 4.4], [1, 7, 7, 20, 20], [0, 2.5, 2.5, 2.5, 2.5],
                     [0, -3, -2, 1, 1]], np.float32)
    for scale in [1.0, 0.5]:
        cases.add(f"regions_{scale}", "MaxRoiPool", {"pooled_shape": [2, 3], "spatial_scale": scale}, [images, rois],
                  [FLOAT], RUNTIME, version=15, domain="", also=(22,))


def make(folder):
    onnxruntime.set_default_logger_severity(4)
    cases = Cases(case_files.emptied(folder))
    for group in (linear, preprocessing, machines, trees, regions):
        group(cases)


def main(conformance, folder):
    make(folder)
    case_files.run(conformance, folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
