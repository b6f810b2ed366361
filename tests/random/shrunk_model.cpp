#include "tests/random/shrunk_model.h"

#include <exception>

#include "tests/random/mechanism_variants.h"

namespace trammel {
namespace {

class Shrinking {
 public:
  Shrinking(const Model& model, const std::function<bool(const Model&)>& fails)
      : model_(model), fails_(fails) {}

  Model run() {
    do {
      changed_ = false;
      for (int i = static_cast<int>(model_.mechanism.bodies.size()) - 1; i > 0; --i)
        try_instead(without_body(model_, i));
      shrink_list(&Mechanism::forces);
      shrink_list(&Mechanism::drivers);
      shrink_list(&Mechanism::couplers);
      shrink_list(&Mechanism::measures);
      shrink_list(&Mechanism::states);
      shrink_list(&Mechanism::joints);
      shrink_list(&Mechanism::roads);
      shrink_tables();
      simplify_bodies();
      simplify_joints();
      simplify_forces();
      try_change([](Model& model) { model.mechanism.gravity = {}; }, length(model_.mechanism.gravity) > 0);
    } while (changed_);
    return model_;
  }

 private:
  bool try_instead(const Model& smaller) {
    try {
      if (!fails_(smaller)) return false;
    } catch (const std::exception&) {
      return false;
    }
    model_ = smaller;
    changed_ = true;
    return true;
  }
  // Only what would be a change: otherwise there is no end of it.
  template <class Change>
  void try_change(const Change& change, bool matters) {
    if (!matters) return;
    Model smaller = model_;
    change(smaller);
    try_instead(smaller);
  }

  template <class Item>
  void shrink_list(std::vector<Item> Mechanism::*list) {
    for (std::size_t i = (model_.mechanism.*list).size(); i-- > 0;) {
      Model smaller = model_;
      std::vector<Item>& items = smaller.mechanism.*list;
      items.erase(items.begin() + static_cast<std::ptrdiff_t>(i));
      try_instead(smaller);
    }
  }
  void shrink_tables() {
    const std::map<std::string, TablePoints> tables = model_.tables;
    for (const auto& [name, points] : tables) {
      Model smaller = model_;
      smaller.tables.erase(name);
      smaller.mechanism.tables.erase(name);
      try_instead(smaller);
    }
  }
  void simplify_bodies() {
    for (std::size_t i = 1; i < model_.mechanism.bodies.size(); ++i) {
      const Body& body = model_.mechanism.bodies[i];
      try_change([i](Model& model) { model.mechanism.bodies[i].velocity = {}; }, length(body.velocity) > 0);
      try_change([i](Model& model) { model.mechanism.bodies[i].angular_velocity = {}; },
                 length(body.angular_velocity) > 0);
      try_change([i](Model& model) { model.mechanism.bodies[i].com = {}; }, length(body.com) > 0);
    }
  }
  void simplify_joints() {
    for (std::size_t i = 0; i < model_.mechanism.joints.size(); ++i)
      try_change([i](Model& model) { model.mechanism.joints[i].initial.clear(); },
                 !model_.mechanism.joints[i].initial.empty());
  }
  template <class Kind, class... Member>
  void simplify(std::size_t i, Member... members) {
    const auto drop = [&](double Kind::*member) {
      const Kind* force = model_.mechanism.forces[i].as<Kind>();
      try_change([i, member](Model& model) { model.mechanism.forces[i].as<Kind>()->*member = 0; },
                 force != nullptr && force->*member != 0);
    };
    (drop(members), ...);
  }
  template <class Kind>
  void drop_law(std::size_t i) {
    const Kind* force = model_.mechanism.forces[i].as<Kind>();
    try_change([i](Model& model) { model.mechanism.forces[i].as<Kind>()->law.reset(); },
               force != nullptr && force->law.has_value());
  }
  void simplify_forces() {
    for (std::size_t i = 0; i < model_.mechanism.forces.size(); ++i) {
      // each of these that the force's kind has
      simplify<Force::SpringDamper>(i, &Force::SpringDamper::damping, &Force::SpringDamper::preload);
      simplify<Force::TorsionSpring>(i, &Force::TorsionSpring::damping, &Force::TorsionSpring::preload);
      simplify<Force::Tyre>(i, &Force::Tyre::damping);
      simplify<Force::SphereOnPlane>(i, &Force::SphereOnPlane::damping, &Force::SphereOnPlane::friction);
      simplify<Force::JointFriction>(i, &Force::JointFriction::viscous, &Force::JointFriction::coefficient,
                                     &Force::JointFriction::dry);
      simplify<Force::Drag>(i, &Force::Drag::viscous, &Force::Drag::quadratic, &Force::Drag::angular_viscous,
                            &Force::Drag::angular_quadratic);
      drop_law<Force::SpringDamper>(i);
      drop_law<Force::TorsionSpring>(i);
      for (std::size_t j = 0; j < 3; ++j) {
        const Force::Applied* applied = model_.mechanism.forces[i].applied();
        try_change([i, j](Model& model) { model.mechanism.forces[i].applied()->components[j] = Law(0); },
                   applied != nullptr && !applied->components[j].is_constant());
      }
    }
  }

  Model model_;
  const std::function<bool(const Model&)>& fails_;
  bool changed_ = false;
};

}  // namespace

Model shrunk_model(const Model& model, const std::function<bool(const Model&)>& fails) {
  return Shrinking(model, fails).run();
}

}  // namespace trammel
