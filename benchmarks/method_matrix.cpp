// Runs every method on every built-in problem at three tolerances, and writes what came of it:
//
//   method_matrix [FOLDER]
//   method_matrix --lines METHOD [METHOD ...]      the lines of these methods alone, with digits and steps behind them
//
// FOLDER is that of the sources (default: the current one). Written are tests/published/method_matrix.txt,
// which the test of the same name checks, and docs/method-matrix.md.
#include "../tests/published/method_matrix.h"

#include <fmt/format.h>

#include <cstdio>
#include <set>

#include "trammel/simulation/formulations.h"

namespace {

using namespace trammel;

// ---- what is stated of a run

// Twice or three times the error may come of another compiler or a small change. Two factors are ordinary:
// what local errors of one tolerance add up to. Those above say why.
double stated_factor(double error, double tolerance) {
  const double needed = 3 * error / tolerance;
  for (const double ordinary : {100.0, 1000.0})
    if (needed <= ordinary) return ordinary;
  const double power = std::pow(10.0, std::floor(std::log10(needed)));
  return power * (needed <= 3 * power ? 3 : 10);
}

bool begins(const std::string& text, const char* with) { return text.starts_with(with); }

std::string why_so_large(const std::string& problem, const Method& method) {
  const FormulationEntry& formulation = *find_formulation(method.formulation);
  if (problem == "spatial-four-bar") return "other-branch";
  if (formulation.index == 3) return "low-order";
  if (!formulation.held({}).position) return "drift";
  if (problem == "slider-crank" || problem == "stiff-spring-pendulum") return "vibrations";
  return "accumulated";
}

std::string why_it_fails(const std::string& problem, const Method& method, Reason reason) {
  if (reason == Reason::invalid_options || reason == Reason::invalid_model) return "not-for-this-method";
  if (reason == Reason::too_many_steps) return "steps-limited";
  if (reason == Reason::velocity_rank && problem != "spatial-four-bar") return "redundant";
  if (begins(problem, "n-four-bar")) return "singular-position";
  if (!find_formulation(method.formulation)->held({}).position) return "drift";
  if (problem == "bricard") return "long-steps";
  return "unexplained";
}

struct Cell {
  MatrixEntry entry;
  MatrixResult result;
};

// Ended without a digit that one would call correct.
bool is_wrong(const Cell& cell) { return cell.result.finished() && cell.result.error > 0.3; }

Cell run_cell(MatrixRunner& runner, const MatrixProblem& problem, const Method& method, double tolerance) {
  Cell cell;
  cell.entry = {problem.name, method.name(), tolerance, 0, {}, {}};
  cell.result = runner.run(method, tolerance);
  if (!cell.result.finished()) {
    cell.entry.reason = name(cell.result.reason);
    cell.entry.why = why_it_fails(problem.name, method, cell.result.reason);
    return cell;
  }
  cell.entry.factor = stated_factor(cell.result.error, tolerance);
  if (cell.entry.factor > 1000 || is_wrong(cell)) cell.entry.why = why_so_large(problem.name, method);
  return cell;
}

// ---- the table

std::string tolerance_text(double tolerance) { return fmt::format("1e-{:.0f}", -std::log10(tolerance)); }

std::string line_of(const MatrixEntry& entry) {
  std::string line = fmt::format("{:<23} {:<19} {:<5} {:<7} ", entry.problem, entry.method,
                                 tolerance_text(entry.tolerance), entry.fails() ? "fails" : "within");
  line += entry.fails() ? entry.reason : fmt::format("{:g}", entry.factor);
  return entry.why.empty() ? line + "\n" : line + " " + entry.why + "\n";
}

constexpr const char* head_of_table =
    "# What comes of every method on every built-in problem at rtol = atol: an error within so many "
    "tolerances, or a\n"
    "# failure. Written by benchmarks/method_matrix; docs/method-matrix.md says what the words mean.\n"
    "#\n"
    "# problem               method              tolerance, outcome, factor or reason, why\n";

// ---- the page

constexpr const char* head_of_page = R"(# Every method on every problem

What comes of every [method](README.md) on every [built-in problem](problems.md) at rtol = atol = 1e-3, 1e-6 and 1e-9. A test runs
all of it (`tests/published/method_matrix_test.cpp`) and fails if an error exceeds the stated factor, or if a run fails that did
not, or fails in another way. The best method of each family is held against factors that stand in the test itself. This page and the table of the test are written by a program:

