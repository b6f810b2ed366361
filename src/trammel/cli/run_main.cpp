// trammel-run: trammel with the commands that a first run needs, compiled in less time; ./trammel starts it for these.
#include "trammel/cli/commands.h"

int main(int argc, char** argv) { return trammel::run_program(argc, argv, trammel::add_run_commands); }
