// Robots from URDF files: links become bodies, joints become joints. docs/urdf.md says what is taken over.
#pragma once

#include <string>

#include "trammel/model/model_builder.h"

namespace trammel {

struct UrdfImport {
  std::string file;
  Frame base;  // of the root link, in the world
  bool base_is_free = false;
  std::string prefix;  // of all names
  SourcePlace place;   // where the model asks for it
};

// Adds to the model. Throws ModelError.
void import_urdf(ModelBuilder& builder, const UrdfImport& import);

}  // namespace trammel
