#!/usr/bin/env python3
"""Makes the cases of control flow beside this file, the same bytes every time: usage: make_cases.py [--out FOLDER]

`cases` holds what must run, in the layout of the official cases; `refused` what must fail, each with a file
`refused.txt`: the exit code, then a part of the message. needs: PyPI onnx and numpy
"""

import argparse
import pathlib
import shutil

from make import if_cases, loop_cases, scan_cases, scope_cases, sequence_cases
from make.write import write

MODULES = (loop_cases, scope_cases, if_cases, scan_cases, sequence_cases)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).parent)
    folder = parser.parse_args().out
    for kind in ("cases", "refused"):
        shutil.rmtree(folder / kind, ignore_errors=True)
    names = set()
    for module in MODULES:
        for make in module.CASES:
            for case in make():
                assert case.name not in names, case.name
                names.add(case.name)
                write(case, folder)
    print(len(names), "cases")


if __name__ == "__main__":
    main()
