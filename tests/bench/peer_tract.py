"""Measures tract on one model; see peer.py. It works on one thread, whatever number is asked for."""

import pathlib

import peer

TYPES = {
    "float32": "f32",
    "float16": "f16",
    "float64": "f64",
    "uint8": "u8",
    "int8": "i8",
    "int32": "i32",
    "int64": "i64",
    "bool": "bool",
}


class Tract:
    def __init__(self):
        import importlib.metadata

        import tract

        self.tract = tract
        self.version = importlib.metadata.version("tract")
        self.library_bytes = max(each.stat().st_size for each in pathlib.Path(tract.__file__).parent.glob("*.so"))

    def session(self, path, inputs, _):
        """A state of the model, for inputs of these shapes; with the order of its inputs."""
        model = self.tract.onnx().load(path)
        order = [model.input_name(i) for i in range(model.input_count())]
        for i, name in enumerate(order):
            sizes = [str(size) for size in inputs[name].shape]
            model.set_input_fact(i, ",".join([*sizes, TYPES[str(inputs[name].dtype)]]))
        outputs = [model.output_name(i) for i in range(model.output_count())]
        return order, outputs, model.into_model().into_runnable().spawn_state()

    def runner(self, session, inputs):
        order, _, state = session
        tensors = [self.tract.Tensor.from_numpy(inputs[name]) for name in order]
        return lambda: state.run(tensors)

    def outputs(self, session, inputs):
        _, names, _ = session
        return dict(zip(names, (each.to_numpy() for each in self.runner(session, inputs)())))


if __name__ == "__main__":
    peer.main(Tract)
