// What can be chosen of coordinate splitting (coordinate_splitting.h).
#pragma once

namespace trammel {

struct CoordinateSplittingOptions {
  enum class Iteration { cs, cm, csm };
  Iteration iteration = Iteration::csm;
  // Other velocities become independent when the condition of the old ones has grown by this part.
  double growth = 0.25;
  double rank_tolerance = 1e-9;
  // The index of velocities in the error test. 1: they count like positions. 2: with the factor h (not at all
  // in IDAS), for smooth motion on stiff springs. In the limit of infinite stiffness a spring is a
  // constraint, and velocities along it have this index.
  int velocity_index = 1;
};

}  // namespace trammel
