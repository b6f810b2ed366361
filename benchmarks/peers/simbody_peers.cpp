// Loads the library that uses Simbody. TRAMMEL_PEER_SIMBODY is its file.
#include "simbody_peers.h"

#include "cpodes.h"

#ifdef TRAMMEL_PEER_SIMBODY

#include <dlfcn.h>

#include <stdexcept>

namespace peers {

namespace {

template <class Function>
Function find(const char* name) {
  // never closed: the contests keep functions of it
  static void* const library = dlopen(TRAMMEL_PEER_SIMBODY, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  void* const symbol = library != nullptr ? dlsym(library, name) : nullptr;
  if (symbol == nullptr) throw std::runtime_error(dlerror());
  return reinterpret_cast<Function>(symbol);
}

}  // namespace

void add_simbody_n_four_bar(int windows, double exact_angle, Contest& contest) {
  find<void (*)(int, double, Contest*)>("simbody_n_four_bar")(windows, exact_angle, &contest);
}
void add_simbody_chain(const std::vector<double>& exact_angles, Contest& contest) {
  find<void (*)(const std::vector<double>*, Contest*)>("simbody_chain")(&exact_angles, &contest);
}
void add_simbody_andrews(Contest& contest) { find<void (*)(Contest*)>("simbody_andrews")(&contest); }
void add_simbody_double_pendulum(Contest& contest) {
  find<void (*)(Contest*)>("simbody_double_pendulum")(&contest);
}
void add_simbody_pendulum(double exact_angle, Contest& contest) {
  find<void (*)(double, Contest*)>("simbody_pendulum")(exact_angle, &contest);
}

bool run_cpodes(const CpodesTask& task, CpodesResult& result) {
  find<void (*)(const CpodesTask*, CpodesResult*)>("simbody_run_cpodes")(&task, &result);
  return true;
}

std::unique_ptr<ScaledModel> simbody_scaled_model(Growing growing, int bodies) {
  const auto make = find<ScaledModel* (*)(int, int)>("simbody_scaled_model");
  return std::unique_ptr<ScaledModel>(make(static_cast<int>(growing), bodies));
}

}  // namespace peers

#else

namespace peers {

void add_simbody_n_four_bar(int, double, Contest&) {}
void add_simbody_chain(const std::vector<double>&, Contest&) {}
void add_simbody_andrews(Contest&) {}
void add_simbody_double_pendulum(Contest&) {}
void add_simbody_pendulum(double, Contest&) {}
bool run_cpodes(const CpodesTask&, CpodesResult&) { return false; }
std::unique_ptr<ScaledModel> simbody_scaled_model(Growing, int) { return nullptr; }

}  // namespace peers

#endif
