#!/usr/bin/env bash
# Includes go one way: a folder of src/trammel/ includes itself and those before it in this list, and nothing else.
set -euo pipefail
order=(numerics mechanism model motion formulation integrator analysis derivatives result simulation published comparison sweep page cli)
# what these need is less than all before them
declare -A only=([result]="numerics" [model]="numerics mechanism")

cd "${SOURCE_DIR:-$(dirname "$0")/../..}/src/trammel"
declare -A rank
for i in "${!order[@]}"; do rank[${order[i]}]=$i; done

status=0
complain() {
  echo "$1" >&2
  status=1
}
for folder in */; do
  folder=${folder%/}
  [[ -v rank[$folder] ]] || complain "src/trammel/$folder has no place in the order of tests/shell/includes_test.sh"
done
for folder in $(find . -mindepth 1 -type d | sort); do
  [[ -f $folder/README.md ]] || complain "src/trammel/${folder#./} has no README.md that says what lives there"
done
while IFS=: read -r file line text; do
  from=${file%%/*}
  [[ $text =~ trammel/([a-z_]+)/ ]] || continue  # trammel/version.h
  to=${BASH_REMATCH[1]}
  [[ $from != "$to" && -v rank[$from] ]] || continue
  if [[ ! -v rank[$to] ]] || ((${rank[$to]} > ${rank[$from]})); then
    complain "src/trammel/$file:$line: $from includes $to, which comes after it"
  elif [[ -v only[$from] && " ${only[$from]} " != *" $to "* ]]; then
    complain "src/trammel/$file:$line: $from includes $to, but needs only: ${only[$from]}"
  fi
done < <(grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*[<"]trammel/' --include='*.h' --include='*.cpp' .| sed 's#^\./##')
exit $status
