"""Exports nets of torchvision, with random weights, to ONNX. Runs in a Python that has torch and torchvision.

Usage: export_torch.py FOLDER NAME...
"""

import pathlib
import sys
import warnings

import torch
import torchvision

IMAGE = torch.rand(1, 3, 224, 224, generator=torch.Generator().manual_seed(7))
OPSET = 16


def made(name):
    """The net of this name, and what it is traced with."""
    torch.manual_seed(7)
    if name.startswith("ssdlite"):
        return torchvision.models.detection.__dict__[name](weights=None, weights_backbone=None), [IMAGE[0]]
    if name.startswith(("deeplab", "lraspp")):
        return torchvision.models.segmentation.__dict__[name](weights=None, weights_backbone=None), IMAGE
    more = {"init_weights": False, "aux_logits": False} if name in ("googlenet", "inception_v3") else {}
    return torchvision.models.__dict__[name](weights=None, **more), IMAGE


def spread(net):
    """Gives norms statistics as if they had been trained: other ones in each channel."""
    for module in net.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            module.running_mean.normal_(0, 0.1)
            module.running_var.uniform_(0.5, 1.5)


def export(name, path):
    net, image = made(name)
    net.eval()
    spread(net)
    part = path.with_suffix(".part")
    with torch.no_grad():
        torch.onnx.export(net, (image,), str(part), opset_version=OPSET)
    part.rename(path)


def main():
    folder = pathlib.Path(sys.argv[1])
    warnings.simplefilter("ignore")
    for name in sys.argv[2:]:
        export(name, folder / f"{name}.onnx")


if __name__ == "__main__":
    main()
