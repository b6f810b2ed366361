// A run: assembles the initial state, chooses formulation and integrator by the method, advances, finds
// events, keeps the trajectory. A run that fails or is interrupted keeps what it computed.
//
//   trammel::Simulation simulation(equations, {"psf", "radau5"});
//   const trammel::Summary summary = simulation.run(x0, 0.0, 10.0);
//   std::cout << summary.full_report();
#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "trammel/formulation/motion_problem.h"
#include "trammel/integrator/integrator.h"
#include "trammel/motion/closure.h"
#include "trammel/motion/consistent_state.h"
#include "trammel/motion/reduced_motion.h"
#include "trammel/result/trajectory.h"
#include "trammel/simulation/energy_balance.h"
#include "trammel/simulation/event.h"
#include "trammel/simulation/method.h"
#include "trammel/simulation/method_watch.h"
#include "trammel/simulation/options.h"
#include "trammel/simulation/run_snapshot.h"
#include "trammel/simulation/sample_limit.h"
#include "trammel/simulation/step_interpolant.h"
#include "trammel/simulation/summary.h"

namespace trammel {

class Simulation {
 public:
  Simulation(EquationsOfMotion& equations, Method method, Options options = {});
  ~Simulation();

  // Lets the run change between its method, which is for motion that is not stiff, and this one, as both have got on
  // (method_watch.h); also where one of them cannot go on. Options are for both. Each change is in the summary.
  void may_change_to(Method stiff);

  void add_event(Event event) { events_.push_back(std::move(event)); }
  // Called after the start and after every accepted step with the state and the step size; false ends the
  // run.
  void on_step(std::function<bool(const Point<double>& x, double h)> callback) {
    callback_ = std::move(callback);
  }

  // Called with every state that is put out, in the order of time and near to the step it belongs to.
  void on_output(std::function<void(double t, const Vector& x)> callback) { output_ = std::move(callback); }

  // Of what is put out, during the call: what it is the limit of. Null if it is what it is.
  const SampleLimit* limit() const { return limit_ ? &*limit_ : nullptr; }

  // Called when a run begins and after every accepted step, before what is put out inside it: for what goes
  // along with the motion, such as the turns of an angle.
  void on_follow(std::function<void(double t, const Vector& x)> callback) { follow_ = std::move(callback); }

  // Called now and then after a step with the state, and the state with the error that was estimated for it.
  void on_estimate(std::function<void(double t, const Vector& x, const Vector& disturbed)> callback) {
    estimate_ = std::move(callback);
  }

  // Called wherever the run rests (Options::rest_steps), with a copy of where it is.
  void on_rest(std::function<void(const RunSnapshot&)> callback) { rest_ = std::move(callback); }

  // --- step by step: what run() does at once ---------------------------------------------------------------
  //
  //   for (bool on = simulation.start(x0, 0, 10); on; on = simulation.advance(simulation.t() + 0.01)) {
  //     read simulation.state(), perhaps simulation.set_state(...);
  //   }
  //   const trammel::Summary summary = simulation.finish();

  // Assembles x0 at t_start. The run can go as far as t_end. False if it is over already, for its failure or
  // because there is no time between the two.
  bool start(const Vector& x0, double t_start, double t_end);
  // The same from a state that has been assembled, or could not be: the report says how it went.
  bool start(const Vector& x0, double t_start, double t_end, const AssemblyReport& assembled);
  // Goes on to t, or to the end if that comes first; a step ends there. False if the run is over.
  bool advance(double t);
  double t() const { return t_; }
  // Of the user's equations, consistent.
  const Vector& state() const { return state_; }
  // Goes on from another state at t(), which is made consistent first. False if the run is over by that.
  bool set_state(const Vector& x);
  // A copy of where the run is, and back to it, or to it in another simulation of the same equations, method
  // and options that was started with the same times. After save() and after restore() a run with an
  // integrator of ours is the same to the last bit. False if that cannot be.
  bool save(RunSnapshot& snapshot);
  bool restore(const RunSnapshot& snapshot);
  // After start(): goes on from where another run rested, and as that one did, to the last bit with
  // integrators of ours. It is given what the trajectory had there, as far as that is wanted.
  bool resume(const RunSnapshot& snapshot, Trajectory so_far);
  // After start(), before anything else: this goes on with what another run has left of steps and events.
  void take_up(std::vector<StepRecord> steps, std::vector<EventRecord> events);
  // What has come of it, so far or at the end.
  Summary finish();

