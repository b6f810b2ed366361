// All constraint functions of one kind, side by side: values, rates and accelerations, reactions, and the
// exact derivatives of all of these along the twists of the bodies (body_motion.h). One virtual call serves
// the whole block.
//
// Several elements may add to one row, each with its factor: a screw is an offset and an angle in one row, a
// gear two angles, a homokinetic joint two scalar products.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <vector>

#include "trammel/mechanism/body_motion.h"
#include "trammel/numerics/snapshot.h"

namespace trammel {

// Values of the rows of a system of constraints (or of measures): at position, velocity and acceleration
// level. Functions that exist at velocity level only leave `value` alone.
struct RowValues {
  std::span<double> value, rate, acceleration;
};

// The derivatives of one element, scaled by its factor already. Row-major, `rows` by 12: the six directions
// of the first body, then those of the second.
struct ConstraintSlopes {
  std::span<double> jacobian;   // of the rate by the twists; of the value by the poses too, if it has one
  std::span<double> rate_pose;  // of the rate by the poses
  std::span<double> acceleration_pose;
  std::span<double> acceleration_twist;
  std::span<double> reaction_pose;  // of the wrenches Dᵀλ by the poses, 12 by 12
};

class ConstraintBlock {
 public:
  struct Element {
    int body_a = 0, body_b = 0;
    Index row = 0;  // the first
    double factor = 1;
  };
  // `awake`: elements that rest are left out.
  enum Wanted : unsigned { position = 1, velocity = 2, acceleration = 4, reaction = 8, awake = 16 };

  ConstraintBlock() = default;
  // Elements are shared, and slopes are not copied: who clones a block fills slopes of its own. Nothing is added to a block
  // that has been cloned.
  ConstraintBlock(const ConstraintBlock& other) : elements_(other.elements_), resting_(other.resting_) {}
  ConstraintBlock& operator=(const ConstraintBlock&) = delete;
  virtual ~ConstraintBlock() = default;
  // The same elements with slopes and turns of their own.
  virtual std::unique_ptr<ConstraintBlock> clone() const = 0;

  virtual int rows() const = 0;
  // Whether the functions have a value, or exist at velocity level only.
  virtual bool holonomic() const = 0;
  // Whether they stay what they are when both bodies are moved together.
  virtual bool relative() const = 0;
  const std::vector<Element>& elements() const { return *elements_; }

  // Marks elements that may be left out, because something else makes sure that they are met.
  void set_resting(std::vector<char> resting) {
    resting_ = std::move(resting);
    forget_room();
  }
  bool rests(std::size_t element) const { return !resting_.empty() && resting_[element] != 0; }

  // Adds to the rows.
  virtual void evaluate(std::span<const BodyState> bodies, unsigned wanted, const RowValues& out) const = 0;
  // Adds Dᵀλ of one element to the wrenches of its two bodies.
  virtual void react(std::span<const BodyState> bodies, Index element, std::span<const double> multipliers,
                     Wrench<double>& on_a, Wrench<double>& on_b) const = 0;
  // Fills slopes(i) of every element. Reactions are differentiated with the multipliers held.
  virtual void differentiate(std::span<const BodyState> bodies, std::span<const double> multipliers,
                             unsigned wanted) = 0;
  // Follows angles from turn to turn: `since` is the time since they were last followed, zero if nothing is known of
  // how they moved.
  virtual void track(std::span<const BodyState> bodies, double since) = 0;
  // Expects them where they are so long after that, if nothing changes their rates.
  virtual void expect(double since) = 0;
  // What is known of turns, for saving and restoring alike.
  virtual void carry(Carrier& carried) = 0;

  // An angle that is followed: near which value it is taken, about which axis of its first body, how fast it turned
  // when it was followed. Null if the element is none.
  struct Turning {
    double* expected = nullptr;
    Vec3<double> axis;
    double rate = 0;
  };
  virtual Turning turning(Index element) = 0;
  virtual double angle(std::span<const BodyState> bodies, Index element) const = 0;

  // Those that have been asked for at least once; the others are empty. All are zero of elements that have always been left
  // out.
  ConstraintSlopes slopes(Index element) {
    const auto size = static_cast<std::size_t>(12 * rows());
    auto i = static_cast<std::size_t>(element);
    if (!places_.empty()) {
      if (places_[i] < 0) return no_slopes();
      i = static_cast<std::size_t>(places_[i]);
    }
    const auto part = [](std::vector<double>& of, std::size_t from, std::size_t count) {
      return of.empty() ? std::span<double>() : std::span(of).subspan(from, count);
    };
    return {part(jacobians_, i * size, size), part(hidden_, 3 * i * size, size),
            part(hidden_, (3 * i + 1) * size, size), part(hidden_, (3 * i + 2) * size, size),
            part(reactions_, 144 * i, 144)};
  }

 protected:
  bool left_out(std::size_t element, unsigned wanted) const {
    return (wanted & awake) != 0 && rests(element);
  }

