#include "trammel/cli/page_server.h"

#include <fmt/format.h>
#include <httplib.h>
#include <sys/stat.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <thread>
#include <tuple>

#include "trammel/result/viewer_page.h"

namespace trammel {

namespace {

// --- the data ---------------------------------------------------------------------------------------------

struct Data {
  std::string json;
  std::string tag;  // as an ETag: equal for equal data
};
using SharedData = std::shared_ptr<const Data>;  // an answer may be under way when newer data comes

// Tells two states of a file apart without reading it.
struct Stamp {
  long long seconds, nanoseconds, size;
  unsigned long long number;

  bool operator==(const Stamp&) const = default;
  bool is_older_than(const Stamp& other) const {
    return std::tie(seconds, nanoseconds) < std::tie(other.seconds, other.nanoseconds);
  }
};

std::optional<Stamp> stamp_of(const std::filesystem::path& file) {
  struct stat status;
  if (::stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  return Stamp{status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_size, status.st_ino};
}

// The data in one file, read again only if the file has changed.
class DataFile {
 public:
  using Extract = std::function<std::string(std::string content)>;
  DataFile(std::filesystem::path path, Extract extract)
      : path_(std::move(path)), extract_(std::move(extract)) {}

  std::optional<Stamp> look() const { return stamp_of(path_); }

  // Null if there is none, or not yet.
  SharedData read(const Stamp& stamp) {
    if (read_ == stamp) return data_;
    forget();
    std::ifstream stream(path_, std::ios::binary);
    std::string content(static_cast<std::size_t>(stamp.size), '\0');
    // a file that has changed since it was looked at is another one: it is left for the next time
    if (!stream.read(content.data(), static_cast<std::streamsize>(content.size()))) return nullptr;
    std::string json = extract_(std::move(content));
    read_ = stamp;
    if (json.empty()) return nullptr;
    std::string tag = fmt::format("\"{:016x}-{:x}\"", std::hash<std::string>()(json), json.size());
    data_ = std::make_shared<const Data>(Data{std::move(json), std::move(tag)});
    return data_;
  }

  void forget() {
    read_.reset();
    data_.reset();
  }

 private:
  std::filesystem::path path_;
  Extract extract_;
  std::optional<Stamp> read_;
  SharedData data_;
};

// The data of the run in a folder, of the one under way if there is one.
class RunData {
 public:
  explicit RunData(const std::filesystem::path& folder)
      : live_(folder / live_data_file, [](std::string content) { return content; }),
        page_(folder / page_file, [](const std::string& content) { return viewer_data_of_page(content); }) {}

  SharedData present() {
    const std::lock_guard lock(mutex_);
    const std::optional<Stamp> live = live_.look(), page = page_.look();
    // a run that was killed leaves its live data behind: a page that is newer tells more
    const bool page_is_newer = live && page && live->is_older_than(*page);
    if (live && !page_is_newer) {
      if (SharedData data = live_.read(*live)) {
        page_.forget();
        return data;
      }
    }
    SharedData data = page ? page_.read(*page) : nullptr;
    if (data || !live) {
      live_.forget();
      return data;
    }
    return live_.read(*live);  // the page is just being written
  }

 private:
  std::mutex mutex_;
  DataFile live_, page_;
};

// --- answers ----------------------------------------------------------------------------------------------

httplib::Headers headers_of_all_answers() {
  return {{"Cache-Control", "no-store"},
          {"X-Content-Type-Options", "nosniff"},
          {"Cross-Origin-Resource-Policy", "same-origin"},
          {"Referrer-Policy", "no-referrer"},
          {"Content-Security-Policy",
           "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; "
           "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"}};
}

// A site elsewhere can make its name lead to this machine and then read what is served here, unless one looks
// at the name the browser was asked for.
bool is_called_by_its_name(const httplib::Request& request, int port) {
  if (request.get_header_value_count("Host") != 1) return false;
  std::string host = request.get_header_value("Host");
  for (char& c : host)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  for (const char* name : {"127.0.0.1", "localhost", "[::1]"})
    if (host == fmt::format("{}:{}", name, port) || (port == 80 && host == name)) return true;
  return false;
}

// In pieces of what is held anyway, neither copied nor compressed.
void give(httplib::Response& response, std::shared_ptr<const std::string> content, const char* type) {
  response.set_content_provider(content->size(), type,
                                [content](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
                                  constexpr std::size_t piece = std::size_t{1} << 20;
                                  return sink.write(content->data() + offset, std::min(length, piece));
                                });
}

void say(httplib::Response& response, int status, const std::string& text) {
  response.status = status;
  response.set_content(text + "\n", "text/plain; charset=utf-8");
}

void give_data(const httplib::Request& request, httplib::Response& response, const SharedData& data,
               const std::string& folder) {
  if (!data) {
    const nlohmann::json message{{"status", "waiting"},
                                 {"message", fmt::format("no run has written into {} yet", folder)}};
    response.status = 503;
    response.set_header("Retry-After", "1");
    response.set_content(message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace),
                         "application/json");
    return;
  }
  response.set_header("ETag", data->tag);
  const std::string known = request.get_header_value("If-None-Match");
  if (known == "*" || known.find(data->tag) != std::string::npos)
    response.status = 304;
  else
    give(response, {data, &data->json}, "application/json");
}

}  // namespace

// --- the server -------------------------------------------------------------------------------------------

struct PageServer::Implementation {
  Implementation(const std::string& title, const std::filesystem::path& folder)
      : data(folder), name(folder.string()) {
    page = std::make_shared<const std::string>(live_viewer_page(title, "/data"));
    server.set_default_headers(headers_of_all_answers());
    server.set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      answer(request, response);
      return httplib::Server::HandlerResponse::Handled;
    });
    // one request for each connection: bodies that nobody has read cannot be taken for requests, and ending
    // does not wait for browsers that keep their connection
    server.set_keep_alive_max_count(1);
    server.set_keep_alive_timeout(1);
    server.set_read_timeout(2);
    // by default two servers could share a port, and each would get some of the requests
    server.set_socket_options([](int descriptor) {
      const int yes = 1;
      ::setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
  }

  void answer(const httplib::Request& request, httplib::Response& response) {
    if (!is_called_by_its_name(request, port)) {
      say(response, 403, fmt::format("This server answers to http://127.0.0.1:{}/ only.", port));
    } else if (request.method != "GET" && request.method != "HEAD") {
      response.set_header("Allow", "GET, HEAD");
      say(response, 405, "There is nothing to do here but to look.");
    } else if (request.path == "/") {
      give(response, page, "text/html; charset=utf-8");
    } else if (request.path == "/data") {
      give_data(request, response, data.present(), name);
    } else {
      say(response, 404, "There is nothing here. The page is at /");
    }
  }

  RunData data;
  std::string name;
  std::shared_ptr<const std::string> page;
  int port = 0;
  httplib::Server server;
  std::thread thread;
  std::atomic<bool> ended = false;
};

PageServer::PageServer(const std::string& title, const std::filesystem::path& folder)
    : implementation_(std::make_unique<Implementation>(title, folder)) {}

PageServer::~PageServer() { stop(); }

bool PageServer::has_data() { return implementation_->data.present() != nullptr; }

int PageServer::port() const { return implementation_->port; }

std::string PageServer::start(int port) {
  Implementation& own = *implementation_;
  errno = 0;
  if (port == 0) {
    port = own.server.bind_to_any_port("127.0.0.1");
    if (port <= 0) return "there is no free port";
  } else if (!own.server.bind_to_port("127.0.0.1", port)) {
    return errno == EACCES ? fmt::format("port {} is for the administrator of this machine only", port)
                           : fmt::format("port {} is taken", port);
  }
  own.port = port;
  own.thread = std::thread([&own] {
    own.server.listen_after_bind();
    own.ended = true;
  });
  // stop() does nothing to a server that is not running yet
  while (!own.server.is_running() && !own.ended) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return {};
}

void PageServer::stop() {
  if (!implementation_->thread.joinable()) return;
  implementation_->server.stop();
  implementation_->thread.join();
}

}  // namespace trammel
