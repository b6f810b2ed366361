// How long a step in real time takes: CPU time of the thread that steps, mean, 99.9 % and worst, of models at a rate.
//
//   real_time [--rate 1000] [--end 10] [--method penalty/trapezoidal] model.yaml ...
//
// Steps follow each other without waiting for a clock. Every model is run three times; the figures are those of the run with the
// least mean, but the worst step is the worst of all three.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "trammel/model/model.h"
#include "trammel/simulation/real_time_run.h"

namespace {

using namespace trammel;

struct Arguments {
  double rate = 1000, end = 10;
  std::vector<std::string> methods, models;
};

void measure(const Arguments& arguments, const std::string& file, const std::string& method) {
  Model model = read_model(file);
  model.simulation.coordinates = "joint";
  double mean = 1e9, most = 0, worst = 0, residual = 0;
  long unconverged = 0, iterations = 0, steps = 0;
  for (int repeat = 0; repeat < 3; ++repeat) {
    MechanismRun run(model, {.end = arguments.end, .method = method, .rtol = 1e-5});
    RealTimeRun stepped(run, {.rate = arguments.rate});
    for (bool on = stepped.start(); on;) on = stepped.step();
    const Summary summary = stepped.summary();
    if (!summary.ok()) std::printf("  %s\n", summary.message().c_str());
    const StepTimes& times = stepped.times();
    worst = std::max(worst, times.worst());
    if (times.mean() >= mean) continue;
    mean = times.mean();
    most = times.quantile(0.999);
    unconverged = stepped.unconverged();
    residual = stepped.largest_residual();
    iterations = summary.statistics.newton_iterations;
    steps = times.count();
  }
  std::printf("%-40s %-22s %8ld %9.4f %9.4f %9.4f %6.2f %8ld %9.1e\n", file.c_str(), method.c_str(), steps,
              1e3 * mean, 1e3 * most, 1e3 * worst,
              static_cast<double>(iterations) / static_cast<double>(std::max(steps, 1L)), unconverged,
              residual);
}

}  // namespace

int main(int count, char** words) {
  Arguments arguments;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    const auto next = [&] { return std::string(i + 1 < count ? words[++i] : ""); };
    if (word == "--rate")
      arguments.rate = std::atof(next().c_str());
    else if (word == "--end")
      arguments.end = std::atof(next().c_str());
    else if (word == "--method")
      arguments.methods.push_back(next());
    else
      arguments.models.push_back(word);
  }
  if (arguments.methods.empty())
    arguments.methods = {"penalty/trapezoidal", "augmented/trapezoidal", "ggl/alpha"};
  if (arguments.models.empty())
    arguments.models = {"examples/models/coach.yaml", "examples/models/hmmwv.yaml"};
  std::printf("%-40s %-22s %8s %9s %9s %9s %6s %8s %9s\n", "model", "method", "steps", "mean/ms", "99.9%/ms",
              "worst/ms", "iter.", "not conv.", "residual");
  try {
    for (const std::string& model : arguments.models)
      for (const std::string& method : arguments.methods) measure(arguments, model, method);
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
    return 1;
  }
}
