#include "trammel/model/yaml_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace trammel {
namespace {

// Words that some readers of YAML take for something else than text.
const std::string_view special_words[] = {"null", "true", "false", "yes", "no", "on", "off"};

bool is_plain(const std::string& text) {
  if (text.empty() || text[0] == '.') return false;
  std::string lower = text;
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  if (std::find(std::begin(special_words), std::end(special_words), lower) != std::end(special_words))
    return false;
  return lower.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_.") == std::string::npos;
}

}  // namespace

std::string yaml_number(double value) { return fmt::format("{}", value); }

std::string yaml_word(const std::string& text) {
  if (is_plain(text)) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      quoted += {'\\', c};
    else if (byte < 0x20)
      quoted += fmt::format("\\x{:02x}", byte);
    else
      quoted += c;
  }
  return quoted + "\"";
}

std::string yaml_numbers(const std::vector<double>& values) {
  std::string text;
  for (const double value : values) text += (text.empty() ? "" : ", ") + yaml_number(value);
  return "[" + text + "]";
}

std::string yaml_vector(const Vec3<double>& value) { return yaml_numbers({value.x, value.y, value.z}); }

std::string yaml_law(const Law& law) {
  return law.is_constant() ? yaml_number(law.value) : yaml_word(law.text);
}

YamlMap& YamlMap::add(const std::string& key, const std::string& text) {
  if (!text.empty()) text_ += (text_.empty() ? "" : ", ") + yaml_word(key) + ": " + text;
  return *this;
}

YamlMap& YamlMap::add_number(const std::string& key, double value, double assumed) {
  return value == assumed ? *this : add(key, yaml_number(value));
}

YamlMap& YamlMap::add_vector(const std::string& key, const Vec3<double>& value) {
  const bool zero = value.x == 0 && value.y == 0 && value.z == 0;
  return zero ? *this : add(key, yaml_vector(value));
}

YamlMap& YamlMap::add_frame(const Frame& frame) {
  add_vector("at", frame.origin);
  return is_identity(frame.axes) ? *this : add("orientation", yaml_orientation(frame.axes));
}

std::string yaml_frame(const Frame& frame) { return YamlMap().add_frame(frame).text(); }

std::string yaml_orientation(const Mat3<double>& axes) {
  const Quaternion<double> e = quaternion(axes);
  return "{quaternion: " + yaml_numbers({e.w, e.x, e.y, e.z}) + "}";
}

bool is_identity(const Mat3<double>& axes) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      if (axes(i, j) != (i == j ? 1 : 0)) return false;
  return true;
}

}  // namespace trammel
