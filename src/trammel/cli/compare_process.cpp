#include "trammel/cli/compare_process.h"

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
#include <cstdio>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "trammel/comparison/number_text.h"

namespace trammel {

namespace {

using Clock = std::chrono::steady_clock;

// A process and the pipes that it writes into. Ended when this goes.
class Child {
 public:
  Child(std::size_t number, const std::vector<std::string>& command, double timeout)
      : number_(number),
        deadline_(Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                     std::chrono::duration<double>(std::min(timeout, 1e8)))) {
    std::array<int, 2> out{-1, -1}, err{-1, -1};
    if (::pipe2(out.data(), O_CLOEXEC) == 0 && ::pipe2(err.data(), O_CLOEXEC) == 0)
      start(command, out[1], err[1]);
    const int error = errno;
    for (const int end : {out[1], err[1]})
      if (end >= 0) ::close(end);
    pipes_ = {out[0], err[0]};
    if (pid_ <= 0) answer_.err = std::strerror(error);
  }

  ~Child() {
    kill();
    for (const int pipe : pipes_)
      if (pipe >= 0) ::close(pipe);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  std::size_t number() const { return number_; }
  bool overdue() const { return Clock::now() >= deadline_; }
  void add_to(std::vector<pollfd>& polled) const {
    for (const int pipe : pipes_)
      if (pipe >= 0) polled.push_back({pipe, POLLIN, 0});
  }

  // Takes what was written; true if the process has ended, or never began.
  bool ended() {
    if (pid_ <= 0) return true;
    int status = 0;
    const pid_t waited = ::waitpid(pid_, &status, WNOHANG);
    read_all();
    if (waited == 0) return false;
    pid_ = 0;
    const bool exited = waited > 0 && WIFEXITED(status);
    answer_.end = exited ? ChildAnswer::End::exited : ChildAnswer::End::killed;
    answer_.code = exited ? WEXITSTATUS(status) : WTERMSIG(status);
    return true;
  }

  void end_because(ChildAnswer::End reason) {
    kill();
    answer_.end = reason;
  }

  ChildAnswer answer() { return std::move(answer_); }

 private:
  // Between fork and exec nothing may be done but system calls.
  void start(const std::vector<std::string>& command, int out, int err) {
    std::vector<char*> arguments;
    for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    const pid_t parent = ::getpid();
    pid_ = ::fork();
    if (pid_ == 0) {
      // a group of its own: Ctrl-C is for the parent, who then ends the children
      ::setpgid(0, 0);
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (::getppid() != parent) ::_exit(127);
      if (nothing >= 0) ::dup2(nothing, STDIN_FILENO);
      ::dup2(out, STDOUT_FILENO);
      ::dup2(err, STDERR_FILENO);
      ::execv(arguments[0], arguments.data());
      const char* message = std::strerror(errno);
      [[maybe_unused]] const auto written = ::write(STDERR_FILENO, message, std::strlen(message));
      ::_exit(127);
    }
    const int error = errno;
    if (nothing >= 0) ::close(nothing);
    errno = error;
  }

  void read_all() {
    const std::array<std::string*, 2> texts{&answer_.out, &answer_.err};
    for (std::size_t i = 0; i < pipes_.size(); ++i) {
      std::array<char, 65536> piece;
      for (;;) {
        pollfd ready{pipes_[i], POLLIN, 0};
        if (pipes_[i] < 0 || ::poll(&ready, 1, 0) <= 0) break;
        const ssize_t count = ::read(pipes_[i], piece.data(), piece.size());
        if (count > 0) {
          texts[i]->append(piece.data(), static_cast<std::size_t>(count));
          continue;
        }
        if (count < 0 && errno == EINTR) continue;
        ::close(pipes_[i]);
        pipes_[i] = -1;
      }
    }
  }

  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

  std::size_t number_;
  Clock::time_point deadline_;
  pid_t pid_ = -1;
  std::array<int, 2> pipes_{-1, -1};
  ChildAnswer answer_;
};

std::string last_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

// Remembers which methods took too long.
class Patience {
 public:
  explicit Patience(double timeout) : timeout_(timeout) {}

  void note(const Trial& trial, const Measurement& measurement) {
    if (measurement.outcome != Measurement::Outcome::timed_out) return;
    double& mildest = timed_out_[trial.method.label()];
    mildest = std::max(mildest, trial.rtol);
  }
  // What to say of a trial that is not worth a try.
  std::optional<Measurement> lost_on(const Trial& trial) const {
    const auto found = timed_out_.find(trial.method.label());
    if (found == timed_out_.end() || found->second < trial.rtol) return std::nullopt;
    Measurement result;
    result.message = fmt::format("at rtol {} it was not finished after {:g} s",
                                 scientific_text(found->second, 3), timeout_);
    return result;
  }

