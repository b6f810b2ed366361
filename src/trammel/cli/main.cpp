// trammel: simulate constrained mechanical systems from the command line.
#include "trammel/cli/commands.h"

int main(int argc, char** argv) { return trammel::run_program(argc, argv, trammel::add_all_commands); }
