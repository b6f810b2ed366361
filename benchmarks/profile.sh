#!/bin/sh
# Where the time of a run goes, by groups of functions: records a run with perf and sums the functions' own times.
#
#   benchmarks/profile.sh PROGRAM [four-bars | hmmwv | andrews]...     default: all three
#   benchmarks/profile.sh PROGRAM -- ARGUMENTS...                      any command of the program
#   benchmarks/profile.sh --data FILE                                  a recording that exists
#
# PROGRAM is the command-line program, build/release/bin/trammel. FUNCTIONS=20 in the environment lists so many
# functions too. Groups go by the names of functions: docs/profiling.md says what is in them.
set -eu

here=$(dirname "$0")
models=$here/../examples/models
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Own time of each function, as "percent|library|function".
functions() {
  perf report -i "$1" --comm "$name" --stdio --no-children -g none -F overhead,dso,symbol -t '|' 2>/dev/null |
    grep -v '^#' | grep '|' || true
}

summary() {
  functions "$1" | awk -F'|' '
    function group(library, name) {
      if (library ~ /ld-linux|kernel|vdso|libstdc|libyaml|libhdf5|libfmt/) return "around"
      if (name ~ /YAML|nlohmann|CLI::|std::__cxx11|_Hashtable/) return "around"
      if (library ~ /libamd|libcolamd|libbtf/) return "factorisation"
      if (name ~ /klu_.*solve/) return "solves"
      if (name ~ /klu_/) return "factorisation"
      if (library ~ /libm\./) return "element evaluation"
      if (name ~ /mem(cpy|move|set|cmp)|malloc|_int_free|cfree|operator (new|delete)|consolidate|unlink_chunk/ ||
          name ~ /dense_assignment|assign_sparse|resize/) return "copying and memory"
      if (name ~ /AssembledMatrix|ShiftedMatrix|add_columns|assemble_|finish/) return "assembly of matrices"
      if (name ~ /Dual<|differentiate|varied_|slopes|chain_|gradient/) return "derivatives"
      if (name ~ /[Ff]actor|largest_entry|SparseElimination|SparsePartition|partial_lu|householder|LU<|LLT|llt_/ ||
          name ~ /QR<|jacobi|decompos|[Ss]elector|rank/) return "factorisation"
      if (name ~ /::solve|triangular|permut|backsubst|TwoStageSolve/) return "solves"
      if (name ~ /Taylor<|taylor_|evaluate|set_bodies|[Ff]orce|[Ww]rench|[Pp]ose|cross|dot<|operator[-+*]</ ||
          name ~ /Vec3|Mat3|Euler|Constraints<|tangent|Templated|MotionKernel/) return "element evaluation"
      if (name ~ /Eigen::|trammel::operator[-+*]$/) return "products and vectors"
      return "rest"
    }
    { share = $1; sub(/%/, "", share); sum[group($2, $3)] += share; all += share }
    END {
      n = split("element evaluation,derivatives,assembly of matrices,factorisation,solves,products and vectors,copying and memory,rest", order, ",")
      for (i = 1; i <= n; ++i) printf "| %-22s | %5.1f %% |\n", order[i], 100 * sum[order[i]] / (all - sum["around"])
      printf "(start, system, reading and writing, not counted above: %.1f %% of all)\n", 100 * sum["around"] / all
    }'
  if [ "${FUNCTIONS:-0}" -gt 0 ]; then
    functions "$1" | head -n "$FUNCTIONS" | cut -c1-150
  fi
}

record() {
  title=$1
  shift
  # 4999: a prime, so that nothing periodic in the program is met again and again
  perf record -q -o "$work/perf.data" -F 4999 "$@" >"$work/output" 2>&1 || { cat "$work/output" >&2; exit 1; }
  printf '\n%s\n' "$title"
  summary "$work/perf.data"
}

# A model, with hardly any output.
record_model() {
  title=$1
  model=$2
  shift 2
  record "$title" "$program" run "$models/$model" "$@" --samples 10 --no-csv --no-hdf5 --no-page --quiet \
    --out "$work/out"
}

problem() {
  case $1 in
    four-bars)
      record_model "N-four-bar, N = 100, projected/dop853, rtol 1e-6" n-four-bar.yaml \
        --set n=100 --method projected/dop853 --rtol 1e-6 --atol 1e-6 ;;
    hmmwv)
      record_model "HMMWV, as the file says" hmmwv.yaml ;;
    andrews)
      # one run takes some milliseconds: too few samples
      # shellcheck disable=SC2016
      record "Andrews, projected/dop853, rtol 1e-7, 100 runs" sh -c \
        'for i in $(seq 100); do "$0" problem andrews --method projected/dop853 --rtol 1e-7 --samples 10 --json; done' \
        "$program" ;;
    *)
      echo "there is no problem $1" >&2
      exit 2 ;;
  esac
}

if [ $# -eq 0 ]; then
  sed -n '2,9p' "$0"
  exit 2
fi
name=trammel # of the process
if [ "$1" = --data ]; then
  summary "$2"
  exit
fi
program=$1
name=$(basename "$1")
shift
if [ "${1:-}" = -- ]; then
  shift
  record "$*" "$program" "$@"
  exit
fi
[ $# -gt 0 ] || set -- four-bars hmmwv andrews
for one in "$@"; do problem "$one"; done
