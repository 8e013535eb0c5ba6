#include "metrics/ngrams.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace memsizer::metrics {
namespace {

// Node 0 is the empty n-gram; a key is (node of the first n-1 tokens, last token).
constexpr uint32_t kRoot = 0;

uint64_t key_of(uint32_t node, uint32_t token) {
  return uint64_t{node} << 32 | token;
}

uint64_t mixed(uint64_t key) {
  key = (key ^ (key >> 32)) * 0x9e3779b97f4a7c15ULL;
  return key ^ (key >> 29);
}

}  // namespace

void WordIds::clear() {
  ++generation_;
  words_.clear();
}

WordIds::Slot& WordIds::slot_of(std::string_view word, uint64_t hash) {
  const size_t mask = slots_.size() - 1;
  for (size_t at = hash & mask;; at = (at + 1) & mask) {
    Slot& slot = slots_[at];
    if (slot.generation != generation_ || (slot.hash == hash && words_[slot.id] == word)) return slot;
  }
}

void WordIds::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.generation == generation_) slot_of(words_[slot.id], slot.hash) = slot;
  }
}

std::span<const uint32_t> WordIds::add(std::span<const std::string_view> words) {
  ids_.clear();
  for (const std::string_view word : words) {
    if (words_.size() * 2 >= slots_.size()) grow();
    const uint64_t hash = std::hash<std::string_view>{}(word);
    Slot& slot = slot_of(word, hash);
    if (slot.generation != generation_) {
      slot = {generation_, hash, static_cast<uint32_t>(words_.size())};
      words_.push_back(word);
    }
    ids_.push_back(slot.id);
  }
  return ids_;
}

std::span<const uint32_t> WordIds::find(std::span<const std::string_view> words) {
  ids_.clear();
  for (const std::string_view word : words) {
    const Slot& slot = slot_of(word, std::hash<std::string_view>{}(word));
    ids_.push_back(slot.generation == generation_ ? slot.id : kUnknown);
  }
  return ids_;
}

void NgramTable::clear() {
  ++generation_;
  pass_ = 0;
  nodes_.assign(1, {});
}

NgramTable::Slot& NgramTable::slot_of(uint64_t key) {
  const size_t mask = slots_.size() - 1;
  for (size_t at = mixed(key) & mask;; at = (at + 1) & mask) {
    Slot& slot = slots_[at];
    if (slot.generation != generation_ || slot.key == key) return slot;
  }
}

void NgramTable::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.generation == generation_) slot_of(slot.key) = slot;
  }
}

// Counts the node once more within this pass.
uint32_t NgramTable::count(uint32_t node) {
  Node& counts = nodes_[node];
  if (std::exchange(counts.reference, pass_) != pass_) counts.current = 0;
  return ++counts.current;
}

void NgramTable::add_reference(std::span<const uint32_t> tokens) {
  ++pass_;
  for (size_t start = 0; start < tokens.size(); ++start) {
    uint32_t node = kRoot;
    const size_t end = std::min(tokens.size(), start + max_order_);
    for (size_t i = start; i < end; ++i) {
      if (nodes_.size() * 2 >= slots_.size()) grow();
      const uint64_t key = key_of(node, tokens[i]);
      Slot& slot = slot_of(key);
      if (slot.generation != generation_) {
        slot = {generation_, key, static_cast<uint32_t>(nodes_.size())};
        nodes_.emplace_back();
      }
      node = slot.node;
      nodes_[node].most = std::max(nodes_[node].most, count(node));
    }
  }
}

void NgramTable::match(std::span<const uint32_t> tokens, std::span<int64_t> matches) {
  std::fill(matches.begin(), matches.end(), 0);
  ++pass_;
  for (size_t start = 0; start < tokens.size(); ++start) {
    uint32_t node = kRoot;
    const size_t orders = std::min({tokens.size() - start, max_order_, matches.size()});
    for (size_t i = 0; i < orders; ++i) {
      const Slot& slot = slot_of(key_of(node, tokens[start + i]));
      // A reference that has an n-gram has all that it begins with.
      if (slot.generation != generation_) break;
      node = slot.node;
      if (count(node) <= nodes_[node].most) ++matches[i];
    }
  }
}

}  // namespace memsizer::metrics
