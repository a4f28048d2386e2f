"""Checks an installation as a program that embeds Strata finds it.

Usage: install.py PROJECT BUILD FOLDER COMPILER [FLAG...]

Installs BUILD into FOLDER, moves what was installed, and then, with nothing but that: builds each program of the README's
chapter "From C++" by CMake and by pkg-config, runs it on a bundled model, and runs the installed command, which finds its
modules. What the installation does not have is refused by name. Preset `runtime` is configured where there is no protobuf.
FLAGs are what the libraries were compiled with and programs need too (sanitizers).
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

COMPONENTS = ("onnx", "opl", "images", "text")

failures = []


def check(holds, what, said=""):
    print("ok", what) if holds else print("FAILED", what, said)
    if not holds:
        failures.append(what)


def run(*command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)


def done(*command, **options):
    """What the command prints; its failure ends the test."""
    result = run(*command, **options)
    if result.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{result.stdout}{result.stderr}")
    return result.stdout


def install(build, folder):
    shutil.rmtree(folder, ignore_errors=True)
    done("cmake", "--install", build, "--prefix", folder / "first")
    (folder / "first").rename(folder / "moved")
    return folder / "moved"


def check_moved(prefix, *places):
    named = [path for path in prefix.rglob("*") if path.suffix in (".cmake", ".pc")
             for place in places if str(place) in path.read_text()]
    check(not named, "no file of the packages names where it was built or installed", named)


def check_documents(prefix):
    """What the installed README links to is installed as well."""
    readme = next(prefix.rglob("README.md"))
    linked = re.findall(r"\]\(([^)#:]+)", readme.read_text())
    missing = [link for link in linked if not (readme.parent / link).exists()]
    check(linked and not missing, "what the README links to is there", missing)


# ------------------------------------------------------------------ the README's programs


def programs(readme):
    """Name, components and source of each C++ text, whose includes go before its statements. A text that loads no model, but
    provides what ops of models need, follows the one that loads OPL."""
    names = set()
    texts = re.findall(r"```cpp\n(.*?)```", readme, re.DOTALL)
    loads_opl = next(text for text in texts if "opl::load" in text)
    for text in texts:
        lines = (loads_opl + text if "strata::provide_" in text else text).splitlines()
        includes = [line for line in lines if line.startswith("#include")]
        components = [name for name in COMPONENTS if any(f'"strata/{name}/' in line for line in includes)]
        statements = [line for line in lines if not line.startswith("#include")]
        name = "_".join(components)
        while name in names:
            name += "_too"
        names.add(name)
        yield name, components, "\n".join([*includes, "int main() {", *statements, "}\n"])


def for_components(lists, components):
    """The README's CMake text, for other components."""
    lists = re.sub(r"COMPONENTS [\w ]+", f"COMPONENTS {' '.join(components)}", lists)
    return re.sub(r"strata::\w+", " ".join(f"strata::{name}" for name in components), lists)


def configure(folder, lists, prefix, *options):
    """Configures a project of this CMake text in `folder`."""
    (folder / "CMakeLists.txt").write_text(f"cmake_minimum_required(VERSION 3.25)\nproject(app LANGUAGES CXX)\n{lists}")
    return run("cmake", "-S", folder, "-B", folder / "build", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}", *options)


def check_program(program, folder, what):
    result = run(program, cwd=folder)
    check(result.returncode == 0, f"{what} runs", result.stderr)
    if "onnx" not in what:
        check("protobuf" not in done("ldd", program), f"{what} loads no protobuf")


def check_cmake(name, components, lists, prefix, folder, compiler, flags):
    configured = configure(folder, for_components(lists, components), prefix, f"-DCMAKE_CXX_COMPILER={compiler}",
                           f"-DCMAKE_CXX_FLAGS={' '.join(flags)}")
    check(configured.returncode == 0, f"{name} is configured by CMake", configured.stderr)
    done("cmake", "--build", folder / "build")
    check_program(folder / "build" / "app", folder, f"{name} by CMake")


def check_pkgconfig(name, prefix, folder, compiler, flags):
    found = next(prefix.rglob(f"strata-{name}.pc")).parent
    options = done("pkg-config", "--cflags", "--libs", f"strata-{name}",
                   env={**os.environ, "PKG_CONFIG_PATH": str(found)}).split()
    done(compiler, "-std=c++20", *flags, folder / "app.cpp", *options, "-o", folder / "by_pkgconfig")
    check_program(folder / "by_pkgconfig", folder, f"{name} by pkg-config")


def check_refused(lists, prefix, folder):
    """What is asked for in the README's CMake text, what is asked for instead, and what CMake says then."""
    cases = (("0.1", "0.2", "version: 0.1.0"), ("COMPONENTS onnx", "COMPONENTS gpu", "has no component gpu"))
    for number, (asked, instead, said) in enumerate(cases):
        place = folder / f"refused_{number}"
        place.mkdir()
        result = configure(place, lists.replace(asked, instead), prefix)
        check(result.returncode and said in " ".join(result.stderr.split()), f"{instead} is refused: {said}")


def check_runtime(project, folder):
    hidden = [f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=ON" for name in ("Protobuf", "ONNX")]
    result = run("cmake", "--no-warn-unused-cli", "--preset", "runtime", "-B", folder / "runtime", *hidden, cwd=project)
    check(result.returncode == 0, "preset runtime needs no protobuf", result.stderr)


# ------------------------------------------------------------------ the command


def check_command(strata, models, folder):
    written = run(strata, "run", models / "mlp" / "model.onnx", "--set", "N=1", "--random", "1", "--output", folder / "y.npz")
    check(written.returncode == 0, "the command finds its modules", written.stderr)


def main():
    project, build, folder = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
    compiler, flags = sys.argv[4], sys.argv[5:]
    prefix = install(build, folder)
    check_moved(prefix, build, folder / "first", project)
    check_documents(prefix)
    strata, models = prefix / "bin" / "strata", project / "tests" / "models"
    check_command(strata, models, folder)
    readme = (project / "README.md").read_text()
    lists = re.search(r"```cmake\n(.*?)```", readme, re.DOTALL).group(1)
    check_refused(lists, prefix, folder)
    check_runtime(project, folder)
    for name, components, source in programs(readme):
        if missing := [one for one in components if not list(prefix.rglob(f"strata-{one}.cmake"))]:
            print(f"{name}: not tried, for this build has no {missing}")
            continue
        place = folder / name
        place.mkdir()
        (place / "app.cpp").write_text(source)
        shutil.copy2(models / "mlp" / "model.onnx", place)
        done(strata, "optimize", place / "model.onnx", "-o", place / "model.opl")
        check_cmake(name, components, lists, prefix, place, compiler, flags)
        if name in ("onnx", "opl"):
            check_pkgconfig(name, prefix, place, compiler, flags)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
