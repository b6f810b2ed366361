#include "trammel/derivatives/recorded_elements.h"

#include <fmt/format.h>

#include <algorithm>

#include "trammel/mechanism/force_kernels.h"
#include "trammel/mechanism/recorded_laws.h"

namespace trammel {

// A contact that is not held on a branch (contact_kernels.h).
inline Traced switched_onset(const Traced& x, double range, SwitchReading::Order, int, const Switches&) {
  return onset(x, range);
}

namespace {

// Calls what(kernels) with a list of types.
template <class... Kernels>
struct KernelList {};
using ForceKernels = KernelList<SpringDamper, TorsionSpring, Bushing, PointForce, AppliedTorque, Drag, Tyre,
                                SphereOnPlane, JointSpring<Angle>, JointSpring<Offset>, JointFriction<Angle>,
                                JointFriction<Offset>, Actuator<Angle>, Actuator<Offset>>;
using ConstraintKernels = KernelList<CoincidentPoints, PointInFrame, Perpendicular, Offset, Distance, Angle,
                                     PointDistance, DiskHeight, PointSpeed, Rolling, Spin>;

// --- forces -----------------------------------------------------------------------------------------------

class ForceRecorder {
 public:
  ForceRecorder(const ForceBlock& block, const RecordedBodies& at, std::span<const Traced> inputs,
                std::vector<Wrench<Traced>>& wrenches)
      : block_(block), at_(at), inputs_(inputs), wrenches_(wrenches) {}

  template <class... Kernels>
  bool record(KernelList<Kernels...>) const {
    return (record_as<Kernels>() || ...);
  }

 private:
  template <class Kernel>
  bool record_as() const {
    const auto* forces = dynamic_cast<const Forces<Kernel>*>(&block_);
    if (forces == nullptr) return false;
    for (std::size_t i = 0; i < block_.elements().size(); ++i)
      record_element(block_.elements()[i], forces->kernel(static_cast<Index>(i)));
    return true;
  }

  template <class Kernel>
  void record_element(const ForceBlock::Element& element, const Kernel& kernel) const {
    std::vector<Traced> values;
    for (const int input : element.inputs) values.push_back(inputs_[static_cast<std::size_t>(input)]);
    const auto a = static_cast<std::size_t>(element.body_a), b = static_cast<std::size_t>(element.body_b);
    const std::vector<Traced> results =
        record_branches(fmt::format("force '{}'", element.name), [&](std::vector<Traced>& out) {
          Wrench<Traced> on_a, on_b;
          kernel(at_.bodies[a], at_.bodies[b], ForceInputs<Traced>{at_.t, values, {}}, on_a, on_b);
          for (const Vec3<Traced>& vector : {on_a.force, on_a.torque, on_b.force, on_b.torque})
            out.insert(out.end(), {vector.x, vector.y, vector.z});
        });
    const auto vector = [&](std::size_t first) {
      return Vec3<Traced>(results[first], results[first + 1], results[first + 2]);
    };
    wrenches_[a] += {vector(0), vector(3)};
    wrenches_[b] += {vector(6), vector(9)};
  }

  const ForceBlock& block_;
  const RecordedBodies& at_;
  std::span<const Traced> inputs_;
  std::vector<Wrench<Traced>>& wrenches_;
};

// --- rows -------------------------------------------------------------------------------------------------

// A pose as time goes on.
using InTime = Dual<Traced, 1>;

InTime in_time(const Traced& value, const Traced& rate) {
  return InTime::build(value, [&](int) { return rate; });
}

Pose<InTime> moving_pose(const BodyMotion<Traced>& body) {
  const Mat3<Traced> turning = times_cross(body.R, body.omega);
  Pose<InTime> pose;
  for (int i = 0; i < 3; ++i) {
    pose.r[i] = in_time(body.r[i], body.v[i]);
    for (int j = 0; j < 3; ++j) pose.R(i, j) = in_time(body.R(i, j), turning(i, j));
  }
  return pose;
}

struct RecordedRow {
  Traced value, rate;
};

class RowRecorder {
 public:
  // `wanted`: of each row.
  RowRecorder(const RowSystem& system, const RecordedBodies& at, const std::vector<char>& wanted,
              bool with_rates)
      : system_(system), at_(at), wanted_(wanted), with_rates_(with_rates), rows_(wanted.size()) {}

