#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The program on processors without AVX, in an emulator that refuses what they do not have.
#     tests/emulated/nehalem.sh PROGRAM
# Exit 77: it cannot tell here, and it says why.
set -euo pipefail
tests=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
program=$(readlink -f "${1:?which program}")

skip() {
  echo "skipped: $*"
  exit 77
}
[[ $(uname -m) == x86_64 ]] || skip "this machine is no x86_64, so the program is none"
command -v qemu-x86_64 >/dev/null || skip "qemu-x86_64 is not here (Debian: qemu-user)"
if grep -q -e __asan_init -e __tsan_init "$program"; then
  skip "a sanitizer asks for more than the emulator has"
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# That a program runs says nothing where the emulator runs everything.
refuses() { # CPU INSTRUCTION
  printf 'int main() { __asm__ volatile("%s"); }\n' "$2" | c++ -x c++ - -o "$folder/probe" ||
    skip "no compiler for the counter-check"
  local status=0
  { qemu-x86_64 -cpu "$1" "$folder/probe"; } >/dev/null 2>&1 || status=$? # bash speaks too
  ((status == 128 + 4)) # SIGILL
}

# Workers would run outside the emulator, so there are none. The ceilings are read, not measured:
# that would take long and say nothing.
emulated() { # CPU ARGUMENT…
  local cpu=$1
  shift
  env -i PATH=/usr/bin:/bin LANG=C.UTF-8 HOME="$folder" ROOFBEAM_WORKER_DIR="$folder" \
    ROOFBEAM_PROFILE="$tests/profiles/emulated.json" \
    qemu-x86_64 -cpu "$cpu" "$program" "$@" </dev/null
}

failures=0
expect() { # WHAT COMMAND…: the command judges what was printed, in $folder/out
  local what=$1
  shift
  if ! "$@"; then
    failures=$((failures + 1))
    echo "FAILED: $what"
    cat "$folder/out" "$folder/err"
  fi
}

ends_well() { # CPU ARGUMENT…
  emulated "$@" >"$folder/out" 2>"$folder/err"
}

prints() { # REGULAR-EXPRESSION
  grep -Eq "$1" "$folder/out"
}

answers() { # EXPRESSION in Python, in which `answer` is the JSON that was printed
  /usr/bin/python3 -c 'import json, sys
answer = json.load(open(sys.argv[1], encoding="utf-8"))
sys.exit(0 if eval("(" + sys.argv[2] + ")") else 1)' "$folder/out" "$1"
}

try_on() { # CPU
  local cpu=$1 library
  expect "$cpu: --version" ends_well "$cpu" --version
  expect "$cpu: the version is said" prints '^roofbeam [0-9]'
  expect "$cpu: amdahl" ends_well "$cpu" amdahl
  expect "$cpu: the limit of 0.95 is 20" prints '^ *0\.95 .* 20\.0$'
  expect "$cpu: devices" ends_well "$cpu" devices
  expect "$cpu: devices --json" ends_well "$cpu" devices --json
  expect "$cpu: no AVX is seen" answers '
    [name for name in answer["devices"][0]["features"] if name != "sse2"] == []'
  expect "$cpu: the probes go the generic way, but for stores past the caches" answers '
    (lambda ways: len(ways) > 20 and all(
      way == ("sse2" if kernel.endswith("_nt") else "generic") for kernel, way in ways))(
    {(row["kernel"], way) for row in answer["devices"][0]["can"] for way in row["ways"]
     if row["kernel"] != "matmul"})'
  for library in naive blocked; do
    expect "$cpu: matmul by $library" \
      ends_well "$cpu" matmul -n 64 --library "$library" --threads 1 --reps 3 --json
    expect "$cpu: the $library product is right" answers '
      [(point["library"], point["check"]["passed"]) for point in answer["points"]] ==
      [("'"$library"'", True)]'
  done
}

# Nehalem is the last without AVX; Opteron_G1 has nothing but what every x86-64 has.
refuses Nehalem "vpxor %ymm0, %ymm0, %ymm0" || skip "this qemu runs AVX on a Nehalem too"
try_on Nehalem
if refuses Opteron_G1 "pmulld %xmm0, %xmm0"; then
  try_on Opteron_G1
else
  echo "note: this qemu runs SSE4 on an Opteron_G1 too, so nothing is said of it"
fi
((failures == 0))
