#pragma once

/// The texts of `--help`.
namespace strata::cli {

inline constexpr char kDescription[] =
    "Strata loads ONNX and OPL models, shows them at each stage, simplifies and runs them.";

inline constexpr char kFooter[] = R"(
Examples:
  strata dump model.onnx                                  look at it, simplified
  strata optimize model.onnx -o model.opl --explain       simplify it and say how
  strata run model.opl --input x=x.npy --output y.npz     run it
  strata bench model.onnx                                 measure it
  strata COMMAND --help                                   more on a command

Exit codes: 0 ok, 1 outputs differ, 2 usage, 3 file, 4 model invalid or unsupported, 5 run failed or limit reached,
124 timeout, 70 a bug in Strata itself.
)";

inline constexpr char kDumpFooter[] = R"(
Stages: load (as it stands in the file), analyse (with inferred facts), typed (in core ops), declutter (simplified),
optimise (lowered to kernels for this machine). An OPL model is typed from the start.

Each line is: name  Op attributes (inputs) -> facts. A fact is a type and a shape, f32[N,3]; a size may be a symbol, and
[..] is a shape whose rank is known only at run time. Constants are shown where they are used. --set takes symbols by the
names shown here, in which characters that an identifier cannot have are replaced.

Examples:
  strata dump model.onnx --stage load
  strata dump model.onnx --stage typed --json | jq .summary
)";

inline constexpr char kOptimizeFooter[] = R"(
The end of OUT says what is written: .opl, .tgz and .tar.gz a compressed tar, .tar a tar, .nnef or a slash a folder.
The model is portable: kernels are chosen when it is run.

Examples:
  strata optimize model.onnx -o model.opl --explain
  strata optimize model.onnx -o folder/ --set batch=1
)";

inline constexpr char kRunFooter[] = R"(
Inputs: .npy and .npz as numpy writes them, or the .pb files of ONNX's test data. Item 2 of a sequence input s is the
array s.2 of an .npz; an empty optional is absent, and so are the items of an empty sequence. An .npy may come through
a pipe. In NAME=FILE the name is the longest name of an input that fits, so both may contain "=". Random values fill the
inputs that are not given: floats uniform in [-1, 1), integers from 0 to 9 (or to the largest of a smaller type), fair
bools and short words.

A profile measures some further runs, after the one that gives the outputs, by kernel. Times and calls are per run,
FLOP/s and B/s follow from the shapes. --profile=FILE.json also writes one run as a trace for Perfetto or
chrome://tracing.

Examples:
  strata run model.onnx --input image=digit.npy
  strata run model.onnx --inputs test_data_set_0 --expect test_data_set_0
  strata run model.opl --random 1 --set N=4 --output answers.npz
  strata run model.onnx --random 1 --profile
  strata run model.onnx --random 1 --timeout 2 --max-memory 512M
)";

inline constexpr char kBenchFooter[] = R"(
After three untimed runs, the model runs for --seconds, at least once and at most 200,000 times. The time to make a
session covers loading, decluttering, optimising and planning the model. For steady figures, pin the process to a core
with taskset. Inputs are given as in `strata run`; the others are random.

Examples:
  strata bench model.onnx --set N=4
  strata bench model.onnx --threads 2 --seconds 3 --json | jq .median
  taskset --cpu-list 1 strata bench model.opl --inputs inputs.npz
)";

inline constexpr char kOpsFooter[] = R"(
Examples:
  strata ops | grep Conv
  strata ops --json | jq -r '.ops[].op'
)";

}  // namespace strata::cli
