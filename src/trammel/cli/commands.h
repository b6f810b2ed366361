// The commands of the program. Exit codes: 0 it went well or was stopped as the model asks, 1 it failed, 2 it
// was asked for in a way that makes no sense, 3 it went well but not all of it could be written, 128 and the
// number of a signal: it was stopped by that.
#pragma once

// declared only: its header costs seconds in every source
namespace CLI {
class App;
}

namespace trammel {

inline constexpr int run_failed = 1;
inline constexpr int usage_error = 2;
inline constexpr int output_missing = 3;

// Models.
void add_run_command(CLI::App& app, int& exit_code);
void add_check_command(CLI::App& app, int& exit_code);
void add_assemble_command(CLI::App& app, int& exit_code);
void add_equilibrium_command(CLI::App& app, int& exit_code);
void add_modes_command(CLI::App& app, int& exit_code);
void add_dynamics_command(CLI::App& app, int& exit_code);
void add_inverse_command(CLI::App& app, int& exit_code);
void add_derivatives_command(CLI::App& app, int& exit_code);
void add_generate_command(CLI::App& app, int& exit_code);
void add_new_command(CLI::App& app, int& exit_code);
void add_view_command(CLI::App& app, int& exit_code);
void add_plot_command(CLI::App& app, int& exit_code);
// Models and built-in problems.
void add_compare_command(CLI::App& app, int& exit_code);
void add_sweep_command(CLI::App& app, int& exit_code);
// Built-in problems, and what there is to choose from.
void add_problem_command(CLI::App& app, int& exit_code);
void add_methods_command(CLI::App& app, int& exit_code);
void add_options_command(CLI::App& app, int& exit_code);
// The last to be added: it knows the others.
void add_completion_command(CLI::App& app, int& exit_code);

void add_all_commands(CLI::App& app, int& exit_code);
// Those that simulate a model and look at the result, without what the others need: they are there first when everything is
// compiled (trammel-run; ./trammel knows their names).
void add_run_commands(CLI::App& app, int& exit_code);

// What `main` does with all commands or some of them: returns the exit code.
int run_program(int argc, char** argv, void (*add_commands)(CLI::App& app, int& exit_code));

}  // namespace trammel
