#include "tests/random/motion_balances.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tests/random/sampled_motion.h"

namespace trammel {
namespace {

// Integrals from the first sample to each second one, by Simpson's rule, and how far those with twice the
// interval are from them.
struct Integral {
  std::vector<std::size_t> samples;
  std::vector<double> values, uncertainty;
};

Integral integrate(const std::vector<double>& times, const std::vector<double>& values) {
  Integral integral{{0}, {0.0}, {0.0}};
  double fine = 0, coarse = 0, uncertain = 0;
  for (std::size_t k = 0; k + 4 < times.size(); k += 4) {
    const double h = times[k + 1] - times[k];
    const double before = fine;
    fine += h / 3 * (values[k] + 4 * values[k + 1] + values[k + 2]);
    fine += h / 3 * (values[k + 2] + 4 * values[k + 3] + values[k + 4]);
    coarse += 2 * h / 3 * (values[k] + 4 * values[k + 2] + values[k + 4]);
    uncertain += std::abs(fine - before - (2 * h / 3 * (values[k] + 4 * values[k + 2] + values[k + 4])));
    integral.samples.push_back(k + 4);
    integral.values.push_back(fine);
    integral.uncertainty.push_back(uncertain);
  }
  return integral;
}

// A blow between two samples is not seen by them: the run has taken many more steps there than elsewhere. A step of
// order eight is worth several of Simpson's.
bool is_resolved(const ModelRun& run, std::size_t from, std::size_t to) {
  const std::vector<double>&steps = run.recording.steps.times(), &times = run.recording.times();
  const double few = run.request.method.ends_with("/dop853") ? 1 : 3;
  const double usual = static_cast<double>(steps.size()) / static_cast<double>(times.size());
  const auto most = static_cast<std::ptrdiff_t>(std::max(few, 2 * usual));
  for (std::size_t k = from; k < to; ++k) {
    const auto first = std::lower_bound(steps.begin(), steps.end(), times[k]);
    const auto last = std::upper_bound(steps.begin(), steps.end(), times[k + 1]);
    if (last - first > most) return false;
  }
  return true;
}

struct IsConservative {
  bool operator()(const Force::SpringDamper& force) const { return force.damping == 0 && !force.law; }
  bool operator()(const Force::TorsionSpring& force) const { return force.damping == 0 && !force.law; }
  bool operator()(const Force::Bushing& force) const {
    for (std::size_t i = 0; i < 6; ++i) {
      if (force.laws[i]) return false;
      for (std::size_t j = 0; j < 6; ++j)
        if (force.damping[i][j] != 0 || force.stiffness[i][j] != force.stiffness[j][i]) return false;
    }
    return true;
  }
  bool operator()(const Force::SphereOnPlane& force) const {
    return force.damping == 0 && force.friction == 0;
  }
  bool operator()(const ForceEnds&) const { return false; }
};

std::vector<double> column(const std::vector<SampleBalance>& samples, double SampleBalance::*member) {
  std::vector<double> values;
  for (const SampleBalance& sample : samples) values.push_back(sample.*member);
  return values;
}

void check_energy(const Model& model, const ModelRun& run, const SampledMotion& motion,
                  std::vector<Finding>& findings) {
  for (const Force& force : model.mechanism.forces)
    if (!std::visit(IsConservative(), force.kind)) return;
  const std::vector<double>& times = run.recording.times();
  const Integral work = integrate(times, column(motion.samples(), &SampleBalance::driver_power));
  const std::vector<double>& total = run.recording.find("energy.total")->values;
  const std::vector<double>& kinetic = run.recording.find("energy.kinetic")->values;
  const std::vector<double>& potential = run.recording.find("energy.potential")->values;
  double size = 1e-3;
  for (std::size_t k = 0; k < total.size(); ++k)
    size = std::max({size, std::abs(kinetic[k]), std::abs(potential[k] - potential[0])});
  for (std::size_t i = 0; i < work.samples.size(); ++i) {
    const std::size_t k = work.samples[i];
    const double error = std::abs(total[k] - total[0] - work.values[i]);
    const double allowed = 2e3 * run.request.rtol * size + 10 * work.uncertainty[i];
    if (error <= allowed) continue;
    findings.push_back(
        {"energy", fmt::format("{} at {}: the energy has changed by {:.4e} at t = {:.6g}, the work of "
                               "drivers is {:.4e}; it is of the size of {:.3e}",
                               run.request.method, run.request.rtol, total[k] - total[0], times[k],
                               work.values[i], size)});
    return;
  }
}

}  // namespace

std::vector<Finding> balance_findings(const Model& model, const ModelRun& run) {
  std::vector<Finding> findings;
  const SampledMotion motion(model, run.recording);
  double size = 1;
  for (const SampleBalance& sample : motion.samples()) size = std::max(size, sample.acceleration_size);
  double worst = 2e3 * run.request.rtol * size;
  std::string text;
  for (std::size_t k = 0; k < motion.samples().size(); ++k) {
    const SampleBalance& sample = motion.samples()[k];
    if (sample.acceleration_residual <= worst) continue;
    worst = sample.acceleration_residual;
    text = fmt::format(
        "{} at {}: with the recorded forces the constraints are left with an acceleration of {:.3e} at "
        "t = {:.6g}; accelerations are up to {:.3e}",
        run.request.method, run.request.rtol, worst, run.recording.times()[k], size);
  }
  if (!text.empty()) findings.push_back({"reaction", text});
  check_energy(model, run, motion, findings);
  return findings;
}

std::vector<Finding> momentum_findings(const Model& model, const ModelRun& run) {
  const SampledMotion motion(model, run.recording);
  const std::vector<double>& times = run.recording.times();
  std::string text;
  double worst = 1, speed = 0, angular_speed = 0, force = 0;
  for (const Channel& channel : run.recording.channels()) {
    if (channel.group != "velocities") continue;
    double& largest = channel.unit == "m/s" ? speed : angular_speed;
    for (const double value : channel.values) largest = std::max(largest, std::abs(value));
  }
  for (const SampleBalance& sample : motion.samples())
    for (const BodyBalance& body : sample.bodies)
      force = std::max({force, length(body.force), length(body.torque)});
  // forces are as exact as the method; where they hold each other, that is all there is
  const double of_forces = 1e-12 + 0.1 * run.request.rtol * force * times.back();
  for (std::size_t body = 1; body < model.mechanism.bodies.size(); ++body)
    for (const bool angular : {false, true}) {
      const Body& description = model.mechanism.bodies[body];
      double size = angular ? angular_speed * description.inertia(0, 0) : speed * description.mass;
      std::vector<std::vector<double>> rates(3), momenta(3);
      for (const SampleBalance& sample : motion.samples()) {
        const BodyBalance& one = sample.bodies[body];
        const Vec3<double>& rate = angular ? one.torque : one.force;
        const Vec3<double>& momentum = angular ? one.angular_momentum : one.momentum;
        size = std::max({size, length(momentum), length(rate) * (times[1] - times[0])});
        for (int i = 0; i < 3; ++i) {
          rates[static_cast<std::size_t>(i)].push_back(rate[i]);
          momenta[static_cast<std::size_t>(i)].push_back(momentum[i]);
        }
      }
      for (std::size_t i = 0; i < 3; ++i) {
        const Integral impulse = integrate(times, rates[i]);
        std::size_t since = 0;  // from where on the impulse is known
        for (std::size_t j = 1; j < impulse.samples.size(); ++j) {
          const std::size_t k = impulse.samples[j], from = impulse.samples[since];
          if (!is_resolved(run, impulse.samples[j - 1], k)) {
            since = j;
            continue;
          }
          const double change = momenta[i][k] - momenta[i][from],
                       given = impulse.values[j] - impulse.values[since];
          const double error = std::abs(change - given);
          const double limit = 2e3 * run.request.rtol * size +
                               10 * (impulse.uncertainty[j] - impulse.uncertainty[since]) + of_forces;
          if (error <= worst * limit) continue;
          worst = error / limit;
          text = fmt::format(
              "{} at {}: the {} {} of {} has changed by {:.4e} at t = {:.6g}, recorded forces say {:.4e}; "
              "largest {:.3e}",
              run.request.method, run.request.rtol, angular ? "angular momentum" : "momentum", "xyz"[i],
              model.mechanism.bodies[body].name, change, times[k], given, size);
        }
      }
    }
  if (text.empty()) return {};
  return {{"momentum", text}};
}

}  // namespace trammel
