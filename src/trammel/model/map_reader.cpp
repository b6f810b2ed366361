#include "trammel/model/map_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

#include "trammel/model/key_units.h"
#include "trammel/numerics/nearest_name.h"

namespace trammel {

std::string hint_at(const std::string& word, const std::vector<std::string>& candidates) {
  const std::string nearest = nearest_name(word, candidates);
  return nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest);
}

std::string either_of(const std::vector<std::string>& words) {
  std::string result;
  for (std::size_t i = 0; i < words.size(); ++i)
    result += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
  return result;
}

std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t most = 5;
  const std::vector<std::string> first(
      names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(most, names.size())));
  return fmt::format("{}{}", fmt::join(first, ", "), names.size() > most ? ", ..." : "");
}

double read_number(const ModelNode& node, const NumberScope& scope, const std::string& what,
                   NumberRange range) {
  const double value = scope.number(node, what);
  check_unit(node, scope, what);
  if (range == NumberRange::positive && !(value > 0))
    throw ModelError(node.place(), fmt::format("'{}' must be larger than zero, not {}", what, value));
  if (range == NumberRange::not_negative && !(value >= 0))
    throw ModelError(node.place(), fmt::format("'{}' must not be negative, as {} is", what, value));
  return value;
}

std::vector<double> read_numbers(const ModelNode& node, const NumberScope& scope, const std::string& what) {
  if (node.kind != ModelNode::Kind::list)
    throw ModelError(node.place(), fmt::format("'{}' is a list of numbers, not {}", what, node.in_words()));
  std::vector<double> numbers;
  numbers.reserve(node.items.size());
  for (const ModelNode& item : node.items) {
    numbers.push_back(scope.number(item, what));
    check_unit(item, scope, what);
  }
  return numbers;
}

Vec3<double> read_vector(const ModelNode& node, const NumberScope& scope, const std::string& what) {
  if (node.kind != ModelNode::Kind::list || node.items.size() != 3)
    throw ModelError(node.place(), fmt::format("'{}' is a list of 3 numbers, not {}", what, node.in_words()));
  const std::vector<double> numbers = read_numbers(node, scope, what);
  return {numbers[0], numbers[1], numbers[2]};
}

Vec3<double> read_direction(const ModelNode& node, const NumberScope& scope, const std::string& what) {
  const Vec3<double> direction = read_vector(node, scope, what);
  const double size = length(direction);
  if (!(size > 1e-150) || !(size < 1e150))
    throw ModelError(node.place(), fmt::format("'{}' is [{}, {}, {}], which gives no direction", what,
                                               direction.x, direction.y, direction.z));
  return direction;
}

MapReader::MapReader(const ModelNode& node, const KeySet& keys, std::string what, SourcePlace owner,
                     const NumberScope& scope)
    : node_(node), keys_(keys), what_(std::move(what)), owner_(std::move(owner)), scope_(scope) {
  if (node.kind != ModelNode::Kind::map && node.kind != ModelNode::Kind::nothing)
    throw ModelError(node.place(),
                     fmt::format("{} is a map of keys and values, not {}", what_, node.in_words()));
  for (const ModelNode::Entry& entry : node.entries) {
    if (keys.contains(entry.key.text)) continue;
    std::string hint = hint_at(entry.key.text, keys.names());
    if (hint.empty() && keys.keys.size() <= 12)
      hint = fmt::format(" (it has {})", fmt::join(keys.names(), ", "));
    throw ModelError(entry.key.place(), fmt::format("{} has no key '{}'{}", what_, entry.key.text, hint));
  }
  for (const KeySet::Key& key : keys.keys)
    if (key.required && !find(key.name)) fail(fmt::format("{} needs '{}'", what_, key.name));
}

bool MapReader::has_any(const std::vector<std::string>& keys) const {
  return std::any_of(keys.begin(), keys.end(), [&](const std::string& key) { return has(key); });
}

const ModelNode* MapReader::find(std::string_view key) const {
  if (!keys_.contains(key)) throw std::logic_error("key '" + std::string(key) + "' is in no table of keys");
  const ModelNode* found = node_.find(key);
  return found && found->kind != ModelNode::Kind::nothing ? found : nullptr;
}

const ModelNode& MapReader::at(std::string_view key) const {
  const ModelNode* found = find(key);
  if (!found) fail(fmt::format("{} needs '{}'", what_, key));
  return *found;
}

SourcePlace MapReader::place(std::string_view key) const {
  for (const ModelNode::Entry& entry : node_.entries)
    if (entry.key.text == key) return entry.key.place();
  return owner_;
}

double MapReader::number(const std::string& key, NumberRange range) const {
  return read_number(at(key), scope_, key, range);
}

double MapReader::number(const std::string& key, double otherwise, NumberRange range) const {
  return has(key) ? number(key, range) : otherwise;
}

std::optional<double> MapReader::optional_number(const std::string& key, NumberRange range) const {
  if (!has(key)) return std::nullopt;
  return number(key, range);
}

Vec3<double> MapReader::vector(const std::string& key, const Vec3<double>& otherwise) const {
  const ModelNode* node = find(key);
  return node ? read_vector(*node, scope_, key) : otherwise;
}

std::string MapReader::text(const std::string& key, const std::string& otherwise) const {
  const ModelNode* node = find(key);
  return node ? scope_.text(*node, key) : otherwise;
}

std::string MapReader::choice(const std::string& key, const std::vector<std::string>& words,
                              const std::string& otherwise) const {
  if (!has(key)) return otherwise;
  const std::string word = text(key);
  if (std::find(words.begin(), words.end(), word) != words.end()) return word;
  throw ModelError(at(key).place(),
                   fmt::format("'{}' is {}, not '{}'{}", key, either_of(words), word, hint_at(word, words)));
}

bool MapReader::flag(const std::string& key, bool otherwise) const {
  if (!has(key)) return otherwise;
  const std::string word = text(key);
  if (word == "true" || word == "True" || word == "yes" || word == "on") return true;
  if (word == "false" || word == "False" || word == "no" || word == "off") return false;
  throw ModelError(at(key).place(), fmt::format("'{}' is true or false, not '{}'", key, word));
}

void MapReader::fail(const std::string& message) const { throw ModelError(owner_, message); }

void MapReader::fail_at(std::string_view key, const std::string& message) const {
  throw ModelError(place(key), message);
}

void MapReader::refuse_together(const std::string& first, const std::string& second) const {
  if (has(first) && has(second))
    fail_at(second, fmt::format("{} has '{}' already; '{}' does not go with it", what_, first, second));
}

void MapReader::refuse_without(const std::string& key, const std::vector<std::string>& others) const {
  if (has(key) && !has_any(others))
    fail_at(key, fmt::format("'{}' has no effect without '{}'", key, fmt::join(others, "' or '")));
}

}  // namespace trammel
