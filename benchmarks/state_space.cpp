// The state-space form on the two stiff problems of Negrut, Haug and German (2003): what implicit integrators
// of independent coordinates gain over explicit ones.
//
// HMMWV over a bump, 4 s: implicit methods against Adams formulas on the independent coordinates, with the
// dependent ones corrected at each step, all with rtol = atol. The explicit method is bound by stability to
// some microseconds a step at every tolerance; by default it runs only through windows of the motion and its
// cost is scaled to 4 s. Medians of CPU time; methods take turns, so that a busy machine meets all alike.
//
// Double pendulum: steps of SDIRK4 with constraints and as an ODE.
//
//   state_space [--tolerances LIST] [--explicit-seconds S] [--full] [--repeats N] [--json FILE]
//               [--figure FILE.svg]
//
//   --tolerances LIST     separated by commas (default 1e-2,1e-3,1e-4,1e-5)
//   --explicit-seconds S  length of each of the four windows (default 0.02)
//   --full                the explicit method runs all 4 s, once for each tolerance: minutes each
//   --repeats N           of all timings (default 5)
//   --json FILE           the numbers
//   --figure FILE.svg     height of the chassis and step size at 1e-3, and no timings
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "trammel/published/hmmwv.h"
#include "trammel/result/svg_plot.h"
#include "trammel/simulation/simulation.h"

namespace {

using namespace trammel;

constexpr double duration = 4;
const std::vector<Method> implicit_methods = {
    {"partitioned", "sdirk4"}, {"partitioned", "bdf"}, {"partitioned", "radau5"}, {"psf", "radau5"}};
const Method explicit_method = {"partitioned", "adams"};
// Where the windows begin: at rest, front wheels on the bump, rear wheels on it, at rest again.
const std::vector<double> windows = {0, 0.55, 1.3, 3};

struct Arguments {
  std::vector<double> tolerances = {1e-2, 1e-3, 1e-4, 1e-5};
  double explicit_seconds = 0.02;
  bool full = false;
  int repeats = 5;
  std::string json, figure;
};

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

// --- the vehicle

Options options_for(const ProblemCase& problem, double tolerance) {
  Options options;
  for (const auto& [key, value] : problem.options) set_option(options, key, value);
  options.tolerances.relative = options.tolerances.absolute = tolerance;
  options.assembly = problem.assembly;
  options.cvodes.max_steps = 1000000000;
  return options;
}

struct Timing {
  double seconds = 0, steps = 0;
};

Summary checked(Summary summary) {
  if (summary.status != Status::finished)
    throw std::runtime_error(summary.method + ": " + summary.failure.message);
  return summary;
}

// CPU time of a run that puts nothing out.
Timing time_run(ProblemCase& problem, const Method& method, double tolerance, const Vector& x, double from,
                double to) {
  Options options = options_for(problem, tolerance);
  options.record = false;
  options.watch_constraints = false;
  Simulation simulation(*problem.equations, method, options);
  const double start = cpu_seconds();
  const Summary summary = checked(simulation.run(x, from, to));
  return {cpu_seconds() - start, static_cast<double>(summary.statistics.accepted)};
}

std::vector<double> evenly(double step) {
  std::vector<double> times;
  for (int i = 0; i * step < duration + step / 2; ++i) times.push_back(i * step);
  return times;
}

Trajectory run_with_output(ProblemCase& problem, const Method& method, double tolerance,
                           std::vector<double> times, Violation* violation = nullptr) {
  Options options = options_for(problem, tolerance);
  options.output = Options::Output::at_times;
  options.output_times = std::move(times);
  Simulation simulation(*problem.equations, method, options);
  const Summary summary = checked(simulation.run(problem.x0, 0, duration));
  if (violation != nullptr) *violation = summary.violation;
  return simulation.trajectory();
}

std::vector<double> chassis_height(const Trajectory& trajectory) {
  const Index column = trajectory.column("chassis.z");
  if (column < 0) throw std::runtime_error("there is no chassis.z");
  std::vector<double> result;
  for (Index i = 0; i < trajectory.samples(); ++i) result.push_back(trajectory.value(i, column));
  return result;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double result = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    result = std::max(result, std::abs(a[i] - b[i]));
  return result;
}

struct Row {
  Method method;
  double tolerance = 0;
  std::vector<double> seconds;
  double steps = 0;
  // not known of the explicit method
  double height_error = std::nan("");
  double position_violation = std::nan(""), velocity_violation = std::nan("");

