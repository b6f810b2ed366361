// From the states of a mechanism to the channels of a recording: what each body, joint, driver and force does
// at every output time. docs/results.md is the list of the channels.
//
//   Recording recording;
//   MechanismRecorder recorder(equations, recording);
//   simulation.on_output([&](double t, const Vector& x) { recorder.append(t, x); });
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "trammel/motion/mechanism_motion.h"
#include "trammel/result/recording.h"
#include "trammel/result/trajectory.h"
#include "trammel/simulation/sample_limit.h"
#include "trammel/simulation/summary.h"

namespace trammel {

class MechanismRecorder {
 public:
  // Adds the channels. Equations and recording must outlive this.
  MechanismRecorder(MechanismEquations& equations, Recording& recording);
  MechanismRecorder(const MechanismRecorder&) = delete;
  MechanismRecorder& operator=(const MechanismRecorder&) = delete;

  // Goes along with the motion, so that angles are told from those a turn away: to be called at least once
  // for every half turn.
  void follow(double t, const Vector& x) { motion_->follow(t, x); }
  // One more sample.
  void append(double t, const Vector& x);
  // The same in a position where reactions and efforts are not determined: they are limits.
  void append(double t, const Vector& x, const SampleLimit& limit);
  // The values of some channels, by their places, at a state: nothing is recorded.
  void read(double t, const Vector& x, std::span<const std::size_t> channels, std::span<double> values);
  // All that one sample depends on of those before it.
  void carry(Carrier& carried);

  // A sentence for each measure that had values that are not finite: with its first time, and how often.
  std::vector<std::string> measures_not_finite() const;
  // They become notes, for a measure is the user's own. Of all other channels such a value is a failure: what
  // has been computed is not the motion.
  void judge(Summary& summary) const;

 private:
  // Values to the channels that one thing has; they are as many as the channels that were added for it.
  using Source = std::function<void(double t, const Vector& x, std::span<double> values)>;

  void add(Source source, std::vector<Channel> channels);
  void add_body(std::size_t body);
  void add_coordinates();
  void add_reaction(std::size_t joint);
  void add_efforts();
  void add_force(const ForceBlock& block, Index element);
  void add_states();
  void add_energies();
  void add_measures();
  // The name, or, if another channel has it already, the name with a number behind it.
  std::string free_name(const std::string& name) const;

  MechanismEquations& equations_;
  std::unique_ptr<MechanismMotion> motion_;
  Recording& recording_;
  struct Part {
    Source source;
    std::size_t first = 0, count = 0;
    bool is_reaction = false;
  };
  std::span<double> values_of(const Part& part) { return std::span(row_).subspan(part.first, part.count); }
  std::vector<Part> parts_;
  std::vector<double> row_;
  // Channels with values that are not finite, as they came.
  struct NotFinite {
    std::size_t channel = 0;
    double t = 0, value = 0;  // the first one
    long samples = 0;

    void carry(Carrier& carried) { carried(channel, t, value, samples); }
  };
  void watch(double t);
  std::vector<NotFinite> not_finite_;
  // Of each body at the last sample, so that signs do not jump.
  std::vector<Quaternion<double>> quaternions_;
  const Vector no_accelerations_;
};

// The channels over the accepted steps, and those steps that the recording does not have yet.
void add_steps(const std::vector<StepRecord>& steps, Recording& recording, bool with_invariants = false);
// The steps that a recording has.
std::vector<StepRecord> steps_of(const Recording& recording);

}  // namespace trammel
