#pragma once

#include <cstdint>
#include <span>
#include <utility>

namespace memsizer {

// Random numbers that are the same on every machine and library: a counter put through SplitMix64's mixing.
// A value: copy it to fork the stream, store `state` to go on later.
struct Random {
  uint64_t state = 0;

  // A stream of its own for each combination of numbers, such as (seed, epoch).
  static Random of(uint64_t seed, uint64_t stream = 0) {
    Random random{seed};
    random.state = random.next() ^ (stream * 0xd1342543de82ef95ULL + 0x632be59bd9b4e019ULL);
    return random;
  }

  uint64_t next() {
    state += 0x9e3779b97f4a7c15ULL;
    uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

  // Uniform in [0, bound), without bias; bound must not be 0.
  uint64_t below(uint64_t bound) {
    const uint64_t threshold = (0 - bound) % bound;
    for (;;) {
      const uint64_t value = next();
      if (value >= threshold) return value % bound;
    }
  }

  // Uniform in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  template <typename T>
  void shuffle(std::span<T> items) {
    for (size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }
};

}  // namespace memsizer
