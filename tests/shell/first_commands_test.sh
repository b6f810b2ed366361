#!/usr/bin/env bash
# ./trammel compiles some commands before the others: it must know them by the names that trammel-run has, and they must
# say of themselves what the whole program says.
set -euo pipefail
: "${TRAMMEL:?}" "${SOURCE_DIR:?}"
first="$(dirname "$TRAMMEL")/trammel-run"

known=$(sed -n 's/^ *\([a-z |]*\)) program=trammel-run .*/\1/p' "$SOURCE_DIR/trammel" | tr -d ' ' | tr '|' '\n' | sort)
offered=$("$first" --help | sed -n '/^Subcommands:/,$s/^  \([a-z][a-z-]*\) .*/\1/p' | sort)
if [[ -z $known || $known != "$offered" ]]; then
  printf './trammel knows:\n%s\ntrammel-run has:\n%s\n' "$known" "$offered" >&2
  exit 1
fi
for command in $known; do
  diff <("$TRAMMEL" "$command" --help) <("$first" "$command" --help) >&2 || {
    echo "trammel and trammel-run differ in: $command --help" >&2
    exit 1
  }
done
