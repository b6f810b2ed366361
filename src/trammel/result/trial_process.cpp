#include "trammel/result/trial_process.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace trammel {

bool ends_well_apart(const std::function<void()>& trial, unsigned seconds) {
  const pid_t process = fork();
  if (process < 0) return true;
  if (process == 0) {
    // a crash here is an answer: no handler, no core, no words
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM, SIGXCPU})
      std::signal(signal, SIG_DFL);
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    if (const int nothing = open("/dev/null", O_WRONLY); nothing >= 0) {
      dup2(nothing, STDOUT_FILENO);
      dup2(nothing, STDERR_FILENO);
    }
    // of its own time, however busy the machine is; and at some time whatever it waits for
    const rlimit own_time{seconds, seconds};
    setrlimit(RLIMIT_CPU, &own_time);
    alarm(10 * seconds);
    try {
      trial();
    } catch (...) {
      // said in words, which whoever asks will hear
    }
    _exit(0);
  }
  int status = 0;
  while (waitpid(process, &status, 0) < 0)
    if (errno != EINTR) return true;  // somebody else waited for it
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace trammel
