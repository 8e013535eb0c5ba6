#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/aligned_buffer.h"

namespace memsizer::runtime {

// What mechanisms that cannot forget keep of every token: softmax attention's keys and values. A token is
// stored once however many rows share it; rows hold lists of tokens, so that reordering rows in a beam search
// copies numbers of tokens and not the tokens. A cache of which no layer keeps anything does nothing.
class TokenCache {
 public:
  TokenCache() = default;
  // `floats_per_token` of each layer; layers may differ.
  explicit TokenCache(std::vector<int64_t> floats_per_token);
  TokenCache(const TokenCache& other);
  TokenCache& operator=(const TokenCache& other);
  TokenCache(TokenCache&&) = default;
  TokenCache& operator=(TokenCache&&) = default;

  bool used() const { return !widths_.empty(); }

  // So many rows, without any token.
  void set_rows(int64_t rows);
  // Row i becomes what row parents[i] was. In place if every parent is behind its place, or stays where it
  // is: then the other rows cost nothing.
  void reorder(std::span<const int64_t> parents);
  void reorder_in_place(std::span<const int64_t> parents);
  // The rows of another cache of the same widths join at the end.
  void append_rows(const TokenCache& other);

  // Room for more tokens of the row, not yet filled in.
  void append(int64_t row, int64_t tokens);
  // Makes room for this many tokens in all, so that none is made while generating.
  void reserve(int64_t tokens, int64_t tokens_per_row);

  std::span<const int32_t> tokens(int64_t row) const { return rows_[row]; }
  int64_t width(size_t layer) const { return widths_[layer]; }
  // The numbers of token i of a layer start at i * width.
  float* layer(size_t layer) { return data_[layer].data(); }
  const float* layer(size_t layer) const { return data_[layer].data(); }

  size_t bytes() const;

 private:
  using TokenList = std::vector<int32_t>;

  int32_t take_token();
  void hold(const TokenList& row);
  void release(TokenList& row);
  void grow(int64_t tokens);

  std::vector<int64_t> widths_;                      // empty if no layer keeps anything
  std::vector<kernels::AlignedBuffer<float>> data_;  // of each layer, [capacity, width]
  int64_t capacity_ = 0;
  std::vector<int32_t> references_;  // rows that hold each token
  std::vector<int32_t> free_;        // tokens no row holds
  std::vector<TokenList> rows_;      // tokens of each row
  std::vector<TokenList> spare_;     // lists of the rows before the last reordering
};

}  // namespace memsizer::runtime
