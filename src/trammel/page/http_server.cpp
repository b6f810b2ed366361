#include "trammel/page/http_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <list>
#include <map>
#include <string_view>
#include <vector>

namespace trammel {

namespace {

using Clock = std::chrono::steady_clock;

// Asks, is answered, and is listened to until it has heard all: to close at once would throw away what is
// still on its way to a client that is sending.
class Connection {
 public:
  Connection(int descriptor, std::uint32_t address, const HttpLimits& limits)
      : descriptor_(descriptor), address_(address), limits_(limits) {
    progressed(limits.to_ask);
  }
  ~Connection() { ::close(descriptor_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  std::uint32_t address() const { return address_; }
  Clock::time_point last_progress() const { return last_progress_; }
  Clock::time_point deadline() const { return deadline_; }
  bool is_answering() const { return state_ == State::answers && !more_; }
  // When it wants to go on even if nothing is heard of it.
  Clock::time_point next_look() const { return state_ == State::waits ? next_look_ : deadline_; }
  pollfd polled() const {
    return {descriptor_, static_cast<short>(state_ == State::answers ? POLLOUT : POLLIN), 0};
  }

  // Goes on as far as it can. False when it has come to its end.
  bool go_on(const HttpServer::Handler& handler) {
    switch (state_) {
      case State::asks:
        return read_request(handler);
      case State::answers:
        return write_answer();
      case State::waits:
        return look_for_more();
      default:
        return read_rest();
    }
  }

 private:
  enum class State { asks, answers, waits, ends };

  void progressed(std::chrono::milliseconds allowed) {
    last_progress_ = Clock::now();
    deadline_ = last_progress_ + allowed;
  }

  // Not more at a time than is fair to the others. 0 at the end, −1 if there is nothing now or it is broken.
  ssize_t read_some(std::array<char, 16384>& piece) {
    ssize_t count = 0;
    do count = ::recv(descriptor_, piece.data(), piece.size(), 0);
    while (count < 0 && errno == EINTR);
    return count;
  }
  static bool is_for_later() { return errno == EAGAIN || errno == EWOULDBLOCK; }

  bool read_request(const HttpServer::Handler& handler) {
    std::array<char, 16384> piece;
    const ssize_t count = read_some(piece);
    if (count <= 0) return count < 0 && is_for_later();
    asked_.append(piece.data(), static_cast<std::size_t>(count));
    const std::size_t end = std::min(asked_.find("\r\n\r\n"), asked_.find("\n\n"));
    // the time to ask is for all of it: one letter each second is not progress
    if (end == std::string::npos && asked_.size() < limits_.request) return true;
    answer(end < limits_.request ? parse_http_request(std::string_view(asked_).substr(0, end)) : std::nullopt,
           handler);
    return write_answer();
  }

  void answer(const std::optional<HttpRequest>& request, const HttpServer::Handler& handler) {
    HttpResponse response{.status = asked_.size() >= limits_.request ? 431 : 400};
    try {
      if (request) response = handler(*request);
    } catch (const std::exception&) {
      response = {.status = 503};
    }
    head_ = response.head();
    if (response.status != 304 && (!request || request->method != "HEAD")) {
      body_ = response.body;
      more_ = std::move(response.more);
    }
    asked_.clear();
    state_ = State::answers;
    progressed(limits_.to_go_on);
  }

  bool write_answer() {
    const std::size_t length = head_.size() + (body_ ? body_->size() : 0);
    // a fast reader must not keep the others waiting either
    for (int pieces = 0; sent_ < length && pieces < 16; ++pieces) {
      const std::string_view part =
          sent_ < head_.size() ? std::string_view(head_).substr(sent_)
                               : std::string_view(*body_).substr(sent_ - head_.size(), std::size_t{1} << 18);
      const ssize_t count = ::send(descriptor_, part.data(), part.size(), MSG_NOSIGNAL);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return is_for_later();
      sent_ += static_cast<std::size_t>(count);
      progressed(limits_.to_go_on);
    }
    if (sent_ < length) return true;
    body_.reset();
    if (more_) {
      state_ = State::waits;
      next_look_ = Clock::now() + limits_.to_look;
      progressed(limits_.to_go_on);
      return true;
    }
    ::shutdown(descriptor_, SHUT_WR);
    state_ = State::ends;
    progressed(limits_.to_end);
    return true;
  }

  // Of an answer that goes on. Whoever has hung up is let go.
  bool look_for_more() {
    std::array<char, 16384> piece;
    const ssize_t count = read_some(piece);
    if (count == 0 || (count < 0 && !is_for_later())) return false;
    if (Clock::now() < next_look_) return true;
    std::optional<std::string> text;
    try {
      text = more_();
    } catch (const std::exception&) {
      text.reset();
    }
    if (!text) more_ = nullptr;
    head_ = text.value_or("");
    sent_ = 0;
    state_ = State::answers;
    progressed(limits_.to_go_on);
    return write_answer();
  }

  bool read_rest() {
    std::array<char, 16384> piece;
    const ssize_t count = read_some(piece);
    return count > 0 || (count < 0 && is_for_later());
  }

  int descriptor_;
  std::uint32_t address_;
  const HttpLimits& limits_;
  State state_ = State::asks;
  std::string asked_, head_;
  std::shared_ptr<const std::string> body_;
  std::function<std::optional<std::string>()> more_;
  std::size_t sent_ = 0;
  Clock::time_point last_progress_, deadline_, next_look_;
};

// All of them, of which there are never more than allowed.
class Connections {
 public:
  Connections(const HttpServer::Handler& handler, const HttpLimits& limits)
      : handler_(handler), limits_(limits) {}

  void accept_all(int listener) {
    for (;;) {
      sockaddr_in from{};
      socklen_t size = sizeof from;
      const int descriptor =
          ::accept4(listener, reinterpret_cast<sockaddr*>(&from), &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (descriptor < 0 && (errno == EINTR || errno == ECONNABORTED)) continue;
      // no file left: one of ours is given back
      if (descriptor < 0 && (errno == EMFILE || errno == ENFILE) && !all_.empty()) {
        drop_one();
        continue;
      }
      if (descriptor < 0) return;
      if (all_.size() >= limits_.connections) drop_one();
      all_.emplace_back(descriptor, from.sin_addr.s_addr, limits_);
    }
  }

  void add_to(std::vector<pollfd>& polled) const {
    for (const Connection& connection : all_) polled.push_back(connection.polled());
  }

  // `ready` is what add_to() gave, in the same order.
  void go_on(const pollfd* ready) {
    const Clock::time_point now = Clock::now();
    for (auto each = all_.begin(); each != all_.end(); ++ready) {
      const bool lives =
          ready->revents == 0 && now < each->next_look() ? now < each->deadline() : each->go_on(handler_);
      each = lives && now < each->deadline() ? std::next(each) : all_.erase(each);
    }
  }

  // Only answers under way stay.
  void leave_answers() {
    all_.remove_if([](const Connection& connection) { return !connection.is_answering(); });
  }

  bool empty() const { return all_.empty(); }

  // Milliseconds for poll().
  int time_left() const {
    Clock::time_point first = Clock::now() + std::chrono::seconds(60);
    for (const Connection& connection : all_) first = std::min(first, connection.next_look());
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(first - Clock::now()).count();
    return static_cast<int>(std::clamp<long long>(left + 1, 0, 60000));
  }

 private:
  // Of whoever has most, the one that was silent for longest.
  void drop_one() {
    std::map<std::uint32_t, std::size_t> counts;
    for (const Connection& connection : all_) ++counts[connection.address()];
    const auto worse = [&](const Connection& a, const Connection& b) {
      const std::size_t of_a = counts[a.address()], of_b = counts[b.address()];
      return of_a != of_b ? of_a > of_b : a.last_progress() < b.last_progress();
    };
    all_.erase(std::min_element(all_.begin(), all_.end(), worse));
  }

  const HttpServer::Handler& handler_;
  const HttpLimits& limits_;
  std::list<Connection> all_;
};

}  // namespace

HttpServer::HttpServer(Handler handler, HttpLimits limits) : handler_(std::move(handler)), limits_(limits) {}

HttpServer::~HttpServer() { stop(); }

int HttpServer::start(int port) {
  const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return errno;
  const int yes = 1;
  // a port that was used a moment ago can be used again; one that is in use cannot
  ::setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const general = reinterpret_cast<sockaddr*>(&address);
  if (::bind(descriptor, general, size) != 0 || ::listen(descriptor, SOMAXCONN) != 0 ||
      ::getsockname(descriptor, general, &size) != 0 || (wake_ = ::eventfd(0, EFD_CLOEXEC)) < 0) {
    const int error = errno;
    ::close(descriptor);
    return error;
  }
  listener_ = descriptor;
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { run(); });
  return 0;
}

void HttpServer::stop() {
  if (!thread_.joinable()) return;
  ending_ = true;
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(wake_, &one, sizeof one);
  thread_.join();
  ::close(wake_);
}

void HttpServer::run() {
  Connections connections(handler_, limits_);
  std::vector<pollfd> polled;
  while (!ending_) {
    polled = {{listener_, POLLIN, 0}, {wake_, POLLIN, 0}};
    connections.add_to(polled);
    ::poll(polled.data(), polled.size(), connections.time_left());
    connections.go_on(polled.data() + 2);
    if (polled[0].revents != 0) connections.accept_all(listener_);
  }
  ::close(listener_);

  const Clock::time_point end = Clock::now() + limits_.to_end;
  for (connections.leave_answers(); !connections.empty() && Clock::now() < end; connections.leave_answers()) {
    polled.clear();
    connections.add_to(polled);
    ::poll(polled.data(), polled.size(), 50);
    connections.go_on(polled.data());
  }
}

}  // namespace trammel
