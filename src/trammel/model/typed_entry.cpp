#include "trammel/model/typed_entry.h"

#include <fmt/format.h>

#include <algorithm>

namespace trammel {

TypedEntry read_typed_entry(const NamedEntry& entry, const std::string& kind,
                            const std::vector<std::string>& types, const NumberScope& scope) {
  const std::string what = fmt::format("{} '{}'", kind, entry.name);
  if (entry.node.kind != ModelNode::Kind::map)
    throw ModelError(entry.node.kind == ModelNode::Kind::nothing ? entry.place : entry.node.place(),
                     fmt::format("{} is a map of keys and values, not {}", what, entry.node.in_words()));
  const ModelNode* word = entry.node.find("type");
  if (!word) throw ModelError(entry.place, fmt::format("{} needs 'type'", what));
  const std::string type = scope.text(*word, "type");
  if (std::find(types.begin(), types.end(), type) == types.end()) {
    std::string hint = hint_at(type, types);
    if (hint.empty()) hint = fmt::format("; there are {}", fmt::join(types, ", "));
    throw ModelError(word->place(), fmt::format("there is no {} of type '{}'{}", kind, type, hint));
  }
  return {type, MapReader(entry.node, key_set(kind + "_" + type), what, entry.place, scope)};
}

}  // namespace trammel
