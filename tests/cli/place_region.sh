#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A program times a triad with roofbeam/region.h, and `roofbeam place` reads what it wrote.
#   tests/cli/place_region.sh PLACE_REGION ROOFBEAM
set -euo pipefail
program=$1
roofbeam=$2
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

die() {
  echo "place_region: $*" >&2
  exit 1
}

"$program" "$scratch/triad.json" >/dev/null
# On a machine that is made up the verdict is whatever it is; the counts are the program's.
"$roofbeam" place --from "$scratch/triad.json" --threads 1 --json --quiet \
  --device fake:examples/two_core.json >"$scratch/answer.json" || (($? == 3)) ||
  die "it was not placed"
for field in '"name": "triad"' '"work_flop": 33554432(\.0)?' '"read_bytes": 134217728(\.0)?' \
  '"written_bytes": 67108864(\.0)?' '"samples": 7'; do
  grep -qE "$field,?$" "$scratch/answer.json" || die "no $field in: $(cat "$scratch/answer.json")"
done
"$program" "$scratch/none/triad.json" >/dev/null && die "a file that cannot be written is no error"
echo passed
