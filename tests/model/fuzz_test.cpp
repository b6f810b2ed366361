// Damaged model files: they read or they are refused, and nothing else happens.
#include <gtest/gtest.h>

#include <random>
#include <sstream>

#include "trammel/mechanism/elements.h"
#include "trammel/model/model.h"

namespace trammel {
namespace {

const std::vector<std::string> models = {R"yaml(trammel: 1
parameters: {l: 1, m: 2*l}
bodies:
  a: {rod: {from: [0, 0, 0], to: [l, 0, 0], mass: m, radius: 1 cm}}
  b: {at: [1, 1, 0], orientation: {rpy: [0, 0, 10 deg]}, mass: 1, inertia: [1, 1, 1, 0, 0, 0]}
markers: {P: {body: a, local: {at: [0.5, 0, 0]}}}
joints:
  A: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1], initial: {angle: 30 deg}}
  B: {type: spherical, between: [P, b]}
drivers: {d: {coordinate: A.angle, velocity: "2*pi*t"}}
forces:
  s: {type: spring_damper, between: [ground, P], from: [0, 1, 0], stiffness: 100, force: "length^2"}
measures: {x: P.position.x}
simulation: {end: 1, output: 0.1, rtol: 1e-6}
)yaml",
                                         R"yaml(trammel: 1
tables: {c: {x: [0, 1, 2], y: [0, 1, 0]}}
bodies: &all
  box: {density: 100, shapes: [{box: [1, 2, 3]}, {cone: {radius: 1, length: 2}, axis: [1, 0, 0]}]}
repeat:
- count: 3
  bodies:
    link{i}: {at: [i, 0, 0], mass: i + 1, inertia: {about: origin, values: [9, 9, 9]}}
  joints:
    j{i}: {type: universal, between: [box, "link{i}"], at: [i, 0, 0], axis: [1, 0, 0], axis_2: [0, 1, 0]}
  forces:
    f{i}: {type: force, on: "link{i}", at: [0, 0, 0], components: [0, "table(c, t)", i]}
couplers: {g: {type: gear, joints: [j0.angle_1, j1.angle_1], teeth: [1, 2]}}
states: {s: {rate: -s + t, initial: 1}}
roads: {r: {type: sine, amplitude: 1, wavelength: 2}}
view: {up: z, traces: [box]}
)yaml"};

class Damage {
 public:
  explicit Damage(unsigned seed) : random_(seed) {}

  std::string operator()(std::string text) {
    switch (below(8)) {
      case 0:
        return text.substr(0, below(text.size()));
      case 1:
        return swap_lines(text);
      case 2:
        return delete_line(text);
      case 3:
        text[below(text.size())] = static_cast<char>(below(256));
        return text;
      case 4:
        return text.insert(below(text.size()), std::string(1, "[]{}:,'\"&*|>%@`-\n \t!?#"[below(22)]));
      case 5:
        return text.erase(below(text.size()), 1 + below(5));
      case 6:
        return replace_word(text, "0123456789");
      default:
        return replace_word(text, "abcdefghijklmnopqrstuvwxyz");
    }
  }

 private:
  std::size_t below(std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random_);
  }

  static std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line + "\n");
    return lines;
  }
  static std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line;
    return text;
  }
  std::string swap_lines(const std::string& text) {
    std::vector<std::string> lines = lines_of(text);
    if (!lines.empty()) std::swap(lines[below(lines.size())], lines[below(lines.size())]);
    return joined(lines);
  }
  std::string delete_line(const std::string& text) {
    std::vector<std::string> lines = lines_of(text);
    if (!lines.empty()) lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(below(lines.size())));
    return joined(lines);
  }
  std::string replace_word(const std::string& text, const std::string& letters) {
    static const std::vector<std::string> replacements = {"nan",    ".inf", "1e999", "-1",    "0",   "text",
                                                          "[]",     "{}",   "null",  "t",     "1/0", "ground",
                                                          "[1, 2]", "{i}",  "~",     "1e-320"};
    const std::size_t start = text.find_first_of(letters, below(text.size()));
    if (start == std::string::npos) return text;
    const std::size_t end = std::min(text.find_first_not_of(letters, start), text.size());
    return text.substr(0, start) + replacements[below(replacements.size())] + text.substr(end);
  }

  std::mt19937 random_;
};

TEST(Fuzz, TheModelsAreRight) {
  for (const std::string& text : models)
    EXPECT_NO_THROW(make_elements(read_model_text(text, "m.yaml").mechanism));
}

TEST(Fuzz, DamagedModelsReadOrAreRefused) {
  int read = 0, refused = 0;
  for (unsigned seed = 0; seed < 600; ++seed) {
    Damage damage(seed);
    std::string text = models[seed % models.size()];
    for (unsigned times = 0; times <= seed % 3 && !text.empty(); ++times) text = damage(text);
    try {
      const Model model = read_model_text(text, "m.yaml");
      // what was read can be written, and reads again
      read_model_text(write_model(model), "m.yaml");
      ++read;
    } catch (const ModelError& error) {
      EXPECT_FALSE(error.message().empty());
      EXPECT_FALSE(error.place().file.empty()) << error.what();
      ++refused;
    } catch (const std::exception& error) {
      ADD_FAILURE() << "seed " << seed << ": " << error.what() << "\n" << text;
    }
  }
  // the damage is neither always harmless nor always fatal
  EXPECT_GT(read, 20);
  EXPECT_GT(refused, 200);
}

TEST(Fuzz, WhatWasReadCompilesOrIsRefused) {
  for (unsigned seed = 1000; seed < 1100; ++seed) {
    const std::string text = Damage(seed)(models[seed % models.size()]);
    try {
      make_elements(read_model_text(text, "m.yaml").mechanism);
    } catch (const ModelError&) {
    } catch (const std::exception& error) {
      ADD_FAILURE() << "seed " << seed << ": " << error.what() << "\n" << text;
    }
  }
}

}  // namespace
}  // namespace trammel
