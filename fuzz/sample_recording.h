// A small recording with all that a file of results can hold.
#pragma once

#include <array>

#include "trammel/result/recording.h"

namespace trammel {

inline Recording sample_recording() {
  Recording recording;
  recording.title = "sample";
  recording.set_metadata("method", "psf/radau5");
  recording.add_channel(
      {.name = "crank.position.x", .group = "positions", .unit = "m", .description = "origin"});
  recording.add_channel({.name = "a/b", .group = "measures"});
  for (int i = 0; i < 5; ++i) recording.append(0.1 * i, std::array{1.0 * i, 2.0 - i});
  recording.add_step_channel({.name = "h", .group = "steps", .unit = "s"});
  recording.append_step(0.1, std::array{0.1});
  return recording;
}

}  // namespace trammel
