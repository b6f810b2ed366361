// A thousand damaged copies of the example models: each gives an error with words, or runs. Never a crash, a
// hang or an exception of another kind. The damage is made up anew in every run of the test, from one seed,
// so that a failure can be repeated.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "trammel/model/model.h"
#include "trammel/simulation/mechanism_run.h"

namespace trammel {
namespace {

struct Text {
  std::string name, content;
};

std::vector<Text> examples() {
  std::vector<Text> texts;
  const std::filesystem::path folder = std::string(TRAMMEL_SOURCE_DIR) + "/examples/models";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".yaml") continue;
    std::ifstream file(entry.path());
    std::stringstream content;
    content << file.rdbuf();
    texts.push_back({entry.path().string(), content.str()});
  }
  std::sort(texts.begin(), texts.end(), [](const Text& a, const Text& b) { return a.name < b.name; });
  return texts;
}

class Damage {
 public:
  explicit Damage(unsigned seed) : random_(seed) {}

  std::string apply(std::string text) {
    const int times = 1 + pick(3);
    for (int i = 0; i < times && !text.empty(); ++i) once(text);
    return text;
  }

 private:
  int pick(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }
  std::size_t place(const std::string& text) { return random_() % text.size(); }

  void once(std::string& text) {
    static const char* const values[] = {"nan", "1e999",  "-1",   "0",   "'x'",      "[]",
                                         "{}",  "1e-300", "null", "1/0", "sqrt(-1)", "1e300*1e300",
                                         "~",   "ground", "t",    "1e8"};
    switch (pick(8)) {
      case 0:  // cut off
        text.resize(place(text));
        break;
      case 1:  // one character
        text[place(text)] = static_cast<char>(32 + pick(95));
        break;
      case 2:  // any byte
        text[place(text)] = static_cast<char>(pick(256));
        break;
      case 3: {  // a line gone
        const std::size_t begin = text.rfind('\n', place(text));
        const std::size_t end = text.find('\n', begin == std::string::npos ? 0 : begin + 1);
        if (begin != std::string::npos && end != std::string::npos) text.erase(begin, end - begin);
        break;
      }
      case 4: {  // a piece twice
        const std::size_t at = place(text), length = static_cast<std::size_t>(pick(60));
        text.insert(at, text.substr(at, length));
        break;
      }
      case 5:
      case 6: {  // a number replaced
        const std::size_t at = text.find_first_of("0123456789", place(text));
        if (at == std::string::npos) break;
        const std::size_t end = text.find_first_not_of("0123456789.e", at);
        text.replace(at, end == std::string::npos ? std::string::npos : end - at, values[pick(16)]);
        break;
      }
      default: {  // a word replaced by another one of the file
        const std::string letters = "abcdefghijklmnopqrstuvwxyz_";
        const std::size_t at = text.find_first_of(letters, place(text));
        const std::size_t from = text.find_first_of(letters, place(text));
        if (at == std::string::npos || from == std::string::npos) break;
        const std::string word = text.substr(from, text.find_first_not_of(letters, from) - from);
        text.replace(at, text.find_first_not_of(letters, at) - at, word);
      }
    }
  }

  std::mt19937 random_;
};

TEST(DamagedModels, GiveAMessageOrRun) {
  const std::vector<Text> texts = examples();
  ASSERT_GE(texts.size(), 12u);
  int refused = 0, ran = 0, failed = 0;
  for (unsigned seed = 0; seed < 1000; ++seed) {
    const Text& original = texts[seed % texts.size()];
    const std::string damaged = Damage(seed).apply(original.content);
    SCOPED_TRACE("seed " + std::to_string(seed) + ", " + original.name);
    try {
      const Model model = read_model_text(damaged, original.name);
      // a valid model may be as large as it says
      if (model.mechanism.bodies.size() > 60) continue;
      RunRequest request;
      request.end = 0.01;
      request.samples = 2;
      request.options = {{"max_steps", "20"}};
      MechanismRun run(model, request);
      const Summary& summary = run.run();
      if (summary.status == Status::finished) {
        ++ran;
        EXPECT_TRUE(summary.final_state.allFinite());
      } else {
        ++failed;
        EXPECT_FALSE(summary.failure.message.empty());
      }
    } catch (const ModelError& error) {
      ++refused;
      EXPECT_GT(std::string(error.what()).size(), 10u);
    } catch (const std::invalid_argument& error) {
      ++refused;
      EXPECT_GT(std::string(error.what()).size(), 10u);
    }
  }
  // the damage is neither harmless nor deadly
  EXPECT_GT(refused, 300);
  EXPECT_GT(ran, 50);
  RecordProperty("refused", refused);
  RecordProperty("ran", ran);
  RecordProperty("failed", failed);
}

TEST(Examples, AllRun) {
  for (const Text& text : examples()) {
    SCOPED_TRACE(text.name);
    const Model model = read_model(text.name);
    RunRequest request;
    request.samples = 4;
    if (model.simulation.end.value_or(10) > 2) request.end = 2;  // their first seconds
    MechanismRun run(model, request);
    const Summary& summary = run.run();
    EXPECT_EQ(summary.status, Status::finished) << summary.failure.message;
    EXPECT_LT(summary.violation.position, 1e-9);
    // Bricard's redundant row follows from the others with a factor that grows near t = 1.2
    EXPECT_LT(summary.violation.velocity, 1e-6);
  }
}

}  // namespace
}  // namespace trammel
