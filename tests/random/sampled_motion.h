// What a recording says of the forces on every body at every sample: reactions, drivers, couplers, gravity
// and force elements, from the channels as a user reads them. Newton's laws must hold with them.
#pragma once

#include <string>
#include <vector>

#include "tests/random/model_run.h"
#include "trammel/motion/cartesian_motion.h"

namespace trammel {

// All at one sample. Momenta and forces in world axes, torques and angular momenta about centres of mass.
struct BodyBalance {
  Vec3<double> momentum, angular_momentum, force, torque;
};
struct SampleBalance {
  std::vector<BodyBalance> bodies;  // that of the ground is empty
  double driver_power = 0;
  // How far the accelerations that follow from the forces are from what the constraints ask for, and the size
  // of their parts.
  double acceleration_residual = 0, acceleration_size = 0;
};

class SampledMotion {
 public:
  // `recording` is of a run of this model.
  SampledMotion(const Model& model, const Recording& recording);

  const std::vector<SampleBalance>& samples() const { return samples_; }

 private:
  double value(const std::string& channel, std::size_t sample) const;
  Vec3<double> vector(const std::string& channel, std::size_t sample) const;
  // The state of the equations, as far as the recording tells; multipliers only where a law uses them.
  Vector state(std::size_t sample) const;
  void set_multipliers(std::size_t sample, Vector& x) const;
  void add_reactions(std::size_t sample, SampleBalance& balance) const;
  void add_effort(const std::string& coordinate, double effort, SampleBalance& balance) const;
  void add_force_at(int body, const Vec3<double>& point, const Vec3<double>& force,
                    SampleBalance& balance) const;
  void add_elements_and_gravity(double t, SampleBalance& balance) const;
  void add_rotors(double t, const Vector& x, SampleBalance& balance);
  void check_accelerations(double t, const Vector& x, SampleBalance& balance);

  const Model& model_;
  const Recording& recording_;
  CartesianEquations equations_;
  CartesianMotion motion_;
  std::vector<SampleBalance> samples_;
};

}  // namespace trammel
