#include "trammel/page/viewer_page.h"

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <sstream>

#include "trammel/result/markup.h"

namespace trammel {

extern const std::string_view viewer_script, viewer_style;  // of a generated source

namespace {

constexpr std::string_view data_begin = "<script type=\"application/json\" id=\"trammel-data\">";
constexpr std::string_view data_end = "</script>";

// JSON in which no < stands, so that nothing ends the element it stands in.
std::string without_tags(std::string_view json) {
  std::string result;
  result.reserve(json.size());
  for (const char c : json)
    if (c == '<')
      result += "\\u003c";
    else
      result += c;
  return result;
}

std::string base64(std::span<const std::uint8_t> bytes) {
  static constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text((bytes.size() + 2) / 3 * 4, '\0');
  std::size_t i = 0;
  char* to = text.data();
  const auto put = [&](std::uint32_t three) {
    for (const int shift : {18, 12, 6, 0}) *to++ = digits[three >> shift & 63];
  };
  for (; i + 3 <= bytes.size(); i += 3)
    put(std::uint32_t{bytes[i]} << 16 | std::uint32_t{bytes[i + 1]} << 8 | bytes[i + 2]);
  const std::size_t left = bytes.size() - i;
  if (left == 0) return text;
  put(std::uint32_t{bytes[i]} << 16 | (left > 1 ? std::uint32_t{bytes[i + 1]} << 8 : 0U));
  for (std::size_t missing = left; missing < 3; ++missing) to[static_cast<std::ptrdiff_t>(missing) - 3] = '=';
  return text;
}

template <class Number, class Bits>
std::string encoded(std::span<const double> values) {
  std::vector<std::uint8_t> bytes(values.size() * sizeof(Number));
  std::uint8_t* to = bytes.data();
  for (const double value : values) {
    const Bits bits = std::bit_cast<Bits>(static_cast<Number>(value));
    for (std::size_t k = 0; k < sizeof(Bits); ++k) *to++ = static_cast<std::uint8_t>(bits >> (8 * k) & 255);
  }
  return base64(bytes);
}

}  // namespace

bool has_viewer() { return !viewer_script.empty(); }

void write_viewer_page(std::string_view title, const std::function<void(std::ostream& out)>& data,
                       std::ostream& out) {
  out << fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n"
      "<link rel=\"icon\" href=\"data:,\">\n<style>",
      escape_markup(title));
  out << viewer_style
      << "</style></head><body>\n<noscript>This page needs JavaScript to show the run.</noscript>\n"
      << data_begin;
  data(out);
  out << data_end << "\n<script>" << viewer_script << "</script>\n</body></html>\n";
}

std::string viewer_page(std::string_view title, std::string_view data) {
  std::ostringstream page;
  write_viewer_page(
      title, [&](std::ostream& out) { out << without_tags(data); }, page);
  return std::move(page).str();
}

std::string live_viewer_page(std::string_view title, std::string_view address) {
  return viewer_page(title, fmt::format("{{\"format\":1,\"live\":\"{}\"}}", address));
}

std::string viewer_data_of_page(std::string_view page) {
  const std::size_t begin = page.find(data_begin);
  if (begin == std::string_view::npos) return {};
  const std::size_t from = begin + data_begin.size(), end = page.find(data_end, from);
  return end == std::string_view::npos ? std::string() : std::string(page.substr(from, end - from));
}

std::string base64_floats(std::span<const double> values) { return encoded<float, std::uint32_t>(values); }

std::string base64_doubles(std::span<const double> values) { return encoded<double, std::uint64_t>(values); }

}  // namespace trammel
