#include "trammel/page/http_request.h"

#include <fmt/format.h>

#include <algorithm>

namespace trammel {

namespace {

// Takes the text up to the end of the line, which may lack its '\r'.
std::string_view next_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") + 1 - first);
}

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

std::string_view phrase(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 431:
      return "Request Header Fields Too Large";
    default:
      return "Service Unavailable";
  }
}

}  // namespace

std::string HttpRequest::header(std::string_view name) const {
  for (const auto& [key, value] : headers)
    if (key == name) return value;
  return {};
}

int HttpRequest::count(std::string_view name) const {
  return static_cast<int>(
      std::count_if(headers.begin(), headers.end(), [&](const auto& entry) { return entry.first == name; }));
}

std::optional<HttpRequest> parse_http_request(std::string_view head) {
  HttpRequest request;
  const std::string_view first = next_line(head);
  const std::size_t path = first.find(' '), version = first.rfind(' ');
  if (path == std::string_view::npos || path == 0 || version <= path + 1) return {};
  request.method = first.substr(0, path);
  request.path = first.substr(path + 1, version - path - 1);
  if (!first.substr(version + 1).starts_with("HTTP/1.") || request.path.find(' ') != std::string::npos)
    return {};
  request.path.resize(std::min(request.path.find('?'), request.path.size()));

  while (!head.empty()) {
    const std::string_view line = next_line(head);
    if (line.empty()) break;
    const std::size_t colon = line.find(':');
    // a name must not be empty, nor end or begin with a blank: others might read it otherwise
    if (colon == std::string_view::npos || colon == 0 ||
        line.substr(0, colon).find_first_of(" \t") != std::string_view::npos)
      return {};
    request.headers.emplace_back(lower_case(line.substr(0, colon)), trimmed(line.substr(colon + 1)));
  }
  return request;
}

std::string HttpResponse::head() const {
  std::string text = fmt::format("HTTP/1.1 {} {}\r\n", status, phrase(status));
  for (const auto& [name, value] : headers) text += fmt::format("{}: {}\r\n", name, value);
  if (!type.empty()) text += fmt::format("Content-Type: {}\r\n", type);
  // what has not changed has a length, but it is not sent
  // and nobody knows the length of what goes on
  if (status != 304 && !more) text += fmt::format("Content-Length: {}\r\n", body ? body->size() : 0);
  return text + "Connection: close\r\n\r\n";
}

}  // namespace trammel
