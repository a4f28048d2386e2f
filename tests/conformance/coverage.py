"""Counts which versions of ops are in a case, and fails where one is in none.

usage: coverage.py STRATA FOLDER [--list]

The versions are those of `strata ops`. The cases are the official ones, whose folder is STRATA_ONNX_DATA, the models
and the cases of control flow in the tree, and those of the scripts here, which are written below FOLDER; other tests
run them. A version is in a case when a node of it is, in a body or a function too: the greatest version of the op that
is not above the opset. Official cases that are expected to fail do not count. --list prints each version that no
official case has, and what has it.
"""

import json
import os
import pathlib
import subprocess
import sys

import contrib_cases
import ml_cases
import numerics
import old_versions
import random_cases
import rare_versions
import versions
from case_files import onnx

HERE = pathlib.Path(__file__).parent
SCRIPTS = (versions, old_versions, rare_versions, random_cases, numerics, ml_cases, contrib_cases)
# Versions that need no case, and why: (domain, op, version).
EXEMPT = {}


def domain_of(name):
    return "" if name == "ai.onnx" else name


def known_versions(strata):
    text = subprocess.run([strata, "ops", "--json"], check=True, capture_output=True, text=True).stdout
    return {(domain_of(each["domain"]), each["op"]): sorted(map(int, each["versions"])) for each in
            json.loads(text)["ops"]}


def failing():
    """The names of official cases that are listed as failing, always or by chance."""
    lines = (HERE / "expected_failures.txt").read_text().splitlines()
    entries = [line.split()[:2] for line in lines if line and not line.startswith("#")]
    return {name for name, mark in entries if mark != "~"}


def in_nodes(nodes, opsets, known):
    for node in nodes:
        key = domain_of(node.domain), node.op_type
        below = [version for version in known.get(key, []) if version <= opsets.get(key[0], 0)]
        if below:
            yield *key, below[-1]
        for attribute in node.attribute:
            for graph in [attribute.g, *attribute.graphs]:
                yield from in_nodes(graph.node, opsets, known)


def in_model(path, known):
    model = onnx.load(path, load_external_data=False)
    opsets = {domain_of(each.domain): each.version for each in model.opset_import}
    yield from in_nodes(model.graph.node, opsets, known)
    for function in model.functions:
        own = {domain_of(each.domain): each.version for each in function.opset_import}
        yield from in_nodes(function.node, own or opsets, known)


def in_folder(folder, known, without=()):
    out = set()
    for path in [*folder.rglob("model.onnx"), *folder.rglob("light_*.onnx")]:
        if f"{path.parent.parent.name}/{path.parent.name}" not in without:
            out.update(in_model(path, known))
    return out


def in_sources(known, folder):
    """The versions by where they are."""
    data = os.environ.get("STRATA_ONNX_DATA")
    if not data:
        print("skipped: STRATA_ONNX_DATA names no cases")
        sys.exit(77)
    out = {"official": in_folder(pathlib.Path(data), known, failing())}
    for script in SCRIPTS:
        place = folder / script.__name__
        script.make(place)
        out[script.__name__] = in_folder(place, known)
    for name, place in (("models", "models"), ("control flow", "control_flow/cases")):
        out[name] = in_folder(HERE.parent / place, known)
    return out


def shown(version):
    domain, op, number = version
    return f"{domain or 'ai.onnx'} {op} {number}"


def main(strata, folder, *options):
    known = known_versions(strata)
    every = [(*key, number) for key, numbers in known.items() for number in numbers]
    sources = in_sources(known, pathlib.Path(folder))
    wrong = []
    for version in every:
        places = [name for name, found in sources.items() if version in found]
        if "--list" in options and "official" not in places:
            print(f"{shown(version)}: {', '.join(places) or EXEMPT.get(version, 'none')}")
        if bool(places) == (version in EXEMPT):
            wrong.append(f"{shown(version)} is exempt, but in a case" if places else f"{shown(version)} is in no case")
    reached, counts = set(), []
    for name, found in sources.items():
        counts.append(f"{len(found - reached)} {'' if not reached else 'more '}in {name}")
        reached |= found
    print(f"{len(every)} versions of {len(known)} ops: {', '.join(counts)}; {len(EXEMPT)} exempt, {len(wrong)} wrong")
    print("\n".join(wrong), end="\n" if wrong else "")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
