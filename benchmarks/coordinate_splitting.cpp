// Coordinate splitting on the stiff bushings of Yen and Petzold (1996) and on a beam of bushings: how
// Newton's iteration converges with the exact matrix (cs) and with the projector frozen (cm), and how many
// steps smooth motion takes as the stiffness grows.
//
//   coordinate_splitting [--figures FOLDER] [--beam]
//
//   --figures FOLDER  rates.svg (rate of convergence over step size, theorem 4) and steps.svg (steps over
//                     stiffness)
//   --beam            also the flexible beam of examples/models, which the library does not hold: run from
//                     the root of the project
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "trammel/model/model.h"
#include "trammel/published/builtin.h"
#include "trammel/result/svg_plot.h"
#include "trammel/simulation/mechanism_run.h"
#include "trammel/simulation/simulation.h"

namespace {

using namespace trammel;

using Settings = std::vector<std::pair<std::string, std::string>>;

Summary run(const std::map<std::string, double>& values, const std::string& method_name, double tolerance,
            const Settings& settings, double h0 = 0, double until = 0) {
  const BuiltinProblem& problem = *find_problem("bushing");
  const ProblemCase instance = problem.make(problem.values(values));
  Method method;
  Options options;
  if (Failure failure = parse_method(method_name, method)) throw std::runtime_error(failure.message);
  for (const auto& [key, value] : settings)
    if (Failure failure = set_option(options, key, value)) throw std::runtime_error(failure.message);
  options.tolerances.relative = options.tolerances.absolute = tolerance;
  options.h0 = h0;
  options.record = false;
  Simulation simulation(*instance.equations, method, options);
  return simulation.run(instance.x0, 0, until > 0 ? until : instance.t_end);
}

// Implicit Euler, once, without an error test.
NewtonRecord one_step(const std::map<std::string, double>& values, const std::string& method, double h) {
  const Summary summary = run(values, method, 1e-10,
                              {{"max_order", "1"},
                               {"max_iterations", "100"},
                               {"newton_stop", "0.33"},
                               {"fixed_step", "yes"},
                               {"convergence", "yes"}},
                              h, h);
  return summary.convergence.empty() ? NewtonRecord{} : summary.convergence.front();
}

void print_one_step(const char* title, const std::map<std::string, double>& values,
                    const std::vector<double>& sizes, const std::vector<const char*>& published) {
  std::printf("%s\n%10s %18s %18s   %s\n", title, "h", "cs", "cm", "published (cm)");
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const NewtonRecord cs = one_step(values, "cs/ida", sizes[i]), cm = one_step(values, "cm/ida", sizes[i]);
    std::printf("%10g %8d  %8.5f %8d  %8.5f   %s\n", sizes[i], cs.iterations, cs.rate, cm.iterations, cm.rate,
                published[i]);
  }
}

void print_two_bodies() {
  std::printf(
      "two bodies, 0.5 s: steps / evaluations / failures of convergence (published: CM 27 35 45 60 steps)\n");
  for (const double tolerance : {1e-3, 1e-4, 1e-5, 1e-6}) {
    std::printf("%10g", tolerance);
    for (const char* method : {"cs/ida", "cm/ida", "csm/ida", "psf/radau5"}) {
      const Statistics s =
          run({{"bodies", 2}}, method, tolerance, {{"newton_stop", method[0] == 'c' ? "0.33" : "0"}})
              .statistics;
      std::printf("   %s %ld/%ld/%ld", method, s.accepted, s.evaluations, s.rejected_convergence);
    }
    std::printf("\n");
  }
}

void write(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  if (!file) throw std::runtime_error("cannot write " + path);
}

// Steps on the smooth motion, over 1/ε.
std::vector<Series> sweep() {
  struct Line {
    const char *label, *method;
    Settings settings;
  };
  const std::vector<Line> lines = {{"cm/ida, velocity_index=2", "cm/ida", {{"velocity_index", "2"}}},
                                   {"cm/ida", "cm/ida", {}},
                                   {"cm/radau5, velocity_index=2", "cm/radau5", {{"velocity_index", "2"}}},
                                   {"cm/radau5", "cm/radau5", {}},
                                   {"ggl/radau5", "ggl/radau5", {}},
                                   {"ggl/radau5, frozen", "ggl/radau5", {{"ggl_iteration", "frozen"}}},
                                   {"psf/radau5", "psf/radau5", {}}};
  std::vector<Series> series;
  std::printf(
      "smooth motion of one body, 1 s at 1e-4: steps (failures of convergence) for epsilon = 1e-2 .. "
      "1e-10\n");
  for (const Line& line : lines) {
    Series one{line.label, {}, {}};
    std::printf("%-28s", line.label);
    for (int k = 2; k <= 10; ++k) {
      const Summary summary =
          run({{"epsilon", std::pow(10.0, -k)}, {"swing", 1}}, line.method, 1e-4, line.settings);
      one.x.push_back(std::pow(10.0, k));
      one.y.push_back(static_cast<double>(summary.statistics.accepted));
      std::printf(" %7ld(%ld)", summary.statistics.accepted, summary.statistics.rejected_convergence);
    }
    std::printf("\n");
    series.push_back(one);
  }
  // what following the oscillation would take: ten steps a period
  Series oscillation{"ten steps a period", {}, {}};
  for (int k = 2; k <= 10; ++k) {
    oscillation.x.push_back(std::pow(10.0, k));
    oscillation.y.push_back(10 * std::pow(10.0, 0.5 * k) / (2 * std::acos(-1.0)));
  }
  series.push_back(oscillation);
  return series;
}

