// All commands, in the order of the help.
#include "trammel/cli/commands.h"

namespace trammel {

void add_all_commands(CLI::App& app, int& exit_code) {
  add_run_command(app, exit_code);
  add_view_command(app, exit_code);
  add_plot_command(app, exit_code);
  add_check_command(app, exit_code);
  add_assemble_command(app, exit_code);
  add_equilibrium_command(app, exit_code);
  add_modes_command(app, exit_code);
  add_dynamics_command(app, exit_code);
  add_inverse_command(app, exit_code);
  add_derivatives_command(app, exit_code);
  add_generate_command(app, exit_code);
  add_new_command(app, exit_code);
  add_problem_command(app, exit_code);
  add_compare_command(app, exit_code);
  add_sweep_command(app, exit_code);
  add_methods_command(app, exit_code);
  add_options_command(app, exit_code);
  add_completion_command(app, exit_code);
}

}  // namespace trammel
