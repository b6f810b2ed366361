// The chain in Simbody.
#include "simbody_models.h"
#include "simbody_run.h"

extern "C" void simbody_chain(const std::vector<double>* exact_angles, peers::Contest* contest) {
  using namespace peers;
  const auto model = std::make_shared<SimbodyChain>(static_cast<int>(exact_angles->size()));
  const std::vector<double> exact = *exact_angles;
  const auto add = [&](const std::string& method, SimbodyIntegrator integrator) {
    contest->competitors.push_back(
        {"Simbody", method, decades(3, 11), [model, exact, integrator](double accuracy) {
           SimbodyTask task;
           task.system = &model->system;
           task.start = model->start;
           task.integrator = integrator;
           task.end = chain_end;
           task.accuracy = accuracy;
           task.error = [&](const SimTK::State& state) {
             double worst = 0, angle = 0;
             for (std::size_t i = 0; i < exact.size(); ++i) {
               angle += model->rods[i].getAngle(state);
               worst = std::max(worst, angle_between(angle, exact[i]));
             }
             return worst;
           };
           return run_simbody(task);
         }});
  };
  add("RungeKuttaMerson", SimbodyIntegrator::merson);
  add("CPodes BDF", SimbodyIntegrator::cpodes_bdf);
  add("CPodes Adams", SimbodyIntegrator::cpodes_adams);
}
