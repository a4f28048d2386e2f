"""Measures ONNX Runtime on one model as `strata bench --json` measures Strata, and prints the same keys.

Usage: peer_onnxruntime.py MODEL INPUTS.npz THREADS SECONDS [OUTPUTS.npz]

Inputs and outputs of fixed shape are bound to memory once, which leaves about half a microsecond of Python in a run.
Peak memory is given twice: of the process, and less what Python and numpy had taken before.
"""

import json
import statistics
import sys
import time

import numpy as np

WARMUPS = 3


def process_bytes(label):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith(label))


def make_session(runtime, path, threads):
    options = runtime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    return runtime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def bound(runtime, session, inputs):
    """The binding of all inputs and outputs, and the arrays it reads, which must live as long."""
    binding = session.io_binding()
    for name, value in inputs.items():
        binding.bind_cpu_input(name, value)
    for output in session.get_outputs():
        fixed = output.type.startswith("tensor") and all(isinstance(size, int) for size in output.shape)
        if fixed and output.type == "tensor(float)":
            memory = runtime.OrtValue.ortvalue_from_numpy(np.zeros(output.shape, np.float32))
            binding.bind_ortvalue_output(output.name, memory)
        else:
            binding.bind_output(output.name)
    return binding


def run_times(run, seconds):
    for _ in range(WARMUPS):
        run()
    times, end = [], time.perf_counter() + seconds
    while not times or time.perf_counter() < end:
        before = time.perf_counter_ns()
        run()
        times.append((time.perf_counter_ns() - before) / 1e9)
    return times


def main():
    path, inputs_path, threads, seconds = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
    with np.load(inputs_path) as stored:
        inputs = {name: np.ascontiguousarray(stored[name]) for name in stored.files}
    at_start = process_bytes("VmRSS:")
    import onnxruntime

    before = time.perf_counter()
    session = make_session(onnxruntime, path, threads)
    first = time.perf_counter() - before
    binding = bound(onnxruntime, session, inputs)
    times = run_times(lambda: session.run_with_iobinding(binding), seconds)
    peak = process_bytes("VmHWM:")
    creations = []
    for _ in range(3):
        before = time.perf_counter()
        make_session(onnxruntime, path, threads)
        creations.append(time.perf_counter() - before)
    if len(sys.argv) > 5:
        names = [output.name for output in session.get_outputs()]
        np.savez(sys.argv[5], **dict(zip(names, session.run(names, inputs))))
    print(
        json.dumps(
            {
                "threads": threads,
                "runs": len(times),
                "minimum": min(times),
                "median": statistics.median(times),
                "mean": statistics.fmean(times),
                "creation": min(creations),
                "first_creation": first,
                "peak_bytes": peak,
                "own_peak_bytes": peak - at_start,
            }
        )
    )


if __name__ == "__main__":
    main()
