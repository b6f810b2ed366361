// A state of a mechanism in the words of its user: coordinates, places of bodies, reactions; and as a model
// file.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "trammel/model/model.h"
#include "trammel/motion/mechanism_motion.h"
#include "trammel/result/recording.h"

namespace trammel {

// All channels, with one sample.
Recording snapshot(MechanismEquations& equations, double t, const Vector& x);

// A number for a report: round-off about zero is zero.
double without_noise(double value);

// "joints", "bodies", "reactions" and "forces" of a snapshot.
nlohmann::ordered_json snapshot_json(const Mechanism& mechanism, const Recording& recording);
// The same for people.
std::string snapshot_report(const Mechanism& mechanism, const Recording& recording, bool with_reactions);

// The model file whose reference position, velocities and states are those of x. Its initial conditions are
// left out unless they are kept: at another state they may not hold.
std::string model_text_at(const Model& model, MechanismEquations& equations, double t, const Vector& x,
                          bool keep_initial_conditions);

}  // namespace trammel
