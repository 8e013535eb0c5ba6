#include "core/program_signals.h"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>
#include <utility>

namespace memsizer {
namespace {

constexpr std::array kEnding = {SIGHUP, SIGINT, SIGTERM};

// A handler may neither allocate nor lock, so there are some places and no more: a file beyond them is not
// removed by a signal.
struct Slot {
  std::atomic<bool> taken{false};
  std::atomic<bool> ready{false};
  int directory = -1;
  std::array<char, 64> name{};
};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler uses it");
std::array<Slot, 16> slots;

void remove_and_end(int number) {
  for (const Slot& slot : slots) {
    if (slot.ready) ::unlinkat(slot.directory, slot.name.data(), 0);
  }
  ::signal(number, SIG_DFL);
  ::raise(number);
}

bool is_ignored(int number) {
  struct sigaction present = {};
  ::sigaction(number, nullptr, &present);
  return present.sa_handler == SIG_IGN;
}

}  // namespace

void set_program_signals() {
  ::signal(SIGXFSZ, SIG_IGN);
  struct sigaction action = {};
  action.sa_handler = remove_and_end;
  ::sigemptyset(&action.sa_mask);
  for (const int number : kEnding) ::sigaddset(&action.sa_mask, number);
  for (const int number : kEnding) {
    if (!is_ignored(number)) ::sigaction(number, &action, nullptr);
  }
}

void reset_program_signals() {
  for (const int number : kEnding) {
    if (!is_ignored(number)) ::signal(number, SIG_DFL);
  }
}

UnfinishedFile::UnfinishedFile(int directory, const std::string& name) {
  for (size_t i = 0; i < slots.size() && name.size() < slots[i].name.size(); ++i) {
    if (slots[i].taken.exchange(true)) continue;
    slot_ = static_cast<int>(i);
    slots[i].directory = directory;
    std::memcpy(slots[i].name.data(), name.c_str(), name.size() + 1);
    slots[i].ready = true;
    return;
  }
}

UnfinishedFile::UnfinishedFile(UnfinishedFile&& other) noexcept : slot_(std::exchange(other.slot_, -1)) {}

UnfinishedFile& UnfinishedFile::operator=(UnfinishedFile&& other) noexcept {
  std::swap(slot_, other.slot_);
  return *this;
}

UnfinishedFile::~UnfinishedFile() {
  if (slot_ < 0) return;
  Slot& slot = slots[static_cast<size_t>(slot_)];
  slot.ready = false;
  slot.taken = false;
}

}  // namespace memsizer
