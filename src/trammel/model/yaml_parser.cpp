// From the events of yaml-cpp to a tree. Its own tree is not used because it drops places and duplicate keys,
// and follows aliases without a limit.
#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <unordered_map>

#include "trammel/model/model_node.h"
#include "trammel/model/text_file.h"

namespace trammel {
namespace {

const char* const misplaced_line =
    "this line does not belong to what stands above it; is it indented as that is?";

// What yaml-cpp says, in words that say what to do.
std::string in_plain_words(const std::string& message) {
  static const std::pair<const char*, const char*> translations[] = {
      {"end of sequence flow not found", "a '[' is not closed, or a ',' is missing in the list"},
      {"end of map flow not found", "a '{' is not closed, or a ',' is missing in the map"},
      {"end of map not found", misplaced_line},
      {"end of sequence not found", misplaced_line},
      {"illegal map value", "there is a ':' too many; text with a ':' in it needs quotes"},
      {"illegal flow end", "there is a ']' or '}' too many"},
      {"illegal block entry", "a list with '-' cannot begin here"},
      {"unknown token", "this character cannot begin a word; text that begins with it needs quotes"},
      {"illegal EOF in scalar", "a quote is not closed"},
      {"illegal EOF", "the file ends too early"}};
  for (const auto& [original, plain] : translations)
    if (message == original) return plain;
  return "this is not YAML: " + message;
}

const char* const tab_in_indentation = "this line is indented with a tab; YAML wants spaces";

// Whether a line begins with blanks of which one is a tab, and something follows.
bool is_indented_with_tab(const std::string& text, std::size_t line_start) {
  const std::size_t end = text.find_first_not_of(" \t", line_start);
  return end != std::string::npos && text[end] != '\n' && text[end] != '\r' && text[end] != '#' &&
         text.find('\t', line_start) < end;
}

// The line of an error, or the one before it, if that is indented with a tab; 0 if not.
int line_with_tab(const std::string& text, int error_line) {
  int line = 1, found = 0;
  for (std::size_t start = 0; start < text.size() && line <= error_line; ++line) {
    if (line >= error_line - 1 && found == 0 && is_indented_with_tab(text, start)) found = line;
    const std::size_t end = text.find('\n', start);
    if (end == std::string::npos) break;
    start = end + 1;
  }
  return found;
}

std::size_t count_nodes(const ModelNode& node) {
  std::size_t count = 1;
  for (const ModelNode& item : node.items) count += count_nodes(item);
  for (const ModelNode::Entry& entry : node.entries) count += 1 + count_nodes(entry.value);
  return count;
}

class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(const std::string& text, const std::string& file)
      : text_(text), file_(std::make_shared<const std::string>(file)) {}

