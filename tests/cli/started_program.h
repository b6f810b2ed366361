// The program as a process of its own, to be killed and waited for.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "tests/cli/called_program.h"

namespace trammel {

// Starts the program in the scratch folder.
inline pid_t start(const std::string& words) {
  const std::string command = "cd '" + scratch().string() + "' && exec '" + TRAMMEL_PROGRAM + "' " + words +
                              " > .out 2> .err < /dev/null";
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    ::_exit(127);
  }
  return pid;
}

// The exit code, or minus the signal.
inline int wait_for(pid_t pid) {
  int status = 0;
  EXPECT_EQ(::waitpid(pid, &status, 0), pid);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

inline void wait_until_there(const std::filesystem::path& file) {
  for (int i = 0; i < 6000 && !std::filesystem::exists(file); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

inline nlohmann::json summary_in(const std::filesystem::path& folder) {
  return nlohmann::json::parse(read_file(folder / "summary.json"), nullptr, false);
}

}  // namespace trammel