  std::vector<RecordedRow> operator()() {
    for (const std::unique_ptr<ConstraintBlock>& block : system_.blocks)
      if (!record(*block, ConstraintKernels())) refuse(*block);
    return rows_;
  }

 private:
  bool is_wanted(const ConstraintBlock::Element& element, int rows) const {
    for (int k = 0; k < rows; ++k)
      if (wanted_[static_cast<std::size_t>(element.row) + static_cast<std::size_t>(k)]) return true;
    return false;
  }
  void refuse(const ConstraintBlock& block) const {
    for (const ConstraintBlock::Element& element : block.elements())
      if (is_wanted(element, block.rows()))
        throw RecordingError(
            fmt::format("'{}' cannot be recorded: it is no function of two bodies of the library's own",
                        system_.names[static_cast<std::size_t>(element.row)]));
  }
  template <class... Kernels>
  bool record(const ConstraintBlock& block, KernelList<Kernels...>) {
    return (record_as<Kernels>(block) || ...);
  }
  template <class Kernel>
  bool record_as(const ConstraintBlock& block) {
    const auto* rows = dynamic_cast<const Constraints<Kernel>*>(&block);
    if (rows == nullptr) return false;
    for (std::size_t i = 0; i < block.elements().size(); ++i)
      if (is_wanted(block.elements()[i], Kernel::rows))
        record_element(block.elements()[i], rows->kernel(static_cast<Index>(i)));
    return true;
  }
  template <class Kernel>
  void record_element(const ConstraintBlock::Element& element, const Kernel& kernel) {
    const BodyMotion<Traced>& a = at_.bodies[static_cast<std::size_t>(element.body_a)];
    const BodyMotion<Traced>& b = at_.bodies[static_cast<std::size_t>(element.body_b)];
    const auto first = static_cast<std::size_t>(element.row);
    const std::vector<Traced> results = record_branches(system_.names[first], [&](std::vector<Traced>& out) {
      if constexpr (requires { kernel(moving_pose(a), moving_pose(b)); }) {
        if (with_rates_) {
          for (const InTime& row : kernel(moving_pose(a), moving_pose(b)))
            out.insert(out.end(), {row.value, row.derivative[0]});
        } else {
          for (const Traced& row : kernel(Pose<Traced>{a.r, a.R}, Pose<Traced>{b.r, b.R}))
            out.insert(out.end(), {row, Traced(0.0)});
        }
      } else {
        for (const Traced& rate : kernel(a, b)) out.insert(out.end(), {Traced(0.0), rate});
      }
    });
    for (std::size_t k = 0; 2 * k < results.size(); ++k) {
      rows_[first + k].value += element.factor * results[2 * k];
      rows_[first + k].rate += element.factor * results[2 * k + 1];
    }
  }