// Mean rates of implicit Euler's iterations, over the step size.
std::vector<Series> rates() {
  std::vector<Series> series = {{"cm, preloaded", {}, {}},
                                {"cs, preloaded", {}, {}},
                                {"cm, from x = 0.9", {}, {}},
                                {"cs, from x = 0.9", {}, {}}};
  for (int k = 0; k <= 16; ++k) {
    const double h = 1e-4 * std::pow(10.0, 0.125 * k);
    const std::vector<NewtonRecord> records = {one_step({{"preloaded", 1}}, "cm/ida", h),
                                               one_step({{"preloaded", 1}}, "cs/ida", h),
                                               one_step({}, "cm/ida", h), one_step({}, "cs/ida", h)};
    for (std::size_t i = 0; i < records.size(); ++i) {
      series[i].x.push_back(h);
      series[i].y.push_back(records[i].rate);
    }
  }
  return series;
}

void compare_beam() {
  std::printf(
      "flexible beam, 2 s, n = 10: steps, failures (error, convergence), CPU s, bending at the end\n");
  for (const char* method :
       {"psf/radau5", "csm/radau5", "partitioned/sdirk4", "partitioned/bdf", "csm/ida"}) {
    for (const double tolerance : {1e-3, 1e-4, 1e-5}) {
      const Model model = read_model("examples/models/beam.yaml");
      RunRequest request;
      request.method = method;
      request.rtol = tolerance;
      request.samples = 1;
      MechanismRun beam(model, request);
      const std::clock_t begin = std::clock();
      const Summary& summary = beam.run();
      const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
      std::printf("%-20s %8g  %5ld  %5ld %5ld  %8.2f  %.6f  %s\n", method, tolerance,
                  summary.statistics.accepted, summary.statistics.rejected_error,
                  summary.statistics.rejected_convergence, seconds,
                  beam.recording().find("bending")->values.back(), std::string(name(summary.status)).c_str());
    }
  }
}

}  // namespace

int main(int count, char** arguments) try {
  std::string figures;
  bool beam = false;
  for (int i = 1; i < count; ++i) {
    const std::string word = arguments[i];
    if (word == "--beam") {
      beam = true;
    } else if (word == "--figures" && i + 1 < count) {
      figures = arguments[++i];
    } else {
      std::fprintf(stderr, "usage: coordinate_splitting [--figures FOLDER] [--beam]\n");
      return 2;
    }
  }
  print_one_step("preloaded, one step: iterations and mean rate", {{"preloaded", 1}},
                 {0.005, 0.0025, 0.001, 0.00075, 0.0005}, {"57", "20", "8", "6", "4"});
  const std::vector<const char*> table_1 = {"24  0.31603", "46  0.52241", "74  0.65889", "96  0.72329"};
  print_one_step("from x = 0.9, one step", {}, {1e-3, 5e-3, 1e-2, 5e-2}, table_1);
  print_one_step("from x = 0.72, one step", {{"x0", 0.72}}, {1e-3, 5e-3, 1e-2, 5e-2}, table_1);
  print_two_bodies();
  const std::vector<Series> steps = sweep();
  if (beam) compare_beam();
  if (figures.empty()) return 0;
  PlotOptions options;
  options.title = "Smooth motion on a stiff bushing";
  options.x_label = "stiffness 1/ε";
  options.y_label = "steps";
  options.log_x = options.log_y = options.markers = true;
  write(figures + "/bushing-steps.svg", svg_plot(steps, options));
  options.title = "Newton's iteration of one implicit Euler step, ε = 1e-5";
  options.x_label = "step size [s]";
  options.y_label = "rate of convergence";
  write(figures + "/bushing-rates.svg", svg_plot(rates(), options));
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}
