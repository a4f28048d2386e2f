#!/usr/bin/env bash
# Builds the command by Clang, whose warnings are errors, and takes the bundled and the official models through it.
# For Debian 12; safe to run again.
#
# STRATA_ONNX_DATA   folder of ONNX backend cases; when unset, those that run.sh has unpacked, else those of Debian's
#                    libonnx-testdata
set -euo pipefail
cd "$(dirname "$0")/.."
source cmake/packages.sh

install_packages "${build_packages[@]}" clang doctest-dev libonnx-testdata
if [ -z "${STRATA_ONNX_DATA:-}" ] && [ -f build/onnx-backend/.unpacked ]; then
  export STRATA_ONNX_DATA=$PWD/build/onnx-backend
fi

cmake --preset clang
cmake --build --preset clang --target strata strata_conformance
exec ctest --preset clang -R '^conformance/(bundled|official_threads)$'