 private:
  double timeout_;
  std::map<std::string, double> timed_out_;  // by method, the mildest tolerance
};

}  // namespace

std::string ChildAnswer::trouble() const {
  switch (end) {
    case End::exited:
      return code == 0 ? "" : fmt::format("ended with exit code {}", code);
    case End::killed:
      return fmt::format("ended by signal {} ({})", code, ::strsignal(code));
    case End::timed_out:
      return "took longer than allowed";
    case End::interrupted:
      return "interrupted";
    case End::not_started:
      return "could not be started";
  }
  return "";
}

void run_children(const std::vector<std::vector<std::string>>& commands, const ChildLimits& limits,
                  const std::function<bool(std::size_t)>& wanted,
                  const std::function<void(std::size_t, ChildAnswer)>& done) {
  const auto interrupted = [&] { return limits.interrupt != nullptr && limits.interrupt->load(); };
  std::vector<std::unique_ptr<Child>> running;
  std::size_t next = 0;
  while (next < commands.size() || !running.empty()) {
    while (next < commands.size() && running.size() < static_cast<std::size_t>(std::max(1, limits.jobs)) &&
           !interrupted()) {
      if (wanted(next)) running.push_back(std::make_unique<Child>(next, commands[next], limits.timeout));
      ++next;
    }

    std::vector<pollfd> polled;
    for (const auto& child : running) child->add_to(polled);
    // soon again if all has been read but a process has not ended yet
    ::poll(polled.data(), polled.size(), polled.empty() ? 1 : 50);

    for (auto& child : running) {
      const bool ended = child->ended();
      if (!ended && !interrupted() && !child->overdue()) continue;
      if (!ended)
        child->end_because(interrupted() ? ChildAnswer::End::interrupted : ChildAnswer::End::timed_out);
      done(child->number(), child->answer());
      child.reset();
    }
    std::erase_if(running, [](const auto& child) { return child == nullptr; });
    for (; interrupted() && running.empty() && next < commands.size(); ++next)
      done(next, {.end = ChildAnswer::End::interrupted});
  }
}

Measurement measurement_of(const ChildAnswer& answer, double timeout) {
  using End = ChildAnswer::End;
  Measurement result;
  result.message = answer.trouble();
  if (answer.end == End::interrupted) return result;
  if (answer.end == End::timed_out) {
    result.outcome = Measurement::Outcome::timed_out;
    result.message = fmt::format("not finished after {:g} s", timeout);
    return result;
  }
  try {
    if (answer.end == End::exited && answer.code == 0)
      return measurement_from_json(nlohmann::ordered_json::parse(answer.out));
  } catch (const std::exception& error) {
    result.message = fmt::format("gave no answer that can be read: {}", error.what());
  }
  result.outcome = answer.end == End::killed ? Measurement::Outcome::crashed : Measurement::Outcome::failed;
  if (const std::string said = last_line(answer.err); !said.empty()) result.message += ": " + said;
  return result;
}

TrialProcesses::TrialProcesses(Command command_of, ChildLimits limits, bool show_progress)
    : command_of_(std::move(command_of)),
      limits_(limits),
      shown_(show_progress && ::isatty(STDERR_FILENO) == 1) {}

TrialProcesses::~TrialProcesses() {
  if (on_screen_) std::fputs("\r\x1b[K", stderr);
}

void TrialProcesses::show(const std::vector<Trial>& trials, std::size_t finished, const std::string& now) {
  if (!shown_) return;
  const char* stage = trials.front().land_on_samples ? "reference" : "runs";
  std::fputs(fmt::format("\r{}: {} of {} done, {}\x1b[K", stage, finished, trials.size(), now).c_str(),
             stderr);
  std::fflush(stderr);
  on_screen_ = true;
}

void TrialProcesses::run(const std::vector<Trial>& trials, const TrialDone& done) {
  std::vector<std::vector<std::string>> commands;
  for (const Trial& trial : trials) commands.push_back(command_of_(trial));
  std::size_t finished = 0;
  std::string now;
  Patience patience(limits_.timeout);
  const auto wanted = [&](std::size_t i) {
    if (const std::optional<Measurement> lost = patience.lost_on(trials[i])) {
      ++finished;
      done(i, *lost);
      return false;
    }
    now = trials[i].label();
    show(trials, finished, now);
    return true;
  };
  run_children(commands, limits_, wanted, [&](std::size_t i, const ChildAnswer& answer) {
    show(trials, ++finished, now);
    Measurement measurement = measurement_of(answer, limits_.timeout);
    patience.note(trials[i], measurement);
    done(i, std::move(measurement));
  });
}

}  // namespace trammel
