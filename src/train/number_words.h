#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memsizer::train {

// A translation task that needs no data: a number in digits, and the same number in English words.
//   4271 -> four thousand two hundred seventy one
class NumberWords {
 public:
  NumberWords();

  static constexpr int64_t kLargest = 999999;

  int64_t vocab() const { return static_cast<int64_t>(words_.size()); }

  static std::string in_words(int64_t number);

  // Numbers that training never sees: one in ten, from two digits on.
  static bool held_out(int64_t number);

  // Digits of each number with the end token, padded on the left: [batch, source].
  at::Tensor sources(const std::vector<int64_t>& numbers) const;

  // Words of each number with the end token, padded on the right: [batch, target].
  at::Tensor targets(const std::vector<int64_t>& numbers) const;

  // The words of one row of token ids, up to its end token.
  std::string text(const at::Tensor& row) const;

 private:
  std::vector<int64_t> ids(std::string_view text) const;

  std::vector<std::string> words_;  // by id, special tokens first
};

}  // namespace memsizer::train
