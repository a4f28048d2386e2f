"""Makes cases for versions of ops that no official case touches, and runs them.

usage: versions.py STRATA_CONFORMANCE FOLDER

A one-node case of another version of an op also holds for a version that takes the same inputs, types and attributes
with the same defaults, unless the meaning changed (CHANGED). The cases are made from the official ones, whose folder is
STRATA_ONNX_DATA, and go to FOLDER. Skipped (77) without onnx or the data.
"""

import collections
import os
import pathlib
import shutil
import subprocess
import sys

try:
    import onnx
    from onnx import defs
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

# Ops of which a version means something else than those above it, by that version.
CHANGED = {
    "Softmax": 13, "LogSoftmax": 13, "Hardmax": 13,  # the axes from `axis` on were one
    "BatchNormalization": 14,                        # what training gives
    "Resize": 11,                                    # the only coordinates were asymmetric
    "RoiAlign": 16,                                  # elements are not half an element off
    "Scan": 9,                                       # a batch axis
    "Upsample": 9, "ConvTranspose": 1, "Loop": 13, "If": 13,
    "AveragePool": 19,                               # windows beyond the padded end counted
    "GRU": 3,                                        # linear_before_reset
    "GroupNormalization": 21,                        # a scale for each channel
    "Cast": 9, "Attention": 24,
    "PRelu": 7,                                      # slopes were one for each channel
}
# Values of attributes by the version that brought them.
NEW_VALUES = {("Pad", "mode", b"wrap"): 18,            # torch.onnx.export is a version ahead of the op
              ("ScatterElements", "reduction", b"max"): 18,
              ("ScatterElements", "reduction", b"min"): 18, ("ScatterND", "reduction", b"max"): 18,
              ("ScatterND", "reduction", b"min"): 18,
              ("Resize", "coordinate_transformation_mode", b"half_pixel_symmetric"): 19}
# Names of modes that were others before a version.
OLD_NAMES = {("GridSample", "mode"): (20, {b"linear": b"bilinear", b"cubic": b"bicubic"})}
# The only rank of the first input before a version.
RANKS = {"GridSample": (20, 4)}
# Inputs that were not optional, but could be empty.
EMPTY_BEFORE = {"Resize": 13}
RANDOM = ("bernoulli", "training_dropout")
# Before version 7 operands only broadcast when asked to.
STRICT = {"Add", "Sub", "Mul", "Div", "And", "Or", "Xor", "Equal", "Greater", "Less", "Pow", "PRelu", "Gemm"}
STRICT_BEFORE = 7


def schemas():
    out = collections.defaultdict(dict)
    for schema in defs.get_all_schemas_with_history():
        if schema.domain == "":
            out[schema.name][schema.since_version] = schema
    return out


def version_at(versions, opset):
    return max((version for version in versions if version <= opset), default=None)


def default_of(schema, name):
    return schema.attributes[name].default_value.SerializeToString()


def input_types(model):
    """The type of each input of the one node, as schemas write them, and "" for one left out."""
    types = {each.name: each.type for each in model.graph.input}
    for name in model.graph.node[0].input:
        if not name:
            yield name
            continue
        kind = types[name] if name in types else None
        if kind is None or not kind.HasField("tensor_type"):
            yield None
        else:
            yield "tensor(" + onnx.TensorProto.DataType.Name(kind.tensor_type.elem_type).lower() + ")"


def takes(schema, types):
    allowed = {each.type_param_str: set(each.allowed_type_strs) for each in schema.type_constraints}
    for i, kind in enumerate(types):
        if i >= len(schema.inputs) and not is_variadic(schema):
            return False
        formal = schema.inputs[min(i, len(schema.inputs) - 1)]
        if kind == "":
            if formal.option != defs.OpSchema.FormalParameterOption.Optional and not takes_empty(schema):
                return False
            continue
        formal = formal.type_str
        if kind is None or kind not in allowed.get(formal, {formal}):
            return False
    return True


def takes_empty(schema):
    return schema.since_version < EMPTY_BEFORE.get(schema.name, 0)


def is_variadic(schema):
    return bool(schema.inputs) and schema.inputs[-1].option == defs.OpSchema.FormalParameterOption.Variadic


