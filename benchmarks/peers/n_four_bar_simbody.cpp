// The N-four-bar in Simbody.
//
// Its constraint tolerance is 1e-11 at every accuracy, and not its own choice of a tenth of the accuracy: at
// the singular position all depends on it.
#include "simbody_models.h"
#include "simbody_run.h"

extern "C" void simbody_n_four_bar(int windows, double exact_angle, peers::Contest* contest) {
  using namespace peers;
  const auto model = std::make_shared<SimbodyFourBars>(windows);
  const auto add = [&](const std::string& method, SimbodyIntegrator integrator) {
    contest->competitors.push_back(
        {"Simbody", method, decades(3, 8), [model, exact_angle, integrator](double accuracy) {
           SimbodyTask task;
           task.system = &model->system;
           task.start = model->start;
           task.integrator = integrator;
           task.end = four_bar_end;
           task.accuracy = accuracy;
           task.constraint_tolerance = 1e-11;
           task.error = [&](const SimTK::State& state) {
             double worst = 0;
             for (const SimTK::MobilizedBody::Pin& crank : model->cranks)
               worst = std::max(worst, angle_between(-crank.getAngle(state), exact_angle));
             return worst;
           };
           return run_simbody(task);
         }});
  };
  add("RungeKuttaMerson", SimbodyIntegrator::merson);
  add("CPodes BDF", SimbodyIntegrator::cpodes_bdf);
}
