// Where a run is: copies of all that goes from one step to the next.
#pragma once

#include "trammel/numerics/snapshot.h"

namespace trammel {

// Of a simulation (Simulation::save).
struct RunSnapshot {
  Snapshot integrator;
  Snapshot motion;    // what goes along with it, such as the turns of angles
  Snapshot progress;  // of the simulation itself
};

// Of a run that keeps a recording, as far as that belongs to it.
struct RunCheckpoint {
  RunSnapshot simulation;
  Snapshot records;  // of who fills the recording, and who judges the forces
  double t = 0;
  double wall_seconds = 0;  // until here
  // Rows that the recording had.
  Index samples = 0, steps = 0;
};

}  // namespace trammel
