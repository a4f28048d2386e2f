"""Models of control flow, each small and about one thing, for benchmarks.

Writes FOLDER/NAME.onnx and the inputs FOLDER/NAME.npz. Weights and inputs come from a generator seeded with a fixed
number, so they are the same each time. Models that say the same in different ways (loop_lstm, scan_lstm and op_lstm;
kv_concat_loop and kv_seq_loop) share their weights and inputs, and must give the same outputs.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import decoding  # noqa: E402
import making  # noqa: E402
import open_sizes  # noqa: E402
import recurrent  # noqa: E402
import tiny  # noqa: E402

MODELS = {
    **{
        f"loop_t{trips}_b{length}": (lambda trips=trips, length=length: tiny.tiny_loop(trips, length))
        for trips, length in [(16, 4), (256, 1), (256, 4), (256, 16), (256, 64), (4096, 1), (4096, 4), (4096, 16)]
    },
    "loop_scanout": tiny.loop_scanout,
    "seq_loop": tiny.seq_loop,
    "if_plain": tiny.if_plain,
    "if_in_loop": tiny.if_in_loop,
    "loop_lstm": recurrent.loop_lstm,
    "scan_lstm": recurrent.scan_lstm,
    "op_lstm": recurrent.op_lstm,
    "op_gru": recurrent.op_gru,
    "stacked_scan": recurrent.stacked_scan,
    "stacked_lstm": recurrent.stacked_lstm,
    "greedy_h64": lambda: decoding.greedy(64, 512),
    "greedy_h256": lambda: decoding.greedy(256, 4096),
    "kv_concat_loop": decoding.kv_concat_loop,
    "kv_seq_loop": decoding.kv_seq_loop,
    "select_loop": open_sizes.select_loop,
    "shrink_loop": open_sizes.shrink_loop,
    "suppress_loop": open_sizes.suppress_loop,
    "segments_loop": open_sizes.segments_loop,
    "crops_loop": open_sizes.crops_loop,
    "counts": open_sizes.counts,
}


if __name__ == "__main__":
    making.main(MODELS, __doc__)
