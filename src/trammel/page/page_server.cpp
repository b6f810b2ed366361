#include "trammel/page/page_server.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <charconv>
#include <fstream>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <tuple>

#include "trammel/page/http_server.h"
#include "trammel/page/live_samples.h"
#include "trammel/page/viewer_page.h"
#include "trammel/result/unfinished_run.h"

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

// Live data of a run that was killed.
std::string as_stopped(std::string json) {
  // quotes inside of texts have a backslash before them
  for (const auto& [before, after] :
       {std::pair<std::string_view, std::string_view>{
            R"("status":"running","message":"")", R"("status":"stopped","message":"The run is unfinished: )"
                                                  R"(it was killed before its end.")"},
        {R"("status":"running")", R"("status":"stopped")"}}) {
    const std::size_t at = json.find(before);
    if (at != std::string::npos) return json.replace(at, before.size(), after);
  }
  return json;
}

// The data of the run in a folder, of the one under way if there is one.
class RunData {
 public:
  explicit RunData(const std::filesystem::path& folder)
      : folder_(folder),
        live_(folder / live_data_file, [](std::string content) { return content; }),
        killed_(folder / live_data_file, [](std::string content) { return as_stopped(std::move(content)); }),
        page_(folder / page_file, [](const std::string& content) { return viewer_data_of_page(content); }) {}

  SharedData present() {
    const std::lock_guard lock(mutex_);
    const std::optional<Stamp> live = live_.look(), page = page_.look();
    // a run that was killed leaves its live data behind: a page that is newer tells more
    const bool page_is_newer = live && page && live->is_older_than(*page);
    if (live && !page_is_newer) {
      if (SharedData data = live_data(*live)) {
        page_.forget();
        return data;
      }
    }
    SharedData data = page ? page_.read(*page) : nullptr;
    if (data || !live) {
      live_.forget();
      killed_.forget();
      return data;
    }
    return live_data(*live);  // the page is just being written
  }

 private:
  SharedData live_data(const Stamp& stamp) {
    const std::optional<UnfinishedRun> unfinished = unfinished_run(folder_);
    const bool killed = unfinished && !unfinished->running;
    (killed ? live_ : killed_).forget();
    return (killed ? killed_ : live_).read(stamp);
  }

  std::mutex mutex_;
  std::filesystem::path folder_;
  DataFile live_, killed_, page_;
};

constexpr const char* samples_address = "/samples/";

// --- answers ----------------------------------------------------------------------------------------------

using Headers = std::vector<std::pair<std::string, std::string>>;

Headers headers_of_all_answers() {
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
bool is_called_by_its_name(const HttpRequest& request, int port) {
  if (request.count("host") != 1) return false;
  std::string host = request.header("host");
  for (char& c : host)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  for (const char* name : {"127.0.0.1", "localhost", "[::1]"})
    if (host == fmt::format("{}:{}", name, port) || (port == 80 && host == name)) return true;
  return false;
}

HttpResponse say(int status, const std::string& text) {
  return {.status = status,
          .type = "text/plain; charset=utf-8",
          .body = std::make_shared<const std::string>(text + "\n")};
}

HttpResponse give_data(const HttpRequest& request, const SharedData& data, const std::string& folder) {
  if (!data) {
    const nlohmann::json message{{"status", "waiting"},
                                 {"message", fmt::format("no run has written into {} yet", folder)}};
    return {.status = 503,
            .headers = {{"Retry-After", "1"}},
            .type = "application/json",
            .body = std::make_shared<const std::string>(
                message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace))};
  }
  HttpResponse response{.headers = {{"ETag", data->tag}}};
  const std::string known = request.header("if-none-match");
  if (known == "*" || known.find(data->tag) != std::string::npos) {
    response.status = 304;
  } else {
    response.type = "application/json";
    response.body = {data, &data->json};
  }
  return response;
}

}  // namespace

// --- the server -------------------------------------------------------------------------------------------

struct PageServer::Implementation {
  Implementation(const std::string& title, const std::filesystem::path& folder)
      : data(folder), results(folder), name(folder.string()) {
    page = std::make_shared<const std::string>(live_viewer_page(title, "/data"));
  }

  HttpResponse give_samples(const std::string& after) const {
    double t = 0;
    const auto [end, fault] = std::from_chars(after.data(), after.data() + after.size(), t);
    if (fault != std::errc() || end != after.data() + after.size() || !has_live_samples(results))
      return say(404, "There is no run here that shows its samples as they come.");
    return {.type = "text/event-stream",
            .more = [reader = std::make_shared<LiveSampleReader>(results, t)] { return reader->next(); }};
  }

  HttpResponse answer(const HttpRequest& request) {
    if (!is_called_by_its_name(request, server.port()))
      return say(403, fmt::format("This server answers to http://127.0.0.1:{}/ only.", server.port()));
    if (request.method != "GET" && request.method != "HEAD") {
      HttpResponse response = say(405, "There is nothing to do here but to look.");
      response.headers.emplace_back("Allow", "GET, HEAD");
      return response;
    }
    if (request.path == "/") return {.type = "text/html; charset=utf-8", .body = page};
    if (request.path == "/data") {
      HttpResponse response = give_data(request, data.present(), name);
      if (has_live_samples(results)) response.headers.emplace_back("Trammel-Samples", samples_address);
      return response;
    }
    if (request.path.starts_with(samples_address))
      return give_samples(request.path.substr(std::string_view(samples_address).size()));
    return say(404, "There is nothing here. The page is at /");
  }

  RunData data;
  std::filesystem::path results;
  std::string name;
  std::shared_ptr<const std::string> page;
  HttpServer server{[this](const HttpRequest& request) {
    HttpResponse response = answer(request);
    for (auto& header : headers_of_all_answers()) response.headers.push_back(std::move(header));
    return response;
  }};
};

PageServer::PageServer(const std::string& title, const std::filesystem::path& folder)
    : implementation_(std::make_unique<Implementation>(title, folder)) {}

PageServer::~PageServer() { stop(); }

bool PageServer::has_data() { return implementation_->data.present() != nullptr; }

int PageServer::port() const { return implementation_->server.port(); }

std::string PageServer::start(int port) {
  const int error = implementation_->server.start(port);
  if (error == 0) return {};
  if (port == 0) return "there is no free port";
  return error == EACCES ? fmt::format("port {} is for the administrator of this machine only", port)
                         : fmt::format("port {} is taken", port);
}

void PageServer::stop() { implementation_->server.stop(); }

}  // namespace trammel
