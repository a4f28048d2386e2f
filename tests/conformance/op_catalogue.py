"""Writes onnx/src/op_catalogue_table.cpp: every op of the ONNX standard, and the core ops it becomes.

usage: op_catalogue.py STRATA TABLE FOLDER...

STRATA is the command, FOLDERs hold conformance cases at any depth. The ops and their versions are those of the Python
package onnx, and of CONTRIB, whose cases contrib_cases.py writes. What an op becomes is read from `strata dump --stage
typed` of the cases, and of the models below, that have one node.
"""

import json
import pathlib
import subprocess
import sys
from collections import Counter, defaultdict

import onnx
from onnx import TensorProto, helper


def f32(name, *shape):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


def of_type(name, element, *shape):
    return helper.make_tensor_value_info(name, element, shape)


def sequence(name):
    element = helper.make_tensor_type_proto(TensorProto.FLOAT, None)
    return helper.make_value_info(name, helper.make_sequence_type_proto(element))


INT64 = TensorProto.INT64
X, IMAGE, PLACE = f32("x", 2, 3), f32("x", 1, 2, 4, 4), of_type("at", INT64)
MAP = helper.make_value_info("x", onnx.TypeProto(map_type=onnx.TypeProto.Map(
    key_type=INT64, value_type=helper.make_tensor_type_proto(TensorProto.FLOAT, None))))
STUMP = {"nodes_treeids": [0, 0, 0], "nodes_nodeids": [0, 1, 2], "nodes_featureids": [0, 0, 0],
         "nodes_values": [0.5, 0.0, 0.0], "nodes_modes": ["BRANCH_LEQ", "LEAF", "LEAF"],
         "nodes_truenodeids": [1, 0, 0], "nodes_falsenodeids": [2, 0, 0]}


def votes(prefix):
    return {**STUMP, f"{prefix}_treeids": [0, 0], f"{prefix}_nodeids": [1, 2], f"{prefix}_ids": [0, 1],
            f"{prefix}_weights": [0.5, 1.0]}


# Ops that are alone in no official case: inputs, attributes, number of outputs.
MODELS = {
    ("", "ConcatFromSequence", 11): ([sequence("x")], {"axis": 0}, 1),
    ("", "GlobalLpPool", 2): ([IMAGE], {}, 1),
    ("", "MaxRoiPool", 1): ([IMAGE, f32("rois", 1, 5)], {"pooled_shape": [2, 2]}, 1),
    ("", "Multinomial", 7): ([X], {}, 1),
    ("", "Optional", 15): ([X], {}, 1),
    ("", "RandomNormal", 1): ([], {"shape": [2]}, 1),
    ("", "RandomNormalLike", 1): ([X], {}, 1),
    ("", "RandomUniform", 1): ([], {"shape": [2]}, 1),
    ("", "RandomUniformLike", 1): ([X], {}, 1),
    ("", "SequenceAt", 11): ([sequence("x"), PLACE], {}, 1),
    ("", "SequenceConstruct", 11): ([X], {}, 1),
    ("", "SequenceEmpty", 11): ([], {}, 1),
    ("", "SequenceErase", 11): ([sequence("x")], {}, 1),
    ("", "SequenceLength", 11): ([sequence("x")], {}, 1),
    ("ai.onnx.ml", "CastMap", 1): ([MAP], {}, 1),
    ("ai.onnx.ml", "CategoryMapper", 1): (
        [of_type("x", INT64, 2)], {"cats_int64s": [1], "cats_strings": ["a"]}, 1),
    ("ai.onnx.ml", "DictVectorizer", 1): ([MAP], {"int64_vocabulary": [1]}, 1),
    ("ai.onnx.ml", "FeatureVectorizer", 1): ([X], {"inputdimensions": [3]}, 1),
    ("ai.onnx.ml", "Imputer", 1): ([X], {"imputed_value_floats": [1.0]}, 1),
    ("ai.onnx.ml", "LinearClassifier", 1): (
        [X], {"coefficients": [1.0] * 9, "intercepts": [0.0] * 3, "classlabels_ints": [1, 2, 3]}, 2),
    ("ai.onnx.ml", "LinearRegressor", 1): ([X], {"coefficients": [1.0] * 3}, 1),
    ("ai.onnx.ml", "Normalizer", 1): ([X], {}, 1),
    ("ai.onnx.ml", "OneHotEncoder", 1): ([of_type("x", INT64, 2)], {"cats_int64s": [1, 2]}, 1),
    ("ai.onnx.ml", "SVMClassifier", 1): (
        [X], {"kernel_type": "RBF", "kernel_params": [0.5, 0.0, 0.0], "vectors_per_class": [1, 1], "rho": [0.0],
              "support_vectors": [1.0] * 6, "coefficients": [1.0] * 2, "prob_a": [1.0], "prob_b": [0.0],
              "classlabels_ints": [0, 1]}, 2),
    ("ai.onnx.ml", "SVMRegressor", 1): (
        [X], {"kernel_type": "RBF", "kernel_params": [0.5, 0.0, 0.0], "n_supports": 1, "rho": [0.0],
              "support_vectors": [1.0] * 3, "coefficients": [1.0]}, 1),
    ("ai.onnx.ml", "Scaler", 1): ([X], {"offset": [1.0], "scale": [2.0]}, 1),
    ("ai.onnx.ml", "TreeEnsembleClassifier", 1): ([X], {**votes("class"), "classlabels_int64s": [0, 1]}, 2),
    ("ai.onnx.ml", "TreeEnsembleRegressor", 1): ([X], {**votes("target"), "n_targets": 2}, 1),
    ("ai.onnx.ml", "ZipMap", 1): ([X], {"classlabels_int64s": [1, 2, 3]}, 1),
}
# The ops of ONNX Runtime that are read, all of version 1, by domain.
CONTRIB = {
    "": ["LayerNormalization", "SimplifiedLayerNormalization"],
    "com.microsoft": [
        "Attention", "BiasGelu", "DequantizeLinear", "DynamicQuantizeLSTM", "DynamicQuantizeMatMul",
        "EmbedLayerNormalization", "ExpandDims", "FastGelu", "FusedConv", "FusedGemm", "FusedMatMul",
        "GatherBlockQuantized", "Gelu",
        "GroupQueryAttention", "MatMulIntegerToFloat", "MatMulNBits", "MultiHeadAttention", "QAttention", "QGemm",
        "QLinearAdd", "QLinearAveragePool", "QLinearConcat", "QLinearGlobalAveragePool", "QLinearLeakyRelu",
        "QLinearMul", "QLinearSigmoid", "QLinearSoftmax", "QLinearWhere", "QuantizeLinear", "QuickGelu",
        "RotaryEmbedding", "SkipLayerNormalization", "SkipSimplifiedLayerNormalization", "TransposeMatMul", "Trilu"],
}
# What is in no model of one node.
BY_HAND = {("ai.onnx.preview.training", "Gradient"): ["the ops of its graph", "those of their derivatives"]}


