#include "trammel/cli/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

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

ChildAnswer run_child(const std::vector<std::string>& command, const ChildLimits& limits) {
  ChildAnswer answer;
  run_children(
      {command}, limits, [](std::size_t) { return true; },
      [&](std::size_t, ChildAnswer given) { answer = std::move(given); });
  return answer;
}

void start_alone(const std::string& program, const std::string& argument) {
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::string name = program, word = argument;
  char* const words[] = {name.data(), word.data(), nullptr};
  pid_t child;
  posix_spawnp(&child, program.c_str(), &files, &attributes, words, environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
}

std::string path_of_program(const std::string& name) {
  const char* variable = std::getenv("PATH");
  const std::string folders = variable != nullptr ? variable : "";
  for (std::size_t at = 0; at <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', at), folders.size());
    const std::filesystem::path candidate = std::filesystem::path(folders.substr(at, end - at)) / name;
    std::error_code ignored;
    // not what happens to lie in the present folder
    if (candidate.is_absolute() && std::filesystem::is_regular_file(candidate, ignored) &&
        ::access(candidate.c_str(), X_OK) == 0)
      return candidate.string();
    at = end + 1;
  }
  return "";
}

}  // namespace trammel
