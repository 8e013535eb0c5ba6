#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace memsizer {

// A 128-bit hash at memory speed, the same on every machine and however the bytes are cut into pieces. It
// tells contents apart and finds damage; it does not withstand somebody who looks for a collision.
class ContentHash {
 public:
  void update(std::span<const std::byte> bytes);
  void update(std::string_view text) { update(std::as_bytes(std::span(text))); }

  // The length goes in too, so that neighbouring fields cannot run into each other.
  void field(std::span<const std::byte> bytes);
  void field(std::string_view text) { field(std::as_bytes(std::span(text))); }

  std::array<uint64_t, 2> digest() const;
  // Any change of up to 8 aligned bytes changes it for certain.
  uint64_t checksum() const { return digest()[0]; }
  // 32 hexadecimal digits.
  std::string hex() const;

 private:
  static constexpr size_t kLanes = 4;
  static constexpr size_t kBlockBytes = kLanes * sizeof(uint64_t);

  // Each word goes into two states that are mixed differently: with one, half of the bits would be for show.
  struct Lanes {
    std::array<uint64_t, kLanes> first = {1, 2, 3, 4};
    std::array<uint64_t, kLanes> second = {5, 6, 7, 8};

    void absorb(const std::byte* block);
  };

  Lanes lanes_;
  std::array<std::byte, kBlockBytes> pending_{};  // the first bytes_ % kBlockBytes are in use
  uint64_t bytes_ = 0;
};

}  // namespace memsizer
