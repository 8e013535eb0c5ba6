#include "train/interruption.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>

namespace memsizer::train {
namespace {

std::atomic<int> signals_seen{0};
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may use it");

struct sigaction previous_interrupt, previous_terminate;

void on_signal(int number) {
  if (signals_seen.fetch_add(1) > 0) ::_exit(128 + number);
}

}  // namespace

Interruption::Interruption() {
  signals_seen = 0;
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, &previous_interrupt);
  ::sigaction(SIGTERM, &action, &previous_terminate);
}

Interruption::~Interruption() {
  ::sigaction(SIGINT, &previous_interrupt, nullptr);
  ::sigaction(SIGTERM, &previous_terminate, nullptr);
}

bool Interruption::requested() const {
  return signals_seen > 0;
}

}  // namespace memsizer::train
