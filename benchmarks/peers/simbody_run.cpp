#include "simbody_run.h"

namespace peers {

namespace {

using namespace SimTK;

std::unique_ptr<Integrator> make_integrator(const SimbodyTask& task) {
  if (task.integrator == SimbodyIntegrator::merson)
    return std::make_unique<RungeKuttaMersonIntegrator>(*task.system);
  if (task.integrator == SimbodyIntegrator::cpodes_adams)
    return std::make_unique<CPodesIntegrator>(*task.system, CPodes::Adams, CPodes::Functional);
  return std::make_unique<CPodesIntegrator>(*task.system, CPodes::BDF, CPodes::Newton);
}

double largest(const Vector& values) {
  double result = 0;
  for (int i = 0; i < values.size(); ++i) result = std::max(result, std::abs(values[i]));
  return result;
}

double energy(const MultibodySystem& system, const State& state) {
  system.realize(state, Stage::Dynamics);
  return system.calcEnergy(state);
}

}  // namespace

Run run_simbody(const SimbodyTask& task) {
  Run run;
  try {
    const std::unique_ptr<Integrator> integrator = make_integrator(task);
    integrator->setAccuracy(task.accuracy);
    if (task.constraint_tolerance > 0) integrator->setConstraintTolerance(task.constraint_tolerance);
    integrator->setProjectEveryStep(true);
    integrator->setInternalStepLimit(10000000);
    const Stopwatch watch;
    integrator->initialize(task.start);
    while (integrator->getTime() < task.end) {
      const Integrator::SuccessfulStepStatus status = integrator->stepTo(task.end);
      if (status == Integrator::EndOfSimulation) break;
    }
    run.seconds = watch.seconds();
    const State& state = integrator->getState();
    task.system->realize(state, Stage::Velocity);
    if (state.getNQErr() > 0) {
      run.position_violation = largest(state.getQErr());
      run.velocity_violation = largest(state.getUErr());
    }
    run.energy_drift = std::abs(energy(*task.system, state) - energy(*task.system, task.start));
    run.steps = integrator->getNumStepsTaken();
    run.evaluations = integrator->getNumRealizations();
    run.error = task.error(state);
  } catch (const std::exception& error) {
    run.failure = error.what();
  }
  return run;
}

}  // namespace peers