  const RowSystem& system_;
  const RecordedBodies& at_;
  const std::vector<char>& wanted_;
  bool with_rates_;
  std::vector<RecordedRow> rows_;
};

}  // namespace

double GivenMotion::at(double t) const {
  const Taylor<double> motion = (*driven->function)(t);
  return level == 0 ? motion.value : motion.first;
}

std::vector<GivenMotion> given_motions(const Elements& elements) {
  std::vector<GivenMotion> given;
  const auto add = [&](const RowSystem& system, int level) {
    for (const RowSystem::Driven& driven : system.driven) {
      const TimeFunction::Formula formula = driven.function->formula();
      // a formula of something higher has no value at this level: there is nothing to subtract
      if (formula.expression != nullptr && (formula.level == level || (level == 0 && formula.level > 0)))
        continue;
      given.push_back({&driven, system.names[at_index(driven.row)], level});
    }
  };
  add(elements.holonomic, 0);
  add(elements.nonholonomic, 1);
  return given;
}

RecordedElements::RecordedElements(const Elements& elements, const RecordedBodies& at,
                                   const std::vector<KnownRow>& known)
    : elements_(elements), at_(at) {
  measure(known);
}

void RecordedElements::measure(const std::vector<KnownRow>& known) {
  // those that laws of forces or states use
  std::vector<char> used(elements_.inputs.size(), 0), wanted(at_index(elements_.measured.size()), 0);
  const auto mark = [&](const std::vector<int>& inputs) {
    for (const int i : inputs) used[static_cast<std::size_t>(i)] = 1;
  };
  for (const std::unique_ptr<ForceBlock>& block : elements_.forces)
    for (const ForceBlock::Element& element : block->elements()) mark(element.inputs);
  for (const StateEquation& state : elements_.states) mark(state.inputs);
  const auto is_row = [&](const Input& input) {
    return input.kind == Input::Kind::value || input.kind == Input::Kind::rate;
  };
  for (std::size_t i = 0; i < used.size(); ++i)
    if (const Input& input = elements_.inputs[i];
        used[i] && is_row(input) && !known[at_index(input.index)].is_known)
      wanted[at_index(input.index)] = 1;
  const std::vector<RecordedRow> rows = RowRecorder(elements_.measured, at_, wanted, true)();

  for (std::size_t i = 0; i < used.size(); ++i) {
    const Input& input = elements_.inputs[i];
    const std::size_t index = at_index(input.index);
    inputs_.emplace_back(0.0);
    if (!used[i]) continue;
    switch (input.kind) {
      case Input::Kind::value:
        inputs_[i] = known[index].is_known ? known[index].value
                                           : rows[index].value - elements_.measured.offsets[index];
        break;
      case Input::Kind::rate:
        inputs_[i] = known[index].is_known ? known[index].rate : rows[index].rate;
        break;
      case Input::Kind::state:
        inputs_[i] = at_.states[index];
        break;
      case Input::Kind::multiplier:
        inputs_[i] = at_.multipliers[index];
        break;
      case Input::Kind::nonholonomic_multiplier:
        inputs_[i] = at_.nonholonomic_multipliers[index];
        break;
    }
  }
}

std::vector<Wrench<Traced>> RecordedElements::wrenches() const {
  std::vector<Wrench<Traced>> wrenches(elements_.bodies.size());
  for (const std::unique_ptr<ForceBlock>& block : elements_.forces)
    if (!ForceRecorder(*block, at_, inputs_, wrenches).record(ForceKernels()) && !block->elements().empty())
      throw RecordingError(fmt::format("force '{}' is a user's own, which cannot be recorded",
                                       block->elements().front().name));
  return wrenches;
}

void RecordedElements::subtract_motions(const RowSystem& system, int level, std::vector<Traced>& rows) const {
  const std::vector<GivenMotion> given = given_motions(elements_);
  for (const RowSystem::Driven& driven : system.driven) {
    Traced& row = rows[at_index(driven.row)];
    const auto found = std::find_if(given.begin(), given.end(),
                                    [&](const GivenMotion& motion) { return motion.driven == &driven; });
    if (found != given.end())
      row -= at_.motions[static_cast<std::size_t>(found - given.begin())];
    else if (const TimeFunction::Formula formula = driven.function->formula(); formula.level == level)
      row -= formula.expression->evaluate(std::span<const Traced>(&at_.t, 1));
  }
}

std::vector<Traced> RecordedElements::holonomic(const std::vector<char>& wanted) const {
  std::vector<Traced> values;
  for (const RecordedRow& row : RowRecorder(elements_.holonomic, at_, wanted, false)())
    values.push_back(row.value);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (wanted[i]) values[i] -= elements_.holonomic.offsets[i];
  subtract_motions(elements_.holonomic, 0, values);
  return values;
}

std::vector<Traced> RecordedElements::nonholonomic() const {
  const std::vector<char> wanted(at_index(elements_.nonholonomic.size()), 1);
  std::vector<Traced> rates;
  for (const RecordedRow& row : RowRecorder(elements_.nonholonomic, at_, wanted, true)())
    rates.push_back(row.rate);
  subtract_motions(elements_.nonholonomic, 1, rates);
  return rates;
}

std::vector<Traced> RecordedElements::state_rates() const {
  std::vector<Traced> rates;
  for (const StateEquation& state : elements_.states) {
    std::vector<Traced> arguments{at_.t};
    for (const int input : state.inputs) arguments.push_back(inputs_[static_cast<std::size_t>(input)]);
    rates.push_back(state.rate.evaluate(std::span<const Traced>(arguments)));
  }
  return rates;
}

}  // namespace trammel
