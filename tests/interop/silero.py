"""Silero VAD, a voice detector of nested Ifs and recurrent layers, against ONNX Runtime on a stream of made-up audio.

Usage: silero.py STRATA CACHE [NAME...]   (STRATA: the `strata` executable; CACHE: a folder that keeps the models)

The models come from the PyPI package silero-vad and the npm package @ricky0123/vad-web, by way of pip and npm. Each
hears 100 chunks of 512 samples at 16 kHz, and both sides carry their own state from chunk to chunk. Outputs must agree
to 1e-5, states to 1e-5 of their largest value, for a cell sums up what it hears and grows beyond one. Then the sampling
rate and the sizes are fixed: no If may be left in the decluttered model, which as OPL must still agree. The exit code is
77 when a Python package is missing or no model can be fetched, else the number of models that failed.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import onnxruntime
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

from packages import cached_models, distinct

PACKAGES = ("silero-vad==6.2.3", "silero-vad==5.1.2", "@ricky0123/vad-web@0.0.31")
RATE, CHUNK, CHUNKS, CHUNKS_FIXED = 16000, 512, 100, 10
TOLERANCE = 1e-5


# ------------------------------------------------------------------ the audio


def audio():
    """Chunks of tones that come and go in noise."""
    random = np.random.default_rng(7)
    time = np.arange(CHUNKS * CHUNK) / RATE
    tones = sum(np.sin(2 * np.pi * pitch * time + pitch) / (k + 1) for k, pitch in enumerate((140, 280, 560, 1750)))
    loudness = np.clip(np.sin(2 * np.pi * 0.7 * time), 0, 1)
    return (0.3 * tones * loudness + 0.01 * random.standard_normal(time.size)).astype(np.float32).reshape(CHUNKS, CHUNK)


# ------------------------------------------------------------------ both sides


class Signature:
    """What the inputs and outputs of a model are for."""

    def __init__(self, session):
        inputs = {each.name: each.shape for each in session.get_inputs()}
        self.has_rate = "sr" in inputs
        self.outputs = [each.name for each in session.get_outputs()]
        self.states = {
            name: tuple(size if isinstance(size, int) else 1 for size in shape)
            for name, shape in inputs.items()
            if name not in ("input", "sr")
        }
        # Models of state width 128 also want the 64 samples before the chunk.
        self.context = 64 if all(shape[-1] == 128 for shape in self.states.values()) else 0

    def step_inputs(self, chunks, number, states):
        before = chunks[number - 1] if number else np.zeros(CHUNK, np.float32)
        samples = np.concatenate([before[CHUNK - self.context :], chunks[number]])[None]
        return {"input": samples, **states} | ({"sr": np.array(RATE)} if self.has_rate else {})

    def stream(self, run, chunks):
        """The outputs after each chunk; `run` takes inputs and returns all outputs."""
        states = {name: np.zeros(shape, np.float32) for name, shape in self.states.items()}
        for number in range(len(chunks)):
            outputs = run(self.step_inputs(chunks, number, states))
            states = dict(zip(states, outputs[1:]))
            yield outputs

    def fixed(self):
        """The options that leave nothing open."""
        options = ["--shape", f"input=1,{CHUNK + self.context}"]
        for name, shape in self.states.items():
            options += ["--shape", f"{name}={','.join(map(str, shape))}"]
        return options + (["--const", f"sr={RATE}"] if self.has_rate else [])


def strata(binary, *words):
    done = subprocess.run([str(binary), *map(str, words)], capture_output=True, text=True, timeout=120)
    if done.returncode:
        raise RuntimeError(f"strata {words[0]}: {done.stderr.strip()[:600]}")
    return done.stdout


def strata_runner(binary, model, signature, folder, drops_rate=False):
    given, result = folder / "in.npz", folder / "out.npz"

    def run(inputs):
        np.savez(given, **{name: value for name, value in inputs.items() if not (drops_rate and name == "sr")})
        strata(binary, "run", model, "--inputs", given, "--output", result)
        with np.load(result) as outputs:
            return [outputs[name] for name in signature.outputs]

    return run


def compare(label, ours, theirs):
    """Walks two streams. Returns the largest difference, taken relatively where values grow beyond one."""
    worst = 0.0
    for number, (actual, expected) in enumerate(zip(ours, theirs)):
        for k, (a, b) in enumerate(zip(actual, expected)):
            if a.shape != b.shape:
                raise RuntimeError(f"{label}: output {k} of chunk {number} has shape {a.shape}, expected {b.shape}")
            worst = max(worst, float(np.abs(a - b).max() / max(1, np.abs(b).max())))
            if not worst <= TOLERANCE:
                raise RuntimeError(f"{label}: output {k} of chunk {number} is off by {worst:.3g}")
    return worst


def check(binary, path, folder):
    onnxruntime.set_default_logger_severity(3)
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    signature, chunks = Signature(session), audio()

    def expected(count):
        return signature.stream(lambda inputs: session.run(None, inputs), chunks[:count])

    run = strata_runner(binary, path, signature, folder)
    worst = compare("as it is", signature.stream(run, chunks), expected(CHUNKS))

    before = json.loads(strata(binary, "dump", path, "--stage", "typed", "--json"))["summary"]
    after = json.loads(strata(binary, "dump", path, *signature.fixed(), "--json"))["summary"]
    if left := after["ops"].get("If", 0):
        raise RuntimeError(f"{left} Ifs are left although all is fixed")
    opl = folder / "fixed.opl"
    strata(binary, "optimize", path, "-o", opl, *signature.fixed())
    run = strata_runner(binary, opl, signature, folder, drops_rate=True)
    worst_fixed = compare("fixed", signature.stream(run, chunks[:CHUNKS_FIXED]), expected(CHUNKS_FIXED))
    ifs = before["ops"].get("If", 0)
    nodes = f"{before['nodes']} → {after['nodes']} nodes"
    return f"off by {worst:.1e}; fixed: {ifs} Ifs gone, {nodes}, off by {worst_fixed:.1e}"


def main():
    if len(sys.argv) < 3:
        print(__doc__)
        return 2
    binary, cache, wanted = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3:]
    models = distinct(cached_models(cache, PACKAGES))
    if not models:
        print("skipped: no model can be fetched")
        return 77
    if unknown := set(wanted) - {path.stem for path in models}:
        print(f"there is no model {', '.join(sorted(unknown))}")
        return 2
    failures = 0
    for path in models:
        if wanted and path.stem not in wanted:
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                print(f"{path.stem}: ok, {check(binary, path, pathlib.Path(folder))}", flush=True)
            except RuntimeError as error:
                failures += 1
                print(f"{path.stem}: FAILED: {error}", flush=True)
    return min(failures, 70)


if __name__ == "__main__":
    sys.exit(main())
