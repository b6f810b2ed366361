#!/usr/bin/env bash
# Installs Trammel and builds and runs a program that finds it with find_package, as a user would.
set -euo pipefail
: "${SOURCE_DIR:?}" "${BUILD_DIR:?}" "${TRAMMEL:?}"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix="$work/prefix"

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

cmake --install "$BUILD_DIR" --prefix "$prefix" >"$work/install.log" || { cat "$work/install.log"; fail "install"; }

# an installed package must not need the folders it was built from
if grep -rlF -e "$SOURCE_DIR" -e "$BUILD_DIR" "$prefix" --include='*.cmake' --include='*.h'; then
  fail "the files above name the source or the build folder"
fi
[[ -f $(find "$prefix" -name LICENSE) ]] || fail "the licence is not installed"
if [[ -x $TRAMMEL && ! -x $prefix/bin/trammel ]]; then
  fail "the program is not installed"
fi

cmake -S "$SOURCE_DIR/tests/install" -B "$work/build" -G Ninja -DCMAKE_PREFIX_PATH="$prefix"
cmake --build "$work/build" --parallel 1

expected=$(sed -n 's/^project(Trammel VERSION \([0-9.]*\).*/\1/p' "$SOURCE_DIR/CMakeLists.txt")
printed=$("$work/build/program" | head -n 1)
[[ $printed == "$expected" ]] || fail "the program printed '$printed' first, expected '$expected'"
