// All force elements of one kind, side by side: the wrenches on their two bodies, their potential energy,
// what they have to show, and the exact derivatives along the twists of the bodies and by the inputs.
//
// An input is a number from elsewhere that a law uses: a measured quantity, a state, a multiplier
// (elements.h). Each element has its own list of inputs.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "trammel/mechanism/body_motion.h"
#include "trammel/mechanism/switches.h"
#include "trammel/numerics/linear_algebra.h"

namespace trammel {

// What a kernel gets besides the two bodies.
template <class T>
struct ForceInputs {
  double t = 0;
  std::span<const T> values;  // in the order of the element's own list
  Switches switches = {};     // those of the element
};

class ForceBlock {
 public:
  struct Element {
    std::string name;
    int body_a = 0, body_b = 0;
    std::vector<int> inputs;  // indices into Elements::inputs
    int switches = 0;         // how many it has
  };

  virtual ~ForceBlock() = default;
  // The same elements with slopes of their own.
  virtual std::unique_ptr<ForceBlock> clone() const = 0;
  const std::vector<Element>& elements() const { return elements_; }

  // Adds the wrenches of all elements to those of the bodies.
  virtual void evaluate(std::span<const BodyState> bodies, double t, std::span<const double> inputs,
                        std::span<Wrench<double>> wrenches) const = 0;
  // Fills slopes(i) of every element.
  virtual void differentiate(std::span<const BodyState> bodies, double t, std::span<const double> inputs) = 0;
  // The sum over all elements; those that store no energy count nothing.
  virtual double potential(std::span<const BodyState> bodies, double t,
                           std::span<const double> inputs) const = 0;
  // The switches of all elements, one element after the other.
  Index switch_count() const { return static_cast<Index>(switch_count_); }
  const std::string& switch_name(Index i) const;
  // From now on evaluate() and differentiate() take these branches; none: those of each state.
  void hold_switches(std::span<const HeldBranch> held, double negligible) {
    held_.assign(held.begin(), held.end());
    negligible_ = negligible;
  }
  virtual void read_switches(std::span<const BodyState> bodies, double t, std::span<const double> inputs,
                             std::span<SwitchReading> readings) const = 0;

  // What an element has to show: names like "force", "length", and their values.
  virtual std::vector<std::string> output_names(Index element) const = 0;
  virtual void outputs(std::span<const BodyState> bodies, double t, std::span<const double> inputs,
                       Index element, std::span<double> values) const = 0;

  // Of one element: (force, torque) on A, then on B, 12 rows. Row-major: 24 columns by pose and twist, and
  // one column for each of its inputs.
  std::span<const double> pose_and_twist_slopes(Index element) const {
    return {slopes_.data() + static_cast<std::size_t>(element) * 12 * 24, 12 * 24};
  }
  std::span<const double> input_slopes(Index element) const {
    const auto i = static_cast<std::size_t>(element);
    return {input_slopes_.data() + 12 * first_input_[i], 12 * elements_[i].inputs.size()};
  }

 protected:
  Switches switches(std::size_t element, SwitchReading* readings = nullptr) const {
    if (held_.empty()) return {};
    return Switches(held_.data(), readings, negligible_).from(first_switch_[element]);
  }

  std::vector<Element> elements_;
  std::vector<double> slopes_, input_slopes_;
  std::vector<std::size_t> first_input_;  // sum of the numbers of inputs of the elements before
  std::vector<int> first_switch_;         // likewise of switches
  int switch_count_ = 0;
  std::vector<HeldBranch> held_;
  double negligible_ = 0;
};

// The forces of one kernel:
//
//   template <class T> void operator()(const BodyMotion<T>& A, const BodyMotion<T>& B,
//                                      const ForceInputs<T>& inputs, Wrench<T>& on_a, Wrench<T>& on_b) const;
//
// and, if it has them,
//
//   double potential(const BodyMotion<double>& A, const BodyMotion<double>& B,
//                    const ForceInputs<double>& inputs) const;
//   std::vector<std::string> output_names() const;
//   void outputs(const BodyMotion<double>& A, const BodyMotion<double>& B,
//                const ForceInputs<double>& inputs, std::span<double> values) const;
//
// T is double, Dual<double, 24> (poses and twists), or Dual<double, 32> (and eight inputs at a time).
template <class Kernel>
class Forces final : public ForceBlock {
 public:
  std::unique_ptr<ForceBlock> clone() const override { return std::make_unique<Forces>(*this); }
  void add(Element element, const Kernel& kernel);
  const Kernel& kernel(Index i) const { return kernels_[static_cast<std::size_t>(i)]; }

  void evaluate(std::span<const BodyState> bodies, double t, std::span<const double> inputs,
                std::span<Wrench<double>> wrenches) const override;
  void read_switches(std::span<const BodyState> bodies, double t, std::span<const double> inputs,
                     std::span<SwitchReading> readings) const override;
  void differentiate(std::span<const BodyState> bodies, double t, std::span<const double> inputs) override;
  double potential(std::span<const BodyState> bodies, double t,
                   std::span<const double> inputs) const override;
  std::vector<std::string> output_names(Index element) const override;
  void outputs(std::span<const BodyState> bodies, double t, std::span<const double> inputs, Index element,
               std::span<double> values) const override;

 private:
  void evaluate(std::size_t i, std::span<const BodyState> bodies, double t, std::span<const double> inputs,
                const Switches& switches, Wrench<double>& on_a, Wrench<double>& on_b) const;

  std::vector<Kernel> kernels_;
};

}  // namespace trammel