def model_of(domain, op, version, inputs, attributes, outputs):
    names = [f"y{i}" for i in range(outputs)]
    node = helper.make_node(op, [each.name for each in inputs], names, domain=domain, **attributes)
    graph = helper.make_graph([node], "g", inputs, [onnx.ValueInfoProto(name=name) for name in names])
    opsets = [helper.make_opsetid("", 15)] if domain else []
    return helper.make_model(graph, opset_imports=opsets + [helper.make_opsetid(domain, version)], ir_version=8)


def schemas():
    out = defaultdict(list)
    for schema in onnx.defs.get_all_schemas_with_history():
        out[schema.domain, schema.name].append(schema.since_version)
    for domain, names in CONTRIB.items():
        for name in names:
            out[domain, name].append(1)
    return {key: sorted(set(versions)) for key, versions in sorted(out.items())}


def core_ops(strata, path):
    dump = subprocess.run([strata, "dump", path, "--stage", "typed", "--json"], capture_output=True, text=True)
    if dump.returncode != 0:
        return None
    return frozenset(node["op"] for node in json.loads(dump.stdout)["graph"]["nodes"])


def models(folders):
    for folder in folders:
        for path in sorted(pathlib.Path(folder).rglob("model.onnx")):
            model = onnx.load(path, load_external_data=False)
            if len(model.graph.node) == 1:
                node = model.graph.node[0]
                yield ("" if node.domain == "ai.onnx" else node.domain, node.op_type), path


def becomes(expansions):
    """The ops of the most frequent expansion, the shortest of several, then those that the others add."""
    usual = min(expansions, key=lambda ops: (-expansions[ops], len(ops), sorted(ops)))
    return sorted(usual), sorted(frozenset().union(*expansions) - usual)


def read_expansions(strata, folders):
    found = defaultdict(Counter)
    for key, path in models(folders):
        if (ops := core_ops(strata, path)) is not None:
            found[key][ops] += 1
    scratch = pathlib.Path(folders[0]) / "op_catalogue.onnx"
    for (domain, op, version), parts in MODELS.items():
        scratch.write_bytes(model_of(domain, op, version, *parts).SerializeToString())
        ops = core_ops(strata, scratch)
        if ops is None:
            sys.exit(f"{domain} {op} {version} cannot be read")
        found[domain, op][ops] += 1
    scratch.unlink()
    return found


def line(key, versions, expansions):
    first, more = (BY_HAND[key], []) if key in BY_HAND else becomes(expansions[key])
    words = [key[0], key[1], " ".join(map(str, versions)), ", ".join(first), ", ".join(more)]
    return "    {" + ", ".join(f'"{word}"' for word in words) + "},"


def main(strata, table, *folders):
    expansions = read_expansions(strata, folders)
    rows = [line(key, versions, expansions) for key, versions in schemas().items()
            if key in expansions or key in BY_HAND]
    missing = [key for key in schemas() if key not in expansions and key not in BY_HAND]
    if missing:
        sys.exit(f"no model has only {missing}")
    pathlib.Path(table).write_text(
        f"// Written by tests/conformance/op_catalogue.py from onnx {onnx.__version__}; not to be edited by hand.\n"
        '#include "op_catalogue_table.h"\n\n'
        "namespace strata::onnx {\n\n// clang-format off\n"
        "const std::vector<CatalogueRow>& op_catalogue_table() {\n"
        "  static const std::vector<CatalogueRow> rows = {\n" + "\n".join(rows) +
        "\n  };\n  return rows;\n}\n// clang-format on\n\n}  // namespace strata::onnx\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
