// Simbody: two pins in a row, springs and dampers on their angles. Its second angle is relative to the first
// rod. CPodes is its implicit integrator; the explicit one is bound by stability, takes seconds at every
// accuracy, and runs at one only.
#include "double_pendulum.h"
#include "simbody_run.h"

namespace peers {

namespace {

using namespace SimTK;
namespace data = double_pendulum_data;

Body::Rigid rod(double mass, double half) {
  constexpr double across = 1e-6;
  const double inertia = mass * half * half * 4 / 3;
  return Body::Rigid(MassProperties(mass, Vec3(half, 0, 0), Inertia(across, inertia, inertia)));
}

struct SimbodyDoublePendulum {
  MultibodySystem system;
  SimbodyMatterSubsystem matter{system};
  GeneralForceSubsystem forces{system};
  Force::Gravity gravity{forces, matter, -YAxis, data::gravity};
  MobilizedBody::Pin first{matter.Ground(), Transform(), rod(data::mass1, data::half1), Transform()};
  MobilizedBody::Pin second{first, Transform(Vec3(2 * data::half1, 0, 0)), rod(data::mass2, data::half2),
                            Transform()};
  State start;

  SimbodyDoublePendulum() {
    Force::MobilityLinearSpring(forces, first, 0, data::stiffness1, data::zero1);
    Force::MobilityLinearDamper(forces, first, 0, data::damping1);
    Force::MobilityLinearSpring(forces, second, 0, data::stiffness2, 0);
    Force::MobilityLinearDamper(forces, second, 0, data::damping2);
    start = system.realizeTopology();
    system.realizeModel(start);
    first.setAngle(start, data::start[0]);
    second.setAngle(start, data::start[1] - data::start[0]);
    first.setRate(start, data::start[2]);
    second.setRate(start, data::start[3] - data::start[2]);
  }
};

}  // namespace

}  // namespace peers

extern "C" void simbody_double_pendulum(peers::Contest* contest) {
  using namespace peers;
  const auto model = std::make_shared<SimbodyDoublePendulum>();
  const auto add = [&](const std::string& method, SimbodyIntegrator integrator,
                       const std::vector<double>& accuracies) {
    contest->competitors.push_back({"Simbody", method, accuracies, [model, integrator](double accuracy) {
                                      SimbodyTask task;
                                      task.system = &model->system;
                                      task.start = model->start;
                                      task.integrator = integrator;
                                      task.end = data::end;
                                      task.accuracy = accuracy;
                                      task.error = [&](const State& state) {
                                        const double theta1 = model->first.getAngle(state);
                                        const double omega1 = model->first.getRate(state);
                                        return data::error(theta1, theta1 + model->second.getAngle(state),
                                                           omega1, omega1 + model->second.getRate(state));
                                      };
                                      Run run = run_simbody(task);
                                      run.energy_drift = std::nan("");  // it is damped
                                      return run;
                                    }});
  };
  add("CPodes BDF", SimbodyIntegrator::cpodes_bdf, decades(2, 10));
  add("RungeKuttaMerson", SimbodyIntegrator::merson, decades(3, 3));
}
