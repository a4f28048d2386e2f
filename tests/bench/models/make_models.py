"""Models without loops for benchmarks: dense nets, transformers, convolutional nets, and ops alone.

Writes FOLDER/NAME.onnx and the inputs FOLDER/NAME.npz. Weights and inputs come from a generator seeded with a fixed
number, so they are the same each time.
"""

import functools
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import convolutions  # noqa: E402
import decoders  # noqa: E402
import dense  # noqa: E402
import making  # noqa: E402
import narrow  # noqa: E402
import transformers  # noqa: E402
from single_ops import SINGLES  # noqa: E402

PRODUCTS = {"1024": (1024,) * 3, "256": (256,) * 3, "bert_ff1": (128, 768, 3072), "gemv1k": (1, 1024, 1024)}
THIN_PRODUCTS = {"rn_c2": (3136, 576, 64), "rn_c5": (49, 4608, 512)}

NETS = {
    "mlp_b1": (dense.mlp, 1),
    "mlp_b64": (dense.mlp, 64),
    "encoder_block": (transformers.encoder_block,),
    "minilm6_s128": (transformers.minilm6, 128),
    "minilm6_s16": (transformers.minilm6, 16),
    "gpt_step": (transformers.gpt_step,),
    "mobilenetv2": (convolutions.mobilenetv2,),
    "mobilenetv2_bytes": (convolutions.mobilenetv2, convolutions.QuantisedNet),
    "resnet18": (convolutions.resnet18,),
    "resnet18_open": (convolutions.resnet18, convolutions.OPEN),
    "repvgg": (convolutions.repvgg,),
    "convmixer": (convolutions.convmixer,),
    "grouped": (convolutions.grouped,),
    "channels_last": (convolutions.channels_last,),
    "conv1d_dil": (convolutions.conv1d_dilated,),
    "pyramid_of_dilations": (convolutions.pyramid_of_dilations,),
    "volumes": (convolutions.volumes,),
    "conv_net_f16": (narrow.halved, convolutions.small_residual_net),
    "encoder_block_f16": (narrow.halved, transformers.encoder_block),
    "decoder_step": (decoders.decoder, decoders.Floats, 1, 256),
    "decoder_step_f16": (narrow.halved, decoders.decoder, decoders.Floats, 1, 256),
    "decoder_step_4bit": (decoders.decoder, decoders.FourBits, 1, 256),
    "decoder_prompt_4bit": (decoders.decoder, decoders.FourBits, 64, 0),
    **{f"chain_n{length}": (dense.chain, length) for length in (1, 64, 1024)},
}
PARTS = {
    **{f"mm_{name}": (dense.matmul, *shape) for name, shape in {**PRODUCTS, **THIN_PRODUCTS}.items()},
    **{f"mmi_{name}": (dense.matmul_integer, *shape) for name, shape in PRODUCTS.items() if name != "256"},
    "conv_3x3_64_56": (convolutions.conv, 64, 64, 3, 56),
    "conv_3x3_64_224": (convolutions.conv, 64, 64, 3, 224),
    "conv_3x3_512_7": (convolutions.conv, 512, 512, 3, 7),
    "conv_1x1_256_64_56": (convolutions.conv, 256, 64, 1, 56),
    "conv_1x1_64_256_56": (convolutions.conv, 64, 256, 1, 56),
    "conv_1x1_256_1024_7": (convolutions.conv, 256, 1024, 1, 7),
    "conv_7x7_stem": (convolutions.conv, 3, 64, 7, 224, 2),
    "conv_3x3_512_14_g32": (convolutions.conv, 512, 512, 3, 14, 1, 32),
    "conv_3x3_144_14_g6": (convolutions.conv, 144, 144, 3, 14, 1, 6),
    "conv_dw3x3_144_56": (convolutions.conv, 144, 144, 3, 56, 1, 144),
    "conv_dw5x5_240_28": (convolutions.conv, 240, 240, 5, 28, 1, 240),
    "qconv_3x3_64_56": (convolutions.quantised_conv, 64, 3, 56),
    "qconv_1x1_256_28": (convolutions.quantised_conv, 256, 1, 28),
    "qconv_dw3x3_144_56": (convolutions.quantised_conv, 144, 3, 56, 144),
    "qconv_dw3x3_960_7": (convolutions.quantised_conv, 960, 3, 7, 960),
}

MODELS = {
    **{name: functools.partial(make, *sizes) for name, (make, *sizes) in {**NETS, **PARTS}.items()},
    **{f"op_{name}": single for name, single in SINGLES.items()},
}

if __name__ == "__main__":
    making.main(MODELS, __doc__)
