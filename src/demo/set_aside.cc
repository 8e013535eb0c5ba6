#include "demo/set_aside.h"

#include <cstdint>

#include "core/random.h"

namespace memsizer::demo {
namespace {

constexpr uint64_t kOneIn = 10;

uint64_t mixed(uint64_t hash, std::string_view text) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return Random{hash}.next();
}

}  // namespace

bool set_aside(Combination kind, std::string_view first, std::string_view second) {
  const uint64_t start = 0xcbf29ce484222325ULL + static_cast<uint64_t>(kind);
  return mixed(mixed(start, first), second) % kOneIn == 0;
}

}  // namespace memsizer::demo