    cmake --build build --target benchmark-method_matrix && build/benchmarks/method_matrix

What has changed since a commit, `scripts/method-matrix-changes COMMIT` tells.

A cell gives the correct digits and the accepted steps, or the failure; **none** is an error above 0.3. **Factor**: the error stays within so many tolerances (the
largest of the three tolerances; each has its own in `tests/published/method_matrix.txt`). A tolerance is for the error of a step;
errors add up over a run, so 100 and 1000 are ordinary, and what is larger says why:

| word | meaning |
| --- | --- |
| accumulated | errors of many steps that do not cancel: the phase of an oscillation, a position that nothing holds back |
| drift | only velocities or accelerations are constrained, and positions drift off |
| low-order | velocities of the index-3 form are of lower order; integrators of second order |
| vibrations | of high frequency, whose phase is lost |
| other-branch | the mechanism has changed to another way of assembling it: a wrong result that is not noticed |

| failure | meaning |
| --- | --- |
| not for this method | the method says so before it starts |
| redundant | constraints depend on each other, which the method cannot treat, and says before it starts |
| more than N steps | N is small here, to keep the test short; explicit methods on stiff problems, low orders at 1e-9 |
| singular position | the method did not pass a position where the constraints lose rank |
| drift | positions that nothing holds drift off, to where there is no motion any more |
| long steps | the loop of bricard moves on its path only, beside it it is rigid; steps at 1e-3 leave the path too far. With `max_step=0.02` these runs reach their end |
| unexplained | to be looked into |

What a tolerance gives differs between methods, for reasons that are not faults:

- **`ida`** accepts a stage only when the convergence of Newton's iteration was seen in this very step. Its estimate of the error has
  no part of Newton's own error then, so steps are as long as the tolerance allows: fewer of them and fewer digits than where
  that part stays in, and the same work for a digit (circular-track at 1e-6: 246 steps and 2.9 digits, against 417 and 3.9).
- **`psf`** counts h² times its multipliers in the error, `geoms` counts the multipliers: at the same tolerance `psf` takes fewer steps
  and has fewer digits (andrews at 1e-6: 102 steps and 5.3 digits, against 132 and 6.2). `geoms` has those of the published
  procedure.
- **stiff-spring-pendulum**: in `ggl`, `index2`, `index1` and `baumgarte` the force of the spring is an unknown. Its error counts h times,
  since it is not carried on: 333 steps at 1e-6, where `psf`, which finds the force from the positions, takes 174.
- **rolling-contact** by `partitioned`: which coordinates are independent decides how errors grow, and the contact follows the positions,
  so that others are chosen than with the contact as a coordinate of its own.

)";

std::string failure_text(const Cell& cell, const MatrixProblem& problem) {
  if (cell.entry.why == "steps-limited") return fmt::format("more than {} steps", problem.max_steps);
  std::string text = cell.entry.why;
  std::replace(text.begin(), text.end(), '-', ' ');
  return text;
}

std::string cell_text(const Cell& cell, const MatrixProblem& problem) {
  if (cell.entry.fails()) return failure_text(cell, problem);
  if (is_wrong(cell)) return fmt::format("**none** / {}", cell.result.steps);
  return fmt::format("{:.1f} / {}", digits_of(cell.result.error), cell.result.steps);
}

std::string first_sentence(const std::string& message) {
  const std::size_t end = message.find(". ");
  return end == std::string::npos ? message : message.substr(0, end);
}

std::string title_of(const MatrixProblem& problem) {
  std::string title = fmt::format("## {}\n\n", problem.name);
  std::string settings;
  for (const auto& [key, value] : problem.parameters) settings += fmt::format(" --set {}={}", key, value);
  if (problem.until) settings += fmt::format(" --until {}", *problem.until);
  const BuiltinProblem& builtin = *find_problem(problem.problem);
  title += fmt::format("{}: `trammel problem {}{}`. ", builtin.summary, builtin.name, settings);
  const bool has_reference = !begins(builtin.error_is, "none");
  return title + (has_reference ? fmt::format("Error: {}.\n\n", builtin.error_is)
                                : "Error: the largest difference of the positions at the end from "
                                  "`partitioned/radau5` at 1e-12.\n\n");
}