  void add_element(const Element& element) { elements_->push_back(element); }

  // Room for the wanted slopes. Most motions never ask for more than the jacobian, which is a tenth of all, and many only
  // for those of elements that are awake: in joint coordinates these are few.
  void make_room(unsigned wanted) {
    const bool all = (wanted & awake) == 0 || resting_.empty();
    if (all && !places_.empty()) forget_room();
    if (!all && jacobians_.empty() && places_.empty()) find_places();
    const std::size_t count = places_.empty() ? elements_->size() : awake_count_,
                      size = count * static_cast<std::size_t>(12 * rows());
    jacobians_.resize(size);
    if ((wanted & (velocity | acceleration)) != 0 || !holonomic()) hidden_.resize(3 * size);
    if ((wanted & reaction) != 0) reactions_.resize(144 * count);
  }

  std::shared_ptr<std::vector<Element>> elements_ = std::make_shared<std::vector<Element>>();
  std::vector<char> resting_;  // empty: none

 private:
  void forget_room() {
    places_.clear();
    for (std::vector<double>* of : {&jacobians_, &hidden_, &reactions_}) of->clear();
  }
  void find_places() {
    places_.assign(elements_->size(), -1);
    awake_count_ = 0;
    for (std::size_t i = 0; i < places_.size(); ++i)
      if (!rests(i)) places_[i] = static_cast<int>(awake_count_++);
    zeros_.assign(static_cast<std::size_t>(std::max(144, 12 * rows())), 0.0);
  }
  ConstraintSlopes no_slopes() {
    const std::span<double> none = std::span(zeros_).first(static_cast<std::size_t>(12 * rows()));
    return {none, none, none, none, std::span(zeros_).first(144)};
  }

  // Where the slopes of each element are; -1: it is left out. Empty: one after the other.
  std::vector<int> places_;
  std::size_t awake_count_ = 0;
  std::vector<double> zeros_;
  std::vector<double> jacobians_;
  std::vector<double> hidden_;  // of rates and accelerations
  std::vector<double> reactions_;
};

// The constraints of one kernel, a function of two poses (constraint_kernels.h) or of two motions
// (velocity_kernels.h).
template <class Kernel>
class Constraints final : public ConstraintBlock {
 public:
  Constraints() = default;
  Constraints(const Constraints& other)
      : ConstraintBlock(other),
        kernels_(tracks ? std::make_shared<Kernels>(*other.kernels_) : other.kernels_) {}
  std::unique_ptr<ConstraintBlock> clone() const override { return std::make_unique<Constraints>(*this); }
  int rows() const override { return Kernel::rows; }
  bool holonomic() const override { return of_poses; }
  bool relative() const override {
    if constexpr (requires { Kernel::relative; })
      return Kernel::relative;
    else
      return false;
  }

  void add(const Element& element, const Kernel& kernel) {
    add_element(element);
    kernels_->push_back(kernel);
  }
  const Kernel& kernel(Index i) const { return (*kernels_)[static_cast<std::size_t>(i)]; }

  void evaluate(std::span<const BodyState> bodies, unsigned wanted, const RowValues& out) const override;
  void react(std::span<const BodyState> bodies, Index element, std::span<const double> multipliers,
             Wrench<double>& on_a, Wrench<double>& on_b) const override;
  void differentiate(std::span<const BodyState> bodies, std::span<const double> multipliers,
                     unsigned wanted) override;
  void track(std::span<const BodyState> bodies, double since) override;
  void expect(double since) override {
    if constexpr (tracks)
      for (Kernel& kernel : *kernels_) kernel.expect(since);
  }
  void carry(Carrier& carried) override {
    if constexpr (tracks)
      for (Kernel& kernel : *kernels_) carried(kernel.expected, kernel.followed, kernel.rate);
  }
  Turning turning(Index element) override {
    if constexpr (tracks) {
      Kernel& kernel = (*kernels_)[static_cast<std::size_t>(element)];
      return {&kernel.expected, kernel.axis(), kernel.rate};
    } else {
      return {};
    }
  }
  double angle(std::span<const BodyState> bodies, Index element) const override;

 private:
  static constexpr bool of_poses = requires(const Kernel& kernel, const Pose<double>& pose) {
    kernel(pose, pose);
  };
  static constexpr bool has_reaction =
      requires(const Kernel& kernel, const Pose<double>& pose, Wrench<double>& wrench) {
    kernel.reaction(pose, pose, static_cast<const double*>(nullptr), wrench, wrench);
  };
  static constexpr bool tracks = requires(Kernel & kernel, const BodyState& body) {
    kernel.track(body, body, 0.0);
  };

  using Kernels = std::vector<Kernel>;

  // Of a clone its own if they follow turns, else those of all clones.
  std::shared_ptr<Kernels> kernels_ = std::make_shared<Kernels>();
};

}  // namespace trammel