def holds_for(model, old, new):
    """Whether the case of the schema `new` holds for `old` as well."""
    node = model.graph.node[0]
    changed = CHANGED.get(old.name, 0)
    if old.deprecated or (old.since_version < changed) != (new.since_version < changed):
        return False
    given = {attribute.name for attribute in node.attribute}
    if not given <= set(old.attributes) or len(node.output) > len(old.outputs):
        return False
    if any(attribute.type == onnx.AttributeProto.GRAPH for attribute in node.attribute):
        # The nodes of bodies change with the version as well; those of the cases mean the same in newer ones.
        return old.since_version > new.since_version >= 9
    for attribute in node.attribute:
        if attribute.type != int(old.attributes[attribute.name].type.value):
            return False
        if old.since_version < NEW_VALUES.get((old.name, attribute.name, attribute.s), 0):
            return False
    left_out = (set(old.attributes) | set(new.attributes)) - given
    for name in left_out & set(old.attributes) & set(new.attributes):
        if (old.name, name) not in OLD_NAMES and default_of(old, name) != default_of(new, name):
            return False
    if any(old.attributes[name].required for name in left_out & set(old.attributes)):
        return False
    before, rank = RANKS.get(old.name, (0, 0))
    if old.since_version < before and rank_of_first(model) != rank:
        return False
    least = sum(each.option == defs.OpSchema.FormalParameterOption.Single for each in old.inputs)
    if len(node.input) < least or not takes(old, list(input_types(model))):
        return False
    shapes = {str(each.type.tensor_type.shape) for each in model.graph.input}
    return not (old.name in STRICT and old.since_version < STRICT_BEFORE and len(shapes) > 1)


def rank_of_first(model):
    return len(model.graph.input[0].type.tensor_type.shape.dim)


def one_node_models(data):
    for path in sorted(data.rglob("model.onnx")):
        model = onnx.load(path, load_external_data=False)
        opsets = {each.domain: each.version for each in model.opset_import}
        if any(word in path.parent.name for word in RANDOM):
            continue
        if len(model.graph.node) == 1 and model.graph.node[0].domain == "" and set(opsets) == {""}:
            yield path.parent, model, opsets[""]


def make_cases(data, out):
    known = schemas()
    cases = [(folder, model, version_at(known[model.graph.node[0].op_type], opset))
             for folder, model, opset in one_node_models(data)]
    touched = {(model.graph.node[0].op_type, version) for _, model, version in cases}
    made = collections.Counter()
    for folder, model, version in cases:
        op = model.graph.node[0].op_type
        for other, schema in known[op].items():
            if (op, other) in touched or not holds_for(model, schema, known[op][version]):
                continue
            write_case(folder, model, other, out / "versions" / f"{folder.name}_as_{other}")
            made[op, other] += 1
    pairs = sum(len(versions) for versions in known.values())
    print(f"{pairs} versions, {len(touched)} with official cases of one node, {len(made)} more with "
          f"{sum(made.values())} cases made here")
    return made


def in_words_of(model, opset):
    """Says the same as versions before a change had to say it."""
    node = model.graph.node[0]
    for attribute in node.attribute:
        before, names = OLD_NAMES.get((node.op_type, attribute.name), (0, {}))
        if opset < before:
            attribute.s = names.get(attribute.s, attribute.s)
    for i, name in enumerate(node.input):
        if not name and opset < EMPTY_BEFORE.get(node.op_type, 0):
            node.input[i] = f"empty_{i}"
            model.graph.initializer.append(onnx.helper.make_tensor(node.input[i], onnx.TensorProto.FLOAT, [0], []))


def write_case(folder, model, opset, to):
    restamped = onnx.ModelProto()
    restamped.CopyFrom(model)
    restamped.opset_import[0].version = opset
    in_words_of(restamped, opset)
    to.mkdir(parents=True)
    (to / "model.onnx").write_bytes(restamped.SerializeToString())
    shutil.copytree(folder / "test_data_set_0", to / "test_data_set_0")


def make(folder):
    data = os.environ.get("STRATA_ONNX_DATA")
    if not data:
        print("skipped: STRATA_ONNX_DATA names no cases")
        sys.exit(77)
    out = pathlib.Path(folder)
    shutil.rmtree(out, ignore_errors=True)
    make_cases(pathlib.Path(data), out)


def main(conformance, folder):
    make(folder)
    sys.exit(subprocess.run([conformance, folder, "--expected", "none"]).returncode)


if __name__ == "__main__":
    main(*sys.argv[1:])
