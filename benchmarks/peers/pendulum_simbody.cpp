// Simbody: a pin with a point mass 1 m away; no constraint.
#include "pendulum.h"
#include "simbody_run.h"

namespace peers {

namespace {

using namespace SimTK;

struct SimbodyPendulum {
  MultibodySystem system;
  SimbodyMatterSubsystem matter{system};
  GeneralForceSubsystem forces{system};
  Force::Gravity gravity{forces, matter, -YAxis, pendulum_data::gravity};
  MobilizedBody::Pin bob{matter.Ground(), Transform(),
                         Body::Rigid(MassProperties(1, Vec3(0, -1, 0), Inertia(1, 0, 1))), Transform()};
  State start;

  SimbodyPendulum() {
    start = system.realizeTopology();
    system.realizeModel(start);
    bob.setAngle(start, -Pi / 2);
  }
};

}  // namespace

}  // namespace peers

extern "C" void simbody_pendulum(double exact, peers::Contest* contest) {
  using namespace peers;
  const auto model = std::make_shared<SimbodyPendulum>();
  const auto add = [&](const std::string& method, SimbodyIntegrator integrator) {
    contest->competitors.push_back(
        {"Simbody", method, decades(3, 11), [model, exact, integrator](double accuracy) {
           SimbodyTask task;
           task.system = &model->system;
           task.start = model->start;
           task.integrator = integrator;
           task.end = pendulum_data::end;
           task.accuracy = accuracy;
           task.error = [&](const State& state) {
             const double angle = model->bob.getAngle(state);
             return std::max(std::abs(std::sin(angle) - std::sin(exact)),
                             std::abs(std::cos(angle) - std::cos(exact)));
           };
           return run_simbody(task);
         }});
  };
  add("RungeKuttaMerson", SimbodyIntegrator::merson);
  add("CPodes BDF", SimbodyIntegrator::cpodes_bdf);
}
