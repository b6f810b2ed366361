// The members of Constraints<Kernel>. Included where a kernel is instantiated: by constraint_block.cpp for
// those of the library, by a user's own source for theirs (elements.h does).
#pragma once

#include <algorithm>

#include "trammel/mechanism/constraint_block.h"

namespace trammel {

namespace detail {

inline Pose<double> pose(const BodyState& body) { return {body.r, body.R}; }

inline BodyMotion<Taylor<double>> taylor_motion(const BodyState& body) {
  const Pose<Taylor<double>> pose = taylor_pose(body);
  BodyMotion<Taylor<double>> motion{pose.r, pose.R, {}, {}};
  for (int i = 0; i < 3; ++i) {
    motion.v[i] = {body.v[i], body.a[i], 0.0};
    motion.omega[i] = {body.omega[i], body.alpha[i], 0.0};
  }
  return motion;
}

inline BodyMotion<Taylor<Slope>> varied_taylor_motion(const BodyState& body, int first) {
  const Pose<Taylor<Slope>> pose = varied_taylor_pose(body, first);
  BodyMotion<Taylor<Slope>> motion{pose.r, pose.R, {}, {}};
  for (int i = 0; i < 3; ++i) {
    motion.v[i] = {Slope(body.v[i]), Slope(body.a[i]), Slope(0.0)};
    motion.omega[i] = {Slope(body.omega[i]), Slope(body.alpha[i]), Slope(0.0)};
    motion.v[i].value.derivative[static_cast<std::size_t>(pose_directions + first + i)] = 1;
    motion.omega[i].value.derivative[static_cast<std::size_t>(pose_directions + first + 3 + i)] = 1;
  }
  return motion;
}

// Twelve numbers: force and torque on A, on B.
inline void put(const Wrench<double>& on_a, const Wrench<double>& on_b, double* at) {
  for (int i = 0; i < 3; ++i) {
    at[i] = on_a.force[i];
    at[3 + i] = on_a.torque[i];
    at[6 + i] = on_b.force[i];
    at[9 + i] = on_b.torque[i];
  }
}

// Dᵀλ as twelve numbers (force and torque on A, on B), each with its derivatives by the poses.
using ReactionSlopes = std::array<PoseSlope, 12>;

inline ReactionSlopes stacked(const Wrench<PoseSlope>& on_a, const Wrench<PoseSlope>& on_b) {
  ReactionSlopes all;
  for (int i = 0; i < 3; ++i) {
    const auto k = static_cast<std::size_t>(i);
    all[k] = on_a.force[i];
    all[3 + k] = on_a.torque[i];
    all[6 + k] = on_b.force[i];
    all[9 + k] = on_b.torque[i];
  }
  return all;
}

// The same by differentiating the function twice, for kernels without a reaction of their own.
template <class Kernel>
ReactionSlopes reaction_of_poses(const Kernel& kernel, const BodyState& a, const BodyState& b,
                                 const double* lambda) {
  using Second = Dual<PoseSlope, pose_directions>;
  const Pose<Second> A = varied_pose<pose_directions>(varied_pose<pose_directions>(pose(a), 0), 0);
  const Pose<Second> B = varied_pose<pose_directions>(varied_pose<pose_directions>(pose(b), 6), 6);
  const auto rows = kernel(A, B);
  ReactionSlopes all{};
  for (std::size_t row = 0; row < rows.size(); ++row)
    for (std::size_t k = 0; k < 12; ++k) all[k] += rows[row].derivative[k] * lambda[row];
  return all;
}

template <class Kernel>
ReactionSlopes reaction_of_motions(const Kernel& kernel, const BodyState& a, const BodyState& b,
                                   const double* lambda) {
  using Second = Dual<PoseSlope, pose_directions>;  // outer: twists, inner: poses
  const auto varied = [](const BodyState& body, int first) {
    const Pose<PoseSlope> pose = varied_pose<pose_directions>(detail::pose(body), first);
    BodyMotion<Second> motion;
    for (int i = 0; i < 3; ++i) {
      motion.r[i].value = pose.r[i];
      motion.v[i] = Second::variable(PoseSlope(body.v[i]), first + i);
      motion.omega[i] = Second::variable(PoseSlope(body.omega[i]), first + 3 + i);
      for (int j = 0; j < 3; ++j) motion.R(i, j).value = pose.R(i, j);
    }
    return motion;
  };
  const auto rows = kernel(varied(a, 0), varied(b, 6));
  ReactionSlopes all{};
  for (std::size_t row = 0; row < rows.size(); ++row)
    for (std::size_t k = 0; k < 12; ++k) all[k] += rows[row].derivative[k] * lambda[row];
  return all;
}

// Whether a kernel has slopes in closed form.
template <class Kernel>
concept has_slopes = requires(const Kernel& kernel, const BodyState& body, const ConstraintSlopes& out) {
  kernel.slopes(body, body, 1.0, static_cast<const double*>(nullptr), out);
};

// λ of an element's rows, scaled by its factor.
template <int rows>
std::array<double, static_cast<std::size_t>(rows)> scaled_multipliers(const ConstraintBlock::Element& element,
                                                                      std::span<const double> multipliers) {
  std::array<double, static_cast<std::size_t>(rows)> lambda;
  for (std::size_t k = 0; k < lambda.size(); ++k)
    lambda[k] = element.factor * multipliers[static_cast<std::size_t>(element.row) + k];
  return lambda;
}

}  // namespace detail

template <class Kernel>
void Constraints<Kernel>::evaluate(std::span<const BodyState> bodies, unsigned wanted,
                                   const RowValues& out) const {
  const Kernels& kernels = *kernels_;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (left_out(i, wanted)) continue;
    const Element& element = elements()[i];
    const BodyState& a = bodies[static_cast<std::size_t>(element.body_a)];
    const BodyState& b = bodies[static_cast<std::size_t>(element.body_b)];
    const auto row = static_cast<std::size_t>(element.row);
    if constexpr (of_poses) {
      if ((wanted & (velocity | acceleration)) == 0) {
        const auto g = kernels[i](detail::pose(a), detail::pose(b));
        for (std::size_t k = 0; k < g.size(); ++k) out.value[row + k] += element.factor * g[k];
        continue;
      }
      const auto g = kernels[i](taylor_pose(a), taylor_pose(b));
      for (std::size_t k = 0; k < g.size(); ++k) {
        if (wanted & position) out.value[row + k] += element.factor * g[k].value;
        if (wanted & velocity) out.rate[row + k] += element.factor * g[k].first;
        if (wanted & acceleration) out.acceleration[row + k] += element.factor * g[k].second;
      }
    } else {
      if ((wanted & (velocity | acceleration)) == 0) continue;
      const auto g = kernels[i](detail::taylor_motion(a), detail::taylor_motion(b));
      for (std::size_t k = 0; k < g.size(); ++k) {
        if (wanted & velocity) out.rate[row + k] += element.factor * g[k].value;
        if (wanted & acceleration) out.acceleration[row + k] += element.factor * g[k].first;
      }
    }
  }
}

