#include "train/interruption.h"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>

namespace memsizer::train {
namespace {

std::atomic<bool> asked{false};
std::atomic<int> demands{0};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free,
              "a signal handler may use them");

// A closed terminal or a lost connection ends a run as kindly as a request does.
constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};
std::array<struct sigaction, kSignals.size()> previous;

void on_signal(int number) {
  asked = true;
  // A terminal that closes sends several SIGHUPs, and a system that shuts down one beside its SIGTERM: none
  // of them is impatient.
  if (number != SIGHUP && demands.fetch_add(1) > 0) ::_exit(128 + number);
}

}  // namespace

Interruption::Interruption() {
  asked = false;
  demands = 0;
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], &action, &previous[i]);
    // Under nohup a run outlives its terminal.
    if (kSignals[i] == SIGHUP && previous[i].sa_handler == SIG_IGN)
      ::sigaction(SIGHUP, &previous[i], nullptr);
  }
}

Interruption::~Interruption() {
  for (size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &previous[i], nullptr);
}

bool Interruption::requested() const {
  return asked;
}

}  // namespace memsizer::train