  bool is_explicit() const { return method.name() == explicit_method.name(); }
};

// All rows of one tolerance, each once. The explicit one comes last.
void take_turns(ProblemCase& problem, const std::vector<Vector>& window_states, const Arguments& arguments,
                int repeat, std::vector<Row>& rows) {
  for (Row& row : rows) {
    if (!row.is_explicit()) {
      const Timing timing = time_run(problem, row.method, row.tolerance, problem.x0, 0, duration);
      row.seconds.push_back(timing.seconds);
      row.steps = timing.steps;
    } else if (!arguments.full) {
      Timing sum;
      for (std::size_t i = 0; i < windows.size(); ++i) {
        const Timing timing = time_run(problem, row.method, row.tolerance, window_states[i], windows[i],
                                       windows[i] + arguments.explicit_seconds);
        sum.seconds += timing.seconds;
        sum.steps += timing.steps;
      }
      const double scale = duration / (arguments.explicit_seconds * static_cast<double>(windows.size()));
      row.seconds.push_back(sum.seconds * scale);
      row.steps = sum.steps * scale;
    } else if (repeat == 0) {
      const Timing timing = time_run(problem, row.method, row.tolerance, problem.x0, 0, duration);
      row.seconds.push_back(timing.seconds);
      row.steps = timing.steps;
    }
  }
}

void print_heading(const Arguments& arguments) {
  std::printf("HMMWV, %.0f s of motion, rtol = atol, medians of %d runs; %s: ", duration, arguments.repeats,
              explicit_method.name().c_str());
  if (arguments.full)
    std::printf("one run\n");
  else
    std::printf("%zu windows of %g s, steps and CPU time scaled to %.0f s\n", windows.size(),
                arguments.explicit_seconds, duration);
  std::printf("%-20s %6s %9s %13s %9s %14s %10s %13s %8s %8s\n", "method", "rtol", "steps", "average h, s",
              "CPU s", "explicit/this", "real time", "height off, m", "|g|", "|gI|");
}

std::string scientific(double value, int digits) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*e", digits, value);
  return std::isfinite(value) ? text : "-";
}

nlohmann::ordered_json report_vehicle(const std::vector<Row>& rows, const Arguments& arguments) {
  print_heading(arguments);
  std::map<double, double> explicit_seconds;
  for (const Row& row : rows)
    if (row.is_explicit()) explicit_seconds[row.tolerance] = median(row.seconds);
  nlohmann::ordered_json result = nlohmann::ordered_json::array();
  for (const Row& row : rows) {
    const double seconds = median(row.seconds), ratio = explicit_seconds[row.tolerance] / seconds;
    std::printf("%-20s %6.0e %9.0f %13.2e %9.3f %14.0f %10.3g %13s %8s %8s\n", row.method.name().c_str(),
                row.tolerance, row.steps, duration / row.steps, seconds, ratio, duration / seconds,
                scientific(row.height_error, 1).c_str(), scientific(row.position_violation, 0).c_str(),
                scientific(row.velocity_violation, 0).c_str());
    result.push_back({{"method", row.method.name()},
                      {"rtol", row.tolerance},
                      {"steps", row.steps},
                      {"average_step", duration / row.steps},
                      {"cpu_seconds", seconds},
                      {"cpu_seconds_least", *std::min_element(row.seconds.begin(), row.seconds.end())},
                      {"cpu_seconds_most", *std::max_element(row.seconds.begin(), row.seconds.end())},
                      {"explicit_over_this", ratio},
                      {"real_time_factor", duration / seconds},
                      {"height_error", row.height_error},
                      {"position_violation", row.position_violation},
                      {"velocity_violation", row.velocity_violation},
                      {"scaled", row.is_explicit() && !arguments.full}});
  }
  std::printf("published, explicit/implicit: 358 (1 s of motion, 1e-2), 79 (4 s, 1e-5)\n");
  return result;
}

nlohmann::ordered_json measure_vehicle(const Arguments& arguments) {
  ProblemCase problem = hmmwv_problem().make(hmmwv_problem().values({}));
  const std::vector<double> times = evenly(0.01);
  const std::vector<double> reference =
      chassis_height(run_with_output(problem, {"psf", "radau5"}, 1e-9, times));
  const Trajectory before_windows = run_with_output(problem, {"psf", "radau5"}, 1e-8, windows);
  std::vector<Vector> window_states;
  for (Index i = 0; i < before_windows.samples(); ++i) window_states.push_back(before_windows.state(i));

  std::vector<Row> rows;
  for (const double tolerance : arguments.tolerances) {
    for (const Method& method : implicit_methods) rows.push_back({method, tolerance, {}});
    rows.push_back({explicit_method, tolerance, {}});
  }
  for (Row& row : rows) {
    if (row.is_explicit()) continue;
    Violation violation;
    const Trajectory trajectory = run_with_output(problem, row.method, row.tolerance, times, &violation);
    row.height_error = largest_difference(chassis_height(trajectory), reference);
    row.position_violation = violation.position;
    row.velocity_violation = violation.velocity;
  }
  for (int repeat = 0; repeat < arguments.repeats; ++repeat)
    take_turns(problem, window_states, arguments, repeat, rows);

  return report_vehicle(rows, arguments);
}

// --- the double pendulum

