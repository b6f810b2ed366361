#!/usr/bin/env bash
# A signal ends `trammel run` whatever it is doing: reading, assembling, preparing, running, writing. A large model, and a
# signal later and later.
set -euo pipefail
: "${SOURCE_DIR:?}" "${TRAMMEL:?}"
[[ -x $TRAMMEL ]] || exit 77

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

early=0
for after in 0.02 0.1 0.3 0.6 1 5; do
  out="$work/out-$after"
  # timeout tells 124 where it had to send the signal, unless the program ended by another status of its own
  status=0
  timeout --preserve-status --signal=TERM "$after" "$TRAMMEL" run "$SOURCE_DIR/examples/models/net.yaml" --set n=30 \
    --end 100 --quiet --out "$out" >"$work/said" 2>&1 || status=$?
  [[ $status == 143 ]] || { cat "$work/said"; fail "a signal after $after s: status $status instead of 143"; }
  # nothing that passes for a result
  if [[ -e $out/summary.json ]]; then
    grep -q '"status": "stopped"\|"status": "unfinished"' "$out/summary.json" || fail "after $after s: the summary is wrong"
  else
    early=$((early + 1))
    [[ ! -e $out/results.csv ]] || fail "after $after s: results without a summary"
  fi
done
[[ $early -gt 0 ]] || fail "no signal came before the run began: the model is too small"
echo "$early of 6 signals came before the run began"
