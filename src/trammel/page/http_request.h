// What a browser asks for, and what it is answered: as much of HTTP/1.1 as it takes to look at one page.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trammel {

struct HttpRequest {
  std::string method;
  std::string path;                                          // as it was sent, without what follows a '?'
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case

  // The value of the header, empty if there is none. The name in lower case.
  std::string header(std::string_view name) const;
  int count(std::string_view name) const;
};

// From the lines up to the empty one. Nothing if they are no request.
std::optional<HttpRequest> parse_http_request(std::string_view head);

struct HttpResponse {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string type = {};
  std::shared_ptr<const std::string> body = {};  // held until it is sent, not copied
  // Of an answer that goes on: what is to be sent next, empty if there is nothing yet, nothing when it is over. Asked again and
  // again after the body.
  std::function<std::optional<std::string>()> more = {};

  // Status and headers, and the empty line. The connection ends with the answer.
  std::string head() const;
};

}  // namespace trammel
