// Requests to the server of `trammel view`, through a socket as a browser sends them.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <memory>
#include <string>

#include "fuzz/expectation.h"
#include "fuzz/scratch_file.h"
#include "fuzz/targets.h"
#include "trammel/page/page_server.h"

namespace trammel {
namespace {

// A server with something to show.
class Server {
 public:
  Server() {
    const std::string data = R"({"title": "fuzz"})";
    live_ = std::make_unique<ScratchFile>(live_data_file, reinterpret_cast<const std::uint8_t*>(data.data()),
                                          data.size());
    server_ = std::make_unique<PageServer>("fuzz", live_->path().parent_path());
    fuzz_expect(server_->start(0).empty(), "the server starts");
  }

  // The text with the server's port wherever it says PORT: it serves those only who name it.
  std::string addressed(std::string text) const {
    const std::string port = std::to_string(server_->port());
    for (std::size_t at = 0; (at = text.find("PORT", at)) != std::string::npos;) text.replace(at, 4, port);
    return text;
  }

  // What comes back until the other side ends, or nothing more comes.
  std::string answer(const std::string& request, bool nothing_follows) const {
    const int descriptor = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(server_->port()));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval patience{20, 0};
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    fuzz_expect(connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0,
                "the server can be reached");
    std::string text;
    // a server that has seen enough may close before all is sent
    send(descriptor, request.data(), request.size(), MSG_NOSIGNAL);
    // otherwise it waits for the rest of what is not a whole request
    if (nothing_follows) shutdown(descriptor, SHUT_WR);
    char buffer[4096];
    ssize_t count = 0;
    while ((count = recv(descriptor, buffer, sizeof buffer, 0)) > 0)
      text.append(buffer, static_cast<std::size_t>(count));
    fuzz_expect(count == 0 || (errno != EAGAIN && errno != EWOULDBLOCK),
                "the server answers or closes in time");
    close(descriptor);
    return text;
  }

 private:
  std::unique_ptr<ScratchFile> live_;
  std::unique_ptr<PageServer> server_;
};

}  // namespace

void fuzz_http_request(const std::uint8_t* data, std::size_t size) {
  static const Server* const server =
      new Server;  // to the end of the process: its threads are not waited for
  const std::string answer =
      server->answer(server->addressed(std::string(reinterpret_cast<const char*>(data), size)), true);
  fuzz_expect(answer.empty() || answer.starts_with("HTTP/1."), "an answer is one of HTTP");
  // and it still serves others, now and then
  static int calls = 0;
  if (++calls % 16 != 0) return;
  const std::string page = server->answer(
      server->addressed("GET /data HTTP/1.1\r\nHost: localhost:PORT\r\nConnection: close\r\n\r\n"), false);
  fuzz_expect(page.starts_with("HTTP/1.1 200"), "the server still serves: " + page.substr(0, 200));
}

}  // namespace trammel
