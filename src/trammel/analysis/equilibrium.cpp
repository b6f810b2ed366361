#include "trammel/analysis/equilibrium.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "trammel/analysis/equilibrium_search.h"
#include "trammel/motion/assembly.h"

namespace trammel {

namespace {

// A driver that moves at this time, and rows that only know velocities.
void note_velocities(EquationsOfMotion& equations, double t, const Vector& x, EquilibriumResult& result) {
  const Layout& layout = equations.layout();
  const Vector rest = Vector::Zero(layout.v.size);
  DisplacedMotion motion(equations);
  if (motion.evaluate(t, x, rest, part::velocity_level)) return;
  const MotionValues& values = motion.values();
  std::vector<std::string> moving;
  const auto collect = [&](const Vector& rows, const std::vector<std::string>& names) {
    for (Index i = 0; i < rows.size(); ++i)
      if (std::abs(rows[i]) > 1e-9) moving.push_back(names[static_cast<std::size_t>(i)]);
  };
  collect(values.gI, equations.names().g);
  collect(values.h, equations.names().h);
  if (!moving.empty())
    result.notes.push_back(
        fmt::format("held where it is at t = {}, though it moves: {}", t, fmt::join(moving, ", ")));
  if (layout.mu.size > 0)
    result.notes.push_back(fmt::format(
        "rows that know velocities only ({}) do not slip and hold by friction: there may be other "
        "equilibria near by",
        fmt::join(equations.names().h, ", ")));
}

void describe_displacement(EquationsOfMotion& equations, const Vector& guess, EquilibriumResult& result) {
  if (equations.layout().v.size == 0) return;
  const Vector moved = DisplacedMotion(equations).displacement(guess, result.x);
  Index most = 0;
  result.largest_displacement = moved.cwiseAbs().maxCoeff(&most);
  if (result.largest_displacement > 0)
    result.largest_displacement_of = displacement_names(equations)[static_cast<std::size_t>(most)];
}

// "'a', 'b' and 3 others are free to move".
void note_freedom(EquilibriumResult& result) {
  constexpr std::size_t shown = 5;
  const std::vector<std::string>& who = result.free_to_move;
  if (who.empty()) return;
  std::string text = fmt::format("'{}'", who[0]);
  for (std::size_t i = 1; i < std::min(who.size(), shown); ++i)
    text += fmt::format("{}'{}'", i + 1 == who.size() ? " and " : ", ", who[i]);
  if (who.size() > shown) text += fmt::format(" and {} others", who.size() - shown);
  result.notes.push_back(
      fmt::format("{} {} free to move: no equilibrium is determined there, {} left where the search found {}",
                  text, who.size() == 1 ? "is" : "are", who.size() == 1 ? "it was" : "they were",
                  who.size() == 1 ? "it" : "them"));
}

void search(EquationsOfMotion& equations, double t, const EquilibriumOptions& options,
            EquilibriumResult& result) {
  const Layout& layout = equations.layout();
  AssemblyOptions assembly;
  assembly.rank_tolerance = options.rank_tolerance;
  assembly.meet_invariants = false;
  result.x.segment(layout.v.begin, layout.v.size).setZero();
  const AssemblyReport report = Assembly(equations, assembly).run(t, result.x);
  if (report.failure) {
    result.failure = report.failure;
    return;
  }
  result.x.segment(layout.v.begin, layout.v.size).setZero();
  equations.follow(t, result.x);
  const Vector assembled = result.x;
  result.failure = EquilibriumSearch(equations, t, options).run(result.x, result);
  if (result.failure) return;
  describe_displacement(equations, assembled, result);
  note_velocities(equations, t, result.x, result);
  note_freedom(result);
}

}  // namespace

std::string_view name(Stability stability) {
  switch (stability) {
    case Stability::stable:
      return "stable";
    case Stability::neutral:
      return "neutral";
    case Stability::unstable:
      return "unstable";
    case Stability::unknown:
      break;
  }
  return "unknown";
}

EquilibriumResult find_equilibrium(EquationsOfMotion& equations, double t, const Vector& guess,
                                   const EquilibriumOptions& options) {
  EquilibriumResult result;
  result.x = guess;
  if (guess.size() != equations.layout().total) {
    result.failure = {Reason::invalid_model,
                      fmt::format("the guess has {} entries, the equations have {} unknowns", guess.size(),
                                  equations.layout().total)};
    return result;
  }
  try {
    search(equations, t, options, result);
  } catch (const std::exception& error) {
    result.failure = {Reason::user_function_failed,
                      fmt::format("a function of the equations failed at t = {}: {}", t, error.what())};
  }
  return result;
}

std::string EquilibriumResult::report() const {
  if (failure) return failure.message + "\n";
  std::string text =
      fmt::format("equilibrium found in {} iterations, {}; largest force not in balance {:.2g}\n", iterations,
                  name(stability), residual);
  if (largest_displacement > 0)
    text += fmt::format("moved most: {} by {:.4g}\n", largest_displacement_of, largest_displacement);
  for (const std::string& note : notes) text += fmt::format("note: {}\n", note);
  return text;
}

}  // namespace trammel
