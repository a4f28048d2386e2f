#!/usr/bin/env python3
"""Makes the bundled models and their test data beside this file, the same bytes every time.

usage: make_models.py [--out FOLDER]
needs: PyPI onnx and numpy; with onnxruntime installed, its answers are compared with the expected ones

The expected outputs come from plain numpy in double precision, written without looking at any runtime.
"""

import argparse
import importlib.util
import pathlib

from make import blocks, control, digits, recurrent
from make.case import cross_check, write


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).parent)
    folder = parser.parse_args().out
    runtime = importlib.util.find_spec("onnxruntime") is not None
    for module in (digits, recurrent, blocks, control):
        for make in module.CASES:
            case = make()
            size = write(case, folder)
            notes = "".join(f", {key} {value}" for key, value in case.metadata.items())
            if runtime or case.peer == "reference":
                cross_check(case)
                notes += f", {case.peer} agrees"
            print(f"{case.name}: {size} bytes, {len(case.data)} data sets{notes}")
    if not runtime:
        print("onnxruntime is not installed: its answers were not compared")


if __name__ == "__main__":
    main()
