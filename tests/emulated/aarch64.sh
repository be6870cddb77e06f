#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The rooms that need no library, built for 64-bit ARM and tested in an emulator.
#     tests/emulated/aarch64.sh BUILD_FOLDER
# Exit 77: something it needs is not here, and it says what.
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
build=${1:?which folder to build in}

skip() {
  echo "skipped: $*"
  exit 77
}
for tool in aarch64-linux-gnu-g++ qemu-aarch64 cmake ninja; do
  command -v "$tool" >/dev/null ||
    skip "$tool is not here (g++-aarch64-linux-gnu, qemu-user, cmake, ninja-build)"
done
[[ -f /usr/src/googletest/CMakeLists.txt ]] ||
  skip "GoogleTest's sources are not here (libgtest-dev)"

cmake -S "$here" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_TOOLCHAIN_FILE="$(readlink -f "$here/../../cmake/aarch64.cmake")" >/dev/null
ninja -C "$build" --quiet
"$here/../registers/check.py" "$build"

emulated() { # CPU CTEST-ARGUMENT…
  local cpu=$1
  shift
  echo "=== $cpu"
  QEMU_CPU=$cpu ctest --test-dir "$build" --output-on-failure --no-tests=error "$@"
}
emulated cortex-a57     # has what every 64-bit ARM has, and nothing else
emulated max -R '^cpu$' # has everything: the features are found, and their ways are right
