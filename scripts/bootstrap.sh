# What ./trammel and ./check share: packages, configuration, build. Sourced by them, with the root of the
# repository in $root. Everything here speaks on stderr, so that stdout belongs to the program alone.
# shellcheck shell=bash

: "${root:?}"
build_root="$root/build"
package_list="$root/packages/debian.txt"
jobs="${TRAMMEL_JOBS:-$(nproc)}"

note() { echo "${0##*/}: $*" >&2; }

fail() {
  note "$*"
  exit 1
}

[[ $jobs =~ ^[1-9][0-9]*$ ]] || fail "TRAMMEL_JOBS is '$jobs', it must be a number of jobs such as 2"

# One build at a time in this repository: a second call waits. Released by unlock, or when the caller ends.
lock() {
  mkdir -p "$build_root"
  exec {lock_descriptor}>"$build_root/.lock"
  if ! flock --nonblock "$lock_descriptor"; then
    note "waiting for another build to finish"
    flock "$lock_descriptor"
  fi
}

unlock() { exec {lock_descriptor}>&-; }

# --- packages ---------------------------------------------------------------------------------------------------

# The packages for a purpose, run, python or check, one a line. What checks everything needs those of python too.
packages_for() {
  local package purpose rest
  while read -r package purpose rest; do
    if [[ $package == "#"* ]]; then continue; fi
    if [[ $purpose == run || $purpose == "$1" || ($purpose == python && $1 == check) ]]; then echo "$package"; fi
  done <"$package_list"
}

# Those of them that are not installed, one a line.
missing_packages() {
  command -v dpkg-query >/dev/null || return 0
  local wanted installed package
  mapfile -t wanted < <(packages_for "$1")
  # dpkg-query fails when it has never heard of a package, which is then missing like the others
  # shellcheck disable=SC2016  # the braces are dpkg-query's
  installed=$(dpkg-query --show --showformat '<${Package} ${db:Status-Status}>' "${wanted[@]}" 2>/dev/null || true)
  for package in "${wanted[@]}"; do
    # another npm than Debian's will do
    if [[ $package == npm ]] && hash npm node 2>/dev/null; then continue; fi
    if [[ $installed != *"<$package installed>"* ]]; then echo "$package"; fi
  done
}

# apt-get as root, with its output in a log.
apt_get() {
  local command=(env DEBIAN_FRONTEND=noninteractive apt-get -qq "$@")
  if ((EUID != 0)); then command=(sudo "${command[@]}"); fi
  "${command[@]}" </dev/null >>"$build_root/packages.log" 2>&1
}

