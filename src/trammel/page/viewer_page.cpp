#include "trammel/page/viewer_page.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
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
  // two digits at a time, of twelve bits
  static constexpr auto pairs = [] {
    std::array<std::array<char, 2>, 4096> all{};
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = {digits[i >> 6], digits[i & 63]};
    return all;
  }();
  std::string text((bytes.size() + 2) / 3 * 4, '=');
  char* to = text.data();
  const auto put = [&](std::uint32_t three, int count) {
    for (int k = 0; k < count; ++k) *to++ = digits[three >> (18 - 6 * k) & 63];
  };
  const auto byte = [&](std::size_t i, int shift) { return static_cast<std::uint32_t>(bytes[i]) << shift; };
  const std::size_t whole = bytes.size() / 3 * 3;
  for (std::size_t i = 0; i < whole; i += 3, to += 4) {
    const std::uint32_t three = byte(i, 16) | byte(i + 1, 8) | byte(i + 2, 0);
    std::memcpy(to, pairs[three >> 12].data(), 2);
    std::memcpy(to + 2, pairs[three & 4095].data(), 2);
  }
  if (bytes.size() == whole + 1) put(byte(whole, 16), 2);
  if (bytes.size() == whole + 2) put(byte(whole, 16) | byte(whole + 1, 8), 3);
  return text;
}

template <class Number, class Bits>
std::string encoded(std::span<const double> values) {
  std::vector<std::uint8_t> bytes(values.size() * sizeof(Number));
  std::uint8_t* to = bytes.data();
  for (const double value : values) {
    const Bits bits = std::bit_cast<Bits>(static_cast<Number>(value));
    if constexpr (std::endian::native == std::endian::little)
      std::memcpy(to, &bits, sizeof(Bits));
    else
      for (std::size_t k = 0; k < sizeof(Bits); ++k) to[k] = static_cast<std::uint8_t>(bits >> (8 * k) & 255);
    to += sizeof(Bits);
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
