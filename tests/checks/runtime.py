"""Checks what the programs need at run time: usage: runtime.py STRATA STRATA_OPL_RUN MODELS static|shared

The small runtime loads the C and C++ libraries and nothing else (`shared`: and libarchive with all it brings); the command
loads libraries that few runs need when they need them, and says so when they are not there. The runtime's size is printed,
not judged.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

LANGUAGE = {"libc", "libgcc_s", "libm", "libpthread", "libstdc++", "linux-vdso", "ld-linux-x86-64", "ld-linux-aarch64"}
SANITIZERS = {"libasan", "libtsan", "libubsan", "libdl", "librt"}
LATE = {"libarchive", "libicudata", "libicuuc", "liblept", "libleptonica", "libonnx", "libre2", "libxml2"}

failures = []


def check(holds, what):
    print("ok" if holds else "FAILED", what)
    if not holds:
        failures.append(what)


def run(*command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)


def libraries(program):
    lines = run("ldd", program, check=True).stdout.splitlines()
    return {re.sub(r"\.so.*", "", pathlib.PurePath(line.split()[0]).name) for line in lines}


def check_small_runtime(opl_run, model, libarchive):
    more = libraries(opl_run) - LANGUAGE - SANITIZERS
    if libarchive == "static":
        check(not more, f"the small runtime loads nothing but the language's libraries, and {sorted(more)}")
    else:
        check("libprotobuf" not in more, "the small runtime loads no protobuf")
    done = run(opl_run, model)
    check(done.returncode == 0 and done.stdout, f"the small runtime runs {model.name} {done.stderr}")


def check_command(strata, model, folder):
    check(not libraries(strata) & LATE, f"the command loads {sorted(libraries(strata))} at its start")
    written = run(strata, "run", model, "--random", "1", "--output", folder / "y.npz")
    check(written.returncode == 0, f"beside its modules the command writes an .npz {written.stderr}")
    alone = shutil.copy2(strata, folder / "strata")
    done = run(alone, "run", model, "--random", "1")
    check(done.returncode == 0, f"the command runs alone {done.stderr}")
    refused = run(alone, "run", model, "--random", "1", "--output", folder / "z.npz")
    wanted = "error: this program cannot read or write .npz files: strata_zip.so cannot be loaded\n"
    check(refused.returncode == 3 and refused.stderr == wanted, f"alone it writes no .npz: {refused.stderr}")


def print_size(program, folder):
    stripped = folder / "stripped"
    if shutil.which("strip") and run("strip", "-o", stripped, program).returncode == 0:
        print(f"{program.name}, stripped: {stripped.stat().st_size / 1e6:.2f} MB")


def main():
    strata, opl_run, models = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        model = folder / "digits.opl"
        run(strata, "optimize", models / "digits" / "model.onnx", "--set", "N=1", "-o", model, check=True)
        check_small_runtime(opl_run, model, sys.argv[4])
        check_command(strata, model, folder)
        print_size(opl_run, folder)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
