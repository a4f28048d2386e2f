"""Nets quantised by ONNX Runtime's tool, as users do: bytes, with a scale for each channel of the weights."""

import logging

from fetched import image_model
from onnxruntime.quantization import CalibrationDataReader, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process


class OneImage(CalibrationDataReader):
    """What tells the tool the ranges of a net's values."""

    def __init__(self, path):
        self.images = iter([image_model(path).inputs])

    def get_next(self):
        return next(self.images, None)


def quantise(path, to):
    """Writes the net at `path` with bytes for floats: activations u8, weights i8."""
    logging.disable()
    folded, part = to.with_suffix(".folded"), to.with_suffix(".part")
    quant_pre_process(path, folded, skip_symbolic_shape=True)
    quantize_static(
        folded, part, OneImage(path), activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8, per_channel=True
    )
    folded.unlink()
    part.rename(to)
