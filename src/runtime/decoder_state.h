#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/aligned_buffer.h"
#include "runtime/source_memory.h"
#include "runtime/token_cache.h"

namespace memsizer::runtime {

// What generation carries from token to token, for a number of rows: a value. Copy it to fork a generation;
// copies share what was read of the sources, which never changes.
class DecoderState {
 public:
  DecoderState() = default;
  // `floats_per_layer` numbers a row in each layer, `token_floats_per_layer` for each token it reads.
  DecoderState(int64_t layers, int64_t floats_per_layer, int64_t token_floats_per_layer, int64_t rows,
               std::shared_ptr<SourceMemory> sources);
  DecoderState(const DecoderState& other);
  DecoderState& operator=(const DecoderState& other);
  DecoderState(DecoderState&&) = default;
  DecoderState& operator=(DecoderState&&) = default;

  int64_t rows() const { return static_cast<int64_t>(seen_.size()); }
  // Tokens each row has read.
  std::span<const int64_t> seen() const { return seen_; }
  std::span<const int32_t> source_of_row() const { return source_of_row_; }
  SourceMemory* sources() const { return sources_.get(); }

  // Row i becomes what row parents[i] was; rows may become more or fewer.
  void reorder(std::span<const int64_t> parents);

  // Back to the start, one row a source (or as many as at first, for a language model).
  void reset();

  // Room for this many tokens a row, so that no memory is taken while generating. Only softmax and its like
  // need any.
  void reserve(int64_t tokens_a_row);

  // As if every row had read so many tokens more, of which nothing is known: for measurements.
  void pretend_to_read(int64_t tokens);

  // Bytes of the rows' own numbers, without what is shared.
  size_t bytes() const;

  // For the model: a layer's part of the state; and the bookkeeping around a step, which makes room for the
  // new tokens before it and counts them after it.
  RowStates layer(size_t layer);
  void make_room(const Ragged& rows);
  void count_tokens(const Ragged& rows);

 private:
  float* row(int64_t i) { return numbers_.data() + i * row_floats_; }

  int64_t layers_ = 0;
  int64_t layer_floats_ = 0;
  int64_t row_floats_ = 0;
  int64_t first_rows_ = 0;
  kernels::AlignedBuffer<float> numbers_;  // [capacity, layers, layer_floats]
  kernels::AlignedBuffer<float> spare_;    // where rows are gathered that do not just move up
  int64_t capacity_ = 0;
  std::vector<int64_t> seen_;
  std::vector<int64_t> spare_seen_;
  std::vector<int32_t> source_of_row_;
  std::vector<int32_t> spare_source_of_row_;
  TokenCache cache_;
  std::shared_ptr<SourceMemory> sources_;
};

}  // namespace memsizer::runtime
