// Trees of hinges in Simbody: realized to accelerations.
#include <Simbody.h>

#include "dynamics.h"
#include "simbody_models.h"

namespace peers {

namespace {

class SimbodyDynamics final : public ForwardDynamics {
 public:
  explicit SimbodyDynamics(const HingeTree& tree)
      : gravity_(forces_, matter_, SimTK::Vec3(tree.gravity[0], tree.gravity[1], tree.gravity[2])) {
    using namespace SimTK;
    for (const HingedBody& body : tree.bodies) {
      const auto& J = body.inertia;
      const Vec3 centre(body.centre[0], body.centre[1], body.centre[2]);
      const Inertia about_centre(J[0], J[4], J[8], J[1], J[2], J[5]);
      const Body::Rigid rigid(
          MassProperties(body.mass, centre, about_centre.shiftFromMassCenter(-centre, body.mass)));
      const auto& a = body.axes;
      const Mat33 axes(a[0], a[3], a[6], a[1], a[4], a[7], a[2], a[5], a[8]);
      const Transform place(Rotation(axes, true), Vec3(body.origin[0], body.origin[1], body.origin[2]));
      MobilizedBody& parent = body.parent < 0 ? static_cast<MobilizedBody&>(matter_.updGround())
                                              : pins_[static_cast<std::size_t>(body.parent)];
      pins_.emplace_back(parent, place, rigid, Transform());
    }
    state_ = system_.realizeTopology();
    system_.realizeModel(state_);
  }

  void evaluate(const double* angles, const double* rates, double* accelerations) override {
    const int n = state_.getNU();
    for (int i = 0; i < n; ++i) {
      state_.updQ()[i] = angles[i];
      state_.updU()[i] = rates[i];
    }
    system_.realize(state_, SimTK::Stage::Acceleration);
    for (int i = 0; i < n; ++i) accelerations[i] = state_.getUDot()[i];
  }

 private:
  SimTK::MultibodySystem system_;
  SimTK::SimbodyMatterSubsystem matter_{system_};
  SimTK::GeneralForceSubsystem forces_{system_};
  SimTK::Force::UniformGravity gravity_;
  std::vector<SimTK::MobilizedBody::Pin> pins_;
  SimTK::State state_;
};

class SimbodyLoops final : public ForwardDynamics {
 public:
  explicit SimbodyLoops(int windows) : four_bars_(windows), state_(four_bars_.start) {
    const FourBarPose pose;
    for (SimTK::MobilizedBody::Pin& one : four_bars_.cranks) {
      one.setAngle(state_, pose.crank);
      one.setRate(state_, pose.crank_rate);
    }
    for (SimTK::MobilizedBody::Pin& one : four_bars_.couplers) {
      one.setAngle(state_, pose.coupler);
      one.setRate(state_, pose.coupler_rate);
    }
  }

  void evaluate(const double* shift, const double*, double* accelerations) override {
    four_bars_.cranks.front().setAngle(state_, FourBarPose().crank + *shift);
    four_bars_.system.realize(state_, SimTK::Stage::Acceleration);
    for (std::size_t i = 0; i < four_bars_.cranks.size(); ++i)
      accelerations[i] = four_bars_.cranks[i].getOneUDot(state_, 0);
  }

 private:
  SimbodyFourBars four_bars_;
  SimTK::State state_;
};

}  // namespace

}  // namespace peers

// The caller deletes it.
extern "C" peers::ForwardDynamics* simbody_dynamics(const peers::HingeTree* tree) {
  return new peers::SimbodyDynamics(*tree);
}

extern "C" peers::ForwardDynamics* simbody_loop_dynamics(int windows) {
  return new peers::SimbodyLoops(windows);
}
