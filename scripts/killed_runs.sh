#!/usr/bin/env bash
# Kills runs with -9 at random moments and holds what they left against an undisturbed run.
#
#   scripts/killed_runs.sh [COUNT [SEED]]        default: 50 runs, seed 1
#
# TRAMMEL is the program; needs python3 with h5py and pandas for the HDF5 file and the table (without them only
# the bytes of the tables are compared).
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
trammel=${TRAMMEL:-$root/build/release/bin/trammel}
count=${1:-50}
seed=${2:-1}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

cat > model.yaml <<'END'
trammel: 1
bodies:
  upper: {rod: {from: [0, 0, 0], to: [1, 0, 0], mass: 1, radius: 1 cm}}
  lower: {rod: {from: [1, 0, 0], to: [2, 0, 0], mass: 1, radius: 1 cm}}
joints:
  A: {type: revolute, between: [ground, upper], at: [0, 0, 0], axis: [0, 1, 0]}
  B: {type: revolute, between: [upper, lower], at: [1, 0, 0], axis: [0, 1, 0]}
END
# long enough to be written several times
command=("$trammel" run model.yaml --end 60 --rtol 1e-10 --samples 10000 --no-page --quiet)

begin=$(date +%s%N)
"${command[@]}" --out whole
milliseconds=$((($(date +%s%N) - begin) / 1000000))
echo "an undisturbed run takes $milliseconds ms"

cat > compare.py <<'END'
import sys
import json

folder = sys.argv[1]
status = json.load(open(f"{folder}/summary.json"))["status"]
try:
    import h5py
    import numpy as np
    import pandas as pd
except ImportError:
    print(status)
    sys.exit()
import os

samples = 0
if os.path.exists(f"{folder}/results.h5"):
    with h5py.File("whole/results.h5") as whole, h5py.File(f"{folder}/results.h5") as part:
        # the summary is the last to say that all is there
        assert part.attrs["status"] == status or status == "unfinished", (part.attrs["status"], status)
        samples = len(part["time"])

        def compare(name, dataset):
            if isinstance(dataset, h5py.Dataset):
                values = dataset[:]
                assert np.array_equal(values.view("u8"), whole[name][:][: len(values)].view("u8")), name

        part.visititems(compare)
text = open(f"{folder}/results.csv").read()
lines = text[: text.rfind("\n") + 1]
import io

table = pd.read_csv(io.StringIO(lines), index_col="t", float_precision="round_trip")
print(status, len(table), "lines,", samples, "samples in HDF5")
END

RANDOM=$seed
for ((i = 1; i <= count; ++i)); do
  rm -rf part
  "${command[@]}" --out part &
  pid=$!
  delay=$((milliseconds * (RANDOM % 1000) / 1000))
  sleep "$(printf '%d.%03d' $((delay / 1000)) $((delay % 1000)))"
  kill -9 $pid 2>/dev/null || true
  wait $pid 2>/dev/null || true
  if [[ ! -e part/summary.json ]]; then
    echo "$i: killed after $delay ms, before anything was written"
    continue
  fi
  for table in results.csv steps.csv; do
    [[ -e part/$table ]] || continue
    # whole lines, and byte for byte the beginning of the other's
    lines=$(wc -l < part/$table)
    head -n "$lines" part/$table | cmp -n "$(head -n "$lines" part/$table | wc -c)" - whole/$table
  done
  found=$(python3 compare.py part)
  echo "$i: killed after $delay ms: $found"
  "$trammel" plot part --list > /dev/null 2>&1 || { echo "plot cannot read it"; exit 1; }
done
echo "all $count as they should be"