  // From the guess x0 at t_start to t_end. t_end = t_start only assembles.
  Summary run(const Vector& x0, double t_start, double t_end);
  Summary run(const Vector& x0, double t_start, double t_end, const AssemblyReport& assembled);

  const Trajectory& trajectory() const { return trajectory_; }

 private:
  struct Root {
    double t = 0;
    std::size_t event = 0;
  };
  // Branches of laws that end at a time, and what comes after them.
  struct Crossing {
    struct Change {
      std::size_t index = 0;
      HeldBranch to;
      SwitchReading::Order order = SwitchReading::nothing_jumps;
    };
    struct End {
      double t;
      Change change;
    };
    double t = 0;       // where the last of them ends
    double latest = 0;  // a step that ends no later leaves nothing of them to be seen
    std::vector<Change> changes;

    SwitchReading::Order order() const;
  };
  // What is known of a switch.
  struct Switched {
    double t = -std::numeric_limits<double>::infinity();  // when it last changed
    int repeats = 0;                                      // at that time
    double largest = 0;                                   // of what it compares
    double width = 0;                                     // over which it slides
    double slid = 0;                                      // over which it did, at that time

    void let_go() { *this = {t, 0, 0, 0, width}; }
    void carry(Carrier& carried) { carried(t, repeats, largest, width, slid); }
  };

