// How time and memory grow with the number of bodies, of Trammel and of the peers that were found: a chain of
// rods (as many degrees of freedom as bodies, no loop) and the N-four-bar (one degree of freedom, N loops),
// 20 steps each.
//
//   peers-scaling [--bodies LIST] [--limit S] [--json FILE] [--figures FOLDER] [--markdown FILE]
//
//   --bodies LIST     default 10,30,100,300,1000,3000,10000
//   --limit S         a size that would take longer by the growth so far is not run (default 20)
//   --json FILE       everything
//   --figures FOLDER  time and memory over the number of bodies, for both mechanisms
//   --markdown FILE   the table; in place of what stands between its marks, if the file has them
//
// Steps of different methods are not worth the same: exponents can be compared, and times of one program with
// those of the same program. Every measurement has a process of its own, whose peak memory it is.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "methods.h"
#include "mujoco_peers.h"
#include "report.h"
#include "scaling_report.h"
#include "simbody_peers.h"
#include "table_file.h"
#include "trammel_peer.h"

namespace {

using namespace peers;

struct Arguments {
  std::vector<int> bodies = {10, 30, 100, 300, 1000, 3000, 10000};
  double limit = 20;
  std::string json, figures, markdown;
};

struct Participant {
  std::string name;
  std::function<std::unique_ptr<ScaledModel>(Growing, int bodies)> make;
};

std::vector<Participant> participants() {
  std::vector<Participant> list;
  for (const std::string& method : methods::scaling)
    list.push_back({"Trammel " + method, [method](Growing growing, int bodies) {
                      return trammel_scaled_model(growing, bodies, method);
                    }});
  list.push_back({"Simbody RungeKuttaMerson", simbody_scaled_model});
  list.push_back({"MuJoCo RK4", mujoco_scaled_model});
  return list;
}

// The fastest of as many runs as fill a twentieth of a second.
ScaledRun fastest_run(const Participant& participant, Growing growing, int bodies) {
  const std::unique_ptr<ScaledModel> model = participant.make(growing, bodies);
  ScaledRun best = model->run();
  for (double used = best.seconds; used < 0.05;) {
    const ScaledRun run = model->run();
    used += std::max(run.seconds, 1e-5);
    if (run.seconds < best.seconds) best = run;
  }
  return best;
}

// Time of the next size, if it grows as it did between the last two.
double predicted_seconds(const std::vector<Point>& points, int bodies) {
  if (points.empty()) return 0;
  const Point& last = points.back();
  double exponent = 1;
  if (points.size() > 1 && last.bodies >= 100) {
    const Point& before = points[points.size() - 2];
    exponent = std::max(1.0, std::log(last.measured.total_seconds / before.measured.total_seconds) /
                                 std::log(1.0 * last.bodies / before.bodies));
  }
  return last.measured.total_seconds * std::pow(1.0 * bodies / last.bodies, exponent);
}

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

Curve measure(const Participant& participant, Growing growing, const Arguments& arguments) {
  Curve curve{participant.name, {}, {}};
  // loads what it needs, so that memory counts from there
  if (!participant.make(growing, 3)) return {participant.name, {}, "not found"};
  for (const int asked : arguments.bodies) {
    const int bodies = growing == Growing::chain ? asked : 2 * std::max(1, asked / 2) + 1;
    const double predicted = predicted_seconds(curve.points, bodies);
    if (predicted > arguments.limit) {
      curve.end = fmt::format("{} bodies would take about {:.0f} s", bodies, predicted);
      break;
    }
    const ScalingMeasurement measured = measure_in_child(
        [&] { return fastest_run(participant, growing, bodies); }, static_cast<int>(3 * arguments.limit) + 1);
    if (!measured.failure.empty()) {
      curve.end = fmt::format("{} bodies: {}", bodies, one_line(measured.failure));
      break;
    }
    curve.points.push_back({bodies, measured});
  }
  return curve;
}

Arguments read_arguments(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; i += 2) {
    const std::string word = argv[i];
    if (i + 1 >= argc) throw std::runtime_error(word + ": unknown, or needs a value");
    const std::string value = argv[i + 1];
    if (word == "--bodies") {
      arguments.bodies.clear();
      std::istringstream words(value);
      for (std::string one; std::getline(words, one, ',');) arguments.bodies.push_back(std::stoi(one));
    } else if (word == "--limit") {
      arguments.limit = std::stod(value);
    } else if (word == "--json") {
      arguments.json = value;
    } else if (word == "--figures") {
      arguments.figures = value;
    } else if (word == "--markdown") {
      arguments.markdown = value;
    } else {
      throw std::runtime_error("unknown argument " + word);
    }
  }
  return arguments;
}

void run(const Arguments& arguments) {
  const std::string day = fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr)));
  const std::string heading = fmt::format("{}, {}, {} steps", day, machine(), scaling_steps);
  std::cout << heading << "\n";
  nlohmann::ordered_json all = {{"date", day}, {"machine", machine()}, {"steps", scaling_steps}};
  std::string tables = heading + ". Exponents are of sizes from 100 bodies on.\n";
  std::vector<Growth> list = {{"chain", "A chain of rods", Growing::chain, {}},
                              {"n-four-bar", "N-four-bar", Growing::four_bars, {}}};
  for (Growth& growth : list) {
    for (const Participant& participant : participants())
      growth.curves.push_back(measure(participant, growth.growing, arguments));
    std::cout << table(growth) << std::flush;
    all["mechanisms"].push_back(json(growth));
    tables += markdown(growth);
    if (arguments.figures.empty()) continue;
    std::filesystem::create_directories(arguments.figures);
    const std::string stem = arguments.figures + "/scaling-" + growth.name;
    write_file(stem + "-time.svg", time_figure(growth));
    write_file(stem + "-memory.svg", memory_figure(growth));
  }
  if (!arguments.json.empty()) write_file(arguments.json, all.dump(2) + "\n");
  if (!arguments.markdown.empty()) write_table(arguments.markdown, "scaling", tables);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(read_arguments(argc, argv));
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
  return 0;
}