nlohmann::ordered_json measure_double_pendulum() {
  const BuiltinProblem problem = double_pendulum_problem();
  nlohmann::ordered_json result;
  std::printf("\ndouble pendulum, 2 s, accepted steps\n%-20s", "rtol = atol");
  for (int digits = 2; digits <= 8; ++digits) std::printf(" %7s", ("1e-" + std::to_string(digits)).c_str());
  std::printf("\n%-20s", "published, ODE");
  for (const int steps : {31, 47, 76, 127, 223, 387, 682}) std::printf(" %7d", steps);
  std::printf("\n%-20s", "published, SSODE");
  for (const int steps : {29, 47, 75, 126, 219, 384, 678}) std::printf(" %7d", steps);
  for (const Method& method : {Method{"ode", "sdirk4"}, Method{"partitioned", "sdirk4"}}) {
    std::printf("\n%-20s", method.name().c_str());
    for (int digits = 2; digits <= 8; ++digits) {
      ProblemCase instance = problem.make_for(method.formulation, problem.values({}));
      Options options = options_for(instance, std::pow(10.0, -digits));
      options.h0 = instance.h0;
      Simulation simulation(*instance.equations, method, options);
      const Summary summary = checked(simulation.run(instance.x0, instance.t_start, instance.t_end));
      std::printf(" %7ld", static_cast<long>(summary.statistics.accepted));
      result[method.name()].push_back(summary.statistics.accepted);
    }
  }
  std::printf("\n");
  return result;
}

// --- the figure

// Two plots, one below the other, in one drawing.
std::string stacked(const std::string& upper, const std::string& lower, double width, double height) {
  std::string text = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " +
                     std::to_string(static_cast<int>(width)) + " " +
                     std::to_string(static_cast<int>(2 * height)) + "\" width=\"" +
                     std::to_string(static_cast<int>(width)) + "\" height=\"" +
                     std::to_string(static_cast<int>(2 * height)) + "\">\n";
  std::string below = lower;
  below.insert(below.find("<svg") + 4, " y=\"" + std::to_string(static_cast<int>(height)) + "\"");
  return text + upper + below + "</svg>\n";
}

void draw(const std::string& file) {
  ProblemCase problem = hmmwv_problem().make(hmmwv_problem().values({}));
  const Trajectory trajectory = run_with_output(problem, implicit_methods[0], 1e-3, evenly(0.005));
  Series height{"", trajectory.times(), chassis_height(trajectory)}, steps{"", {}, {}};
  for (const StepRecord& step : trajectory.steps) {
    if (step.h <= 0) continue;
    // a step is drawn as long as it is
    steps.x.insert(steps.x.end(), {step.t - step.h, step.t});
    steps.y.insert(steps.y.end(), {step.h, step.h});
  }
  // in centimetres, so that labels of both plots have the same width and their time axes agree
  for (double& value : height.y) value *= 100;
  PlotOptions plot;
  plot.width = 760;
  plot.height = 250;
  plot.x_label = "t, s";
  plot.marks = {{0.5, "front wheels"}, {1.24, "rear wheels"}};
  plot.title = "Height of the chassis";
  plot.y_label = "cm";
  const std::string upper = svg_plot({height}, plot);
  plot.title = "Step size";
  plot.y_label = "s";
  plot.log_y = true;
  std::ofstream out(file);
  out << stacked(upper, svg_plot({steps}, plot), plot.width, plot.height);
  if (!out.flush()) throw std::runtime_error("cannot write " + file);
}

std::vector<double> read_numbers(const std::string& list) {
  std::vector<double> result;
  std::istringstream words(list);
  for (std::string word; std::getline(words, word, ',');) result.push_back(std::stod(word));
  return result;
}

Arguments read_arguments(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto value = [&] {
      if (++i >= argc) throw std::runtime_error(word + " needs a value");
      return std::string(argv[i]);
    };
    if (word == "--tolerances")
      arguments.tolerances = read_numbers(value());
    else if (word == "--explicit-seconds")
      arguments.explicit_seconds = std::stod(value());
    else if (word == "--full")
      arguments.full = true;
    else if (word == "--repeats")
      arguments.repeats = std::max(1, std::stoi(value()));
    else if (word == "--json")
      arguments.json = value();
    else if (word == "--figure")
      arguments.figure = value();
    else
      throw std::runtime_error("unknown argument " + word);
  }
  return arguments;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Arguments arguments = read_arguments(argc, argv);
    if (!arguments.figure.empty()) {
      draw(arguments.figure);
      return 0;
    }
    nlohmann::ordered_json result;
    result["hmmwv"] = measure_vehicle(arguments);
    result["double_pendulum"] = measure_double_pendulum();
    if (arguments.json.empty()) return 0;
    std::ofstream out(arguments.json);
    out << result.dump(2) << "\n";
    if (!out.flush()) throw std::runtime_error("cannot write " + arguments.json);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
