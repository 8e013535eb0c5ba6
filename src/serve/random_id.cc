#include "serve/random_id.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <array>
#include <cerrno>
#include <stdexcept>

namespace memsizer::serve {
namespace {

template <size_t kCount>
std::array<unsigned char, kCount> random_bytes() {
  std::array<unsigned char, kCount> bytes{};
  while (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    if (errno != EINTR) throw std::runtime_error("the system gives no random numbers");
  }
  return bytes;
}

}  // namespace

std::string random_id() {
  std::string id;
  for (const unsigned char byte : random_bytes<16>()) id += fmt::format("{:02x}", byte);
  return id;
}

int64_t random_number() {
  uint64_t number = 0;
  for (const unsigned char byte : random_bytes<7>()) number = number << 8 | byte;
  return static_cast<int64_t>(number >> 3);
}

}  // namespace memsizer::serve
