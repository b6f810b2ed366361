// Runs of models in Cartesian and in joint coordinates, and what `coordinates: auto` takes: seconds for the run
// without its start and its files, steps, and whether auto took the faster one.
//
//   coordinates [--method M] [--rtol R] [--end T] [--repeats N] model.yaml chain:5 peer:n-four-bar:10 ...
//
// chain:N is of hinges in two directions; peer:chain:N, peer:n-four-bar:N, peer:andrews, peer:double-pendulum (stiff) and peer:pendulum are
// the mechanisms that benchmarks/peers compares with other programs, in one plane.
//
// Runs in the two coordinates take turns; the least CPU time of each counts. Exit code 1 if auto took coordinates that
// are slower by more than a fifth.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "peers/trammel_mechanisms.h"
#include "trammel/model/model.h"
#include "trammel/motion/coordinate_choice.h"
#include "trammel/simulation/mechanism_run.h"

namespace {

using namespace trammel;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Hinges of two directions in turn, let go from the horizontal.
Model chain(int n) {
  std::string text = "trammel: 1\ngravity: [0, -9.81, 0]\nbodies:\n";
  for (int i = 0; i < n; ++i)
    text += fmt::format("  b{}: {{rod: {{from: [{}, 0, 0], to: [{}, 0, 0], mass: 1, radius: 0.03}}}}\n", i, i,
                        i + 1);
  text += "joints:\n";
  for (int i = 0; i < n; ++i)
    text += fmt::format("  h{}: {{type: revolute, between: [{}, b{}], at: [{}, 0, 0], axis: {}}}\n", i,
                        i == 0 ? "ground" : fmt::format("b{}", i - 1), i, i,
                        i % 3 == 2 ? "[0, 1, 0]" : "[0, 0, 1]");
  text += "simulation: {end: 1}\n";
  return read_model_text(text, fmt::format("chain of {}", n));
}

Model peer(const std::string& name) {
  const std::size_t colon = name.find(':');
  const int count = colon == std::string::npos ? 0 : std::stoi(name.substr(colon + 1));
  Model model;
  if (name.starts_with("chain:")) {
    model.mechanism = peers::chain_mechanism(count);
    model.simulation.end = 1;
  } else if (name.starts_with("n-four-bar:")) {
    model.mechanism = peers::four_bar_mechanism(count);
    model.simulation.end = 10;
  } else if (name == "andrews") {
    model.mechanism = peers::andrews_mechanism();
    model.simulation.end = 0.03;
  } else if (name == "double-pendulum") {
    model.mechanism = peers::double_pendulum_mechanism();
    model.simulation.end = 2;
  } else if (name == "pendulum") {
    model.mechanism = peers::chain_mechanism(1);
    model.simulation.end = 10;
  } else {
    throw std::invalid_argument("there is no such peer problem");
  }
  return model;
}

Model model_of(const std::string& word) {
  if (word.starts_with("chain:")) return chain(std::stoi(word.substr(6)));
  if (word.starts_with("peer:")) return peer(word.substr(5));
  return read_model(word);
}

struct Timing {
  double seconds = 1e300;
  long steps = 0;
  std::string method, failure;
};

struct Wanted {
  std::optional<std::string> method;
  std::optional<double> rtol, end;
  int repeats = 5;
};

void time_once(Model model, const std::string& coordinates, const Wanted& wanted, Timing& timing) {
  model.simulation.coordinates = coordinates;
  RunRequest request{.end = wanted.end, .samples = 10, .method = wanted.method, .rtol = wanted.rtol};
  MechanismRun run(model, request);
  if (!run.start()) {
    timing.failure = run.finish().message();
    return;
  }
  const double begin = cpu_seconds();
  run.advance(run.settings().end);
  timing.seconds = std::min(timing.seconds, cpu_seconds() - begin);
  const Summary& summary = run.finish();
  timing.steps = summary.statistics.accepted;
  timing.method = summary.method;
  if (!summary.ok()) timing.failure = summary.message();
}

struct Row {
  Timing cartesian, joint;
  std::string taken;
};

Row measure(const Model& model, const Wanted& wanted) {
  Row row;
  for (int i = 0; i < wanted.repeats; ++i) {
    time_once(model, "cartesian", wanted, row.cartesian);
    time_once(model, "joint", wanted, row.joint);
    if (row.cartesian.seconds + row.joint.seconds > 4) break;
  }
  Model automatic = model;
  automatic.simulation.coordinates = "auto";
  row.taken = coordinates_of(automatic, wanted.method).coordinates;
  return row;
}

}  // namespace

int main(int argc, char** argv) {
  Wanted wanted;
  bool all_well = true;
  fmt::print("| model | method | cartesian, s (steps) | joint, s (steps) | ratio | auto | |\n");
  fmt::print("| --- | --- | ---: | ---: | ---: | --- | --- |\n");
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.starts_with("--")) {
      if (++i == argc) return 2;
      if (word == "--method") wanted.method = argv[i];
      if (word == "--rtol") wanted.rtol = std::atof(argv[i]);
      if (word == "--end") wanted.end = std::atof(argv[i]);
      if (word == "--repeats") wanted.repeats = std::max(1, std::atoi(argv[i]));
      continue;
    }
    try {
      const Row row = measure(model_of(word), wanted);
      const auto cell = [](const Timing& timing) {
        return timing.failure.empty() ? fmt::format("{:.4f} ({})", timing.seconds, timing.steps) : "failed";
      };
      const double ratio = row.cartesian.seconds / row.joint.seconds;
      const double lost = row.taken == "joint" ? 1 / ratio : ratio;
      all_well &= lost <= 1.2;
      std::string methods = row.cartesian.method;
      if (row.joint.method != methods) methods += "`, `" + row.joint.method;
      fmt::print("| {} | `{}` | {} | {} | {:.2f} | {} | {} |\n", std::filesystem::path(word).stem().string(),
                 methods, cell(row.cartesian), cell(row.joint), ratio, row.taken,
                 lost <= 1.2 ? "" : "slower");
      std::fflush(stdout);
    } catch (const std::exception& error) {
      fmt::print("| {} | {} | | | | | |\n", word, error.what());
      all_well = false;
    }
  }
  return all_well ? 0 : 1;
}
