"""What a latency should be at most, as a part of ONNX Runtime's on as many threads."""

SLOW_OPS = """
resize_linear resize_cubic convinteger_3x3 nonzero lrn5 convtranspose_4x4s2 convtranspose_2x2s2 softplus
softmax_channels topk10_last prelu_channels pow1p7 cumsum_last reducemean_channels argmax_channels sin elu log
depthtospace2
""".split()

GOALS = {
    "mlp_b1": 1.0,
    "mlp_b64": 1.0,
    "encoder_block": 1.0,
    "minilm6_s128": 1.0,
    "minilm6_s16": 0.90,
    "gpt_step": 0.85,
    "conv_net_f16": 1.05,
    "encoder_block_f16": 1.05,
    "mobilenetv2": 0.95,
    "resnet18": 0.85,
    "resnet18_open": 0.85,
    **{f"mm_{shape}": 1.0 for shape in ("1024", "256", "bert_ff1", "gemv1k", "rn_c2", "rn_c5")},
    **{f"op_{name}": 0.25 for name in SLOW_OPS},
    **{f"silero_{name}": 0.45 for name in ("v5", "v6", "16k_op15", "legacy")},
    "ppocr_det": 0.70,
    "ppocr_rec": 0.80,
    "ppocr_cls": 0.55,
    **{f"light_{name}": 0.65 for name in ("inception_v1", "bvlc_alexnet", "zfnet512")},
    "light_vgg19": 0.85,
    **{f"light_{name}": 1.0 for name in ("resnet50", "densenet121", "inception_v2", "squeezenet")},
}

# The same of other measures, by model: making a session anew and for the first time, a process from its start to
# its end with one run, and peak memory.
OTHER_GOALS = {
    "creation": {"chain_n1": 0.10, "chain_n64": 0.10, "chain_n1024": 0.10, "mlp_b1": 0.10}
    | {f"silero_{name}": 0.10 for name in ("v5", "v6", "16k_op15", "legacy")},
    "first_creation": {"resnet18": 0.15, "minilm6_s128": 0.15, "minilm6_s16": 0.15},
    "cold": {"mlp_b1": 0.20, "silero_v5": 0.20},
    "peak_bytes": {"resnet18": 0.50},
}
SMALL_BYTES, SMALL_SECONDS = 6e6, 0.005  # of a process that runs one node by the small runtime
LIBRARY_GOAL = 0.08
MOST_RATIO = 1.05  # a row above it is listed
MOST_BY_THREADS = 1.02  # so much may a run take on more threads, as a part of that on one
