// Entries of sections that have different keys for each `type`.
#pragma once

#include "trammel/model/model_builder.h"

namespace trammel {

// The type of an entry, and its map with the keys of that type: those of "coupler_gear", of kind "coupler"
// and type "gear". Throws ModelError.
struct TypedEntry {
  std::string type;
  MapReader map;
};
TypedEntry read_typed_entry(const NamedEntry& entry, const std::string& kind,
                            const std::vector<std::string>& types, const NumberScope& scope);

}  // namespace trammel
