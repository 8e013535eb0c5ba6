#include "core/content_hash.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace memsizer {
namespace {

static_assert(std::endian::native == std::endian::little, "words are read as little-endian");

// Odd and irregular, so that multiplying is a permutation that spreads low bits upwards.
constexpr uint64_t kSpread = 0x9fb21c651e98df25ULL;
constexpr uint64_t kFirst = 0xc2b2ae3d27d4eb4fULL;
constexpr uint64_t kSecond = 0xd6e8feb86659fd93ULL;

uint64_t finish(uint64_t value) {
  value = (value ^ (value >> 32)) * kFirst;
  value = (value ^ (value >> 29)) * kSecond;
  return value ^ (value >> 32);
}

}  // namespace

void ContentHash::Lanes::absorb(const std::byte* block) {
  for (size_t lane = 0; lane < kLanes; ++lane) {
    uint64_t word = 0;
    std::memcpy(&word, block + lane * sizeof(word), sizeof(word));
    word *= kSpread;
    word ^= word >> 32;
    first[lane] = std::rotl((first[lane] ^ word) * kFirst, 29);
    second[lane] = std::rotl((second[lane] + word) * kSecond, 31);
  }
}

void ContentHash::update(std::span<const std::byte> bytes) {
  const size_t used = bytes_ % kBlockBytes;
  bytes_ += bytes.size();
  if (used > 0) {
    const size_t taken = std::min(bytes.size(), kBlockBytes - used);
    std::copy_n(bytes.begin(), taken, pending_.begin() + static_cast<std::ptrdiff_t>(used));
    bytes = bytes.subspan(taken);
    if (used + taken < kBlockBytes) return;
    lanes_.absorb(pending_.data());
  }
  // A local copy stays in registers.
  Lanes lanes = lanes_;
  for (; bytes.size() >= kBlockBytes; bytes = bytes.subspan(kBlockBytes)) lanes.absorb(bytes.data());
  lanes_ = lanes;
  std::copy(bytes.begin(), bytes.end(), pending_.begin());
}

void ContentHash::field(std::span<const std::byte> bytes) {
  const uint64_t size = bytes.size();
  update(std::as_bytes(std::span(&size, 1)));
  update(bytes);
}

std::array<uint64_t, 2> ContentHash::digest() const {
  Lanes lanes = lanes_;
  if (const size_t used = bytes_ % kBlockBytes; used > 0) {
    std::array<std::byte, kBlockBytes> last{};
    std::copy_n(pending_.begin(), used, last.begin());
    lanes.absorb(last.data());
  }
  // The length tells an end of zeros from the padding.
  std::array<uint64_t, 2> digest = {bytes_, ~bytes_};
  for (size_t lane = 0; lane < kLanes; ++lane) {
    digest[0] = finish(digest[0] ^ lanes.first[lane]);
    digest[1] = finish(digest[1] ^ lanes.second[lane]);
  }
  return digest;
}

std::string ContentHash::hex() const {
  const auto [high, low] = digest();
  return fmt::format("{:016x}{:016x}", high, low);
}

}  // namespace memsizer
