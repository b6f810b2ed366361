#include "trammel/sweep/sweep_processes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>
#include <vector>

namespace trammel {

namespace {

using Clock = std::chrono::steady_clock;

// One run in a copy of this process, which writes its row into a pipe.
class Worker {
 public:
  Worker(const Sweep& sweep, long run, double timeout) : run_(run) {
    if (timeout > 0)
      deadline_ =
          Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(timeout));
    std::array<int, 2> pipe{-1, -1};
    if (::pipe2(pipe.data(), O_CLOEXEC) != 0) {
      trouble_ = std::strerror(errno);
      return;
    }
    const pid_t parent = ::getpid();
    pid_ = ::fork();
    if (pid_ == 0) work(sweep, pipe[1], parent);
    if (pid_ < 0) trouble_ = std::strerror(errno);
    ::close(pipe[1]);
    pipe_ = pipe[0];
  }
  ~Worker() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    if (pipe_ >= 0) ::close(pipe_);
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  long run() const { return run_; }
  int pipe() const { return pipe_; }
  bool overdue() const { return deadline_ && Clock::now() >= *deadline_; }

  // Takes what was written; true if the process has closed the pipe, or never began.
  bool ended() {
    if (pid_ <= 0) return true;
    std::array<char, 65536> piece;
    for (;;) {
      pollfd ready{pipe_, POLLIN, 0};
      if (::poll(&ready, 1, 0) <= 0) return false;
      const ssize_t count = ::read(pipe_, piece.data(), piece.size());
      if (count > 0)
        answer_.append(piece.data(), static_cast<std::size_t>(count));
      else if (count == 0 || errno != EINTR)
        return true;
    }
  }

  SweepRow row(const Sweep& sweep) {
    if (pid_ <= 0) return sweep.lost(run_, "crashed", "its process could not be started: " + trouble_);
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = 0;
    if (WIFSIGNALED(status))
      return sweep.lost(run_, "crashed",
                        fmt::format("its process was ended by signal {} ({})", WTERMSIG(status),
                                    ::strsignal(WTERMSIG(status))));
    try {
      return SweepRow::from_json(nlohmann::ordered_json::parse(answer_), sweep.columns().size());
    } catch (const std::exception&) {
      return sweep.lost(
          run_, "crashed",
          fmt::format("its process ended with exit code {} and no answer", WEXITSTATUS(status)));
    }
  }

 private:
  [[noreturn]] void work(const Sweep& sweep, int out, pid_t parent) const {
    // a group of its own: Ctrl-C is for the parent, who then ends the others
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(127);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
    int code = 1;
    try {
      const std::string text = sweep.run(run_).to_json().dump();
      for (std::size_t at = 0; at < text.size();) {
        const ssize_t count = ::write(out, text.data() + at, text.size() - at);
        if (count < 0 && errno != EINTR) ::_exit(1);
        if (count > 0) at += static_cast<std::size_t>(count);
      }
      code = 0;
    } catch (...) {
      code = 1;
    }
    ::_exit(code);
  }

  long run_;
  std::optional<Clock::time_point> deadline_;
  pid_t pid_ = -1;
  int pipe_ = -1;
  std::string answer_, trouble_;
};

}  // namespace

SweepRow run_in_process(const Sweep& sweep, long run, double timeout) {
  Worker worker(sweep, run, timeout);
  while (!worker.ended()) {
    if (worker.overdue())
      return sweep.lost(run, "timed_out", fmt::format("not finished after {:g} s", timeout));
    pollfd ready{worker.pipe(), POLLIN, 0};
    ::poll(&ready, 1, 50);
  }
  return worker.row(sweep);
}

Failure run_in_processes(SweepTable& table, const SweepProcesses& processes) {
  const Sweep& sweep = table.sweep();
  const std::vector<long> runs = table.missing();
  const auto jobs = static_cast<std::size_t>(
      processes.jobs > 0 ? processes.jobs
                         : static_cast<int>(std::max(1u, std::thread::hardware_concurrency())));
  const auto interrupted = [&] { return processes.interrupt != nullptr && processes.interrupt->load(); };
  std::vector<std::unique_ptr<Worker>> running;
  std::size_t next = 0;
  while (!interrupted() && (next < runs.size() || !running.empty())) {
    while (next < runs.size() && running.size() < jobs)
      running.push_back(std::make_unique<Worker>(sweep, runs[next++], processes.timeout));

    std::vector<pollfd> polled;
    for (const auto& worker : running)
      if (worker->pipe() >= 0) polled.push_back({worker->pipe(), POLLIN, 0});
    ::poll(polled.data(), polled.size(), 50);
    if (processes.on_wait) processes.on_wait(static_cast<long>(table.rows().size()));

    for (auto& worker : running) {
      const bool ended = worker->ended();
      if (!ended && !worker->overdue()) continue;
      SweepRow row = ended ? worker->row(sweep)
                           : sweep.lost(worker->run(), "timed_out",
                                        fmt::format("not finished after {:g} s", processes.timeout));
      worker.reset();
      if (Failure failure = table.add(std::move(row))) return failure;
    }
    std::erase_if(running, [](const auto& worker) { return worker == nullptr; });
  }
  return {};
}

}  // namespace trammel
