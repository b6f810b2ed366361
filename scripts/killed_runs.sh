#!/usr/bin/env bash
# Kills runs with -9 at random moments, holds what they left against an undisturbed run, lets them go on with --resume, and
# holds what comes of that against it, byte for byte.
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
end=150
command=("$trammel" run model.yaml --end $end --rtol 1e-10 --samples 10000 --option max_steps=1000000 --no-page --quiet)

"${command[@]}" --out whole

# Kills a process when the run in `part` has come to a random time behind $2, or is over, and a little later: how fast the
# machine is does not matter.
kill_somewhere() {
  local pid=$1 t until
  until=$(($2 + (end - $2) * (RANDOM % 1000) / 1000))
  while kill -0 "$pid" 2>/dev/null; do
    t=$(sed -n 's/^  "t": \([0-9]*\).*/\1/p' part/summary.json 2>/dev/null) || true
    ((${t:-0} < until)) || break
    sleep 0.02
  done
  sleep "0.$(printf '%03d' $((RANDOM % 500)))"
  kill -9 "$pid" 2>/dev/null || true
  wait "$pid" 2>/dev/null || true
  killed_at=$(sed -n 's/^  "t": \([0-9.e+-]*\).*/\1/p' part/summary.json 2>/dev/null) || true
}

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
resumed=0
for ((i = 1; i <= count; ++i)); do
  rm -rf part
  "${command[@]}" --out part &
  kill_somewhere $! 0
  if [[ ! -e part/summary.json ]]; then
    echo "$i: killed before anything was written"
    continue
  fi
  for table in results.csv steps.csv; do
    [[ -e part/$table ]] || continue
    # whole lines, and byte for byte the beginning of the other's
    lines=$(wc -l < part/$table)
    head -n "$lines" part/$table | cmp -n "$(head -n "$lines" part/$table | wc -c)" - whole/$table
  done
  found=$(python3 compare.py part)
  echo "$i: killed behind t = $killed_at: $found"
  "$trammel" plot part --list > /dev/null 2>&1 || { echo "plot cannot read it"; exit 1; }

  # it goes on, and every second time is killed once more
  if [[ ! -e part/checkpoint/state ]]; then
    echo "$i: nothing to go on from"
    continue
  fi
  if ((i % 2 == 0)); then
    "$trammel" run --resume part --quiet &
    kill_somewhere $! "${killed_at%%.*}"
    echo "$i: went on, and was killed behind t = $killed_at"
  fi
  [[ ! -e part/checkpoint/state ]] || "$trammel" run --resume part --quiet
  for file in results.csv steps.csv results.h5 summary.json; do cmp "part/$file" "whole/$file"; done
  [[ ! -e part/checkpoint ]] || { echo "the checkpoint is still there"; exit 1; }
  resumed=$((resumed + 1))
done
echo "all $count as they should be; $resumed of them went on from a checkpoint"
