"""Nets of torchvision with random weights, as PyTorch exports them, and some of them quantised."""

import dataclasses
import functools
import pathlib
import subprocess
import sys

from fetched import image_model
from quantised import quantise

PYTHON = "/usr/bin/python3"  # that of Debian's packages python3-torch and python3-torchvision
NETS = ["convnext_tiny", "densenet121", "efficientnet_b0", "efficientnet_v2_s", "googlenet", "inception_v3", "maxvit_t"]
NETS += ["mnasnet1_0", "mobilenet_v2", "mobilenet_v3_large", "regnet_x_400mf", "regnet_y_400mf", "resnext50_32x4d"]
NETS += ["shufflenet_v2_x1_0", "squeezenet1_1", "swin_t", "deeplabv3_mobilenet_v3_large", "lraspp_mobilenet_v3_large"]
NETS += ["ssdlite320_mobilenet_v3_large", "resnet18", "resnet50"]
QUANTISED = ["densenet121", "efficientnet_b0", "googlenet", "mnasnet1_0", "mobilenet_v2", "mobilenet_v3_large"]
QUANTISED += ["regnet_y_400mf", "resnet18", "resnet50", "shufflenet_v2_x1_0", "squeezenet1_1"]


def quantised_case(path):
    """A byte on the way that is rounded to the next one may change the answer by one of its own steps."""
    to = path.with_name(f"{path.stem}_bytes.onnx")
    if not to.exists():
        quantise(path, to)
    return dataclasses.replace(image_model(to), slack=200)


def exported(cache):
    """A function for each net that makes its Case. Exports what the cache lacks; without PyTorch there are no others."""
    folder = cache / "torch"
    folder.mkdir(parents=True, exist_ok=True)
    paths = {name: folder / f"{name}.onnx" for name in NETS}
    if missing := [name for name in NETS if not paths[name].exists()]:
        script = pathlib.Path(__file__).with_name("export_torch.py")
        if subprocess.run([PYTHON, script, folder, *missing], stdout=subprocess.DEVNULL).returncode != 0:
            print(f"skipped: nets of torchvision, which {PYTHON} could not export", file=sys.stderr)
    nets = {f"torch_{name}": functools.partial(image_model, path) for name, path in paths.items() if path.exists()}
    for name in QUANTISED:
        if paths[name].exists():
            nets[f"torch_{name}_bytes"] = functools.partial(quantised_case, paths[name])
    return nets
