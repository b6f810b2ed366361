// Joints of robots that carry nothing with a mass.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "trammel/mechanism/measured_function.h"
#include "trammel/model/model_builder.h"

namespace trammel {
namespace {

class MasslessJoints {
 public:
  explicit MasslessJoints(ModelBuilder& builder) : builder_(builder), mechanism_(builder.mechanism()) {
    for (const ModelBuilder::JointWithoutMass& entry : builder.joints_without_mass) {
      const int index = builder.joints.at(entry.joint);
      idle_.insert(entry.joint);
      joint_of_body_.emplace(mechanism_.joints[static_cast<std::size_t>(index)].body_b, index);
    }
  }

  void hold() {
    leave_out_what_the_model_moves();
    std::map<std::string, std::vector<std::string>> held;  // by file
    for (const ModelBuilder::JointWithoutMass& entry : builder_.joints_without_mass)
      if (idle_.contains(entry.joint) && !entry.follows) {
        add_drivers(mechanism_.joints[static_cast<std::size_t>(builder_.joints.at(entry.joint))]);
        held[entry.file].push_back(entry.joint);
      }
    for (const auto& [file, joints] : held)
      builder_.model.warnings.push_back(fmt::format(
          "{}: nothing that these joints carry has a mass, so they are held where they are: {}; drive "
          "them, or give the entry of 'urdf' a 'missing_inertia'",
          file, some_of(joints)));
  }

 private:
  static std::string joint_of(const std::string& coordinate) {
    return coordinate.substr(0, coordinate.find('.'));
  }

  // A force or joint at a body: what leads there can move.
  void leave_out_chain(int body) {
    for (auto found = joint_of_body_.find(body); found != joint_of_body_.end();
         found = joint_of_body_.find(body)) {
      const Joint& joint = mechanism_.joints[static_cast<std::size_t>(found->second)];
      idle_.erase(joint.name);
      body = joint.body_a;
    }
  }

  void leave_out_what_the_model_moves() {
    const std::set<std::string> massless = idle_;
    for (const Driver& driver : mechanism_.drivers) idle_.erase(joint_of(driver.coordinate));
    for (const Joint& joint : mechanism_.joints) {
      if (massless.contains(joint.name)) continue;
      leave_out_chain(joint.body_a);
      leave_out_chain(joint.body_b);
    }
    for (const Force& force : mechanism_.forces) {
      leave_out_chain(force.ends().body_a);
      leave_out_chain(force.ends().body_b);
      // friction alone moves nothing
      const Force::Coordinate* along = force.along();
      if (along == nullptr || force.as<Force::JointFriction>() != nullptr) continue;
      idle_.erase(along->joint);
      idle_.erase(joint_of(along->coordinate));
    }
    for (const InitialValue& initial : mechanism_.initial)
      if (initial.quantity.ends_with("_rate")) idle_.erase(joint_of(initial.quantity));
    for (const Coupler& coupler : mechanism_.couplers) leave_out_coupled(coupler, massless);
  }

  // What mimics a massless joint stands still with it; any other coupler may move it.
  void leave_out_coupled(const Coupler& coupler, const std::set<std::string>& massless) {
    const bool mimics = std::any_of(builder_.joints_without_mass.begin(), builder_.joints_without_mass.end(),
                                    [&](const ModelBuilder::JointWithoutMass& entry) {
                                      return entry.follows && entry.joint == coupler.name;
                                    });
    if (mimics && massless.contains(joint_of(coupler.terms[0].coordinate))) return;
    for (const Coupler::Term& term : coupler.terms) idle_.erase(joint_of(term.coordinate));
  }

  void add_drivers(const Joint& joint) {
    for (const std::string& coordinate : coordinate_names(joint.type)) {
      Driver driver;
      driver.coordinate = joint.name + "." + coordinate;
      driver.name = fmt::format(
          "{}_held", coordinate_names(joint.type).size() == 1 ? joint.name : joint.name + "_" + coordinate);
      driver.place = joint.place;
      double value = 0;
      for (const auto& [name, given] : joint.initial)
        if (name == coordinate) value = given;
      for (const InitialValue& initial : mechanism_.initial)
        if (initial.quantity == driver.coordinate) value = initial.value;
      driver.motion = Law(value);
      claim_name(builder_, "drivers", driver.name, driver.place);
      mechanism_.drivers.push_back(driver);
    }
  }

  ModelBuilder& builder_;
  Mechanism& mechanism_;
  std::set<std::string> idle_;        // names
  std::map<int, int> joint_of_body_;  // the massless joint that carries a body
};

}  // namespace

void hold_joints_without_mass(ModelBuilder& builder) {
  const auto is_driven = [&](const std::string& joint) {
    const std::vector<Driver>& drivers = builder.mechanism().drivers;
    return std::any_of(drivers.begin(), drivers.end(),
                       [&](const Driver& driver) { return driver.coordinate.starts_with(joint + "."); });
  };
  for (const ModelBuilder::JointWithNegativeInertia& entry : builder.joints_with_negative_inertia)
    if (!is_driven(entry.joint)) throw ModelError(entry.place, entry.message);
  if (!builder.joints_without_mass.empty()) MasslessJoints(builder).hold();
}

}  // namespace trammel
