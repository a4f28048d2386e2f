"""A benchmark model with its inputs."""

import dataclasses

import numpy as np
import onnx


@dataclasses.dataclass
class Case:
    model: onnx.ModelProto
    inputs: dict
    iterations: int


def normal(seed, *shape, scale=1.0):
    return (np.random.default_rng(seed).standard_normal(shape) * scale).astype(np.float32)
