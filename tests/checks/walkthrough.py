"""Checks that the blocks of docs/walkthrough.md are what the command says: usage: walkthrough.py STRATA PROJECT

Each line of a block stands in the output of the command above it, in the same order. `…` stands for anything, numbers
agree to three digits, and of how a kernel works, which depends on the machine, the first words alone are compared.
"""

import itertools
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

NUMBER = re.compile(r"-?\d+\.\d+")


def blocks_of(page):
    """The words of the command before each block, and its lines."""
    command, lines, is_block = None, [], False
    for line in page.splitlines():
        if line == "```":
            if is_block:
                yield command, lines
            lines, is_block = [], not is_block
        elif is_block:
            lines.append(line)
        elif line.startswith("    "):
            command = shlex.split(line)


def comparable(line):
    """What of a line is the same on each machine."""
    line = re.sub(r'isa="\w+"', 'isa=""', line)
    return NUMBER.sub(lambda number: f"{float(number[0]):.3g}", line)


def pattern(line, command):
    if command[-1] == "optimise" and line.startswith("    "):
        return re.escape(line.split(", ")[0]) + ".*"
    parts = line.split("…")
    whole = [re.sub(r"[-\d.]+$", "", part) for part in parts[:-1]] + parts[-1:]  # a number may be cut in its middle
    return ".*".join(re.escape(comparable(part)) for part in whole)


def output_of(command, programs, project, folder):
    words = [re.sub(r"(^|=)tests/", rf"\1{project}/tests/", word) for word in command]
    words[0] = programs.get(words[0], words[0])
    run = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=True)
    return run.stdout.replace(f"{project}/", "")


def main():
    programs, project = {"strata": str(pathlib.Path(sys.argv[1]).resolve())}, pathlib.Path(sys.argv[2]).resolve()
    page = (project / "docs" / "walkthrough.md").read_text()
    complaints = blocks = 0
    with tempfile.TemporaryDirectory() as folder:
        for command, lines in blocks_of(page):
            blocks += 1
            left = map(comparable, output_of(command, programs, project, folder).splitlines())
            for line in lines:
                left, kept = itertools.tee(left)
                if not any(re.fullmatch(pattern(line, command), other) for other in left):
                    complaints += 1
                    print(f"{' '.join(command)}: no line is\n    {line}")
                    left = kept
    print(f"{blocks} blocks, {complaints} complaints")
    return 1 if complaints or blocks == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
