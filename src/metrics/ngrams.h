#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

namespace memsizer::metrics {

// Numbers for the words of one segment, in order of appearance. Words are compared by content, so two never
// share a number; the views must outlive the object or the next clear().
class WordIds {
 public:
  static constexpr uint32_t kUnknown = std::numeric_limits<uint32_t>::max();

  void clear();

  // The numbers of these words, new ones for words not seen before; valid until the next call.
  std::span<const uint32_t> add(std::span<const std::string_view> words);

  // The same, but kUnknown for words not seen before.
  std::span<const uint32_t> find(std::span<const std::string_view> words);

 private:
  struct Slot {
    uint64_t generation = 0;
    uint64_t hash = 0;
    uint32_t id = 0;
  };

  Slot& slot_of(std::string_view word, uint64_t hash);
  void grow();

  std::vector<Slot> slots_ = std::vector<Slot>(64);
  uint64_t generation_ = 1;
  std::vector<std::string_view> words_;
  std::vector<uint32_t> ids_;
};

// The n-grams of one segment's references, and how many of a hypothesis' n-grams are among them. An n-gram is
// kept as (its first n-1 tokens, its last token), so that integers are compared and nothing can collide.
class NgramTable {
 public:
  explicit NgramTable(size_t max_order) : max_order_(max_order) {}

  void clear();

  // Takes in one reference. An n-gram counts as often as in the reference that has the most of it.
  void add_reference(std::span<const uint32_t> tokens);

  // Writes for each order how many n-grams of the hypothesis are matched, each at most as often as in a
  // reference. Tokens the references lack may be any number they do not use.
  void match(std::span<const uint32_t> tokens, std::span<int64_t> matches);

 private:
  struct Node {
    uint32_t most = 0;       // count in the reference that has the most of it
    uint32_t current = 0;    // count in `reference`, or in the hypothesis while matching
    uint32_t reference = 0;  // whose count `current` is
  };
  struct Slot {
    uint64_t generation = 0;
    uint64_t key = 0;
    uint32_t node = 0;
  };

  Slot& slot_of(uint64_t key);
  void grow();
  uint32_t count(uint32_t node);

  size_t max_order_;
  std::vector<Slot> slots_ = std::vector<Slot>(512);
  uint64_t generation_ = 1;
  uint32_t pass_ = 0;
  std::vector<Node> nodes_ = std::vector<Node>(1);
};

// How many n-grams of an order a sequence of this length has.
inline int64_t ngram_total(size_t length, size_t order) {
  return length >= order ? static_cast<int64_t>(length - order + 1) : 0;
}

}  // namespace memsizer::metrics
