#!/usr/bin/env bash
# Installs what Strata needs, builds a release of the `strata` command and runs it on the bundled models.
# For Debian 12; safe to run again.
set -euo pipefail
cd "$(dirname "$0")/.."
source cmake/packages.sh

show() {
  printf '\n$ %s\n' "$*"
  "$@"
}

install_packages "${build_packages[@]}"
show cmake --preset release -DSTRATA_TESTS=OFF
show cmake --build --preset release --target strata

strata=build/release/cli/strata
loop=tests/models/loop_lstm
digits=tests/models/digits

printf '\n== An LSTM cell in an ONNX Loop of 16 steps: look at it, simplify it, run it, write it as OPL\n'
show $strata dump $loop/model.onnx --stage typed
show $strata optimize $loop/model.onnx -o build/loop_lstm.opl --explain
show $strata run $loop/model.onnx --input x=$loop/x.npy --output build/loop_onnx.npz

printf '\n== The OPL file, loaded back, gives the answers of the ONNX file\n'
show $strata run build/loop_lstm.opl --input x=$loop/x.npy --expect build/loop_onnx.npz

printf '\n== A trained net reads four drawn digits: 3 1 4 2\n'
show $strata run $digits/model.onnx --input image=$digits/digit.npy --output build/digits.npz \
  --expect $digits/test_data_set_0

printf '\nAll answers agree.\n'
