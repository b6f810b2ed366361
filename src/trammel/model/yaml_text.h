// Pieces of YAML text: numbers that read back to the last bit, lists, frames, words in quotes where they need
// them.
#pragma once

#include <string>
#include <vector>

#include "trammel/mechanism/mechanism.h"

namespace trammel {

std::string yaml_number(double value);
std::string yaml_word(const std::string& text);
std::string yaml_numbers(const std::vector<double>& values);
std::string yaml_vector(const Vec3<double>& value);
std::string yaml_law(const Law& law);

// A map on one line, "{type: revolute, at: [0, 0, 0]}". What is added empty is left out.
class YamlMap {
 public:
  // `text` is YAML already.
  YamlMap& add(const std::string& key, const std::string& text);
  // Numbers that the reader would assume anyway are left out.
  YamlMap& add_number(const std::string& key, double value, double assumed = 0);
  YamlMap& add_vector(const std::string& key, const Vec3<double>& value);
  // at and orientation
  YamlMap& add_frame(const Frame& frame);

  std::string text() const { return "{" + text_ + "}"; }

 private:
  std::string text_;
};

std::string yaml_frame(const Frame& frame);
std::string yaml_orientation(const Mat3<double>& axes);
bool is_identity(const Mat3<double>& axes);

}  // namespace trammel
