#include "trammel/cli/interruption.h"

#include <csignal>

namespace trammel {

namespace {

std::atomic<bool> interrupted{false};
extern "C" void on_interrupt(int) {
  interrupted.store(true);
  // whoever asks twice does not want to wait for the end of the step
  std::signal(SIGINT, SIG_DFL);
}

}  // namespace

Interruption::Interruption() { std::signal(SIGINT, on_interrupt); }
Interruption::~Interruption() { std::signal(SIGINT, SIG_DFL); }
const std::atomic<bool>* Interruption::flag() { return &interrupted; }

}  // namespace trammel
