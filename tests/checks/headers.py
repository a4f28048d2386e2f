"""Checks that every public header compiles alone: usage: headers.py PROJECT FOLDER COMPILER...

A header that some source of the project includes before all else is proven by the build. For each other one, a source
that holds nothing else is compiled into FOLDER, with only the layers' include folders.
"""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

LAYERS = ("core", "hir", "onnx", "opl")


def compile_alone(project, folder, compiler, header):
    source = folder / (header.replace("/", "_") + ".cpp")
    text = f'#include "{header}"\n'
    if not source.exists() or source.read_text() != text:
        source.write_text(text)
    paths = [f"-I{project / layer / 'include'}" for layer in LAYERS]
    command = [*compiler, "-std=c++20", "-O0", "-Wall", "-Wextra", "-Wno-missing-field-initializers", *paths,
               "-c", str(source), "-o", str(source.with_suffix(".o"))]
    run = subprocess.run(command, capture_output=True, text=True)
    return (header, run.stderr) if run.returncode else None


def included_first(project):
    """The headers that stand first in a source of their layer."""
    first = set()
    for layer in LAYERS:
        for source in (project / layer / "src").rglob("*.cpp"):
            include = re.search(r'^#include (.*)$', source.read_text(), re.MULTILINE)
            if include:
                first.add(include.group(1).strip('"<>'))
    return first


def main():
    project, folder, compiler = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3:]
    folder.mkdir(parents=True, exist_ok=True)
    headers = []
    for layer in LAYERS:
        include = project / layer / "include"
        headers += [path.relative_to(include).as_posix() for path in sorted(include.rglob("*.h"))]
    proven = included_first(project)
    alone = [header for header in headers if header not in proven]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda header: compile_alone(project, folder, compiler, header), alone)
        failed = [result for result in results if result]
    for header, errors in failed:
        print(f"{header} does not compile alone:\n{errors}")
    print(f"{len(headers) - len(failed)} of {len(headers)} headers compile alone, {len(alone)} of them tried here")
    return 1 if failed or not headers else 0


if __name__ == "__main__":
    sys.exit(main())
