// Simbody: a tree of seven pins, whose three loops are closed by two equations each (a point on a line across
// the plane), so that nothing is redundant.
//
// Its constraint tolerance is its own choice, a tenth of the accuracy: fixed ones from 1e-10 to 1e-12 cost it
// up to six times as much at mild accuracies, and are kept anyway. CPodes with Adams formulas leaves the
// motion at every accuracy, and is left out.
#include "andrews_data.h"
#include "simbody_run.h"

namespace peers {

namespace {

using namespace SimTK;
namespace data = andrews_data;

struct SimbodyAndrews {
  MultibodySystem system;
  SimbodyMatterSubsystem matter{system};
  GeneralForceSubsystem forces{system};
  std::vector<MobilizedBody::Pin> bodies;
  State start;

  SimbodyAndrews() {
    const std::array<data::Part, 7> parts = data::parts();
    for (const data::Part& part : parts) {
      const Vec3 com(part.com_x, part.com_y, 0);
      const Inertia about_pin = Inertia(part.inertia).shiftFromMassCenter(com, part.mass);
      const Body::Rigid body(MassProperties(part.mass, com, about_pin));
      const Transform pin(Vec3(part.at_x, part.at_y, 0));
      MobilizedBody parent = matter.Ground();
      if (part.parent > 0) parent = bodies[static_cast<std::size_t>(part.parent) - 1];
      bodies.emplace_back(parent, pin, body, Transform());
    }
    for (const int closing : {data::K3, data::K4, data::K6}) {
      const data::Part& part = parts[static_cast<std::size_t>(closing) - 1];
      Constraint::PointOnLine(at(data::K2), UnitVec3(ZAxis), Vec3(-data::d, 0, 0), at(closing),
                              Vec3(part.tip_x, part.tip_y, 0));
    }
    Force::TwoPointLinearSpring(forces, at(data::K3), Vec3(data::sd, -data::sc, 0), matter.Ground(),
                                Vec3(data::xc, data::yc, 0), data::c0, data::l0);
    Force::MobilityConstantForce(forces, at(data::K1), 0, data::mom);
    start = system.realizeTopology();
    system.realizeModel(start);
    for (std::size_t i = 0; i < parts.size(); ++i)
      bodies[i].setAngle(start, data::initial[static_cast<std::size_t>(parts[i].coordinate)]);
  }

  MobilizedBody::Pin& at(int body) { return bodies[static_cast<std::size_t>(body) - 1]; }

  double error(const State& state) const {
    const std::array<data::Part, 7> parts = data::parts();
    std::array<double, 7> q{};
    for (std::size_t i = 0; i < parts.size(); ++i)
      q[static_cast<std::size_t>(parts[i].coordinate)] = bodies[i].getAngle(state);
    return data::worst_relative_error(q.data());
  }
};

}  // namespace

}  // namespace peers

extern "C" void simbody_andrews(peers::Contest* contest) {
  using namespace peers;
  const auto model = std::make_shared<SimbodyAndrews>();
  const auto add = [&](const std::string& method, SimbodyIntegrator integrator) {
    contest->competitors.push_back({"Simbody", method, decades(3, 10), [model, integrator](double accuracy) {
                                      SimbodyTask task;
                                      task.system = &model->system;
                                      task.start = model->start;
                                      task.integrator = integrator;
                                      task.end = data::end_time;
                                      task.accuracy = accuracy;
                                      task.error = [&](const SimTK::State& state) {
                                        return model->error(state);
                                      };
                                      Run run = run_simbody(task);
                                      run.energy_drift = std::nan("");  // it is driven
                                      return run;
                                    }});
  };
  add("RungeKuttaMerson", SimbodyIntegrator::merson);
  add("CPodes BDF", SimbodyIntegrator::cpodes_bdf);
}
