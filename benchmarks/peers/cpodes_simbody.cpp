// Calls CPodes. Projection in every step, errors projected, as Simbody's CPodesIntegrator has it; Newton's matrix is dense, by
// differences: it has no other.
#include <Simbody.h>

#include <algorithm>

#include "contest.h"
#include "cpodes.h"

namespace peers {

namespace {

using SimTK::CPodes;
using SimTK::Real;
using SimTK::Vector;

class Operators final : public SimTK::CPodesSystem {
 public:
  explicit Operators(const CpodesTask& task) : task_(task) {}

  int explicitODE(Real t, const Vector& y, Vector& rates) const override {
    if (watch_.seconds() > task_.patience) return CPodes::UnrecoverableError;
    return task_.derivative(t, &y[0], &rates[0]) ? CPodes::Success : CPodes::RecoverableError;
  }

  int project(Real t, const Vector& y, Vector& correction, Real, Vector& error) const override {
    Vector moved = y;
    Vector nothing(y.size(), 0.0);
    const bool projects_error = error.size() == y.size();
    if (!task_.project(t, &moved[0], projects_error ? &error[0] : &nothing[0]))
      return CPodes::RecoverableError;
    correction = moved - y;
    return CPodes::Success;
  }

  void errorHandler(int, const char*, const char*, char* message) const override { message_ = message; }
  const std::string& message() const { return message_; }

 private:
  const CpodesTask& task_;
  const Stopwatch watch_;
  mutable std::string message_;
};

}  // namespace

}  // namespace peers

extern "C" void simbody_run_cpodes(const peers::CpodesTask* task, peers::CpodesResult* result) {
  using namespace peers;
  const int n = static_cast<int>(task->start.size());
  Operators operators(*task);
  Vector y(n, 0.0), rates(n, 0.0);
  std::copy(task->start.begin(), task->start.end(), &y[0]);
  task->derivative(task->begin, &y[0], &rates[0]);
  CPodes integrator(CPodes::ExplicitODE, task->adams ? CPodes::Adams : CPodes::BDF,
                    task->adams ? CPodes::Functional : CPodes::Newton);
  Real absolute = task->tolerance;
  integrator.init(operators, task->begin, y, rates, CPodes::ScalarScalar, task->tolerance, &absolute);
  integrator.setErrHandlerFn();
  if (!task->adams) integrator.lapackDense(n);
  integrator.projDefine();
  integrator.setProjUpdateErrEst(true);
  integrator.setProjFrequency(1);
  integrator.setMaxNumSteps(10000000);
  integrator.setStopTime(task->end);
  Real t = task->begin;
  const int flag = integrator.step(task->end, &t, y, rates, CPodes::NormalTstop);
  if (flag < 0) result->failure = "CPodes: " + std::to_string(flag) + " " + operators.message();
  int steps = 0, projections = 0;
  integrator.getNumSteps(&steps);
  integrator.getProjNumProj(&projections);
  result->steps = steps;
  result->projections = projections;
  result->state.assign(&y[0], &y[0] + n);
}
