// The keys of every kind of map in a model file. The reader refuses all others, and schema/model.schema.json
// describes the same ones under the same names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trammel {

struct KeySet {
  struct Key {
    std::string name;
    bool required = false;
  };
  std::string name;  // the definition in the schema; "model" is the whole file
  std::vector<Key> keys;

  bool contains(std::string_view key) const;
  std::vector<std::string> names() const;
};

const std::vector<KeySet>& model_key_sets();

// Throws std::logic_error if there is none.
const KeySet& key_set(std::string_view name);

// The words that `type` of these sections may be, in the order of the documentation.
const std::vector<std::string>& coupler_types();
const std::vector<std::string>& force_types();
const std::vector<std::string>& road_types();

}  // namespace trammel
