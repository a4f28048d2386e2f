"""A benchmark model with its inputs."""

import dataclasses
import pathlib

import numpy as np
import onnx


@dataclasses.dataclass
class Case:
    model: onnx.ModelProto | pathlib.Path
    inputs: dict
    iterations: int = 1
    weights: int | None = None  # bytes of the constants that a run reads, when that is not all of them
    slack: float = 1.0  # of the comparison of outputs: layers quantised one after another make much of rounding
    products: str = "f32"  # what the machine's peak is that its products are held against: f32 or int8

    def write(self, folder, name):
        """Writes FOLDER/NAME.npz, and FOLDER/NAME.onnx unless the model is a file. Returns both paths."""
        inputs = folder / f"{name}.npz"
        np.savez(inputs, **self.inputs)
        if isinstance(self.model, pathlib.Path):
            return self.model, inputs
        model = folder / f"{name}.onnx"
        onnx.save(self.model, model)
        return model, inputs


# From the least to below the greatest weight of 8 bits: products of two with bytes fit 16 bits, in which ONNX Runtime
# sums them where the CPU has no instruction for dot products of bytes.
BYTE_WEIGHTS = -63, 64


def normal(seed, *shape, scale=1.0):
    return (np.random.default_rng(seed).standard_normal(shape) * scale).astype(np.float32)


class Weights:
    """Adds constants of normal noise to a graph: `weights(4, 3, scale=0.5)` returns the name of one."""

    def __init__(self, graph, seed):
        self.graph, self.random = graph, np.random.default_rng(seed)

    def __call__(self, *shape, scale=1.0, shift=0.0):
        return self.graph.constant(self.random.standard_normal(shape, np.float32) * scale + shift)

    def scaled(self, *shape):
        """For outputs by inputs, such that a rectified layer keeps the variance of what it is given."""
        return self(*shape, scale=(2 / np.prod(shape[1:])) ** 0.5)