template <class Kernel>
void Constraints<Kernel>::react(std::span<const BodyState> bodies, Index index,
                                std::span<const double> multipliers, Wrench<double>& on_a,
                                Wrench<double>& on_b) const {
  const auto i = static_cast<std::size_t>(index);
  const Element& element = elements()[i];
  const BodyState& a = bodies[static_cast<std::size_t>(element.body_a)];
  const BodyState& b = bodies[static_cast<std::size_t>(element.body_b)];
  const auto lambda = detail::scaled_multipliers<Kernel::rows>(element, multipliers);
  if constexpr (of_poses && has_reaction) {
    kernel(index).reaction(detail::pose(a), detail::pose(b), lambda.data(), on_a, on_b);
  } else {
    std::array<PoseSlope, static_cast<std::size_t>(Kernel::rows)> rows;
    if constexpr (of_poses) {
      rows = kernel(index)(varied_pose<pose_directions>(detail::pose(a), 0),
                           varied_pose<pose_directions>(detail::pose(b), 6));
    } else {
      const auto varied = [](const BodyState& body, int first) {
        BodyMotion<PoseSlope> motion{body.r, body.R, body.v, body.omega};
        for (int k = 0; k < 3; ++k) {
          motion.v[k].derivative[static_cast<std::size_t>(first + k)] = 1;
          motion.omega[k].derivative[static_cast<std::size_t>(first + 3 + k)] = 1;
        }
        return motion;
      };
      rows = kernel(index)(varied(a, 0), varied(b, 6));
    }
    for (std::size_t row = 0; row < rows.size(); ++row)
      for (int k = 0; k < 3; ++k) {
        const auto& d = rows[row].derivative;
        const auto at = static_cast<std::size_t>(k);
        on_a.force[k] += lambda[row] * d[at];
        on_a.torque[k] += lambda[row] * d[3 + at];
        on_b.force[k] += lambda[row] * d[6 + at];
        on_b.torque[k] += lambda[row] * d[9 + at];
      }
  }
}

