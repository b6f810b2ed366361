#include "trammel/cli/interruption.h"

#include <array>
#include <csignal>

namespace trammel {

namespace {

constexpr std::array signals{SIGINT, SIGTERM, SIGHUP};

std::atomic<bool> interrupted{false};
std::atomic<int> by_signal{0};
extern "C" void on_interrupt(int signal) {
  by_signal.store(signal);
  interrupted.store(true);
  // whoever asks twice does not want to wait for the end of the step
  std::signal(signal, SIG_DFL);
}

}  // namespace

Interruption::Interruption() {
  for (const int signal : signals)
    // nohup means that a closed terminal is no reason to stop
    if (std::signal(signal, on_interrupt) == SIG_IGN && signal == SIGHUP) std::signal(signal, SIG_IGN);
}
Interruption::~Interruption() {
  for (const int signal : signals)
    if (std::signal(signal, SIG_DFL) == SIG_IGN) std::signal(signal, SIG_IGN);
}
const std::atomic<bool>* Interruption::flag() { return &interrupted; }
int Interruption::exit_code() { return by_signal.load() == 0 ? 0 : 128 + by_signal.load(); }

}  // namespace trammel
