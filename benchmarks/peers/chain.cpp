// The chain of N rods: an open chain, which trees of joints suit, and which has as many degrees of freedom as
// bodies. Trammel has it as a mechanism of spatial bodies and revolute joints, Simbody and MuJoCo as a tree
// of pins without a constraint; SUNDIALS by hand in planar Cartesian coordinates, and in the N angles.
#include "chain.h"

#include <memory>

#include "methods.h"
#include "mujoco_peers.h"
#include "planar_rods.h"
#include "simbody_peers.h"
#include "sundials_peer.h"
#include "trammel_mechanisms.h"
#include "trammel_peer.h"

namespace peers {

namespace {

// In the angles: what is left when the joints are eliminated on paper.
class ChainInAngles final : public ConstrainedSystem {
 public:
  explicit ChainInAngles(int rods) : ConstrainedSystem(rods, 0), rods_(rods) {}

  void M(const VectorXd& q, MatrixXd& M) const override {
    for (int i = 0; i < rods_; ++i)
      for (int j = 0; j < rods_; ++j) M(i, j) = chain_coupling<double>(rods_, i, j) * std::cos(q[i] - q[j]);
  }
  void f(const VectorXd& q, const VectorXd& v, VectorXd& f) const override {
    for (int i = 0; i < rods_; ++i) {
      f[i] = -(rods_ - 0.5 - i) * chain_gravity * std::cos(q[i]);
      for (int j = 0; j < rods_; ++j)
        f[i] -= chain_coupling<double>(rods_, i, j) * std::sin(q[i] - q[j]) * v[j] * v[j];
    }
  }
  double energy(const VectorXd& q, const VectorXd& v) const override {
    MatrixXd mass(nq, nq);
    M(q, mass);
    double sum = v.dot(mass * v) / 2;
    for (int i = 0; i < rods_; ++i) sum += (rods_ - 0.5 - i) * chain_gravity * std::sin(q[i]);
    return sum;
  }

 private:
  int rods_;
};

double worst_error(const std::vector<double>& exact, const std::function<double(std::size_t rod)>& angle) {
  double worst = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) worst = std::max(worst, angle_between(angle(i), exact[i]));
  return worst;
}

void add_trammel(int rods, const std::vector<double>& exact, Contest& contest) {
  const auto mechanism = std::make_shared<trammel::Mechanism>(chain_mechanism(rods));
  const auto error = [exact](const trammel::MechanismMotion& at_end) {
    return worst_error(exact, [&](std::size_t rod) {
      const trammel::Vec3<double>& along = at_end.bodies()[rod + 1].R.column[0];
      return std::atan2(along.y, along.x);
    });
  };
  for (const std::string& method : methods::chain)
    contest.competitors.push_back(
        {"Trammel", method, decades(3, 11), [mechanism, method, error](double tolerance) {
           return run_mechanism(*mechanism, method, chain_end, tolerance, error);
         }});
}

void add_sundials(const std::shared_ptr<ConstrainedSystem>& system, const SundialsTask& task,
                  const std::string& coordinates, Contest& contest) {
  const auto add = [&](const std::string& program, const std::string& method, auto run) {
    contest.competitors.push_back({program, method, decades(3, 11),
                                   [system, task, run](double tolerance) {
                                     SundialsTask now = task;
                                     now.system = system.get();
                                     now.tolerance = tolerance;
                                     return run(now);
                                   },
                                   true});
  };
  add("CVODE", "BDF, " + coordinates, [](const SundialsTask& now) { return run_cvode(now, Formula::bdf); });
  add("CVODE", "Adams, " + coordinates,
      [](const SundialsTask& now) { return run_cvode(now, Formula::adams); });
  if (system->ng > 0) add("IDA", "GGL", [](const SundialsTask& now) { return run_ida(now); });
}

void add_sundials(int rods, const std::vector<double>& exact, Contest& contest) {
  std::vector<PlanarRods::Hinge> hinges = {{0, -0.5, -1, 0, 0}};
  for (int i = 1; i < rods; ++i) hinges.push_back({i - 1, 0.5, i, -0.5, 0});
  SundialsTask task;
  task.end = chain_end;
  task.constraint_tolerance = 1e-11;
  task.q.setZero(3 * rods);
  task.v.setZero(3 * rods);
  for (int i = 0; i < rods; ++i) task.q[3 * i] = i + 0.5;
  task.error = [exact](const VectorXd& q, const VectorXd&) {
    return worst_error(exact, [&](std::size_t rod) { return q[static_cast<Index>(3 * rod + 2)]; });
  };
  add_sundials(std::make_shared<PlanarRods>(rods, hinges, chain_gravity), task, "projected", contest);
  task.q.setZero(rods);
  task.v.setZero(rods);
  task.error = [exact](const VectorXd& q, const VectorXd&) {
    return worst_error(exact, [&](std::size_t rod) { return q[static_cast<Index>(rod)]; });
  };
  add_sundials(std::make_shared<ChainInAngles>(rods), task, "in angles", contest);
}

}  // namespace

Contest chain(int rods) {
  const std::vector<double> exact = chain_angles(rods);
  Contest contest;
  contest.name = "chain-" + std::to_string(rods);
  contest.title = "Chain of " + std::to_string(rods) + " rods, 1 s";
  contest.error_is = "largest error of an angle [rad]";
  contest.notes = {
      "Simbody and MuJoCo have an open chain in its joint angles, without a constraint: this favours them. "
      "Trammel has spatial bodies with five constraints a joint."};
  add_trammel(rods, exact, contest);
  add_simbody_chain(exact, contest);
  // dense matrices: the cost grows with the cube of N
  if (rods <= 10) add_sundials(rods, exact, contest);
  add_mujoco_chain(exact, contest);
  return contest;
}

}  // namespace peers