template <class Kernel>
void Constraints<Kernel>::differentiate(std::span<const BodyState> bodies,
                                        std::span<const double> multipliers, unsigned wanted) {
  make_room(wanted);
  const Kernels& kernels = *kernels_;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (left_out(i, wanted)) continue;
    const Element& element = elements()[i];
    const BodyState& a = bodies[static_cast<std::size_t>(element.body_a)];
    const BodyState& b = bodies[static_cast<std::size_t>(element.body_b)];
    const ConstraintSlopes out = slopes(static_cast<Index>(i));
    const Kernel& kernel = kernels[i];

    if constexpr (detail::has_slopes<Kernel>) {
      if ((wanted & (velocity | acceleration)) != 0) {
        for (const std::span<double> all :
             {out.jacobian, out.rate_pose, out.acceleration_pose, out.acceleration_twist})
          std::fill(all.begin(), all.end(), 0.0);
        if ((wanted & reaction) == 0) {
          kernel.slopes(a, b, element.factor, nullptr, out);
        } else {
          std::fill(out.reaction_pose.begin(), out.reaction_pose.end(), 0.0);
          kernel.slopes(a, b, element.factor,
                        detail::scaled_multipliers<Kernel::rows>(element, multipliers).data(), out);
        }
        continue;
      }
    }
    if constexpr (of_poses) {
      if ((wanted & (velocity | acceleration)) == 0) {
        if constexpr (has_reaction) {
          // a row of D is what a multiplier of one works on
          for (std::size_t row = 0; row < static_cast<std::size_t>(Kernel::rows); ++row) {
            std::array<double, static_cast<std::size_t>(Kernel::rows)> unit{};
            unit[row] = element.factor;
            Wrench<double> on_a, on_b;
            kernel.reaction(detail::pose(a), detail::pose(b), unit.data(), on_a, on_b);
            detail::put(on_a, on_b, out.jacobian.data() + 12 * row);
          }
        } else {
          const auto g = kernel(varied_pose<pose_directions>(detail::pose(a), 0),
                                varied_pose<pose_directions>(detail::pose(b), 6));
          for (std::size_t row = 0; row < g.size(); ++row)
            for (std::size_t k = 0; k < 12; ++k)
              out.jacobian[12 * row + k] = element.factor * g[row].derivative[k];
        }
      } else {
        const auto g = kernel(varied_taylor_pose(a, 0), varied_taylor_pose(b, 6));
        for (std::size_t row = 0; row < g.size(); ++row)
          for (std::size_t k = 0; k < 12; ++k) {
            out.jacobian[12 * row + k] = element.factor * g[row].value.derivative[k];
            out.rate_pose[12 * row + k] = element.factor * g[row].first.derivative[k];
            out.acceleration_pose[12 * row + k] = element.factor * g[row].second.derivative[k];
            out.acceleration_twist[12 * row + k] = element.factor * g[row].second.derivative[12 + k];
          }
      }
    } else {
      const auto g = kernel(detail::varied_taylor_motion(a, 0), detail::varied_taylor_motion(b, 6));
      for (std::size_t row = 0; row < g.size(); ++row)
        for (std::size_t k = 0; k < 12; ++k) {
          out.jacobian[12 * row + k] = element.factor * g[row].value.derivative[12 + k];
          out.rate_pose[12 * row + k] = element.factor * g[row].value.derivative[k];
          out.acceleration_pose[12 * row + k] = element.factor * g[row].first.derivative[k];
          out.acceleration_twist[12 * row + k] = element.factor * g[row].first.derivative[12 + k];
        }
    }

    if ((wanted & reaction) == 0) continue;
    const auto lambda = detail::scaled_multipliers<Kernel::rows>(element, multipliers);
    detail::ReactionSlopes slopes;
    if constexpr (of_poses && has_reaction) {
      Wrench<PoseSlope> on_a, on_b;
      kernel.reaction(varied_pose<pose_directions>(detail::pose(a), 0),
                      varied_pose<pose_directions>(detail::pose(b), 6), lambda.data(), on_a, on_b);
      slopes = detail::stacked(on_a, on_b);
    } else if constexpr (of_poses) {
      slopes = detail::reaction_of_poses(kernel, a, b, lambda.data());
    } else {
      slopes = detail::reaction_of_motions(kernel, a, b, lambda.data());
    }
    for (std::size_t row = 0; row < 12; ++row)
      for (std::size_t k = 0; k < 12; ++k) out.reaction_pose[12 * row + k] = slopes[row].derivative[k];
  }
}

template <class Kernel>
void Constraints<Kernel>::track(std::span<const BodyState> bodies, double since) {
  if constexpr (tracks)
    for (std::size_t i = 0; i < kernels_->size(); ++i)
      (*kernels_)[i].track(bodies[static_cast<std::size_t>(elements()[i].body_a)],
                           bodies[static_cast<std::size_t>(elements()[i].body_b)], since);
}

template <class Kernel>
double Constraints<Kernel>::angle(std::span<const BodyState> bodies, Index element) const {
  if constexpr (tracks) {
    const Element& at = elements()[static_cast<std::size_t>(element)];
    return kernel(element)(detail::pose(bodies[static_cast<std::size_t>(at.body_a)]),
                           detail::pose(bodies[static_cast<std::size_t>(at.body_b)]))[0];
  } else {
    return 0;
  }
}

}  // namespace trammel
