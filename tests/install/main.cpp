// A user's program: prints the version of the Trammel it was built with.
#include <iostream>

#include "trammel/version.h"

int main() { std::cout << trammel::version << '\n'; }
