#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs a build into a fresh prefix, moves the prefix, and uses what is there as a stranger
# would: the program with its workers, and the example built by find_package and by pkg-config.
#   tests/install/check.sh BUILD_DIR [DEVICE]
# DEVICE goes to the example (fake:examples/two_core.json); without it, it is the real machine.
set -euo pipefail
shopt -s inherit_errexit

if (($# < 1 || $# > 2)); then
  echo "usage: tests/install/check.sh BUILD_DIR [DEVICE]" >&2
  exit 2
fi
build=$(readlink -f "$1")
device=("${@:2}")
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.."
readonly root=$PWD
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
readonly prefix=$scratch/moved/prefix

die() {
  echo "install: $*" >&2
  exit 1
}

# The output of a command in a file; it is shown where the command fails.
quietly() {
  "$@" >"$scratch/log" 2>&1 || {
    cat "$scratch/log" >&2
    die "failed: $*"
  }
}

cached() { # VARIABLE -> its value in the build's cache
  sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"
}

# The environment of a stranger: nothing saved, no worker of this build.
export XDG_STATE_HOME=$scratch/state
unset ROOFBEAM_WORKER_DIR
version=$(<VERSION)
compiler=$(cached CMAKE_CXX_COMPILER)

quietly cmake --install "$build" --prefix "$scratch/first/prefix"
mkdir "$scratch/moved"
mv "$scratch/first/prefix" "$prefix"
rmdir "$scratch/first"

# ---- what is there ---------------------------------------------------------------------------

for file in share/doc/roofbeam/README.md share/doc/roofbeam/LICENSE \
  share/doc/roofbeam/methods/roofline.md include/roofbeam/command/region.h \
  include/roofbeam/region.h; do
  [[ -f $prefix/$file ]] || die "$file is not installed"
done
strangers=$(find "$prefix/include" -type f \
  ! -path '*/include/roofbeam/*.h' -o -path '*/cli/*' -o -name 'worker_*' -o -name '*_test*')
[[ -z $strangers ]] || die "these do not belong into include/: $strangers"
leaks=$(grep -rlF -e "$build" -e "$root" -e "$scratch" "$prefix/include" "$prefix/share" \
  --include='*.h' --include='*.cmake' --include='*.pc' "$prefix"/lib* || true)
[[ -z $leaks ]] || die "these name a path of the machine that built them: $leaks"

# ---- the program -----------------------------------------------------------------------------

said=$("$prefix/bin/roofbeam" --version)
[[ $said == *"$version"* ]] || die "the program is of version $said and not $version"
said=$("$prefix/bin/roofbeam" devices --json)
for worker in "$build"/bin/roofbeam-gemm-*; do
  [[ -x $worker ]] || continue # no library was found when it was built
  library=${worker##*/roofbeam-gemm-}
  [[ -x $prefix/libexec/roofbeam/${worker##*/} ]] || die "the worker of $library is not installed"
  # The device offers, as ways to multiply, what its worker said it can do.
  grep -qE "^ *\"$library\",?$" <<<"$said" || die "the worker of $library is not found: $said"
done

# ---- the library -----------------------------------------------------------------------------

verdict() { # PROGRAM -> fails where it prints none
  local said
  said=$("$1" "${device[@]}") || die "$1 failed"
  grep -qE '(Held back by|No ceiling is reached|What holds it back|This contradicts)' \
    <<<"$said" || die "there is no verdict in: $said"
  echo "$said"
}

# Every header can be included, and none needs a definition or a flag of the build.
readonly all=$scratch/all_headers.cc
(cd "$prefix/include" && find roofbeam -name '*.h' -printf '#include "%p"\n' | sort) >"$all"

echo "=== find_package"
quietly cmake -S tests/install -B "$scratch/stranger" -G "$(cached CMAKE_GENERATOR)" \
  -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Release \
  -DROOFBEAM_VERSION="$version" -DEXAMPLE="$root/examples/region.cc" -DALL_HEADERS="$all"
quietly cmake --build "$scratch/stranger"
verdict "$scratch/stranger/region"

echo "=== pkg-config"
command -v pkg-config >/dev/null || die "pkg-config is not here (Debian: pkgconf)"
pc=$(dirname "$(find "$prefix" -name roofbeam.pc)")
export PKG_CONFIG_PATH=$pc
[[ $(pkg-config --modversion roofbeam) == "$version" ]] || die "roofbeam.pc has another version"
read -ra flags <<<"$(pkg-config --cflags --libs roofbeam)"
quietly "$compiler" -O2 -o "$scratch/region" examples/region.cc "${flags[@]}"
verdict "$scratch/region"

echo "=== the header alone"
quietly "$compiler" -std=c++11 -O2 -Wall -Wextra -Wpedantic -Werror -I "$prefix/include" \
  -o "$scratch/place_region" examples/place_region.cc
quietly "$scratch/place_region" "$scratch/triad.json"
quietly "$prefix/bin/roofbeam" place --from "$scratch/triad.json" --threads 1 \
  ${device[0]:+--device "${device[0]}"}

echo "=== passed"
