"""Measures ONNX Runtime on one model; see peer.py.

Inputs and outputs of fixed shape are bound to memory once, which leaves about half a microsecond of Python in a run.
"""

import pathlib

import numpy as np
import peer

TYPES = {
    "tensor(float)": np.float32,
    "tensor(float16)": np.float16,
    "tensor(uint8)": np.uint8,
    "tensor(int32)": np.int32,
    "tensor(int64)": np.int64,
    "tensor(bool)": np.bool_,
}


class OnnxRuntime:
    def __init__(self):
        import onnxruntime

        self.runtime = onnxruntime
        self.version = onnxruntime.__version__
        capi = pathlib.Path(onnxruntime.__file__).parent / "capi"
        libraries = list(capi.glob("libonnxruntime.so*")) or list(capi.glob("onnxruntime*.so"))
        self.library_bytes = max(each.stat().st_size for each in libraries)

    def session(self, path, _, threads):
        options = self.runtime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        return self.runtime.InferenceSession(path, options, providers=["CPUExecutionProvider"])

    def runner(self, session, inputs):
        binding = session.io_binding()
        for name, value in inputs.items():
            binding.bind_cpu_input(name, value)
        for output in session.get_outputs():
            if output.type in TYPES and all(isinstance(size, int) for size in output.shape):
                memory = self.runtime.OrtValue.ortvalue_from_numpy(np.zeros(output.shape, TYPES[output.type]))
                binding.bind_ortvalue_output(output.name, memory)
            else:
                binding.bind_output(output.name)
        # The binding reads the arrays, which must live as long.
        return lambda bound=inputs: session.run_with_iobinding(binding)

    def outputs(self, session, inputs):
        names = [output.name for output in session.get_outputs()]
        return dict(zip(names, session.run(names, inputs)))


if __name__ == "__main__":
    peer.main(OnnxRuntime)
