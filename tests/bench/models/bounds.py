"""The least time in which a machine can run a model: its products at peak speed, or its weights, inputs and outputs
read or written at the speed of the memory they fit into, whichever takes longer."""

import dataclasses
import json

import numpy as np
from comparison import measure, output_of

TRIES = 3


@dataclasses.dataclass
class Work:
    flops: float
    bytes: float
    products: str


def array_bytes(path):
    with np.load(path) as arrays:
        return sum(arrays[name].nbytes for name in arrays.files)


def counted(comparison):
    """What one run of a model has to do. Strata counts; what enters and leaves is in files when it has run."""
    fixed = []
    for name, value in comparison.case.inputs.items():
        if value.ndim:
            fixed += ["--shape", f"{name}={','.join(map(str, value.shape))}"]
        else:
            fixed += ["--const", f"{name}={value}"]  # it may choose branches, which leaves only their weights
    command = [comparison.options.strata, "dump", comparison.model, "--json", *fixed]
    summary = json.loads(output_of(command))["summary"]
    weights = comparison.case.weights
    through = array_bytes(comparison.inputs) + array_bytes(comparison.outputs)
    read = summary["constant_bytes"] if weights is None else weights
    return Work(summary["flops"] or 0.0, read + through, comparison.case.products)


class Machine:
    """What the machine can do at most, measured by the program given, for each number of threads."""

    def __init__(self, program, threads):
        self.peaks = {count: best_of([measure([program, count], count) for _ in range(TRIES)]) for count in threads}

    def bound(self, work, threads):
        """In seconds; nothing when the peak is not known."""
        peak = self.peaks[threads]
        if work.products not in peak:
            return None
        fitting = [speed for size, speed in peak["bandwidth"] if size >= work.bytes]
        bandwidth = fitting[0] if fitting else peak["bandwidth"][-1][1]
        return max(work.flops / peak[work.products], work.bytes / bandwidth)

    def described(self, threads):
        peak = self.peaks[threads]
        units = {"f32": "GFLOP/s", "int8": "GOP/s of int8"}
        speeds = [f"{peak[kind] / 1e9:.0f} {unit}" for kind, unit in units.items() if kind in peak]
        return f"{threads}T: {', '.join(speeds)}, {peak['bandwidth'][-1][1] / 1e9:.0f} GB/s from memory"


def best_of(tries):
    """The highest of each speed: whatever disturbs lowers it. Nor does more than fits read faster than less."""
    best = {kind: max(each[kind] for each in tries) for kind in ("f32", "int8") if kind in tries[0]}
    blocks = list(zip(*(each["bandwidth"] for each in tries)))
    speeds = [max(speed for _, speed in block) for block in blocks]
    best["bandwidth"] = [(block[0][0], max(speeds[k:])) for k, block in enumerate(blocks)]
    return best
