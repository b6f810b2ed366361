// Parameters in the order in which they depend on each other, and repeat blocks turn by turn.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "trammel/model/model_builder.h"

namespace trammel {
namespace {

constexpr double largest_count = 100000;
constexpr std::size_t most_blocks = 1'000'000;

struct Parameter {
  std::string name;
  ModelNode node;
  std::vector<std::size_t> needs;  // other parameters
  std::vector<std::size_t> needed_by;
};

void check_symbol(const std::string& name, const std::string& what, const SourcePlace& place) {
  // bytes above 127 belong to letters of other alphabets
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           static_cast<unsigned char>(c) > 127;
  };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  const bool plain = !name.empty() && letter(name[0]) &&
                     std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || digit(c); });
  if (!plain)
    throw ModelError(place, fmt::format("{} '{}' must be made of letters, digits and _", what, name));
  if (name == "t" || name == "time")
    throw ModelError(place, fmt::format("{} cannot be called '{}': that is the time", what, name));
  if (name == "and" || name == "or" || name == "not")
    throw ModelError(place, fmt::format("{} cannot be called '{}': that is an operator", what, name));
}

std::vector<Parameter> collect(ModelBuilder& builder) {
  std::vector<Parameter> parameters;
  for (const ModelNode& document : builder.documents) {
    const ModelNode* section = document.find("parameters");
    if (!section || section->kind == ModelNode::Kind::nothing) continue;
    if (section->kind != ModelNode::Kind::map)
      throw ModelError(section->place(), fmt::format("'parameters' is a map of names and numbers, not {}",
                                                     section->in_words()));
    for (const ModelNode::Entry& entry : section->entries) {
      check_symbol(entry.key.text, "a parameter", entry.key.place());
      claim_name(builder, "parameters", entry.key.text, entry.key.place());
      parameters.push_back({entry.key.text, entry.value, {}, {}});
    }
  }
  return parameters;
}

void override_values(std::vector<Parameter>& parameters, const ModelOverrides& overrides) {
  std::vector<std::string> names;
  for (const Parameter& parameter : parameters) names.push_back(parameter.name);
  for (const auto& [name, value] : overrides.parameters) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
      throw ModelError({},
                       fmt::format("the model has no parameter '{}' to set{}", name, hint_at(name, names)));
    ModelNode node;
    node.kind = ModelNode::Kind::word;
    node.text = value;
    node.file = std::make_shared<const std::string>(fmt::format("{}={}", name, value));
    parameters[static_cast<std::size_t>(found - names.begin())].node = node;
  }
}

// Names one cycle among the parameters that could not be ordered.
[[noreturn]] void fail_at_cycle(const std::vector<Parameter>& parameters,
                                const std::vector<std::size_t>& missing) {
  std::size_t at = 0;
  while (missing[at] == 0) ++at;
  std::vector<std::size_t> path;
  while (std::find(path.begin(), path.end(), at) == path.end()) {
    path.push_back(at);
    const auto& needs = parameters[at].needs;
    at = *std::find_if(needs.begin(), needs.end(), [&](std::size_t i) { return missing[i] > 0; });
  }
  std::vector<std::string> names;
  for (auto i = std::find(path.begin(), path.end(), at); i != path.end(); ++i)
    names.push_back(parameters[*i].name);
  names.push_back(parameters[at].name);
  if (names.size() > 8)
    names.erase(names.begin() + 4, names.end() - 3), names.insert(names.begin() + 4, "...");
  throw ModelError(parameters[at].node.place(),
                   fmt::format("parameters depend on each other in a circle: {}", fmt::join(names, " → ")));
}

