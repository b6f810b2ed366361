// Simbody: cranks hinged to the ground, each carrying a coupler, whose far end is closed on the tip of the
// next crank by two equations (a point on a line across the plane), so that nothing is redundant.
//
// Its constraint tolerance is 1e-11 at every accuracy, and not its own choice of a tenth of the accuracy: at
// the singular position all depends on it.
#include "n_four_bar.h"
#include "simbody_run.h"

namespace peers {

namespace {

using namespace SimTK;

struct SimbodyFourBars {
  MultibodySystem system;
  SimbodyMatterSubsystem matter{system};
  GeneralForceSubsystem forces{system};
  Force::Gravity gravity{forces, matter, -YAxis, four_bar_gravity};
  std::vector<MobilizedBody::Pin> cranks, couplers;
  State start;

  explicit SimbodyFourBars(int windows) {
    constexpr double across = 1e-6;  // about the axis of a rod: any small number
    const Body::Rigid crank(MassProperties(1, Vec3(0, 0.5, 0), Inertia(1.0 / 3, across, 1.0 / 3)));
    const Body::Rigid coupler(MassProperties(1, Vec3(0.5, 0, 0), Inertia(across, 1.0 / 3, 1.0 / 3)));
    for (int i = 0; i <= windows; ++i)
      cranks.emplace_back(matter.Ground(), Transform(Vec3(i, 0, 0)), crank, Transform());
    for (int i = 0; i < windows; ++i) {
      const auto at = static_cast<std::size_t>(i);
      couplers.emplace_back(cranks[at], Transform(Vec3(0, 1, 0)), coupler, Transform());
      Constraint::PointOnLine(cranks[at + 1], UnitVec3(ZAxis), Vec3(0, 1, 0), couplers[at], Vec3(1, 0, 0));
    }
    start = system.realizeTopology();
    system.realizeModel(start);
    for (MobilizedBody::Pin& one : cranks) one.setRate(start, -1);
    for (MobilizedBody::Pin& one : couplers) one.setRate(start, 1);
  }
};

}  // namespace

}  // namespace peers

extern "C" void simbody_n_four_bar(int windows, double exact_angle, peers::Contest* contest) {
  using namespace peers;
  const auto model = std::make_shared<SimbodyFourBars>(windows);
  const auto add = [&](const std::string& method, SimbodyIntegrator integrator) {
    contest->competitors.push_back(
        {"Simbody", method, decades(3, 10), [model, exact_angle, integrator](double accuracy) {
           SimbodyTask task;
           task.system = &model->system;
           task.start = model->start;
           task.integrator = integrator;
           task.end = four_bar_end;
           task.accuracy = accuracy;
           task.constraint_tolerance = 1e-11;
           task.error = [&](const State& state) {
             double worst = 0;
             for (const MobilizedBody::Pin& crank : model->cranks)
               worst = std::max(worst, angle_between(-crank.getAngle(state), exact_angle));
             return worst;
           };
           return run_simbody(task);
         }});
  };
  add("RungeKuttaMerson", SimbodyIntegrator::merson);
  add("CPodes BDF", SimbodyIntegrator::cpodes_bdf);
}
