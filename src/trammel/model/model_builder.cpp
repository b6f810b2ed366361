#include "trammel/model/model_builder.h"

#include <fmt/format.h>

#include <algorithm>

#include "trammel/model/colors.h"

namespace trammel {

void for_each_entry(ModelBuilder& builder, const std::string& section,
                    const std::function<void(const NamedEntry&)>& read) {
  for (const ModelBuilder::Block& block : builder.blocks) {
    const ModelNode* node = block.node->find(section);
    if (!node || node->kind == ModelNode::Kind::nothing) continue;
    if (node->kind != ModelNode::Kind::map)
      throw ModelError(node->place(),
                       fmt::format("'{}' is a map of names, not {}", section, node->in_words()));
    builder.scope.indices = block.indices;
    for (const ModelNode::Entry& entry : node->entries) {
      const NamedEntry named{builder.scope.text(entry.key, section), entry.value, entry.key.place()};
      // the keys of `initial` are coordinates
      if (section != "initial")
        if (const std::string fault = fault_of_name(named.name); !fault.empty())
          throw ModelError(named.place, fault);
      claim_name(builder, section, named.name, named.place);
      try {
        read(named);
      } catch (const ModelError& error) {
        // what was computed from the file does not know where it comes from
        if (!error.place().file.empty()) throw;
        throw ModelError(named.place, fmt::format("'{}': {}", named.name, error.message()));
      }
    }
  }
  builder.scope.indices.clear();
}

void claim_name(ModelBuilder& builder, const std::string& section, const std::string& name,
                const SourcePlace& place) {
  const auto [earlier, is_new] = builder.places[section].emplace(name, place);
  if (!is_new)
    throw ModelError(
        place, fmt::format("there is a '{}' in '{}' already, at {}", name, section, earlier->second.text()));
}

std::string fault_of_name(const std::string& name) {
  if (name.empty()) return "a name is empty";
  if (name.size() > 200) return "a name is longer than 200 characters";
  if (name.front() == ' ' || name.back() == ' ')
    return fmt::format("the name '{}' begins or ends with a space", name);
  const auto bad = std::find_if(name.begin(), name.end(), [](char c) {
    return static_cast<unsigned char>(c) < ' ' ||
           std::string_view(".,:;='\"(){}[]#&*").find(c) != std::string_view::npos;
  });
  if (bad == name.end()) return {};
  return fmt::format("the name '{}' must not contain '{}'", name, *bad);
}

BodyReference read_body_name(const ModelBuilder& builder, const ModelNode& node, const std::string& what) {
  const std::string name = builder.scope.text(node, what);
  const auto found = builder.bodies.find(name);
  if (found != builder.bodies.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [known, body] : builder.bodies) names.push_back(known);
  std::sort(names.begin(), names.end());
  throw ModelError(node.place(), fmt::format("there is no body '{}'{}", name, hint_at(name, names)));
}

const Joint& read_joint_name(const ModelBuilder& builder, const ModelNode& node, const std::string& what) {
  const std::string name = builder.scope.text(node, what);
  const auto found = builder.joints.find(name);
  if (found != builder.joints.end())
    return builder.model.mechanism.joints[static_cast<std::size_t>(found->second)];
  std::vector<std::string> names;
  for (const Joint& joint : builder.model.mechanism.joints) names.push_back(joint.name);
  throw ModelError(node.place(), fmt::format("there is no joint '{}'{}", name, hint_at(name, names)));
}

Frame reference_frame(const ModelBuilder& builder, const BodyReference& body) {
  return compose(builder.model.mechanism.bodies[static_cast<std::size_t>(body.body)].reference, body.frame);
}

std::string read_color(const MapReader& map) {
  if (!map.has("color")) return {};
  const std::string color = map.text("color");
  if (const auto code = color_code(color)) return *code;
  throw ModelError(map.at("color").place(),
                   fmt::format("'{}' is not a color; write '#rrggbb' or a name of CSS{}", color,
                               hint_at(color, color_names())));
}

void read_world(ModelBuilder& builder) {
  for (const ModelNode& document : builder.documents) {
    if (const ModelNode* title = document.find("title"); title && title->kind != ModelNode::Kind::nothing)
      builder.mechanism().title = builder.scope.text(*title, "title");
    if (const ModelNode* gravity = document.find("gravity"))
      builder.mechanism().gravity = read_vector(*gravity, builder.scope, "gravity");
  }
}

}  // namespace trammel
