// Robots from URDF files: links become bodies, joints become joints. docs/urdf.md says what is taken over.
#pragma once

#include <optional>
#include <string>

#include "trammel/model/mass_properties.h"
#include "trammel/model/model_builder.h"
#include "trammel/model/urdf_robot.h"

namespace trammel {

// What links weigh that have no mass and are not fixed to one that has: as much as their shapes, or a ball.
struct MissingInertia {
  std::optional<double> density;
  std::optional<double> mass, radius;
};

struct UrdfImport {
  std::string file;
  Frame base;  // of the root link, in the world
  bool base_is_free = false;
  std::string prefix;  // of all names
  UrdfReading reading;
  MissingInertia missing;
  SourcePlace place;  // where the model asks for it
};

// Adds to the model. Throws ModelError.
void import_urdf(ModelBuilder& builder, const UrdfImport& import);

// The same, in programs that have the component `urdf`: what reads model files does without it, and without the XML
// parser it needs. It enters itself here.
extern void (*urdf_importer)(ModelBuilder& builder, const UrdfImport& import);

}  // namespace trammel
