// A model file as a tree of words, lists and maps, each of which knows where it was written.
//
// Nothing is interpreted here: numbers are words still. Keys are unique, aliases are replaced by what they
// stand for, and merge keys (`<<`) are carried out.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "trammel/mechanism/place.h"

namespace trammel {

struct ModelNode {
  enum class Kind { nothing, word, list, map };
  struct Entry;

  Kind kind = Kind::nothing;
  std::string text;  // of a word, without quotes
  std::shared_ptr<const std::string> file;
  int line = 0, column = 0;  // of a word: where its text begins
  std::vector<ModelNode> items;
  std::vector<Entry> entries;  // in the order of the file

  SourcePlace place() const;
  // Null if there is none.
  const ModelNode* find(std::string_view key) const;
  // "a list of 2", "a map", "nothing", "'abc'"
  std::string in_words() const;
};

struct ModelNode::Entry {
  ModelNode key, value;
};

// Limits that no honest file reaches, so that a hostile one does no harm.
inline constexpr std::size_t largest_model_file = 50'000'000;  // bytes
inline constexpr std::size_t most_model_nodes = 1'000'000;     // with the copies that aliases make
inline constexpr std::size_t deepest_model_nesting = 100;

// Throws ModelError, and nothing else. `file` is how messages call it.
ModelNode parse_yaml(const std::string& text, const std::string& file);

}  // namespace trammel
