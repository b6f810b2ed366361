#include "fuzz/mutations.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace trammel {
namespace {

const std::vector<std::string> numbers = {
    "0",   "-1",   "1e999", "nan",    "inf", "-0",  "1e-320", "2147483648",
    "1/0", "1e18", "007",   "0x1p-3", "1,5", "--1", "1e",     "9999999999999999999999"};

// Where a piece of the text begins and how long it is.
std::pair<std::size_t, std::size_t> piece(const std::string& text, std::size_t longest,
                                          RandomNumbers& random) {
  if (text.empty()) return {0, 0};
  const std::size_t begin = random.below(text.size());
  return {begin, std::min(text.size() - begin, 1 + random.below(longest))};
}

void change_bytes(std::string& text, RandomNumbers& random) {
  if (!text.empty()) text[random.below(text.size())] = static_cast<char>(random.below(256));
}
void flip_bit(std::string& text, RandomNumbers& random) {
  if (!text.empty()) text[random.below(text.size())] ^= static_cast<char>(1 << random.below(8));
}
void erase_piece(std::string& text, RandomNumbers& random) {
  const auto [begin, size] = piece(text, random.chance(0.2) ? text.size() : 12, random);
  text.erase(begin, size);
}
void repeat_piece(std::string& text, RandomNumbers& random) {
  const auto [begin, size] = piece(text, 60, random);
  const std::string copy = text.substr(begin, size);
  const std::size_t times = random.chance(0.05) ? 2000 : 1 + random.below(3);
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += copy;
  text.insert(begin, all);
}
void move_piece(std::string& text, RandomNumbers& random) {
  const auto [begin, size] = piece(text, 80, random);
  const std::string moved = text.substr(begin, size);
  text.erase(begin, size);
  text.insert(random.below(text.size() + 1), moved);
}
void insert_word(const std::string& word, std::string& text, RandomNumbers& random) {
  text.insert(random.below(text.size() + 1), word);
}
// Another number, or another word, in the place of one.
void replace_word(const std::string& word, const std::string& letters, std::string& text,
                  RandomNumbers& random) {
  if (text.empty()) return;
  const std::size_t begin = text.find_first_of(letters, random.below(text.size()));
  if (begin == std::string::npos) return;
  const std::size_t end = std::min(text.find_first_not_of(letters, begin), text.size());
  text.replace(begin, end - begin, word);
}
void splice(const std::string& other, std::string& text, RandomNumbers& random) {
  const auto [begin, size] = piece(other, 200, random);
  text.insert(random.below(text.size() + 1), other.substr(begin, size));
}

void damage(std::string& text, const std::vector<std::string>& samples,
            const std::vector<std::string>& dictionary, RandomNumbers& random) {
  const std::string& word = dictionary.empty() ? random.one_of(numbers) : random.one_of(dictionary);
  switch (random.below(10)) {
    case 0:
      return change_bytes(text, random);
    case 1:
      return flip_bit(text, random);
    case 2:
      return erase_piece(text, random);
    case 3:
      return repeat_piece(text, random);
    case 4:
      return move_piece(text, random);
    case 5:
      return insert_word(word, text, random);
    case 6:
      return replace_word(random.one_of(numbers), "0123456789.", text, random);
    case 7:
      return replace_word(word, "abcdefghijklmnopqrstuvwxyz_", text, random);
    case 8:
      return splice(random.one_of(samples), text, random);
    default:
      text.resize(random.below(text.size() + 1));
  }
}

std::string content(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

std::string mutated(const std::vector<std::string>& samples, const std::vector<std::string>& dictionary,
                    RandomNumbers& random) {
  std::string text = random.one_of(samples);
  const std::size_t times = 1 + random.below(4);
  for (std::size_t i = 0; i < times; ++i) damage(text, samples, dictionary, random);
  return text;
}

std::vector<std::string> read_dictionary(const std::string& path) {
  std::vector<std::string> words;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);)
    if (line.size() > 2 && line.front() == '"' && line.back() == '"')
      words.push_back(line.substr(1, line.size() - 2));
  return words;
}

std::vector<std::string> read_samples(const std::string& folder) {
  std::vector<std::filesystem::path> paths;
  if (std::filesystem::is_directory(folder))
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      if (entry.is_regular_file()) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> samples;
  for (const std::filesystem::path& path : paths) samples.push_back(content(path));
  return samples;
}

}  // namespace trammel