# Installs what is missing for a purpose. A stamp newer than the list of packages says that all was there already.
install_packages() {
  local purpose="$1" stamp="$build_root/.packages-$1" missing package update=no
  if [[ $stamp -nt $package_list ]] && hash cmake ninja g++ 2>/dev/null; then
    return
  fi

  mapfile -t missing < <(missing_packages "$purpose")
  if ((${#missing[@]} > 0)); then
    if ((EUID != 0)) && ! command -v sudo >/dev/null; then
      fail "these packages are missing: ${missing[*]}. Install them as root: apt-get install ${missing[*]}"
    fi
    note "installing ${missing[*]}"
    : >"$build_root/packages.log"
    for package in "${missing[@]}"; do
      apt-cache show "$package" >/dev/null 2>&1 || update=yes
    done
    # apt-get's own lists may be empty, or so old that what they name has gone
    if [[ $update == yes ]]; then apt_get update || true; fi
    if ! apt_get install --no-install-recommends "${missing[@]}" &&
      ! { apt_get update && apt_get install --no-install-recommends "${missing[@]}"; }; then
      cat "$build_root/packages.log" >&2
      fail "could not install ${missing[*]}"
    fi
  fi
  touch "$stamp"
}

# --- configuration and build ------------------------------------------------------------------------------------

# Runs a command quietly; when it fails, shows its whole log and ends.
logged() {
  local log="$1" what="$2"
  shift 2
  if ! "$@" >"$log" 2>&1; then
    cat "$log" >&2
    # perhaps a package has gone: look again next time
    rm -f "$build_root"/.packages-*
    fail "$what failed"
  fi
}

# Configures a preset, unless that has been done since the presets last changed, in this very folder (the build may
# be a copy), with tests if the purpose is check, and with the Python package unless it is run. What runs the program does
# not need what the others need.
configure() {
  local preset="$1" purpose="$2" folder="$build_root/$1" configured_for="" arguments=()
  local stamp="$folder/.configured"
  if [[ -f $stamp ]]; then read -r configured_for <"$stamp"; fi
  if [[ $configured_for == "$root" && -f $folder/build.ninja && $stamp -nt $root/CMakePresets.json ]] &&
    ! { [[ $purpose == check ]] && grep -q '^TRAMMEL_TESTS:BOOL=OFF' "$folder/CMakeCache.txt"; } &&
    ! { [[ $purpose != run ]] && ! grep -q '^pybind11_DIR:PATH=/' "$folder/CMakeCache.txt"; }; then
    return
  fi

  if [[ -n $configured_for && $configured_for != "$root" ]]; then arguments+=(--fresh); fi
  if [[ $purpose != check && -n $(missing_packages check) ]]; then arguments+=(-DTRAMMEL_TESTS=OFF); fi
  mkdir -p "$folder"
  logged "$folder/configure.log" "the configuration" cmake -S "$root" --preset "$preset" "${arguments[@]}"
  echo "$root" >"$stamp"
}

# "40 s", "3 min"
time_text() {
  if (($1 < 60)); then echo "$1 s"; else echo "$((($1 + 30) / 60)) min"; fi
}

# Tells from ninja's log how far it is and how long it may take, until this process is ended: a line that is rewritten on
# a terminal, a line every half minute elsewhere.
follow_build() {
  local log="$1" line done=0 total=0 elapsed left told=0 pause lines
  unlock
  exec {pause}<> <(:) {lines}<"$log"
  while kill -0 "$$" 2>/dev/null; do
    read -rt 1 -u "$pause" || true  # a pause without a process that would outlive this one
    while read -r -u "$lines" line; do
      if [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]]; then done=${BASH_REMATCH[1]} total=${BASH_REMATCH[2]}; fi
    done
    if ((done == 0)); then continue; fi
    elapsed=$((SECONDS - build_start))
    left=""
    # the first ones say little about the others
    if ((done * 20 >= total)); then left=", about $(time_text $((elapsed * (total - done) / done))) left"; fi
    if [[ -t 2 ]]; then
      printf '\r%s: %s of %s%s\e[K' "${0##*/}" "$done" "$total" "$left" >&2
    elif ((elapsed >= told + 30)); then
      told=$elapsed
      note "$done of $total$left"
    fi
  done
}

# Builds a target of a preset, or everything, and shows how it goes on. Says so if a source has changed since.
build() {
  local preset="$1" target="${2:-all}" folder="$build_root/$1" stamp status=0 follower build_start=$SECONDS
  local log="$folder/build.log"
  local sources=("$root"/{CMakeLists.txt,cmake,src,viewer/src,viewer/package-lock.json,python/src})
  stamp="$folder/.built-$target"
  if [[ $target == all ]]; then
    sources+=("$root"/{tests,benchmarks})
  elif [[ $folder/.built-all -nt $stamp ]]; then
    stamp="$folder/.built-all"
  fi
  if [[ ! -f $stamp || -n $(find "${sources[@]}" -newer "$stamp" -print -quit 2>/dev/null) ]]; then
    note "building, $jobs at a time (log: build/$preset/build.log)"
  fi

  # the stamp is as old as the start of the build: what is edited meanwhile is newer
  touch "$folder/.build-started"
  : >"$log"
  follow_build "$log" &
  follower=$!
  NINJA_STATUS="[%f/%t] " ninja -C "$folder" -j "$jobs" "$target" >"$log" 2>&1 || status=$?
  kill "$follower" 2>/dev/null || true
  wait "$follower" 2>/dev/null || true
  if [[ -t 2 ]]; then printf '\r\e[K' >&2; fi
  if ((status != 0)); then
    cat "$log" >&2
    # perhaps a package has gone: look again next time
    rm -f "$build_root"/.packages-*
    fail "the build failed"
  fi
  mv "$folder/.build-started" "$folder/.built-$target"
}
