"""Makes cases of the ops that ONNX Runtime adds to the standard ones (domain com.microsoft), and runs them.

usage: contrib_cases.py STRATA_CONFORMANCE FOLDER

The answers are those of ONNX Runtime on the CPU. Skipped (77) without the packages.
"""

import sys

import case_files

try:
    import numpy as np
    import onnx
    import onnxruntime
    from onnx import helper, numpy_helper
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

DOMAIN = "com.microsoft"


def type_of(array):
    return helper.np_dtype_to_tensor_dtype(array.dtype)


class Cases:
    """Writes cases in the official layout."""

    def __init__(self, folder):
        self.folder = folder / "contrib"
        self.random = np.random.default_rng(11)

    def floats(self, *shape):
        return self.random.standard_normal(shape).astype(np.float32)

    def integers(self, least, end, *shape, dtype=np.int32):
        return self.random.integers(least, end, shape).astype(dtype)

    def model(self, op, inputs, outputs=1, constants=(), domain=DOMAIN, standard=17, **attributes):
        """A model of one node, and what it is fed. None is an input that is left out; `outputs` is a number, or tells
        which there are. Inputs whose numbers are in `constants` are initializers; `standard` is the opset of the
        standard."""
        wanted = [True] * outputs if isinstance(outputs, int) else outputs
        named = {i: (f"x{i}", np.asarray(value)) for i, value in enumerate(inputs) if value is not None}
        results = [f"y{i}" if each else "" for i, each in enumerate(wanted)]
        node = helper.make_node(op, [named[i][0] if i in named else "" for i in range(len(inputs))], results,
                                domain=domain, **attributes)
        fed = [named[i] for i in named if i not in constants]
        graph = helper.make_graph(
            [node], "g", [helper.make_tensor_value_info(each, type_of(value), value.shape) for each, value in fed],
            [onnx.ValueInfoProto(name=each) for each in results if each],
            [numpy_helper.from_array(named[i][1], named[i][0]) for i in constants])
        opsets = [helper.make_opsetid("", standard), helper.make_opsetid(DOMAIN, 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=9), [value for _, value in fed]

    def answers(self, model, fed):
        session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        return session.run(None, {each.name: value for each, value in zip(model.graph.input, fed)})

    def add(self, name, op, inputs, *arguments, **more):
        """As `model`, with the answers of ONNX Runtime."""
        model, fed = self.model(op, inputs, *arguments, **more)
        self.write(name, model, fed, self.answers(model, fed))

    def write(self, name, model, inputs, expected):
        for output, value in zip(model.graph.output, expected):
            output.CopyFrom(helper.make_tensor_value_info(output.name, type_of(value), [None] * value.ndim))
        case_files.write_case(self.folder / name, model, inputs, expected)


def functions(cases):
    x, bias = cases.floats(2, 3, 5), cases.floats(5)
    cases.add("gelu", "Gelu", [x])
    cases.add("bias_gelu", "BiasGelu", [x, bias])
    cases.add("fast_gelu", "FastGelu", [x])
    cases.add("fast_gelu_bias", "FastGelu", [x, bias])
    cases.add("quick_gelu", "QuickGelu", [x])
    cases.add("quick_gelu_1", "QuickGelu", [x], alpha=1.0)


def norms(cases):
    x, gamma, beta, bias = cases.floats(2, 3, 8), cases.floats(8), cases.floats(8), cases.floats(8)
    cases.add("simplified", "SimplifiedLayerNormalization", [x, gamma], 2, domain="", axis=-1, epsilon=1e-3)
    cases.add("layer_norm", "LayerNormalization", [x, gamma, beta], 3, domain="", standard=13, epsilon=1e-3)
    cases.add("simplified_from_1", "SimplifiedLayerNormalization", [x, cases.floats(3, 8)], domain="", axis=1)
    for name, skip in (("same", cases.floats(2, 3, 8)), ("batch_of_1", cases.floats(1, 3, 8)),
                       ("matrix", cases.floats(3, 8))):
        cases.add(f"skip_{name}", "SkipLayerNormalization", [x, skip, gamma, beta, bias], [1, 0, 0, 1], epsilon=1e-5)
        cases.add(f"skip_simplified_{name}", "SkipSimplifiedLayerNormalization", [x, skip, gamma, bias], [1, 0, 0, 1],
                  epsilon=1e-5)
    cases.add("skip_statistics", "SkipLayerNormalization", [x, x * 2, gamma, beta], 4)
    cases.add("skip_plain", "SkipLayerNormalization", [x, x * 2, gamma])
    cases.add("skip_bias_without_beta", "SkipLayerNormalization", [x, x * 2, gamma, None, bias])
    cases.add("skip_rank_2", "SkipLayerNormalization", [x[0], x[1], gamma, beta])
    cases.add("skip_simplified_plain", "SkipSimplifiedLayerNormalization", [x, x * 2, gamma])
    ids, segments = cases.integers(0, 6, 2, 3), cases.integers(0, 2, 2, 3)
    words, places, kinds = cases.floats(6, 8), cases.floats(5, 8), cases.floats(2, 8)
    mask, at = np.array([[1, 1, 0], [1, 0, 0]], np.int32), cases.integers(0, 5, 2, 3)
    cases.add("embed", "EmbedLayerNormalization", [ids, None, words, places, None, gamma, beta], 2)
    cases.add("embed_all", "EmbedLayerNormalization", [ids, segments, words, places, kinds, gamma, beta, mask, at], 3)
    cases.add("embed_shared_positions", "EmbedLayerNormalization",
              [ids, segments, words, places, kinds, gamma, beta, None, at[:1]], [1, 0, 1])


def products(cases):
    a, b = cases.floats(2, 4, 3, 5), cases.floats(2, 4, 5, 6)
    back = lambda x: np.ascontiguousarray(np.moveaxis(x, -2, 0))
    for trans_a in (0, 1):
        for trans_b in (0, 1):
            x = np.ascontiguousarray(np.swapaxes(a, -1, -2)) if trans_a else a
            y = np.ascontiguousarray(np.swapaxes(b, -1, -2)) if trans_b else b
            flags = {"transA": trans_a, "transB": trans_b}
            cases.add(f"transpose_matmul_{trans_a}{trans_b}", "TransposeMatMul", [x, y], alpha=0.5, **flags)
            for batch_a in (0, 1):
                for batch_b in (0, 1):
                    cases.add(f"fused_matmul_{trans_a}{trans_b}{batch_a}{batch_b}", "FusedMatMul",
                              [back(x) if batch_a else x, back(y) if batch_b else y], transBatchA=batch_a,
                              transBatchB=batch_b, alpha=0.25, **flags)
    cases.add("fused_matmul_vector", "FusedMatMul", [cases.floats(5), b], transA=1)
    cases.add("fused_matmul_column", "FusedMatMul", [a, cases.floats(5)], transB=1)
    rows, columns, added = cases.floats(3, 5), cases.floats(5, 4), cases.floats(4)
    for name, parameters in (("Relu", {}), ("LeakyRelu", {"activation_alpha": 0.2}), ("Sigmoid", {}), ("Tanh", {}),
                             ("HardSigmoid", {"activation_alpha": 0.3, "activation_beta": 0.4}),
                             ("Elu", {"activation_alpha": 0.7}), ("Softplus", {}), ("Softsign", {}),
                             ("ThresholdedRelu", {"activation_alpha": 0.4})):
        cases.add(f"fused_gemm_{name}", "FusedGemm", [rows, columns, added], activation=name, alpha=0.5, beta=2.0,
                  **parameters)
    cases.add("fused_gemm_turned", "FusedGemm", [rows.T.copy(), columns.T.copy()], activation="Relu", transA=1,
              transB=1)
    image, kernel, bias = cases.floats(1, 4, 6, 6), cases.floats(6, 2, 3, 3), cases.floats(6)
    for name, parameters in (("Relu", []), ("LeakyRelu", [0.2]), ("Sigmoid", []), ("Tanh", []), ("Clip", [-0.5, 1.0]),
                             ("HardSigmoid", [0.3, 0.4])):
        cases.add(f"fused_conv_{name}", "FusedConv", [image, kernel, bias], activation=name, group=2,
                  **({"activation_params": parameters} if parameters else {}))
    added = cases.floats(1, 6, 6, 6)
    cases.add("fused_conv_added", "FusedConv", [image, kernel, bias, added], activation="Relu", group=2,
              pads=[1, 1, 1, 1])
    cases.add("fused_conv_added_no_bias", "FusedConv", [image, kernel, None, added], activation="Relu", group=2,
              pads=[1, 1, 1, 1])


def blocks(cases):
    for bits in (2, 4, 8):
        for inner, block in ((64, 16), (64, 32), (48, 32), (96, 32)):
            outer, count = 5, -(-inner // block)
            a = cases.floats(2, 3, inner)
            weights = cases.integers(0, 256, outer, count, block * bits // 8, dtype=np.uint8)
            scales = cases.floats(outer, count)
            zeros = cases.integers(0, 256, outer, -(-count * bits // 8), dtype=np.uint8)
            bias = cases.floats(outer)
            sizes = {"K": inner, "N": outer, "bits": bits, "block_size": block}
            name = f"nbits_{bits}_{inner}_{block}"
            cases.add(f"{name}_plain", "MatMulNBits", [a, weights, scales], constants=(1, 2), **sizes)
            cases.add(f"{name}_zeros", "MatMulNBits", [a, weights, scales.reshape(-1), zeros.reshape(-1)],
                      constants=(1, 2, 3), **sizes)
            cases.add(f"{name}_bias", "MatMulNBits", [a[0, :1], weights, scales, zeros, None, bias],
                      constants=(1, 2, 3, 5), accuracy_level=1, **sizes)
            cases.add(f"{name}_computed", "MatMulNBits", [a, weights, scales, zeros], **sizes)
            if inner % block == 0 and bits == 4:
                cases.add(f"{name}_float_zeros", "MatMulNBits", [a, weights, scales, cases.floats(outer, count)],
                          constants=(1, 2, 3), **sizes)


    rows = cases.integers(0, 7, 2, 3, dtype=np.int64)
    for bits in (4, 8):
        table = cases.integers(0, 256, 7, 48 * bits // 8, dtype=np.uint8)
        zeros = cases.integers(0, 256, 7, -(-3 * bits // 8), dtype=np.uint8)
        sizes = {"bits": bits, "block_size": 16, "quantize_axis": 1}
        cases.add(f"gather_{bits}", "GatherBlockQuantized", [table, rows, cases.floats(7, 3)], **sizes)
        cases.add(f"gather_{bits}_zeros", "GatherBlockQuantized", [table, rows[0], cases.floats(7, 3), zeros],
                  constants=(0, 2, 3), **sizes)


def rotations(cases):
    cosines, sines = cases.floats(10, 4), cases.floats(10, 4)
    at = cases.integers(0, 10, 2, 3, dtype=np.int64)
    for interleaved in (0, 1):
        more = {"interleaved": interleaved}
        cases.add(f"rotary_3d_{interleaved}", "RotaryEmbedding", [cases.floats(2, 3, 16), at, cosines, sines], **more)
        cases.add(f"rotary_3d_offset_{interleaved}", "RotaryEmbedding",
                  [cases.floats(2, 3, 16), np.array([4]), cosines, sines], **more)
        cases.add(f"rotary_4d_{interleaved}", "RotaryEmbedding", [cases.floats(2, 5, 3, 8), at, cosines, sines], **more)
        cases.add(f"rotary_4d_offset_{interleaved}", "RotaryEmbedding",
                  [cases.floats(2, 5, 3, 8), np.array([2]), cosines, sines], **more)
        cases.add(f"rotary_part_{interleaved}", "RotaryEmbedding", [cases.floats(2, 3, 24), at, cosines, sines],
                  num_heads=2, rotary_embedding_dim=8, **more)


def attentions(cases):
    batch, steps, heads, size = 2, 3, 2, 8
    width = heads * size
    for keys in (3, 5):
        q = cases.floats(batch, steps, width)
        k, v = cases.floats(batch, keys, width), cases.floats(batch, keys, width)
        bias = cases.floats(3 * width)
        mask = np.array([[1] * keys, [1] * (keys - 1) + [0]], np.int32)
        added = cases.floats(batch, heads, steps, keys)
        multi = lambda name, inputs, outputs=1, **more: cases.add(f"multi_{keys}_{name}", "MultiHeadAttention", inputs,
                                                                  outputs, num_heads=heads, **more)
        multi("plain", [q, k, v])
        multi("bias", [q, k, v, bias])
        multi("scale", [q, k, v], scale=0.3)
        multi("mask", [q, k, v, bias, mask])
        multi("mask_value", [q, k, v, bias, mask], mask_filter_value=-1.5)
        multi("lengths", [q, k, v, None, np.array([keys, 1], np.int32)])
        multi("mask_3d", [q, k, v, None, cases.integers(0, 2, batch, steps, keys)])
        multi("added", [q, k, v, None, None, added])
        multi("added_to_all", [q, k, v, None, mask, added[:1]])
        multi("added_to_heads", [q, k, v, None, None, added[:, :1]])
        multi("wide_value", [q, k, cases.floats(batch, keys, heads * 3)])
        multi("cross", [q, cases.floats(batch, heads, keys, size), cases.floats(batch, heads, keys, size)])
        multi("present", [q, k, v, bias], 3)
        past = [cases.floats(batch, heads, 4, size) for _ in range(2)]
        multi("past", [q, k, v, bias, None, None, *past], 3)
    q, k, v = cases.floats(batch, steps, width), cases.floats(batch, steps, width), cases.floats(batch, steps, width)
    past = [cases.floats(batch, heads, 4, size) for _ in range(2)]
    mask = cases.integers(0, 2, batch, 7)
    multi("causal", [q, k, v], unidirectional=1)
    multi("causal_past", [q, k, v, None, None, None, *past], 3, unidirectional=1)
    multi("causal_past_mask", [q, k, v, None, mask, None, *past], 3, unidirectional=1)
    multi("one_step", [q[:, :1], k[:, :1], v[:, :1], None, None, None, *past], 3, unidirectional=1)

    x, weights, bias = cases.floats(batch, steps, 6), cases.floats(6, 3 * width), cases.floats(3 * width)
    for name, mask in (("no_mask", None), ("ends", np.array([3, 2], np.int32)),
                       ("ends_and_starts", np.array([3, 2, 1, 0], np.int32)),
                       ("mask_2d", np.array([[1, 1, 0], [1, 1, 1]], np.int32)), ("dummy", np.ones((2, 1), np.int32)),
                       ("mask_3d", cases.integers(0, 2, batch, steps, steps))):
        for causal in (0, 1):
            cases.add(f"attention_{name}_{causal}", "Attention", [x, weights, bias, mask], 2, num_heads=heads,
                      unidirectional=causal)
    cases.add("attention_added", "Attention", [x, weights, bias, None, None, cases.floats(batch, heads, steps, steps)],
              num_heads=heads, scale=0.2)
    cases.add("attention_sizes", "Attention", [x, cases.floats(6, 2 * width + 6), cases.floats(2 * width + 6)],
              num_heads=heads, qkv_hidden_sizes=[width, width, 6])
    past = cases.floats(2, batch, heads, 4, size)
    for causal in (0, 1):
        cases.add(f"attention_past_{causal}", "Attention", [x, weights, bias, None, past], 2, num_heads=heads,
                  unidirectional=causal)
        cases.add(f"attention_past_mask_{causal}", "Attention",
                  [x, weights, bias, cases.integers(0, 2, batch, 7), past], 2, num_heads=heads, unidirectional=causal)
    cases.add("attention_past_ends", "Attention", [x, weights, bias, np.array([7, 5], np.int32), past], 2,
              num_heads=heads, unidirectional=1)


def grouped(cases):
    def add(name, steps, most, last, past=None, packed=False, heads=4, key_heads=2, size=16, turn=None,
            at=None, bias=None, outputs=3, **attributes):
        batch = len(last)
        q = cases.floats(batch, steps, (heads + 2 * key_heads if packed else heads) * size)
        k, v = (None, None) if packed else (cases.floats(batch, steps, key_heads * size) for _ in range(2))
        caches = (None, None) if past is None else (cases.floats(batch, key_heads, past, size) for _ in range(2))
        inputs = [q, k, v, *caches, np.array(last, np.int32), np.array(most, np.int32)]
        if turn:
            attributes |= {"do_rotary": 1}
            angles = np.arange(12)[:, None] / 7.0 ** np.arange(turn)
            inputs += [np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)]
        if at is not None:
            inputs.append(np.array(at))
        if bias is not None:
            inputs += [None] * (10 - len(inputs)) + [cases.floats(*bias)]
        cases.add(f"grouped_{name}", "GroupQueryAttention", inputs, outputs, num_heads=heads, kv_num_heads=key_heads,
                  **attributes)

    add("prompt", 5, 5, [4])
    add("prompt_batch", 5, 5, [4, 4])
    add("prompt_packed", 5, 5, [4, 4], packed=True)
    add("prompt_turned", 5, 5, [4, 4], turn=8)
    add("prompt_turned_packed", 5, 5, [4], turn=8, packed=True)
    add("prompt_turned_pairs", 5, 5, [4], turn=8, rotary_interleaved=1)
    add("prompt_window", 5, 5, [4], local_window_size=2)
    add("prompt_capped", 5, 5, [4], softcap=2.0)
    add("prompt_scaled", 5, 5, [4], scale=0.5)
    add("prompt_into_cache", 5, 5, [4, 4], past=9)
    add("prompt_into_empty", 5, 5, [4, 4], past=0, turn=8)
    add("one_head_each", 5, 5, [4, 4], key_heads=4)
    add("all_share_one", 5, 5, [4, 4], key_heads=1)
    add("step_grows", 1, 5, [4, 4], past=4)
    add("step_grows_ragged", 1, 5, [4, 2], past=4)
    add("step_in_cache", 1, 5, [4, 2], past=9)
    add("step_turned", 1, 5, [4, 2], past=9, turn=8)
    add("step_turned_packed", 1, 5, [4, 2], past=9, turn=8, packed=True)
    add("step_window", 1, 5, [4, 2], past=9, local_window_size=3)
    add("step_positions", 1, 5, [4, 2], past=9, turn=8, at=[[7], [3]])
    add("prompt_positions", 3, 3, [2], turn=8, at=[[4, 5, 6]])
    add("chunk_in_cache", 3, 7, [6], past=9)
    add("chunk_grows_turned", 3, 7, [6], past=4, turn=8)
    add("chunk_window_capped", 3, 7, [6], past=4, local_window_size=4, softcap=3.0)
    add("bias", 5, 5, [4, 4], bias=(1, 1, 5, 5))
    add("bias_of_heads", 3, 7, [6], past=4, bias=(1, 4, 3, 7))
    add("bias_capped", 3, 7, [6], past=4, bias=(1, 4, 3, 7), softcap=2.0)
    add("sees_all", 3, 7, [6], past=4, causal=0)


def dynamic_lstm(cases):
    """ONNX Runtime also rounds the input and the states: the answers are those of its LSTM of the same weights."""
    steps, batch, size, hidden = 4, 2, 3, 5
    for directions in (1, 2):
        for each_column in (0, 1):
            def weights(rows):
                numbers = cases.integers(0, 256, directions, rows, 4 * hidden, dtype=np.uint8)
                shape = (directions, 4 * hidden) if each_column else (directions,)
                scales, zeros = np.abs(cases.floats(*shape)) / 256, cases.integers(100, 156, *shape, dtype=np.uint8)
                spread = lambda x: x.astype(np.float32).reshape(directions, 1, -1)
                real = (numbers.astype(np.float32) - spread(zeros)) * spread(scales)
                return numbers, scales, zeros, np.ascontiguousarray(real.transpose(0, 2, 1))
            w, r = weights(size), weights(hidden)
            x, bias = cases.floats(steps, batch, size), cases.floats(directions, 8 * hidden)
            more = {"hidden_size": hidden, "direction": "bidirectional" if directions == 2 else "forward"}
            plain = cases.model("LSTM", [x, w[3], r[3], bias], 3, domain="", **more)
            inputs = [x, w[0], r[0], bias, *[None] * 4, *w[1:3], *r[1:3]]
            model, fed = cases.model("DynamicQuantizeLSTM", inputs, 3, **more)
            cases.write(f"lstm_{directions}_{each_column}", model, fed, cases.answers(*plain))


def requantized(cases, name, numbers, zero):
    """Ops from bytes to bytes. Scales are powers of two, where no rounding but the last is seen."""
    one, half, eighth = np.float32(1), np.float32(0.5), np.float32(0.125)
    a, b, row, image = numbers(2, 3, 4), numbers(2, 3, 4), numbers(4), numbers(2, 3, 4, 4)
    for op in ("Add", "Mul"):
        cases.add(f"{op}_{name}", f"QLinear{op}", [a, half, zero(3), b, eighth, zero(9), one, zero(2)])
        cases.add(f"{op}_row_{name}", f"QLinear{op}", [a, half, zero(0), row, eighth, zero(0), one, zero(0)])
    small = np.float32(1 / 256)
    cases.add(f"Sigmoid_{name}", "QLinearSigmoid", [a, np.float32(0.02), zero(3), small, zero(1)])
    cases.add(f"LeakyRelu_{name}", "QLinearLeakyRelu", [a, half, zero(30), one, zero(3)], alpha=0.25)
    for opset, axis in ((13, -1), (13, 1), (12, 1)):
        cases.add(f"Softmax_{opset}_{axis}_{name}", "QLinearSoftmax", [a, np.float32(0.02), zero(3), small, zero(0)],
                  opset=opset, axis=axis)
    cases.add(f"Concat_{name}", "QLinearConcat", [one, np.array(2).astype(zero), a, half, zero(3), numbers(2, 2, 4),
                                                  eighth, zero(4)], axis=1)
    cases.add(f"Where_{name}", "QLinearWhere", [cases.integers(0, 2, 2, 3, 4, dtype=bool), a, half, zero(3), b,
                                                eighth, zero(9), one, zero(2)])
    cases.add(f"AveragePool_{name}", "QLinearAveragePool", [image, half, zero(3), one, zero(2)], kernel_shape=[2, 2])
    cases.add(f"AveragePool_padded_{name}", "QLinearAveragePool", [image, half, zero(3), one, zero(2)],
              kernel_shape=[2, 2], pads=[1, 1, 1, 1], strides=[2, 2], count_include_pad=1)
    cases.add(f"GlobalAveragePool_{name}", "QLinearGlobalAveragePool", [image, half, zero(3), one, zero(2)])


def quantized(cases):
    byte = lambda *shape: cases.integers(0, 256, *shape, dtype=np.uint8)
    # Sums of two products of u8 and i8 must not leave 16 bits, where ONNX Runtime has no wider instruction.
    signed = lambda *shape: cases.integers(-60, 60, *shape, dtype=np.int8)
    scale = np.float32
    for name, numbers, zero in (("u8", byte, np.uint8), ("i8", signed, np.int8)):
        a, b, row = numbers(2, 3, 4), numbers(2, 3, 4), numbers(4)
        cases.add(f"dequantize_{name}", "DequantizeLinear", [a, scale(0.02), zero(5)])
        cases.add(f"dequantize_axis_{name}", "DequantizeLinear", [a, cases.floats(3), numbers(3)], axis=1)
        cases.add(f"quantize_{name}", "QuantizeLinear", [cases.floats(2, 3, 4), scale(0.02), zero(5)])
        matrix, columns = numbers(3, 8), numbers(8, 5)
        zeros, scales = numbers(5), np.abs(cases.floats(5))
        bias = cases.floats(5)
        cases.add(f"to_float_{name}", "MatMulIntegerToFloat", [matrix, columns, scale(0.02), scale(0.03)])
        cases.add(f"to_float_zeros_{name}", "MatMulIntegerToFloat",
                  [matrix, columns, scale(0.02), scales, zero(7), zeros, bias])
        cases.add(f"dynamic_{name}", "DynamicQuantizeMatMul", [cases.floats(2, 3, 8), columns, scale(0.03)])
        cases.add(f"dynamic_zeros_{name}", "DynamicQuantizeMatMul", [cases.floats(3, 8), columns, scales, zeros, bias])
        for turned in (0, 1):
            gemm = [matrix, scale(0.02), zero(7), columns.T.copy() if turned else columns, scales, zeros,
                    cases.integers(-999, 999, 5)]
            cases.add(f"gemm_{name}_{turned}", "QGemm", gemm, transB=turned, alpha=0.5)
            cases.add(f"gemm_plain_{name}_{turned}", "QGemm",
                      [matrix.T.copy() if turned else matrix, scale(0.02), zero(7), columns, scale(0.01), zero(3)],
                      transA=turned)
        x, weights, mask = byte(2, 3, 6), numbers(6, 48), np.array([[1, 1, 0], [1, 1, 1]], np.int32)
        cases.add(f"qattention_{name}", "QAttention",
                  [x, weights, cases.floats(48), scale(0.02), scale(0.01), None, np.uint8(3), zero(4)], num_heads=2)
        cases.add(f"qattention_columns_{name}", "QAttention",
                  [x, weights, cases.floats(48), scale(0.02), np.abs(cases.floats(48)), mask, np.uint8(3)], num_heads=2,
                  unidirectional=1)
        cases.add(f"qattention_past_{name}", "QAttention",
                  [x, weights, cases.floats(48), scale(0.02), scale(0.01), None, np.uint8(3), zero(4),
                   cases.floats(2, 2, 2, 4, 8)], 2, num_heads=2, unidirectional=1)
        requantized(cases, name, numbers, zero)
    wide = cases.integers(0, 65536, 2, 3, dtype=np.uint16)
    cases.add("dequantize_u16", "DequantizeLinear", [wide, scale(0.002), np.uint16(300)])
    cases.add("quantize_u16", "QuantizeLinear", [cases.floats(2, 3), scale(0.002), np.uint16(30000)])
    cases.add("quantize_i16", "QuantizeLinear", [cases.floats(2, 3), scale(0.002), np.int16(-300)])


def shapes(cases):
    x = cases.floats(3, 4)
    cases.add("trilu", "Trilu", [x])
    cases.add("trilu_lower", "Trilu", [x, np.array(1)], upper=0)
    cases.add("expand_dims", "ExpandDims", [x, np.array(-1, np.int32)])


def make(folder):
    onnxruntime.set_default_logger_severity(4)
    cases = Cases(case_files.emptied(folder))
    for group in (functions, norms, products, blocks, rotations, attentions, grouped, quantized, dynamic_lstm,
                  shapes):
        group(cases)


def main(conformance, folder):
    make(folder)
    case_files.run(conformance, folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
