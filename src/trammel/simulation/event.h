// Something to be found while a run goes on: a function of the state that passes zero.
#pragma once

#include <functional>
#include <string>

#include "trammel/motion/point.h"

namespace trammel {

struct Event {
  enum class Direction { either, rising, falling };
  enum class Action {
    record,  // note the time and go on
    stop,    // end the run there
    change   // call `change`, make the state consistent again and go on from there
  };

  std::string name;
  std::function<double(const Point<double>& x)> function;
  Direction direction = Direction::either;
  Action action = Action::record;
  // For Action::change: an impact, a switched motor. x = (p, v, r, w, s, λ, μ).
  std::function<void(double t, const Layout& layout, Vector& x)> change;
};

}  // namespace trammel
