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

# what only the library itself needs stays at home
for inner in numerics/eigen_instances.h numerics/sparse_elimination.h analysis/equilibrium_search.h; do
  [[ -f $SOURCE_DIR/src/trammel/$inner ]] || fail "there is no $inner to look for any more"
  [[ ! -e $prefix/include/trammel/$inner ]] || fail "$inner is installed"
done

# as the sources are, in the same language: each header once
cmake -S "$SOURCE_DIR/tests/install" -B "$work/build" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" -DINCLUDE_DIR="$prefix/include"
cmake --build "$work/build" --parallel 1 --target program

# the core alone: no package but Eigen, fmt, KLU and SUNDIALS
cmake -S "$SOURCE_DIR/tests/install" -B "$work/core" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" -DCOMPONENTS=core \
  -DCMAKE_DISABLE_FIND_PACKAGE_nlohmann_json=ON -DCMAKE_DISABLE_FIND_PACKAGE_yaml-cpp=ON \
  -DCMAKE_DISABLE_FIND_PACKAGE_HDF5=ON -DCMAKE_DISABLE_FIND_PACKAGE_EXPAT=ON
cmake --build "$work/core" --parallel 1
"$work/core/program" >/dev/null || fail "the program with the core alone"
if ldd "$work/core/program" | grep -E 'hdf5|yaml|expat'; then fail "the core needs the libraries above"; fi

expected=$(sed -n 's/^project(Trammel VERSION \([0-9.]*\).*/\1/p' "$SOURCE_DIR/CMakeLists.txt")
printed=$("$work/build/program" | head -n 1)
[[ $printed == "$expected" ]] || fail "the program printed '$printed' first, expected '$expected'"
