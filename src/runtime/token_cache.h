#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/aligned_buffer.h"

namespace memsizer::runtime {

// What mechanisms that cannot forget keep of every token: softmax attention's keys and values. A token is
// stored once however many rows share it; rows hold lists of tokens, so that reordering rows in a beam search
// copies numbers of tokens and not the tokens.
class TokenCache {
 public:
  TokenCache() = default;
  // `floats_per_token` of each layer; layers may differ.
  explicit TokenCache(std::vector<int64_t> floats_per_token) : widths_(std::move(floats_per_token)) {}
  TokenCache(const TokenCache& other);
  TokenCache& operator=(const TokenCache& other);
  TokenCache(TokenCache&&) = default;
  TokenCache& operator=(TokenCache&&) = default;

  bool used() const { return !widths_.empty(); }

  void set_rows(int64_t rows);
  // Row i becomes what row parents[i] was.
  void reorder(std::span<const int64_t> parents);

  // Room for one more token of the row, not yet filled in.
  void append(int64_t row);
  // Makes room for this many tokens in all, so that none is made while generating.
  void reserve(int64_t tokens, int64_t tokens_a_row);

  std::span<const int32_t> tokens(int64_t row) const { return rows_[row]; }
  int64_t width(size_t layer) const { return widths_[layer]; }
  // The numbers of token i of a layer start at i * width.
  float* layer(size_t layer) { return data_[layer].data(); }

  size_t bytes() const;

 private:
  void grow(int64_t tokens);

  std::vector<int64_t> widths_;
  std::vector<kernels::AlignedBuffer<float>> data_;  // of each layer, [capacity, width]
  int64_t capacity_ = 0;
  std::vector<int32_t> references_;          // rows that hold each token
  std::vector<int32_t> free_;                // tokens no row holds
  std::vector<std::vector<int32_t>> rows_;   // tokens of each row
  std::vector<std::vector<int32_t>> spare_;  // lists of the rows before the last reordering
};

}  // namespace memsizer::runtime
