// The commands of the program. Exit codes: 0 the run finished or was stopped as asked, 1 it failed, 2 it was
// asked for in a way that makes no sense.
#pragma once

#include <CLI/CLI.hpp>

namespace trammel {

inline constexpr int run_failed = 1;
inline constexpr int usage_error = 2;

void add_problem_command(CLI::App& app, int& exit_code);
void add_methods_command(CLI::App& app);
void add_options_command(CLI::App& app);

}  // namespace trammel
