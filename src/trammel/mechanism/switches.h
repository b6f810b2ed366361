// Corners of laws, held open: inside a step every law stays on the branch that it began the step on, also
// where the motion has passed its end. So a step sees smooth functions only; whoever takes the steps reads how
// far the motion is from the end of each branch, ends a step there and holds the next branch
// (simulation/simulation_switches.cpp).
//
// A switch is one place where a law branches: a comparison, min, max, abs, the regions of a table, a contact
// that is open or closed. Held, a branch goes on smoothly past its end: a comparison keeps its answer, a piece of
// a table its polynomial. Laws of time alone have none: their corners are known (time_corners.h).
#pragma once

#include <limits>
#include <span>

#include "trammel/numerics/snapshot.h"

namespace trammel {

// What one switch is held on.
struct HeldBranch {
  static constexpr int free = std::numeric_limits<int>::min();  // as the state itself has it

  int branch = free;
  int last = free;  // of a table: the last of the pieces that count as one branch, `branch` being the first
  // Where two branches push against each other the switch is free, and if the law jumps, the jump is rounded off
  // over this width on both sides.
  double width = 0;

  bool is_free() const { return branch == free; }
  bool operator==(const HeldBranch&) const = default;
  void carry(Carrier& carried) { carried(branch, last, width); }
};

// What one switch has to say about a state.
struct SwitchReading {
  static constexpr double unknown = std::numeric_limits<double>::infinity();

  HeldBranch natural;  // what the state itself asks for
  // How far the state is inside the branch that is held; negative beyond its end. In the unit of what is
  // compared. Unknown if the switch was not passed, because it stands in a part of a law that was not taken.
  double margin = unknown;
  // What is not smooth at the end of the branch.
  enum Order { value_jumps, slope_jumps, nothing_jumps };
  Order order = nothing_jumps;

  void carry(Carrier& carried) { carried(natural, margin, order); }
};

// The switches of one law or element, as its evaluation sees them. Free by default.
class Switches {
 public:
  Switches() = default;
  Switches(const HeldBranch* held, SwitchReading* readings, double negligible)
      : held_(held), readings_(readings), negligible_(negligible) {}

  // Those from this one on.
  Switches from(int first) const {
    if (held_ == nullptr) return {};
    return {held_ + first, readings_ != nullptr ? readings_ + first : nullptr, negligible_};
  }

  bool are_free() const { return held_ == nullptr; }
  bool are_read() const { return readings_ != nullptr; }
  const HeldBranch& held(int i) const { return held_[i]; }
  // Corners of tables that are smaller than this, relative to the table as a whole, are none.
  double negligible() const { return negligible_; }

  // The branch to take. margin(branch): how far the state is inside it.
  template <class Margin>
  int choose(int i, int natural, SwitchReading::Order order, const Margin& margin) const {
    if (i < 0 || held_ == nullptr) return natural;
    const HeldBranch& held = held_[i];
    const int branch = held.is_free() ? natural : held.branch;
    tell(i, {natural, natural, 0}, order, margin(branch));
    return branch;
  }
  void tell(int i, const HeldBranch& natural, SwitchReading::Order order, double margin) const {
    if (readings_ != nullptr) readings_[i] = {natural, margin, order};
  }

 private:
  const HeldBranch* held_ = nullptr;
  SwitchReading* readings_ = nullptr;  // if they are wanted
  double negligible_ = 0;
};

}  // namespace trammel
