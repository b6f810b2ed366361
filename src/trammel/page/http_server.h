// A small server for this machine alone. One thread looks after all connections, so that none, however slow
// or silent, keeps another one waiting. A connection has one request and one answer. It must have asked after
// a few seconds, and take something of its answer every few seconds. Where there are too many, whoever has
// most of them loses the one that has been silent for longest. An answer may go on for as long as there is
// something to tell (server-sent events).
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <thread>

#include "trammel/page/http_request.h"

namespace trammel {

struct HttpLimits {
  std::size_t connections = 128;  // at a time
  std::size_t request = 16384;    // bytes, without a body, which nobody reads
  std::chrono::milliseconds to_ask{5000}, to_go_on{10000}, to_end{2000};
  std::chrono::milliseconds to_look{30};  // between looks for more of an answer that goes on
};

class HttpServer {
 public:
  using Handler = std::function<HttpResponse(const HttpRequest& request)>;
  // The handler is called in the thread of the server. A request that it throws at is answered with 503.
  explicit HttpServer(Handler handler, HttpLimits limits = {});
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // On 127.0.0.1; port 0 is any free one. 0, or the error of the system.
  int start(int port);
  int port() const { return port_; }
  // Answers under way are finished, if that does not take long.
  void stop();

 private:
  void run();

  Handler handler_;
  HttpLimits limits_;
  int listener_ = -1, wake_ = -1, port_ = 0;
  std::atomic<bool> ending_ = false;
  std::thread thread_;
};

}  // namespace trammel