  std::optional<ModelNode> root;

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (!root) return;
    const auto at = static_cast<std::size_t>(std::max(mark.pos, 0));
    const bool marked = at < text_.size() && text_.compare(at, 3, "---") == 0;
    fail(mark, marked ? "a second document begins here ('---'); a model file has one" : misplaced_line);
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(make(mark, ModelNode::Kind::nothing), anchor);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    check_tag(mark, tag);
    ModelNode node = make(mark, ModelNode::Kind::word);
    node.text = value;
    move_to_text(node, mark);
    add(std::move(node), anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchored_.find(anchor);
    if (found == anchored_.end()) fail(mark, "this alias stands inside of what it stands for");
    count(count_nodes(found->second) - 1, mark);
    add(found->second, 0);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override {
    open(mark, tag, anchor, ModelNode::Kind::list, style);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override {
    open(mark, tag, anchor, ModelNode::Kind::map, style);
  }
  void OnMapEnd() override {
    merge(levels_.back());
    close();
  }

  SourcePlace place(const YAML::Mark& mark) const { return {*file_, mark.line + 1, mark.column + 1}; }

 private:
  // A list or map that is not finished.
  struct Level {
    ModelNode node;
    YAML::anchor_t anchor = 0;
    std::optional<ModelNode> key;               // whose value is to come
    std::unordered_map<std::string, int> seen;  // lines of the keys
    bool flow = false;                          // with brackets
  };

  [[noreturn]] void fail(const YAML::Mark& mark, const std::string& message) const {
    throw ModelError(place(mark), message);
  }

  void count(std::size_t nodes, const YAML::Mark& mark) {
    nodes_ += nodes;
    if (nodes_ > most_model_nodes)
      fail(mark,
           fmt::format("the file holds more than {} words, lists and maps up to here", most_model_nodes));
  }

  void check_tag(const YAML::Mark& mark, const std::string& tag) const {
    const bool known = tag.empty() || tag == "?" || tag == "!" || tag.starts_with("tag:yaml.org,2002:");
    if (!known) fail(mark, fmt::format("the YAML tag '{}' has no meaning in a model file", tag));
  }

  // In lists and maps with brackets blanks mean nothing.
  void check_indentation(const YAML::Mark& mark) const {
    for (const Level& level : levels_)
      if (level.flow) return;
    const auto at = static_cast<std::size_t>(std::max(mark.pos, 0));
    const auto column = static_cast<std::size_t>(std::max(mark.column, 0));
    if (column == 0 || at < column || at > text_.size()) return;
    const std::string_view before = std::string_view(text_).substr(at - column, column);
    if (before.find_first_not_of(" \t") == std::string_view::npos &&
        before.find('\t') != std::string_view::npos)
      fail(mark, tab_in_indentation);
  }

  ModelNode make(const YAML::Mark& mark, ModelNode::Kind kind) {
    count(1, mark);
    check_indentation(mark);
    ModelNode node;
    node.kind = kind;
    node.file = file_;
    node.line = mark.line + 1;
    node.column = mark.column + 1;
    return node;
  }

  // The place of a word is where its text begins: behind its anchor, its quote, or the line of `|`.
  void move_to_text(ModelNode& node, const YAML::Mark& mark) const {
    auto at = static_cast<std::size_t>(std::max(mark.pos, 0));
    const auto is = [&](const char* characters) {
      return at < text_.size() && std::string_view(characters).find(text_[at]) != std::string_view::npos;
    };
    const std::size_t start = at;
    while (is("&!")) {
      while (at < text_.size() && !is(" \t\r\n")) ++at;
      while (is(" \t")) ++at;
    }
    if (is("'\"")) check_quote_is_closed(at++, node);
    node.column += static_cast<int>(at - start);
    if (!is("|>")) return;
    at = text_.find('\n', at);
    if (at == std::string::npos) return;
    const std::size_t line_start = ++at;
    while (is(" ")) ++at;
    node.line += 1;
    node.column = static_cast<int>(at - line_start) + 1;
  }

  // yaml-cpp takes the rest of the file for the text if it ends with a line.
  void check_quote_is_closed(std::size_t at, const ModelNode& node) const {
    const char quote = text_[at++];
    for (; at < text_.size() && text_[at] != quote; ++at)
      if (quote == '"' && text_[at] == '\\') ++at;
    if (at >= text_.size()) throw ModelError(node.place(), "the quote that begins here is not closed");
  }

  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, ModelNode::Kind kind,
            YAML::EmitterStyle::value style) {
    check_tag(mark, tag);
    if (levels_.size() >= deepest_model_nesting)
      fail(mark, fmt::format("lists and maps are nested more than {} deep here", deepest_model_nesting));
    Level level;
    level.node = make(mark, kind);
    level.anchor = anchor;
    level.flow = style == YAML::EmitterStyle::Flow;
    levels_.push_back(std::move(level));
  }

  void close() {
    Level level = std::move(levels_.back());
    levels_.pop_back();
    add(std::move(level.node), level.anchor);
  }

  void add(ModelNode node, YAML::anchor_t anchor) {
    if (anchor != 0) {
      const YAML::Mark none;
      count(count_nodes(node), none);
      anchored_[anchor] = node;
    }
    if (levels_.empty()) {
      root = std::move(node);
      return;
    }
    Level& level = levels_.back();
    if (level.node.kind == ModelNode::Kind::list) {
      level.node.items.push_back(std::move(node));
    } else if (level.key) {
      level.node.entries.push_back({std::move(*level.key), std::move(node)});
      level.key.reset();
    } else {
      check_key(level, node);
      level.key = std::move(node);
    }
  }

  void check_key(Level& level, const ModelNode& key) const {
    if (key.kind != ModelNode::Kind::word || key.text.empty())
      throw ModelError(key.place(), fmt::format("a key is a word, not {}", key.in_words()));
    const auto [seen, is_new] = level.seen.emplace(key.text, key.line);
    if (!is_new)
      throw ModelError(key.place(), fmt::format("the key '{}' stands here twice, first in line {}", key.text,
                                                seen->second));
  }

  // `<<: *other` takes over the entries of other maps that this map does not have itself.
  void merge(Level& level) {
    std::vector<ModelNode::Entry>& entries = level.node.entries;
    const auto found = std::find_if(entries.begin(), entries.end(),
                                    [](const ModelNode::Entry& entry) { return entry.key.text == "<<"; });
    if (found == entries.end()) return;
    const ModelNode::Entry merged = std::move(*found);
    entries.erase(found);
    const std::vector<ModelNode> maps = merged.value.kind == ModelNode::Kind::list
                                            ? merged.value.items
                                            : std::vector<ModelNode>{merged.value};
    for (const ModelNode& map : maps) {
      if (map.kind != ModelNode::Kind::map)
        throw ModelError(merged.key.place(),
                         fmt::format("'<<' takes a map or a list of maps, not {}", map.in_words()));
      for (const ModelNode::Entry& entry : map.entries)
        if (level.seen.emplace(entry.key.text, entry.key.line).second) entries.push_back(entry);
    }
  }

  const std::string& text_;
  std::shared_ptr<const std::string> file_;
  std::vector<Level> levels_;
  std::unordered_map<YAML::anchor_t, ModelNode> anchored_;
  std::size_t nodes_ = 0;
};

}  // namespace

SourcePlace ModelNode::place() const { return {file ? *file : std::string(), line, column}; }

const ModelNode* ModelNode::find(std::string_view key) const {
  for (const Entry& entry : entries)
    if (entry.key.text == key) return &entry.value;
  return nullptr;
}

std::string ModelNode::in_words() const {
  switch (kind) {
    case Kind::nothing:
      return "nothing";
    case Kind::word:
      return fmt::format("'{}'", text);
    case Kind::list:
      return fmt::format("a list of {}", items.size());
    case Kind::map:
      return "a map";
  }
  return {};
}

ModelNode parse_yaml(const std::string& whole_text, const std::string& file) {
  if (whole_text.size() > largest_model_file)
    throw ModelError({file}, fmt::format("the file is larger than {} MB", largest_model_file / 1'000'000));
  // without the byte order mark, which would shift the columns
  const std::string text = whole_text.starts_with("\xEF\xBB\xBF") ? whole_text.substr(3) : whole_text;
  check_is_text(text, file);

  TreeBuilder builder(text, file);
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) continue;
  } catch (const YAML::Exception& error) {
    if (error.mark.is_null()) throw ModelError({file}, in_plain_words(error.msg));
    if (const int line = line_with_tab(text, error.mark.line + 1); line > 0)
      throw ModelError({file, line, 1}, tab_in_indentation);
    throw ModelError(builder.place(error.mark), in_plain_words(error.msg));
  } catch (const ModelError&) {
    throw;
  } catch (const std::exception& error) {
    throw ModelError({file}, fmt::format("this is not YAML ({})", error.what()));
  }
  if (!builder.root || builder.root->kind == ModelNode::Kind::nothing)
    throw ModelError({file}, "the file is empty");
  return std::move(*builder.root);
}

}  // namespace trammel
