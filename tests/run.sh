#!/usr/bin/env bash
# Installs what the tests need, builds everything and runs all tests. Arguments go to ctest (`-R opl` for some only).
# For Debian 12; safe to run again.
#
# STRATA_ONNX_DATA   folder of ONNX backend cases for the conformance tests; when unset, a bundle that lies beside the
#                    checkout is used, else the cases of Debian's libonnx-testdata
set -euo pipefail
cd "$(dirname "$0")/.."
source cmake/packages.sh

python_packages=(numpy==2.4.6 onnx==1.23.2 onnxruntime==1.31.1 tract==0.23.9)
bundle=$(compgen -G '../*/conformance/onnx-backend-head.tar.xz' | head -1 || true)

# Makes build/venv for the tests that talk to other tools; without it those tests are skipped.
make_venv() {
  local stamp=build/venv/packages
  if [ "$(cat $stamp 2>/dev/null)" = "${python_packages[*]}" ]; then
    return
  fi
  python3 -m venv --clear build/venv &&
    build/venv/bin/pip install --quiet --disable-pip-version-check --only-binary :all: \
      --retries 2 --timeout 20 "${python_packages[@]}" &&
    echo "${python_packages[*]}" >$stamp
}

# Unpacks the bundle of conformance cases once.
unpack_cases() {
  if [ build/onnx-backend/.unpacked -nt "$bundle" ]; then
    return
  fi
  rm -rf build/onnx-backend
  mkdir -p build/onnx-backend
  tar --extract --xz --touch --file "$bundle" --directory build/onnx-backend --strip-components 1
  touch build/onnx-backend/.unpacked
}

install_packages "${build_packages[@]}" doctest-dev g++-aarch64-linux-gnu libicu-dev libleptonica-dev libonnx-testdata \
  libre2-dev pkgconf python3-venv qemu-user xz-utils
mkdir -p build

if make_venv; then
  export STRATA_PYTHON=$PWD/build/venv/bin/python
else
  echo 'the Python packages cannot be installed: tests that need them will be skipped' >&2
fi

if [ -z "${STRATA_ONNX_DATA:-}" ] && [ -f "$bundle" ]; then
  unpack_cases
  export STRATA_ONNX_DATA=$PWD/build/onnx-backend
fi

cmake --preset release -DSTRATA_TESTS=ON -DSTRATA_IMAGES=on -DSTRATA_TEXT=on
cmake --build --preset release
exec ctest --preset release "$@"
