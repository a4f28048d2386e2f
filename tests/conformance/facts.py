"""Checks that facts flow forward through every op: what analysis finds of the outputs of the official cases.

usage: facts.py STRATA_FACTS STRATA FOLDER

Declared types and shapes of outputs and inner values are dropped from each model. Inputs have the sizes of the test data,
then a symbol of its own for each size; vectors of integers, which are shapes, axes and the like, are constants. What is
found must be the type and the shape of the expected outputs; where it is open, the op is listed in facts.txt with its
reason, and so is the op whose sizes onnx.shape_inference finds and analysis does not. A line that nothing needs is a
failure, too. Each op of `strata ops` has a case. Skipped (77) without onnx or the cases (STRATA_ONNX_DATA).
"""

import collections
import fnmatch
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

try:
    import onnx
    from onnx import shape_inference
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

TYPES = {"FLOAT": "f32", "DOUBLE": "f64", "FLOAT16": "f16", "BFLOAT16": "bf16", "BOOL": "bool", "STRING": "string",
         "COMPLEX64": "c64", "COMPLEX128": "c128", "FLOAT8E4M3FN": "f8e4m3fn", "FLOAT8E4M3FNUZ": "f8e4m3fnuz",
         "FLOAT8E5M2": "f8e5m2", "FLOAT8E5M2FNUZ": "f8e5m2fnuz", "FLOAT8E8M0": "f8e8m0", "FLOAT4E2M1": "f4e2m1",
         **{f"{sign}INT{bits}": f"{sign.lower() or 'i'}{bits}" for sign in ("U", "") for bits in (2, 4, 8, 16, 32, 64)}}
