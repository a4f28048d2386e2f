"""Checks that no layer includes what it may not: usage: layers.py PROJECT

Each layer sees itself and those named below; public headers show no type of a third-party library.
"""

import pathlib
import re
import sys

ALLOWED = {
    "core": {"core"},
    "hir": {"core", "hir"},
    "onnx": {"core", "hir", "onnx"},
    "opl": {"core", "opl"},
    "images": {"core", "images"},
    "text": {"core", "text"},
    "cli": {"core", "hir", "onnx", "opl"},
}
# Only these layers may include headers whose path begins like this, and only in sources.
LIBRARIES = {
    "google/protobuf": {"onnx"},
    "protozero/": {"onnx"},
    "onnx/": {"onnx"},
    "archive": {"opl", "cli"},
    "leptonica/": {"images"},
    "re2/": {"text"},
    "unicode/": {"text"},
    "CLI/": {"cli"},
    "nlohmann": {"cli"},
}
# Libraries that cost seconds in every source that includes them.
ONE_SOURCE = ("CLI/", "nlohmann")


def includes(path):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        found = re.match(r'\s*#\s*include\s*[<"]([^>"]+)[>"]', line)
        if found:
            yield number, found.group(1)


def library_of(header):
    # `archive.h` of libarchive stands alone; a header of ours has a folder or another name.
    for prefix in LIBRARIES:
        if header.startswith(prefix) and (prefix != "archive" or header in ("archive.h", "archive_entry.h")):
            return prefix
    return None


def sources(project, layer):
    return [path for path in sorted((project / layer).rglob("*")) if path.suffix in (".h", ".cpp")]


def complaints(project):
    users = {prefix: set() for prefix in ONE_SOURCE}
    for layer, allowed in ALLOWED.items():
        found = sources(project, layer)
        if not found:
            yield f"{layer} has no sources"
        for path in found:
            public = "include" in path.relative_to(project / layer).parts
            for number, header in includes(path):
                place = f"{path.relative_to(project)}:{number}"
                target = re.match(r"strata/(\w+)/", header)
                if target and target.group(1) not in allowed:
                    yield f"{place}: {layer} must not include {header}"
                library = library_of(header)
                if library and public:
                    yield f"{place}: a public header must not include {header}"
                if library and layer not in LIBRARIES[library]:
                    yield f"{place}: {layer} must not include {header}"
                if library in users:
                    users[library].add(str(path.relative_to(project)))
    for library, paths in users.items():
        if len(paths) > 1:
            yield f"{library} is included by {', '.join(sorted(paths))}: one source is enough"


def main():
    wrong = list(complaints(pathlib.Path(sys.argv[1])))
    print("\n".join(wrong) or "every include points down")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
