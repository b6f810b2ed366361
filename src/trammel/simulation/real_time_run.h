// A model stepped in real time: steps of one size, iterations bounded, nothing allocated in a step, its times known.
//
//   trammel::MechanismRun run(model, {.method = "penalty/trapezoidal"});
//   trammel::RealTimeRun steps(run, {.rate = 1000});
//   const std::size_t throttle = steps.input("throttle");
//   if (steps.start())
//     for (;;) {
//       steps.set_input(throttle, pedal());
//       if (!steps.step()) break;
//       steps.read(channels, values);
//     }
//
// A step whose iteration has not converged within its bound is kept, marked and counted: a machine that is waiting for it cannot
// be told to wait. Nothing else in the library does so.
//
// To find out where in a step a law changes its branch takes as long as it takes, so nobody looks: laws are what the state at the end
// of the step makes them, a contact opens or closes up to one step late, and such steps are counted. Laws of time whose corners lie
// in the run are counted as well. Events, and prescribed positions or velocities that jump, are refused.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "trammel/formulation/motion_problem.h"
#include "trammel/integrator/second_order_method.h"
#include "trammel/motion/consistent_state.h"
#include "trammel/simulation/branch_watch.h"
#include "trammel/simulation/mechanism_run.h"
#include "trammel/simulation/step_times.h"

namespace trammel {

struct RealTimeOptions {
  double rate = 1000;  // steps a second
  // Of Newton's method in a step, unless the run has the option max_newton_iterations.
  int iterations = 4;
};

class RealTimeRun {
 public:
  // What a run without a method of its own takes.
  static constexpr const char* standard_method = "penalty/trapezoidal";

  // The run must outlive this, and is not to be started itself. Throws std::invalid_argument if its method is not of second
  // order, it has events, or the rate is not positive.
  RealTimeRun(MechanismRun& run, RealTimeOptions options);
  ~RealTimeRun();

  // False if it is over already; summary() says why.
  bool start();
  // One step. False if the run is over, by its end or by a failure.
  bool step();
  double t() const;
  const Vector& state() const;

  // The place of an input or state of the model; throws std::invalid_argument with the names there are. A value holds from the
  // next step on.
  std::size_t input(const std::string& name) const;
  void set_input(std::size_t place, double value);
  // The values of channels of the run's recording, by their places.
  void read(std::span<const std::size_t> channels, std::span<double> values);

  // How well the constraints are met by a state that was reached, for the summary: not part of a step, and may be called in another
  // thread than step().
  void watch(double t, const Vector& x);

  // Of the last step.
  bool is_converged() const { return !method_->unconverged(); }
  double residual() const { return method_->residual(); }  // relative to the forces

  double step_size() const { return step_; }
  const StepTimes& times() const { return times_; }  // CPU time of this thread
  long unconverged() const { return unconverged_; }
  double largest_residual() const { return largest_residual_; }  // of those
  // Steps inside of which a law of the state changed its branch (a contact that closes, an if, a table); those with a jump of a law
  // of time.
  long switched() const { return branches_.steps(); }
  long corners() const { return corners_; }
  // "CPU time of a step: mean ..., 99.9 % below ..., worst ...; 3 steps not converged, ..."
  std::string report() const;
  Summary summary() const;

 private:
  bool fail(Failure failure);
  Failure count_corners();
  void tell_jumps(std::vector<std::string>& notes) const;

  MechanismRun& run_;
  Options options_;
  double step_, end_;
  std::unique_ptr<MotionProblem> problem_;
  std::unique_ptr<Integrator> integrator_;
  SecondOrderMethod* method_ = nullptr;
  Recording recording_;  // without samples: for read()
  std::unique_ptr<MechanismRecorder> reader_;
  std::unique_ptr<TangentMotion> watched_;
  std::unique_ptr<ConsistentState> watch_;
  Violation violation_;
  Vector shown_;
  StepTimes times_;
  BranchWatch branches_;
  long steps_ = 0, unconverged_ = 0, corners_ = 0;
  double largest_residual_ = 0;
  Failure failure_;
};

}  // namespace trammel
