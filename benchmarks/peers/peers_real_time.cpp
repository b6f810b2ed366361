// Steps of one size in real time, Trammel beside MuJoCo on the same mechanism at the same step: N parallelograms in a row that swing
// about the position in which they hang, for ten seconds at 1 kHz. All cranks turn alike,
//
//   ((N+1)/3 + N) θ'' = −((N+1)/2 + N) g sin θ,   θ(0) = 0, θ'(0) = 1,
//
// which is the exact solution; the amplitude stays far from positions in which all rods lie in one line. Printed are the CPU time of
// a step (mean, 99.9 %, worst), the largest error of a crank's angle at the end, and by how much loops are open there.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>

#include "mujoco_models.h"
#include "mujoco_simulator.h"
#include "n_four_bar.h"
#include "trammel/model/model.h"
#include "trammel/simulation/real_time_run.h"

namespace {

using namespace trammel;

constexpr double step = 1e-3, end = 10;

// By the classical Runge-Kutta method, a hundred steps in one of the others: right to 1e-12.
double exact_angle(int windows) {
  const double n = windows, k = ((n + 1) / 2 + n) / ((n + 1) / 3 + n) * peers::four_bar_gravity;
  double angle = 0, rate = 1;
  const double h = step / 10;
  for (long i = 0; i < std::lround(end / h); ++i) {
    const auto a = [&](double x) { return -k * std::sin(x); };
    const double r1 = rate, a1 = a(angle), r2 = rate + h / 2 * a1, a2 = a(angle + h / 2 * r1),
                 r3 = rate + h / 2 * a2, a3 = a(angle + h / 2 * r2), r4 = rate + h * a3,
                 a4 = a(angle + h * r3);
    angle += h / 6 * (r1 + 2 * r2 + 2 * r3 + r4);
    rate += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  return angle;
}

struct Result {
  StepTimes times;
  double error = 0, open = 0;  // rad, m
};

void print(int windows, const char* program, const std::string& method, const Result& result) {
  fmt::print("{:>3} {:<8} {:<22} {:>8.1f} {:>8.1f} {:>8.1f}  {:>9.1e} {:>9.1e}\n", windows, program, method,
             1e6 * result.times.mean(), 1e6 * result.times.quantile(0.999), 1e6 * result.times.worst(),
             result.error, result.open);
}

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Gravity upwards: what would fall hangs.
Result by_mujoco(int windows, int integrator, double exact) {
  peers::MujocoSimulator simulator(peers::mujoco_four_bars(windows, step));
  mjModel& model = simulator.model();
  mjData& data = simulator.data();
  model.opt.gravity[1] = peers::four_bar_gravity;
  model.opt.integrator = integrator;
  // a crank with its coupler, the last crank alone; clockwise is positive in θ
  for (int i = 0; i < model.nv; ++i) data.qvel[i] = i % 2 == 0 ? -1 : 1;
  mj_forward(&model, &data);
  Result result;
  for (long i = 0; i < std::lround(end / step); ++i) {
    const double before = thread_seconds();
    mj_step(&model, &data);
    result.times.add(thread_seconds() - before);
  }
  mj_forward(&model, &data);
  for (int i = 0; i < model.nv; i += 2)
    result.error = std::max(result.error, std::abs(-data.qpos[i] - exact));
  for (int i = 0; i < data.ne; ++i) result.open = std::max(result.open, std::abs(data.efc_pos[i]));
  return result;
}

Result by_trammel(int windows, const std::string& method, double exact) {
  Model model = read_model(TRAMMEL_PEERS_MODELS "/n-four-bar.yaml", {{{"n", std::to_string(windows)}}});
  for (Body& body : model.mechanism.bodies)
    body.inertia = {{1 / 12.0, 0, 0}, {0, 1 / 12.0, 0}, {0, 0, 1 / 12.0}};
  model.mechanism.gravity = {0, peers::four_bar_gravity, 0};
  model.simulation.coordinates = "joint";
  MechanismRun run(model, {.end = end, .method = method, .rtol = 1e-5});
  RealTimeRun steps(run, {.rate = 1 / step});
  for (bool on = steps.start(); on;) on = steps.step();
  steps.watch(steps.t(), steps.state());
  const Summary summary = steps.summary();
  if (!summary.ok()) fmt::print("  {}\n", summary.message());
  Result result{steps.times(), 0, summary.violation.position};
  const std::vector<Channel>& channels = run.recording().channels();
  const auto place = [&](const std::string& name) {
    const auto found = std::find_if(channels.begin(), channels.end(),
                                    [&](const Channel& channel) { return channel.name == name; });
    if (found == channels.end()) throw std::runtime_error("no channel " + name);
    return static_cast<std::size_t>(found - channels.begin());
  };
  for (int i = 0; i <= windows; ++i) {
    const std::array places{place(fmt::format("crank{}.position.x", i)),
                            place(fmt::format("crank{}.position.y", i))};
    std::array<double, 2> at{};
    steps.read(places, at);
    result.error = std::max(result.error, std::abs(std::atan2(at[0] - i, at[1]) - exact));
  }
  return result;
}

}  // namespace

int main() {
  try {
    fmt::print("{:>3} {:<8} {:<22} {:>8} {:>8} {:>8}  {:>9} {:>9}\n", "N", "program", "method", "mean/us",
               "99.9%/us", "worst/us", "error/rad", "open/m");
    for (const int windows : {1, 5, 10, 20}) {
      const double exact = exact_angle(windows);
      print(windows, "MuJoCo", "Euler", by_mujoco(windows, mjINT_EULER, exact));
      print(windows, "MuJoCo", "RK4", by_mujoco(windows, mjINT_RK4, exact));
      for (const char* method : {"penalty/trapezoidal", "augmented/trapezoidal", "ggl/alpha"})
        print(windows, "Trammel", method, by_trammel(windows, method, exact));
    }
  } catch (const std::exception& error) {
    fmt::print("{}\n", error.what());
    return 1;
  }
}
