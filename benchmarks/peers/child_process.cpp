#include "child_process.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <exception>
#include <stdexcept>

namespace peers {

namespace {

// What the child sends.
struct Message {
  ScaledRun run;
  double base_megabytes = 0;
  char failure[200] = "";
};

double megabytes(const rusage& usage) { return static_cast<double>(usage.ru_maxrss) / 1024; }

double cpu_seconds(const rusage& usage) {
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

[[noreturn]] void be_child(const std::function<ScaledRun()>& measure, int most_seconds, int pipe) {
  // not a limit of CPU time: that makes the clock of the process coarse
  alarm(static_cast<unsigned>(most_seconds));
  // programs that give up write where and why: not among the results
  const int nowhere = open("/dev/null", O_WRONLY);
  dup2(nowhere, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);
  Message message;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  message.base_megabytes = megabytes(usage);
  try {
    message.run = measure();
  } catch (const std::exception& error) {
    std::strncpy(message.failure, error.what(), sizeof message.failure - 1);
  }
  const bool sent = write(pipe, &message, sizeof message) == static_cast<ssize_t>(sizeof message);
  // without destructors: a large model takes its time, and is not what is measured
  _exit(sent ? 0 : 1);
}

std::string why_silent(int status) {
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) return "took too long";
  if (WIFSIGNALED(status)) return std::string("ended by signal: ") + strsignal(WTERMSIG(status));
  return "ended itself";
}

}  // namespace

ScalingMeasurement measure_in_child(const std::function<ScaledRun()>& measure, int most_seconds) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("cannot make a pipe");
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("cannot make a process");
  if (child == 0) {
    close(ends[0]);
    be_child(measure, most_seconds, ends[1]);
  }
  close(ends[1]);
  Message message;
  const bool received = read(ends[0], &message, sizeof message) == static_cast<ssize_t>(sizeof message);
  close(ends[0]);
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  ScalingMeasurement result;
  result.run = message.run;
  result.failure = received ? message.failure : why_silent(status);
  result.total_seconds = cpu_seconds(usage);
  result.peak_megabytes = megabytes(usage);
  result.base_megabytes = message.base_megabytes;
  return result;
}

}  // namespace peers