  Failure check(double t_start, double t_end) const;
  Summary run(const Vector& x0, double t_start, double t_end, const AssemblyReport* assembled);
  bool start(const Vector& x0, double t_start, double t_end, const AssemblyReport* assembled);
  bool prepare(Vector& x, double t, const AssemblyReport* assembled);
  bool make_solver(const Vector& x, double t);
  bool make_method(std::size_t method);
  bool assemble_start(Vector& x, double t, const AssemblyReport* known);
  void note_assembly(const AssemblyReport& report, Summary& summary) const;
  Failure reassemble(Vector& x, double t);
  Failure named(const Failure& failure, const Vector& x, double t);
  // A state as it is to be shown.
  Vector shown(double t, const Vector& x);
  void put_out(double t, const Vector& x);
  Vector extended(const Vector& x) const;
  // The equations that are solved: those of the user, or fewer for the same motion.
  EquationsOfMotion& solved() const { return reduction_ ? reduction_->equations() : equations_; }
  // A state of the user's equations as one of those solved, and back from what an integrator has.
  Vector reduced(const Vector& x) const { return reduction_ ? reduction_->reduce(x) : x; }
  Vector restored(double t, const VectorIn& x) const;
  // With the multipliers of drivers that are no equations.
  Vector completed(double t, const VectorIn& x);
  Point<double> point(double t, const Vector& x) const;
  bool begin_run();
  bool proceed(double t);
  Failure check_state(const Vector& x) const;
  void carry_motion(Carrier& carried);
  // All that changes while a run goes on, besides integrator, problem and trajectory.
  auto progress() {
    return std::tie(t_, state_, violation_, accelerations_, tiny_steps_, largest_step_, next_output_,
                    next_corner_, corners_from_, balance_, step_, between_steps_, accelerations_serve_,
                    steps_since_start_, next_judgement_, steps_since_switch_, largest_positions_,
                    singular_samples_, singular_rows_, no_limits_, unbelievable_steps_, doubts_, switched_at_,
                    way_from_, way_, before_, event_values_, event_at_root_, event_repeats_, event_last_t_,
                    summary_.violation, summary_.notes, held_, switched_, at_begin_, at_begin_t_,
                    renew_branches_, crossed_, wanted_step_, watch_, gave_up_at_, summary_.method_changes);
  }
  void carry_progress(Carrier& carried);
  // All that remembers where the run has been, besides progress(): it can be made anew by make_solver().
  auto solver() { return std::tie(closure_, integrator_, problem_, shown_, between_, watched_, reduction_); }
  bool copy(RunSnapshot& snapshot);
  bool begin_anew(const RunSnapshot& snapshot);
  void rest();
  bool gets_on();
  // The run is over for this reason: false.
  bool fail(Failure failure) {
    summary_.failure = std::move(failure);
    return false;
  }
  bool after_step();
  bool is_interrupted();
  // False, with the reason in the summary, if the constraints do not hold at a state that a step ended in.
  bool constraints_hold(double t, const Vector& x);
  void note_drift(Summary& summary) const;
  void record_step(double t, double h);
  void record_output(double t_old, double t);
  // What is shown at a time inside the last step or at its end.
  Vector sample(double t);
  Vector sample_beside(double t);
  bool ends_in_singular_position();
  void begin_step();
  // Everything that goes along with the motion goes to a state of the user's equations.
  void follow(double t, const Vector& x);
  void follow_inside(double t, const Vector& x);
  // The accelerations at a state of the equations solved that a step ended in; null if they cannot be found.
  const Vector* accelerations(double t, const Vector& x);
  void judge_accelerations();
  bool interpolate_near(double t, Vector& full);
  void note_singular_sample(double t, bool has_limit);
  std::vector<std::string> dependent_rows(double t, const Vector& x);
  std::string singular_note() const;
  // Events
  bool evaluate_events(double t, const Vector& x, std::vector<double>& values);
  bool find_roots(std::vector<Root>& roots);
  double locate(std::size_t event, double low, double low_value, double high, double high_value);
  bool step_onto(const Root& root);
  std::optional<Root> record_events(const std::vector<Root>& roots);
  bool take_over();
  bool happen(std::size_t event);
  bool handle_events();
  // Goes on at t from another state, or with other forces than before; after a crossing, the state is as it was.
  bool restart(double t, Vector x, double h, const Crossing* crossing = nullptr);
  // Switches
  void begin_switches(double t, const Vector& x);
  void hold_branches(double t, const Vector& x, const Crossing* crossing);
  bool follow_jumps(const std::vector<SwitchReading>& before, const Crossing& crossing);
  void pass_on_branches();
  double negligible_corner() const;
  void read_inside(double t, std::vector<SwitchReading>& readings);
  double locate_switch(std::size_t i, double low, double low_margin, double high, double high_margin);
  double find_dip(std::size_t i, double& t);
  // A piece of the last step, the readings at whose begin are there; those inside and at its end are in inside_.
  struct Piece {
    double from, to;
    const std::vector<SwitchReading>* begin;
    double length() const { return to - from; }
  };
  std::array<double, 4> margins(const Piece& piece, std::size_t i) const;
  bool is_resolved(const Piece& piece);
  std::optional<double> end_in(const Piece& piece, std::size_t i);
  bool find_crossing(Crossing& found);
  double first_moment() const;
  bool ends_at_branch(Crossing& found);
  bool take_step(double bound);
  bool go_back();
  bool is_at_end(const Crossing& crossing, double h) const;
  void hold_new_branches();
  bool cross_switch();
  bool is_idle();
  Failure switches_without_end(const Crossing& crossing) const;
  void note_switch(const Crossing::Change& change);
  double step_on(const std::vector<HeldBranch>& before, double h);
  void begin_way();
  void go_way();
  void limit_sizes();
  Index integrated() const;
  // Methods
  bool watch_method();
  bool takes_other_method(const Failure& failure);
  bool change_method(double h, std::string reason);
  // Times at which the equations are known not to be smooth
  void find_corners(double t);
  // A failure of the integrator, with what is known about the position that it happened in.
  Failure explained(const Failure& failure);
  std::string why_singular();
  std::string why_stiff() const;
  bool cross_corners();
  bool cross_corner(std::size_t corner);
  // Energy
  double errors_that_add_up() const;
  bool is_bounded_by_stability() const;
  void show_estimate();
  void show_delay(double tolerances);
  bool energy_at(double t, bool on_constraints, EnergyState& state);
  bool balance_parts(int parts, bool on_constraints, const EnergyState& end, EnergyBalance& balance);
  std::optional<EnergyBalance> balance_with_step(const Vector& reached);
  void balance_step();
  bool is_believable();
  bool explains(const EnergyBalance& with_step) const;
  bool looks_at_ends_only() const;
  bool misses_forces();
  void note_energy(Summary& summary) const;

