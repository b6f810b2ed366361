// What can be chosen of the projected-strangeness-free form (projected_strangeness_free.h).
#pragma once

namespace trammel {

struct ProjectedStrangenessFreeOptions {
  enum class Form { complete, incomplete };

  Form form = Form::complete;
  double rank_tolerance = 1e-9;
  // Keep known invariants e = 0 (otherwise they are only watched).
  bool enforce_invariants = true;
};

}  // namespace trammel
