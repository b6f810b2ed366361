// A model from its file: the files it includes are read, then all sections in the order in which they need
// each other.
#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "trammel/mechanism/rods_as_distances.h"
#include "trammel/model/model_builder.h"
#include "trammel/model/text_file.h"
#include "trammel/model/yaml_text.h"

namespace trammel {
namespace {

constexpr std::size_t deepest_include = 20;

class DocumentLoader {
 public:
  explicit DocumentLoader(ModelBuilder& builder) : builder_(builder) {}

  // The files that a document includes, then the document itself.
  void add(ModelNode document, const std::string& path) {
    const NumberScope no_numbers;
    KeySet keys = key_set("model");
    // what is included need not say which version it is
    if (!open_.empty()) keys.keys[0].required = false;
    check_version(document);
    const MapReader map(document, keys, "the model", {path, 1, 1}, no_numbers);

    open_.push_back(identity(path));
    done_.insert(open_.back());
    if (const ModelNode* include = map.find("include")) {
      if (include->kind == ModelNode::Kind::list)
        for (const ModelNode& item : include->items) add_included(item, path);
      else
        add_included(*include, path);
    }
    open_.pop_back();
    builder_.documents.push_back(std::move(document));
    builder_.model.files.push_back(path);
  }

 private:
  static std::string identity(const std::string& path) {
    std::error_code error;
    const auto canonical = std::filesystem::weakly_canonical(path, error);
    return error ? path : canonical.string();
  }

  // Which format it is decides whether the rest can be understood at all, so this is said first.
  static void check_version(const ModelNode& document) {
    if (document.kind != ModelNode::Kind::map)
      throw ModelError(document.place(),
                       fmt::format("a model file is a map of sections, beginning with 'trammel: 1', not {}",
                                   document.in_words()));
    const ModelNode* version = document.find("trammel");
    if (version && version->text != "1")
      throw ModelError(version->place(), fmt::format("this program reads version 1 of the format, not {}",
                                                     version->in_words()));
  }

  void add_included(const ModelNode& node, const std::string& from) {
    const NumberScope no_numbers;
    const std::string path = path_beside(from, no_numbers.text(node, "include"));
    const std::string id = identity(path);
    if (std::find(open_.begin(), open_.end(), id) != open_.end())
      throw ModelError(node.place(),
                       fmt::format("'{}' includes itself, by way of {} files", path, open_.size()));
    if (done_.contains(id)) return;
    if (open_.size() >= deepest_include)
      throw ModelError(node.place(),
                       fmt::format("files include each other more than {} deep", deepest_include));
    add(parse_yaml(read_text_file(path, largest_model_file, node.place()), path), path);
  }

  ModelBuilder& builder_;
  std::vector<std::string> open_;  // the files that led here
  std::set<std::string> done_;
};

// YAML cannot begin so.
bool is_xml(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  return start != std::string_view::npos && text[start] == '<' && !text.substr(start).starts_with("<<:");
}

// What a run has to say about rods that are no bodies. Written out again, the model has them as distances already.
void take_rods(Model& model) {
  if (model.simulation.rods.value_or("bodies") != "distances") return;
  const std::vector<RodAsDistance> rods = replace_rods_by_distances(model.mechanism);
  for (const RodAsDistance& rod : rods) {
    model.notes.push_back(rod.text());
    if (rod.why_not.empty()) std::erase(model.view.traces, rod.body);
  }
  if (rods.empty())
    model.notes.push_back(
        "'rods: distances' changes nothing: no body is held by two joints at points and by nothing else");
  model.simulation.rods.reset();
}

Model build(ModelBuilder& builder, const ModelOverrides& overrides) {
  resolve_parameters(builder, overrides);
  expand_repeats(builder);
  read_tables(builder);
  read_world(builder);
  read_urdfs(builder);
  read_bodies(builder);
  read_markers(builder);
  read_joints(builder);
  read_roads(builder);
  note_variables(builder);
  read_couplers(builder);
  read_drivers(builder);
  read_forces(builder);
  read_states(builder);
  read_inputs(builder);
  read_measures(builder);
  read_initial_conditions(builder);
  hold_joints_without_mass(builder);
  read_simulation(builder);
  read_view(builder);
  try {
    builder.mechanism().check();
  } catch (const ModelError& error) {
    // what has no place of its own is somewhere in the file
    if (!error.place().file.empty()) throw;
    throw ModelError({builder.model.file}, error.message());
  }
  if (overrides.rods) builder.model.simulation.rods = overrides.rods;
  take_rods(builder.model);
  return std::move(builder.model);
}

}  // namespace

Model read_model_text(const std::string& text, const std::string& name, const ModelOverrides& overrides) {
  try {
    ModelBuilder builder;
    builder.model.file = name;
    DocumentLoader(builder).add(parse_yaml(text, name), name);
    return build(builder, overrides);
  } catch (const ModelError&) {
    throw;
  } catch (const std::exception& error) {
    throw ModelError({name}, fmt::format("the model cannot be read: {}", error.what()));
  }
}

Model read_model(const std::string& path, const ModelOverrides& overrides) {
  std::string text = read_text_file(path, largest_model_file);
  // a robot alone
  if (is_xml(text))
    text = fmt::format("trammel: 1\nurdf: {{file: {}}}\n",
                       yaml_word(std::filesystem::path(path).filename().string()));
  return read_model_text(text, path, overrides);
}

}  // namespace trammel