# Ops whose operands are numbers of other types, too: scales, a depth, the ends of a range.
NUMBER_OPERANDS = {"OneHot", "Range", "Resize", "Upsample"}
FUNCTIONS = {"max": max, "min": min, "mod": lambda a, b: a % b, "floor_div": lambda a, b: a // b,
             "ceil_div": lambda a, b: -(-a // b), "__builtins__": {}}


def value_of(path, declared):
    """What a file of a data set holds: a tensor, ("sequence", type) or ("optional", type)."""
    data = path.read_bytes()
    kind = declared.WhichOneof("value")
    if kind in ("sequence_type", "optional_type"):
        inner = getattr(declared, kind).elem_type
        name = kind.split("_")[0]
        return (name, inner.tensor_type.elem_type or None)
    return onnx.TensorProto.FromString(data)


def type_name(elem_type):
    return TYPES[onnx.TensorProto.DataType.Name(elem_type)]


class Variant:
    """A model whose outputs declare nothing, and the sizes that the symbols of its inputs stand for."""

    def __init__(self, model, inputs, symbolic, number_operands):
        self.symbolic = symbolic
        self.operands = {onnx.TensorProto.INT64, onnx.TensorProto.INT32}
        if number_operands:
            self.operands |= {onnx.TensorProto.FLOAT, onnx.TensorProto.FLOAT16, onnx.TensorProto.BFLOAT16}
        self.model = onnx.ModelProto()
        self.model.CopyFrom(model)
        self.sizes = {}
        graph = self.model.graph
        del graph.value_info[:]
        for output in graph.output:
            output.ClearField("type")
        known = {tensor.name for tensor in graph.initializer}
        free = [each for each in graph.input if each.name not in known]
        for each, value in zip(free, inputs):
            if isinstance(value, onnx.TensorProto):
                self.give_input(each, value)

    def give_input(self, info, value):
        graph = self.model.graph
        if value.data_type in self.operands and len(value.dims) <= 1:
            constant = graph.initializer.add()
            constant.CopyFrom(value)
            constant.name = info.name
            graph.input.remove(info)
            return
        tensor = info.type.tensor_type
        tensor.elem_type = value.data_type
        tensor.shape.Clear()
        for size in value.dims:
            dim = tensor.shape.dim.add()
            if self.symbolic:
                dim.dim_param = f"S{len(self.sizes)}_"
                self.sizes[dim.dim_param] = size
            else:
                dim.dim_value = size

    def known_to_onnx(self):
        """For each output, the sizes that onnx finds, as a list of None, integers and texts, or None."""
        try:
            inferred = shape_inference.infer_shapes(self.model, data_prop=True)
        except (shape_inference.InferenceError, RuntimeError, ValueError):
            return [None] * len(self.model.graph.output)
        out = []
        for output in inferred.graph.output:
            tensor = output.type.tensor_type
            known = output.type.HasField("tensor_type") and tensor.HasField("shape")
            out.append([size_of(dim) for dim in tensor.shape.dim] if known else None)
        return out


def size_of(dim):
    """What onnx knows of a size; names that it makes up tell nothing."""
    if dim.HasField("dim_value"):
        return dim.dim_value
    return dim.dim_param if re.fullmatch(r"S\d+_", dim.dim_param) else None


def parsed(fact):
    """The type, and the sizes as texts or None; nothing known is None."""
    match = re.fullmatch(r"(\?|\w+)\[(.*)\]", fact)
    if not match:
        return None, None
    kind, sizes = match.groups()
    if sizes == "..":
        return kind, None
    return kind, [None if each == "?" else each for each in split_sizes(sizes)]


def split_sizes(text):
    """The sizes of `a,max(b,c)`."""
    out, depth = [""], 0
    for c in text:
        depth += (c == "(") - (c == ")")
        if c == "," and depth == 0:
            out.append("")
        else:
            out[-1] += c
    return out if text else []


class Case:
    def __init__(self, path):
        self.name = f"{path.parent.parent.name}/{path.parent.name}"
        self.model = onnx.load(path, load_external_data=False)
        graph = self.model.graph
        self.ops = ops_of(self.model)
        known = {tensor.name for tensor in graph.initializer}
        data = path.parent / "test_data_set_0"
        self.inputs = [value_of(data / f"input_{i}.pb", each.type) if (data / f"input_{i}.pb").exists() else None
                       for i, each in enumerate(e for e in graph.input if e.name not in known)]
        self.outputs = [value_of(data / f"output_{i}.pb", each.type) for i, each in enumerate(graph.output)]


def ops_of(model):
    out = set()

    def visit(nodes):
        for node in nodes:
            out.add(f"{node.domain}.{node.op_type}" if node.domain not in ("", "ai.onnx") else node.op_type)
            for attribute in node.attribute:
                for graph in [attribute.g, *attribute.graphs]:
                    visit(graph.node)

    visit(model.graph.node)
    for function in model.functions:
        visit(function.node)
    return out


class Check:
    """Compares the facts of outputs with what the outputs are."""

    def __init__(self):
        self.wrong = []
        self.open = collections.defaultdict(set)  # (what, op): cases
        self.counts = collections.Counter()

    def output(self, case, kind, fact, expected, sizes, onnx_knows):
        """`onnx_knows` is None, or the sizes that onnx.shape_inference finds."""
        if not isinstance(expected, onnx.TensorProto):
            if not fact.startswith(expected[0]) or (expected[1] and f"({type_name(expected[1])}[" not in fact):
                self.wrong.append(f"{case.name} {kind}: {fact} is not {expected}")
            return
        found_type, found = parsed(fact)
        if found_type == "?" or found_type is None:
            return self.note(case, kind, "type")
        if found_type != type_name(expected.data_type):
            self.wrong.append(f"{case.name} {kind}: {fact} is not {type_name(expected.data_type)}")
        self.shape(case, kind, found, list(expected.dims), sizes, onnx_knows)

    def shape(self, case, kind, found, expected, sizes, onnx_knows):
        if found is None:
            self.counts[kind, "unknown"] += 1
            return self.note(case, kind, "shape", missed=onnx_knows is not None)
        values = [None if each is None else eval(each, FUNCTIONS, dict(sizes)) for each in found]
        if len(values) != len(expected) or any(v is not None and v != e for v, e in zip(values, expected)):
            self.wrong.append(f"{case.name} {kind}: [{','.join(map(str, found))}] is {values}, not {expected}")
        is_open = None in values
        self.counts[kind, "partly" if is_open else "known"] += 1
        # onnx is wrong about some, such as the last size of the products of an Attention.
        missed = onnx_knows is not None and any(v is None and sizes.get(k, k) == e
                                                for v, k, e in zip(values, onnx_knows, expected))
        if is_open:
            self.note(case, kind, "size", missed)

    def note(self, case, kind, what, missed=False):
        """Cases of several ops go by their own names, but for what the data decide in one of the ops."""
        name = next(iter(case.ops)) if len(case.ops) == 1 else case.name
        if kind == "sizes":
            self.open[what, name].add(case.name)
        if missed:
            self.open["onnx", name].add(f"{case.name} {kind}")


def read_cases(data):
    for path in sorted(pathlib.Path(data).rglob("model.onnx")):
        if (path.parent / "test_data_set_0" / "output_0.pb").exists():
            yield Case(path)


def analysed(work, facts):
    """The line of `facts` for each model."""
    paths = "".join(f"{path}\n" for *_, path in work)
    run = subprocess.run([facts], input=paths, capture_output=True, text=True, check=True)
    return run.stdout.splitlines()


def compared(cases, facts, out):
    check, work = Check(), []
    for case in cases:
        for kind in ("sizes", "symbols"):
            variant = Variant(case.model, case.inputs, kind == "symbols", bool(case.ops & NUMBER_OPERANDS))
            path = out / f"{len(work)}.onnx"
            path.write_bytes(variant.model.SerializeToString())
            work.append((case, kind, variant, path))
    for (case, kind, variant, path), line in zip(work, analysed(work, facts), strict=True):
        path.unlink()
        if line.startswith("error: "):
            check.wrong.append(f"{case.name} {kind}: {line}")
            continue
        for fact, expected, shape in zip(line.split("\t"), case.outputs, variant.known_to_onnx(), strict=True):
            check.output(case, kind, fact, expected, variant.sizes, shape)
    return check


def listed():
    """What and name of the entries of facts.txt, each of which gives a reason."""
    lines = (pathlib.Path(__file__).parent / "facts.txt").read_text().splitlines()
    return [tuple(line.split(maxsplit=2)[:2]) for line in lines if line and not line.startswith("#")]


def matches(entry, key):
    return entry[0] == key[0] and fnmatch.fnmatchcase(key[1], entry[1])


def ops_without_case(strata, cases):
    known = json.loads(subprocess.run([strata, "ops", "--json"], capture_output=True, text=True, check=True).stdout)
    names = {op["op"] if op["domain"] in ("", "ai.onnx") else f"{op['domain']}.{op['op']}" for op in known["ops"]}
    return names - set().union(*(case.ops for case in cases))


def main(facts, strata, folder):
    data = os.environ.get("STRATA_ONNX_DATA")
    if not data:
        print("skipped: STRATA_ONNX_DATA names no cases")
        sys.exit(77)
    out = pathlib.Path(folder)
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    cases = list(read_cases(data))
    check = compared(cases, facts, out)
    found = {key: sorted(names)[0] for key, names in check.open.items()}
    found |= {("case", op): "no official case has it" for op in ops_without_case(strata, cases)}
    entries = listed()
    needed = {each for each in entries for key in found if matches(each, key)}
    wrong = check.wrong + [f"not listed in facts.txt: {' '.join(key)}, as in {found[key]}" for key in sorted(found)
                           if not any(matches(each, key) for each in entries)]
    wrong += [f"listed in facts.txt without need: {' '.join(each)}" for each in entries if each not in needed]
    for each in wrong:
        print(each)
    for kind in ("sizes", "symbols"):
        counts = ", ".join(f"{check.counts[kind, how]} {how}" for how in ("known", "partly", "unknown"))
        print(f"shapes of outputs with inputs of {kind}: {counts}")
    single = set().union(*(case.ops for case in cases if len(case.ops) == 1))
    print(f"{len(cases)} cases, {len(single)} ops alone in a case, {len(wrong)} not as expected")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
