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
#include "trammel/numerics/linear_algebra.h"

namespace trammel {

// What a kernel gets besides the two bodies.
template <class T>
struct ForceInputs {
  double t = 0;
  std::span<const T> values;  // in the order of the element's own list
};

class ForceBlock {
 public:
  struct Element {
    std::string name;
    int body_a = 0, body_b = 0;
    std::vector<int> inputs;  // indices into Elements::inputs
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
  std::vector<Element> elements_;
  std::vector<double> slopes_, input_slopes_;
  std::vector<std::size_t> first_input_;  // sum of the numbers of inputs of the elements before
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
  void differentiate(std::span<const BodyState> bodies, double t, std::span<const double> inputs) override;
  double potential(std::span<const BodyState> bodies, double t,
                   std::span<const double> inputs) const override;
  std::vector<std::string> output_names(Index element) const override;
  void outputs(std::span<const BodyState> bodies, double t, std::span<const double> inputs, Index element,
               std::span<double> values) const override;

 private:
  std::vector<Kernel> kernels_;
};

}  // namespace trammel
