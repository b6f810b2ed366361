// Model files, and the files that they name.
#include <fmt/format.h>

#include "fuzz/expectation.h"
#include "fuzz/scratch_file.h"
#include "fuzz/targets.h"
#include "trammel/mechanism/elements.h"
#include "trammel/model/model.h"

namespace trammel {
namespace {

// Rotations are made anew when they are read, and may differ in their last digits.
std::string without_digits(std::string text) {
  std::erase_if(text, [](char letter) {
    return std::string_view("0123456789.e+-").find(letter) != std::string_view::npos;
  });
  return text;
}

// A model that is accepted compiles or is refused; it can be written, and reads again as the same model.
void use_model(const std::string& text) {
  try {
    const Model model = read_model_text(text, "fuzz.yaml");
    std::string written;
    try {
      written = write_model(model);
    } catch (const ModelError&) {
      return;  // there are models that no file of one piece can hold
    }
    // What was refused once for its numbers may be written; what is written of an accepted model must read.
    const Model again = read_model_text(written, "fuzz.yaml");
    fuzz_expect_same(without_digits(written), without_digits(write_model(again)),
                     "what is written and read is written in the same way");
    make_elements(model.mechanism);
  } catch (const ModelError& error) {
    fuzz_expect(!error.message().empty(), "a message is not empty");
  }
}

}  // namespace

void fuzz_model_file(const std::uint8_t* data, std::size_t size) {
  use_model(std::string(reinterpret_cast<const char*>(data), size));
}

void fuzz_urdf(const std::uint8_t* data, std::size_t size) {
  const ScratchFile file("robot.urdf", data, size);
  use_model(fmt::format("trammel: 1\nurdf: {{file: {}, base: free}}\n", file.path().string()));
}

void fuzz_table(const std::uint8_t* data, std::size_t size) {
  const ScratchFile file("table.csv", data, size);
  use_model(fmt::format(
      "trammel: 1\n"
      "tables: {{points: {{file: {}, interpolation: cubic}}}}\n"
      "bodies: {{b: {{mass: 1, inertia: [1, 1, 1]}}}}\n"
      "forces: {{f: {{type: force, on: b, at: [0, 0, 0], components: [\"table(points, t)\", 0, 0]}}}}\n",
      file.path().string()));
}

}  // namespace trammel
