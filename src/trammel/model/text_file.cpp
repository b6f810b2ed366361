#include "trammel/model/text_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

namespace trammel {
namespace {

// The number of bytes of the character that begins here; 0 if none does.
std::size_t character_length(const std::string& text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at);
  const std::size_t length = first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (length == 0 || first > 0xF4 || at + length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(at + i) & 0xC0) != 0x80) return 0;
  return length;
}

}  // namespace

std::string read_text_file(const std::string& path, std::size_t largest, const SourcePlace& named_at) {
  const SourcePlace place = named_at.file.empty() ? SourcePlace{path} : named_at;
  const std::string subject = named_at.file.empty() ? "the file" : fmt::format("'{}'", path);
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) throw ModelError(place, subject + " does not exist");
  if (std::filesystem::is_directory(status)) throw ModelError(place, subject + " is a folder");
  if (!std::filesystem::is_regular_file(status))
    throw ModelError(place, subject + " is not an ordinary file");

  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw ModelError(place, subject + " cannot be opened");
  std::string text;
  char buffer[65536];
  while (stream.read(buffer, sizeof buffer), stream.gcount() > 0) {
    text.append(buffer, static_cast<std::size_t>(stream.gcount()));
    if (text.size() > largest)
      throw ModelError(place, fmt::format("{} is larger than {} MB", subject, largest / 1'000'000));
  }
  if (stream.bad()) throw ModelError(place, subject + " cannot be read");
  return text;
}

void check_is_text(const std::string& text, const std::string& file) {
  int line = 1;
  std::size_t line_start = 0;
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const std::size_t length = character_length(text, i);
    if (length == 0 || (byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7f)
      throw ModelError({file, line, static_cast<int>(i - line_start) + 1},
                       fmt::format("this is not a text in UTF-8: there is a byte 0x{:02x} here", byte));
    i += length;
    if (byte == '\n') {
      ++line;
      line_start = i;
    }
  }
}

std::string path_beside(const std::string& file, const std::string& path) {
  // slashes of an address, as package://robot/arm.stl, are not those of a path
  if (path.find("://") != std::string::npos) return path;
  return (std::filesystem::path(file).parent_path() / path).lexically_normal().string();
}

}  // namespace trammel
