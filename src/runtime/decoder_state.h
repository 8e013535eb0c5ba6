#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/aligned_buffer.h"
#include "runtime/source_memory.h"
#include "runtime/state_layout.h"
#include "runtime/token_cache.h"

namespace memsizer::runtime {

// What generation carries from token to token, for a number of rows: a value. Copy it to fork a generation;
// copies share what was read of the sources, which never changes. Rows join and leave between any two steps,
// each with as many tokens read as it has.
class DecoderState {
 public:
  using Sources = std::vector<std::shared_ptr<const SourceMemory>>;

  DecoderState() = default;
  // Rows of a language model, before their first token.
  DecoderState(std::shared_ptr<const StateLayout> layout, int64_t rows);
  // One row per source, before its first token.
  DecoderState(std::shared_ptr<const StateLayout> layout, Sources sources);
  DecoderState(const DecoderState& other);
  DecoderState& operator=(const DecoderState& other);
  DecoderState(DecoderState&&) = default;
  DecoderState& operator=(DecoderState&&) = default;

  int64_t rows() const { return static_cast<int64_t>(seen_.size()); }
  // Tokens each row has read.
  std::span<const int64_t> seen() const { return seen_; }
  // What was read of each row's source; empty in a language model.
  const Sources& sources() const { return sources_; }

  // The rows of another state of the same model join at the end. The rows before them are not touched while
  // there is room, which grows geometrically.
  void append(DecoderState&& other);

  // Row i becomes what row parents[i] was; rows may become more or fewer. Rows that stay where they are cost
  // nothing, so a row is removed by putting the last one in its place.
  void reorder(std::span<const int64_t> parents);

  // Every row back to before its first token.
  void reset();

  // Room for this many tokens per row, so that no memory is taken while generating. Only softmax and its like
  // need any.
  void reserve(int64_t tokens_per_row);

  // As if every row had read so many tokens more, of which nothing is known: for measurements, and for those
  // who fill in what is known.
  void pretend_to_read(int64_t tokens);

  // Bytes of the rows' own numbers; and of what they share, each source counted once.
  size_t bytes() const;
  size_t source_bytes() const;

  // What a layer keeps of a row, and of the rows' tokens.
  const float* numbers(size_t layer, int64_t row) const {
    return numbers_.data() + row * row_floats() + layout_->row_offset(layer);
  }
  const TokenCache& cache() const { return cache_; }

  // For the model: a layer's part of the state; and the bookkeeping around a step, which makes room for the
  // new tokens before it and counts them after it.
  RowStates layer(size_t layer);
  void make_room(const Ragged& rows);
  void count_tokens(const Ragged& rows);

 private:
  int64_t row_floats() const { return layout_ ? layout_->row_floats() : 0; }
  float* row(int64_t i) { return numbers_.data() + i * row_floats(); }
  bool has_room(int64_t rows) const { return rows * row_floats() <= static_cast<int64_t>(numbers_.size()); }
  kernels::AlignedBuffer<float> larger_buffer(int64_t rows) const;

  void reorder_in_place(std::span<const int64_t> parents);
  void reorder_by_copy(std::span<const int64_t> parents);

  std::shared_ptr<const StateLayout> layout_;
  kernels::AlignedBuffer<float> numbers_;  // [rows and room for more, row_floats]
  kernels::AlignedBuffer<float> spare_;    // where rows are gathered that cannot move in place
  std::vector<int64_t> seen_;
  std::vector<int64_t> spare_seen_;
  Sources sources_;
  Sources spare_sources_;
  TokenCache cache_;
};

}  // namespace memsizer::runtime
