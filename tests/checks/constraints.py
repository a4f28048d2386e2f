"""Checks that constraint tags agree: usage: constraints.py PROJECT

An op's header lists its constraints as (C1), (C2), ….  Each needs a negative test named <op>_c1, <op>_c2, … after the
header; a source may only name tags that its header lists.
"""

import pathlib
import re
import sys

TAG = re.compile(r"\(C(\d+)\)")


def sources_of(header, project, layer):
    """The sources that share the header's stem."""
    folder = project / layer / "src" / "ops"
    return [path for path in (folder / f"{header.stem}.cpp", folder / f"{header.stem}_state.cpp") if path.exists()]


def comments(text):
    return "\n".join(line for line in text.splitlines() if line.lstrip().startswith("//"))


def main():
    project = pathlib.Path(sys.argv[1])
    tests = "\n".join(path.read_text() for path in sorted((project / "tests").rglob("*_test.cpp")))
    tested = set(re.findall(r"\b(\w+_c\d+)\b", tests))
    missing, checked = [], 0
    for layer in ("core", "hir"):
        for header in sorted((project / layer / "include" / "strata" / layer / "ops").glob("*.h")):
            listed = set(TAG.findall(comments(header.read_text())))
            for tag in sorted(listed, key=int):
                checked += 1
                if f"{header.stem}_c{tag}" not in tested:
                    missing.append(f"{header.relative_to(project)}: (C{tag}) has no test {header.stem}_c{tag}")
            for source in sources_of(header, project, layer):
                for tag in sorted(set(TAG.findall(source.read_text())) - listed, key=int):
                    missing.append(f"{source.relative_to(project)}: (C{tag}) is not listed in {header.name}")
    print("\n".join(missing) or "every constraint is listed and tested")
    print(f"{checked} constraints, {len(missing)} complaints")
    return 1 if missing or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
