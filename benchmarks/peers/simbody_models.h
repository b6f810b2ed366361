// Models of Simbody that more than one program needs.
#pragma once

#include <Simbody.h>

#include <vector>

#include "chain.h"
#include "n_four_bar.h"

namespace peers {

constexpr double simbody_across = 1e-6;  // inertia about the axis of a rod: any small number

// Cranks hinged to the ground, each carrying a coupler, whose far end is closed on the tip of the next crank
// by two equations (a point on a line across the plane), so that nothing is redundant.
struct SimbodyFourBars {
  SimTK::MultibodySystem system;
  SimTK::SimbodyMatterSubsystem matter{system};
  SimTK::GeneralForceSubsystem forces{system};
  SimTK::Force::Gravity gravity{forces, matter, -SimTK::YAxis, four_bar_gravity};
  std::vector<SimTK::MobilizedBody::Pin> cranks, couplers;
  SimTK::State start;

  explicit SimbodyFourBars(int windows) {
    using namespace SimTK;
    const Body::Rigid crank(MassProperties(1, Vec3(0, 0.5, 0), Inertia(1.0 / 3, simbody_across, 1.0 / 3)));
    const Body::Rigid coupler(MassProperties(1, Vec3(0.5, 0, 0), Inertia(simbody_across, 1.0 / 3, 1.0 / 3)));
    for (int i = 0; i <= windows; ++i)
      cranks.emplace_back(matter.Ground(), Transform(Vec3(i, 0, 0)), crank, Transform());
    for (int i = 0; i < windows; ++i) {
      const auto at = static_cast<std::size_t>(i);
      couplers.emplace_back(cranks[at], Transform(Vec3(0, 1, 0)), coupler, Transform());
      Constraint::PointOnLine(cranks[at + 1], UnitVec3(ZAxis), Vec3(0, 1, 0), couplers[at], Vec3(1, 0, 0));
    }
    start = system.realizeTopology();
    system.realizeModel(start);
    for (MobilizedBody::Pin& one : cranks) one.setRate(start, -1);
    for (MobilizedBody::Pin& one : couplers) one.setRate(start, 1);
  }
};

// Pins in a row; no constraint. Angles are relative to the rod before.
struct SimbodyChain {
  SimTK::MultibodySystem system;
  SimTK::SimbodyMatterSubsystem matter{system};
  SimTK::GeneralForceSubsystem forces{system};
  SimTK::Force::Gravity gravity{forces, matter, -SimTK::YAxis, chain_gravity};
  std::vector<SimTK::MobilizedBody::Pin> rods;
  SimTK::State start;

  explicit SimbodyChain(int count) {
    using namespace SimTK;
    const Body::Rigid rod(MassProperties(1, Vec3(0.5, 0, 0), Inertia(simbody_across, 1.0 / 3, 1.0 / 3)));
    rods.emplace_back(matter.Ground(), Transform(), rod, Transform());
    for (int i = 1; i < count; ++i) {
      MobilizedBody::Pin last = rods.back();
      rods.emplace_back(last, Transform(Vec3(1, 0, 0)), rod, Transform());
    }
    start = system.realizeTopology();
    system.realizeModel(start);
  }
};

}  // namespace peers