  EquationsOfMotion& equations_;
  std::vector<Method> methods_;                    // that it may take
  std::size_t present_ = 0;                        // among them
  Method method_;                                  // that is at work
  const FormulationEntry* formulation_ = nullptr;  // of the method
  Options options_;
  MethodWatch watch_;
  double gave_up_at_ = -std::numeric_limits<double>::infinity();  // when one of the methods could not go on
  std::vector<Event> events_;
  std::function<bool(const Point<double>&, double)> callback_;
  std::function<void(double, const Vector&)> output_;
  std::function<void(double, const Vector&)> follow_;
  std::function<void(double, const Vector&, const Vector&)> estimate_;
  std::function<void(const RunSnapshot&)> rest_;
  std::unique_ptr<ReducedMotion> reduction_;  // if there is one
  std::unique_ptr<TangentMotion> watched_;    // the user's equations, beside the steps
  // States of the equations solved beside the steps: what is put out, what is measured.
  std::unique_ptr<TangentMotion> between_;
  std::unique_ptr<ConsistentState> shown_;
  std::unique_ptr<MotionProblem> problem_;
  std::unique_ptr<Integrator> integrator_;
  Trajectory trajectory_;
  std::unique_ptr<Closure> closure_;
  Summary summary_;  // so far
  std::chrono::steady_clock::time_point began_;
  Violation violation_;       // at the end of the last step
  Vector accelerations_;      // there; empty if they are not known
  double smallest_size_ = 1;  // of the mechanism, or one radian
  double suspicious_ = 0;     // violations above this are looked at closely
  Vector state_;              // of the user's equations
  double t_ = 0, t_end_ = 0;
  // The assembled state that the run began with, and what the equations followed until then.
  double t_start_ = 0;
  Vector start_;
  Snapshot followed_before_;
  long steps_since_rest_ = 0;
  long tiny_steps_ = 0;  // in a row
  double largest_step_ = 0;
  std::size_t next_output_ = 0;
  // A step ends before it; if something jumps, the next one begins behind it.
  struct Corner {
    double before = 0, after = 0;
    int order = 0;
    std::string name;
  };
  std::vector<Corner> corners_;
  std::size_t next_corner_ = 0;
  double corners_from_ = 0, corners_until_ = 0;  // the times between which they are known
  double listed_from_ = 0;  // the same as corners_from_, unless the run has been restored
  EnergyBalance balance_;
  std::optional<std::pair<double, EnergyBalance>>
      balanced_;                 // with a step to this time that may be taken over
  long unbelievable_steps_ = 0;  // that did not get better in parts
  // A step that was not believed: what it went over is gone through in shorter ones.
  struct Doubt {
    double until = 0, step = 0, unexplained = 0;  // at its begin
    void carry(Carrier& carried) { carried(until, step, unexplained); }
  };
  std::vector<Doubt> doubts_;
  StepInterpolant step_;
  bool between_steps_ = false;  // it is better than what the integrator has
  bool accelerations_serve_ = false;
  long steps_since_start_ = 0, next_judgement_ = 0;
  std::vector<std::string> redundant_at_start_;
  std::vector<double> singular_samples_;
  std::vector<std::string> singular_rows_;  // that depend on others at the first of them
  bool no_limits_ = false;                  // at some of them
  long steps_since_switch_ = 1000;
  double switched_at_ = -std::numeric_limits<double>::infinity();  // when a law last changed its branch
  Vector largest_positions_;                                       // so far, of the unknowns
  // Of methods of several steps: the state in which a law last changed its branch, and how far each unknown has come from
  // there, at most. Empty before.
  Vector way_from_, way_;
  std::optional<SampleLimit> limit_;  // of the present sample
  Vector before_;                     // the state solved for at the beginning of the last step
  Vector sample_;                     // work space
  std::vector<double> event_values_, event_new_;
  std::vector<char> event_at_root_;
  std::vector<long> event_repeats_;
  std::vector<double> event_last_t_;
  std::vector<HeldBranch> held_;  // of all switches
  std::vector<Switched> switched_;
  std::vector<SwitchReading> at_begin_;  // of the next step
  double at_begin_t_ = 0;
  std::array<std::vector<SwitchReading>, 3> inside_;  // the last one, at thirds
  std::vector<SwitchReading> reading_;                // work space
  std::optional<Crossing> pending_;                   // at the end of the last step
  long idle_crossings_ = 0;                           // one after the other while time hardly goes on
  double idle_since_ = 0;
  bool renew_branches_ = false;  // held_ has changed
  bool crossed_ = false;         // the last step ended with a crossing
  double wanted_step_ = 0;       // before it was cut
};

}  // namespace trammel
