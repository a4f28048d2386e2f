"""Builds the kernels and their tests for AArch64, whose vector instructions are NEON, and runs them under an emulator.

Usage: neon.py BUILD_FOLDER

Skipped (77) where there is no cross compiler (g++-aarch64-linux-gnu) or emulator (qemu-user).
"""

import pathlib
import shutil
import subprocess
import sys


def main(folder):
    for tool in ["aarch64-linux-gnu-g++", "qemu-aarch64"]:
        if not shutil.which(tool):
            print(f"skipped: {tool} is not installed")
            return 77
    source = pathlib.Path(__file__).parent
    commands = [
        ["cmake", "-S", source, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"],
        ["cmake", "--build", folder],
        ["qemu-aarch64", folder / "strata_neon_tests"],
    ]
    return next((status for status in (subprocess.run(c).returncode for c in commands) if status), 0)


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