// One row for a method; methods that refuse the problem are named below, in one line for each word.
std::string section(const MatrixProblem& problem, const std::vector<std::vector<Cell>>& rows) {
  std::string text =
      title_of(problem) + "| method | 1e-3 | 1e-6 | 1e-9 | factor |\n| --- | --- | --- | --- | --- |\n";
  std::map<std::string, std::string> refused;
  std::string failures;
  for (const std::vector<Cell>& row : rows) {
    const std::string& method = row.front().entry.method;
    const std::string& why = row.front().entry.why;
    const bool all_alike = std::all_of(row.begin(), row.end(), [&](const Cell& cell) {
      return cell.entry.fails() && cell.entry.why == why && cell.result.steps == 0;
    });
    if (all_alike && (why == "not-for-this-method" || why == "redundant")) {
      refused[failure_text(row.front(), problem)] += fmt::format(", `{}`", method);
      continue;
    }
    text += fmt::format("| `{}` |", method);
    double factor = 0;
    std::string words;
    for (const Cell& cell : row) {
      text += fmt::format(" {} |", cell_text(cell, problem));
      if (!cell.entry.fails() && cell.entry.factor >= factor) {
        factor = cell.entry.factor;
        words = cell.entry.why;
      }
      if (cell.entry.fails() && cell.entry.why != "steps-limited")
        failures += fmt::format("- `{}` at {}: {} ({})\n", method, tolerance_text(cell.entry.tolerance),
                                first_sentence(cell.result.message), cell.entry.reason);
    }
    text += factor == 0 ? " |\n" : fmt::format(" {:g}{}{} |\n", factor, words.empty() ? "" : ", ", words);
  }
  text += "\n";
  for (const auto& [word, list] : refused)
    text += fmt::format("{}{}: {}.\n\n", static_cast<char>(std::toupper(word[0])), word.substr(1),
                        list.substr(2));
  return failures.empty() ? text : text + failures + "\n";
}

bool write(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (file.flush()) return true;
  fmt::print(stderr, "cannot write {}\n", path);
  return false;
}

}  // namespace

// Of a few methods, for a look at them.
int print_lines(const std::set<std::string>& names) {
  for (const MatrixProblem& problem : matrix_problems()) {
    MatrixRunner runner(problem);
    for (const MethodDescription& method : methods())
      for (const double tolerance : matrix_tolerances()) {
        if (!names.contains(method.method.name())) continue;
        const Cell cell = run_cell(runner, problem, method.method, tolerance);
        std::string line = line_of(cell.entry);
        line.pop_back();
        fmt::print("{}  # {}\n", line, cell_text(cell, problem));
        std::fflush(stdout);
      }
  }
  return 0;
}

int main(int count, char** arguments) {
  if (count > 2 && arguments[1] == std::string("--lines"))
    return print_lines({arguments + 2, arguments + count});
  const std::string folder = count > 1 ? arguments[1] : ".";
  std::string table = head_of_table, sections, wrong, unexplained;
  long runs = 0, ordinary = 0, larger = 0, failures = 0;
  for (const MatrixProblem& problem : matrix_problems()) {
    fmt::print("{}\n", problem.name);
    std::fflush(stdout);
    MatrixRunner runner(problem);
    std::vector<std::vector<Cell>> rows;
    for (const MethodDescription& method : methods()) {
      rows.emplace_back();
      for (const double tolerance : matrix_tolerances()) {
        const Cell& cell = rows.back().emplace_back(run_cell(runner, problem, method.method, tolerance));
        const MatrixEntry& entry = cell.entry;
        table += line_of(entry);
        const auto item = [&](const std::string& text) {
          return fmt::format("- {}, `{}` at {}: {}\n", problem.name, entry.method, tolerance_text(tolerance),
                             text);
        };
        if (is_wrong(cell)) wrong += item(entry.why);
        if (entry.why == "unexplained") unexplained += item(first_sentence(cell.result.message));
        ++runs;
        ++(entry.fails() ? failures : entry.factor > 1000 ? larger : ordinary);
      }
    }
    sections += section(problem, rows);
  }
  while (sections.ends_with("\n\n")) sections.pop_back();
  std::string page = head_of_page;
  page += fmt::format(
      "{} runs: {} end within 1000 tolerances, {} within a larger factor, {} fail.\n\nRuns that end without "
      "a correct "
      "digit:\n\n{}\nFailures that are not explained:\n\n{}\n",
      runs, ordinary, larger, failures, wrong.empty() ? "- none\n" : wrong,
      unexplained.empty() ? "- none\n" : unexplained);
  const bool written = write(folder + "/tests/published/method_matrix.txt", table);
  return write(folder + "/docs/method-matrix.md", page + sections) && written ? 0 : 1;
}
