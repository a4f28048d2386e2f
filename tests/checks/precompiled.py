"""Checks that a comment changed in a precompiled header breaks no build: usage: precompiled.py PROJECT FOLDER COMPILER

A precompiled header of the old text refuses to know its headers again by the new one, so a cache must not give it for
that. A project of one header and one source is built twice in FOLDER as this project's layers are, each time from
nothing but a cache of its own.
"""

import os
import pathlib
import shutil
import subprocess
import sys

PROJECT = """\
cmake_minimum_required(VERSION 3.25)
project(twice CXX)
include({cmake}/strata_build.cmake)
strata_layer(twice SOURCES first.cpp)
target_include_directories(strata_twice PRIVATE .)
strata_precompile(strata_twice number.h)
"""
HEADER = "#pragma once\n// {comment}\nstruct Number {{ int value; }};\n"
SOURCE = '#include "number.h"\nint first() {{ return Number{{{value}}}.value; }}\n'


def build(folder, compiler, comment, value):
    """Builds the project from nothing but what is in the cache."""
    (folder / "number.h").write_text(HEADER.format(comment=comment))
    (folder / "first.cpp").write_text(SOURCE.format(value=value))
    shutil.rmtree(folder / "build", ignore_errors=True)
    configure = ["cmake", "-G", "Ninja", "-B", "build", f"-DCMAKE_CXX_COMPILER={compiler}"]
    subprocess.run(configure, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    environment = {**os.environ, "CCACHE_DIR": str(folder / "cache")}
    return subprocess.run(["cmake", "--build", "build"], cwd=folder, env=environment, capture_output=True, text=True)


def main():
    if not shutil.which("ccache"):
        print("skipped: there is no ccache")
        return 77
    project, folder, compiler = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "CMakeLists.txt").write_text(PROJECT.format(cmake=project / "cmake"))
    for comment, value in (("A number.", 1), ("a number.", 2)):
        run = build(folder, compiler, comment, value)
        if run.returncode:
            print(f"the build with the comment '{comment}' failed:\n{run.stdout}{run.stderr}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