// Parameters of a repeat block: new in every turn, each may use those before it.
void add_parameters(ModelBuilder& builder, const ModelNode& section,
                    std::vector<NumberScope::Index>& indices) {
  if (section.kind == ModelNode::Kind::nothing) return;
  if (section.kind != ModelNode::Kind::map)
    throw ModelError(section.place(),
                     fmt::format("'parameters' is a map of names and numbers, not {}", section.in_words()));
  for (const ModelNode::Entry& entry : section.entries) {
    const std::string& name = entry.key.text;
    check_symbol(name, "a parameter", entry.key.place());
    const bool known = std::any_of(indices.begin(), indices.end(),
                                   [&](const NumberScope::Index& other) { return other.name == name; });
    if (known || builder.scope.parameters.contains(name))
      throw ModelError(entry.key.place(), fmt::format("there is a parameter or index '{}' already", name));
    builder.scope.indices = indices;
    indices.push_back({name, builder.scope.number(entry.value, name)});
  }
}

// One turn after the other, and the blocks inside.
void expand(ModelBuilder& builder, const ModelNode& list, const std::vector<NumberScope::Index>& outer) {
  const std::vector<ModelNode>& items = list.items;
  if (list.kind != ModelNode::Kind::list)
    throw ModelError(list.place(),
                     fmt::format("'repeat' is a list of blocks ('- count: ...'), not {}", list.in_words()));
  for (const ModelNode& item : items) {
    builder.scope.indices = outer;
    const MapReader map(item, key_set("repeat"), "a repeat block", item.place(), builder.scope);
    const double count = map.number("count", NumberRange::not_negative);
    if (count != std::round(count) || count > largest_count)
      throw ModelError(map.at("count").place(),
                       fmt::format("'count' is a whole number up to {}, not {}", largest_count, count));
    const std::string index = map.text("index", "i");
    check_symbol(index, "an index", map.place("index"));
    for (const NumberScope::Index& other : outer)
      if (other.name == index)
        map.fail_at("index", fmt::format("the index '{}' is that of a block around this one", index));
    if (builder.scope.parameters.contains(index))
      map.fail_at("index", fmt::format("the index '{}' has the name of a parameter", index));

    const ModelNode* inner = item.find("repeat");
    for (long long i = 0; i < static_cast<long long>(count); ++i) {
      ModelBuilder::Block block{&item, outer};
      block.indices.push_back({index, static_cast<double>(i)});
      if (const ModelNode* own = item.find("parameters")) add_parameters(builder, *own, block.indices);
      if (builder.blocks.size() >= most_blocks)
        throw ModelError(item.place(), fmt::format("repeat blocks make more than {} copies", most_blocks));
      builder.blocks.push_back(block);
      if (inner && inner->kind != ModelNode::Kind::nothing) expand(builder, *inner, block.indices);
    }
  }
}

}  // namespace

void resolve_parameters(ModelBuilder& builder, const ModelOverrides& overrides) {
  std::vector<Parameter> parameters = collect(builder);
  override_values(parameters, overrides);
  std::map<std::string, std::size_t> index;
  for (std::size_t i = 0; i < parameters.size(); ++i) index[parameters[i].name] = i;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    for (const NameInText& name : names_in(parameters[i].node.text)) {
      const auto needed = index.find(name.name);
      if (needed == index.end()) continue;
      parameters[i].needs.push_back(needed->second);
      parameters[needed->second].needed_by.push_back(i);
    }

  // those that need nothing first, then those that need only these, ...
  std::vector<std::size_t> missing(parameters.size()), ready;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    missing[i] = parameters[i].needs.size();
    if (missing[i] == 0) ready.push_back(i);
  }
  for (std::size_t next = 0; next < ready.size(); ++next) {
    const Parameter& parameter = parameters[ready[next]];
    builder.scope.parameters[parameter.name] = builder.scope.number(parameter.node, parameter.name);
    for (const std::size_t user : parameter.needed_by)
      if (--missing[user] == 0) ready.push_back(user);
  }
  if (ready.size() < parameters.size()) fail_at_cycle(parameters, missing);
  builder.mechanism().parameters = builder.scope.parameters;
}

void expand_repeats(ModelBuilder& builder) {
  for (const ModelNode& document : builder.documents) {
    builder.blocks.push_back({&document, {}});
    const ModelNode* repeat = document.find("repeat");
    if (repeat && repeat->kind != ModelNode::Kind::nothing) expand(builder, *repeat, {});
  }
  builder.scope.indices.clear();
}

}  // namespace trammel
