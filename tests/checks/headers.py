"""Checks that every public header compiles alone: usage: headers.py [--all] PROJECT FOLDER COMPILER...

For each, a source that holds nothing else is compiled into FOLDER, with only the layers' include folders. Left out,
unless by --all, is a header that some source of the project includes before all else: it is proven by a build that does
not precompile headers, as all presets but the releases do.
"""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

LAYERS = ("core", "hir", "onnx", "opl", "images", "text")


def compile_alone(project, folder, compiler, header):
    source = folder / (header.replace("/", "_") + ".cpp")
    text = f'#include "{header}"\n'
    if not source.exists() or source.read_text() != text:
        source.write_text(text)
    paths = [f"-I{project / layer / 'include'}" for layer in LAYERS]
    command = [*compiler, "-std=c++20", "-O0", "-Wall", "-Wextra", "-Werror", "-Wno-missing-field-initializers",
               *paths, "-c", str(source), "-o", str(source.with_suffix(".o"))]
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
    arguments = [argument for argument in sys.argv[1:] if argument != "--all"]
    project, folder, compiler = pathlib.Path(arguments[0]), pathlib.Path(arguments[1]), arguments[2:]
    folder.mkdir(parents=True, exist_ok=True)
    headers = []
    for layer in LAYERS:
        include = project / layer / "include"
        headers += [path.relative_to(include).as_posix() for path in sorted(include.rglob("*.h"))]
    proven = set() if "--all" in sys.argv else included_first(project)
    alone = [header for header in headers if header not in proven]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda header: compile_alone(project, folder, compiler, header), alone)
        failed = [result for result in results if result]
    for header, errors in failed:
        print(f"{header} does not compile alone:\n{errors}")
    print(f"{len(alone) - len(failed)} of {len(alone)} headers compile alone, {len(headers) - len(alone)} are left out")
    return 1 if failed or not headers else 0


if __name__ == "__main__":
    sys.exit(main())
