// Simbody as mechanisms grow: RungeKuttaMerson, accuracy 1e-5; in the four-bars with a constraint tolerance
// of 1e-11, projecting in every step.
#include "scaling.h"
#include "simbody_models.h"

namespace peers {

namespace {

template <class Model>
class SimbodyScaledModel final : public ScaledModel {
 public:
  explicit SimbodyScaledModel(int size) : model_(size) {}

  ScaledRun run() override {
    using namespace SimTK;
    RungeKuttaMersonIntegrator integrator(model_.system);
    integrator.setAccuracy(1e-5);
    integrator.setConstraintTolerance(1e-11);
    integrator.setProjectEveryStep(true);
    integrator.setReturnEveryInternalStep(true);
    integrator.initialize(model_.start);
    const int before = realizations();
    const Stopwatch watch;
    while (integrator.getNumStepsTaken() < scaling_steps) integrator.stepTo(scaling_end);
    const double seconds = watch.seconds();
    return {1.0 * integrator.getNumStepsTaken(), 1.0 * (realizations() - before), seconds};
  }

 private:
  int realizations() const { return model_.system.getNumRealizationsOfThisStage(SimTK::Stage::Acceleration); }

  Model model_;
};

}  // namespace

}  // namespace peers

// The caller deletes it.
extern "C" peers::ScaledModel* simbody_scaled_model(int growing, int bodies) {
  using namespace peers;
  if (static_cast<Growing>(growing) == Growing::chain) return new SimbodyScaledModel<SimbodyChain>(bodies);
  return new SimbodyScaledModel<SimbodyFourBars>(windows_of(bodies));
}
