#include "runtime/decoder_state.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace memsizer::runtime {

DecoderState::DecoderState(int64_t layers, int64_t floats_per_layer, int64_t token_floats_per_layer,
                           int64_t rows, std::shared_ptr<SourceMemory> sources)
    : layers_(layers),
      // A cache line a row and layer, so that members of a team never write to the same one.
      layer_floats_((floats_per_layer + 15) / 16 * 16),
      row_floats_(layers * layer_floats_),
      first_rows_(rows),
      numbers_(static_cast<size_t>(rows * row_floats_)),
      capacity_(rows),
      sources_(std::move(sources)) {
  if (token_floats_per_layer > 0)
    cache_ = TokenCache(std::vector<int64_t>(static_cast<size_t>(layers), token_floats_per_layer));
  reset();
}

DecoderState::DecoderState(const DecoderState& other) {
  *this = other;
}

DecoderState& DecoderState::operator=(const DecoderState& other) {
  if (this == &other) return *this;
  layers_ = other.layers_;
  layer_floats_ = other.layer_floats_;
  row_floats_ = other.row_floats_;
  first_rows_ = other.first_rows_;
  if (numbers_.size() != other.numbers_.size())
    numbers_ = kernels::AlignedBuffer<float>(other.numbers_.size());
  if (numbers_.size() > 0)
    std::memcpy(numbers_.data(), other.numbers_.data(), other.rows() * row_floats_ * sizeof(float));
  capacity_ = other.capacity_;
  seen_ = other.seen_;
  source_of_row_ = other.source_of_row_;
  cache_ = other.cache_;
  sources_ = other.sources_;
  return *this;
}

void DecoderState::reset() {
  seen_.assign(static_cast<size_t>(first_rows_), 0);
  source_of_row_.resize(static_cast<size_t>(first_rows_));
  for (int64_t i = 0; i < first_rows_; ++i) source_of_row_[i] = sources_ ? static_cast<int32_t>(i) : 0;
  std::fill_n(numbers_.data(), first_rows_ * row_floats_, 0.0F);
  if (cache_.used()) cache_.set_rows(first_rows_);
}

void DecoderState::reorder(std::span<const int64_t> parents) {
  const auto count = static_cast<int64_t>(parents.size());
  for (const int64_t parent : parents) {
    if (parent < 0 || parent >= rows())
      throw std::logic_error("a state is reordered by rows it does not have");
  }
  const size_t row_bytes = row_floats_ * sizeof(float);
  // Rows that only move up, when others left, can be moved in place.
  bool moves_up = count <= capacity_;
  for (int64_t i = 0; i < count && moves_up; ++i)
    moves_up = parents[i] >= i && (i == 0 || parents[i] > parents[i - 1]);
  if (moves_up) {
    for (int64_t i = 0; i < count; ++i) {
      if (parents[i] != i) std::memcpy(row(i), row(parents[i]), row_bytes);
    }
  } else {
    if (spare_.size() < static_cast<size_t>(count * row_floats_))
      spare_ = kernels::AlignedBuffer<float>(static_cast<size_t>(std::max(count, capacity_) * row_floats_));
    for (int64_t i = 0; i < count; ++i)
      std::memcpy(spare_.data() + i * row_floats_, row(parents[i]), row_bytes);
    std::swap(numbers_, spare_);
    capacity_ = row_floats_ > 0 ? static_cast<int64_t>(numbers_.size()) / row_floats_ : count;
  }
  spare_seen_.resize(parents.size());
  spare_source_of_row_.resize(parents.size());
  for (int64_t i = 0; i < count; ++i) {
    spare_seen_[i] = seen_[parents[i]];
    spare_source_of_row_[i] = source_of_row_[parents[i]];
  }
  std::swap(seen_, spare_seen_);
  std::swap(source_of_row_, spare_source_of_row_);
  if (cache_.used()) cache_.reorder(parents);
}

void DecoderState::reserve(int64_t tokens_a_row) {
  if (cache_.used()) cache_.reserve(tokens_a_row * rows(), tokens_a_row);
}

void DecoderState::pretend_to_read(int64_t tokens) {
  for (int64_t r = 0; r < rows(); ++r) {
    if (cache_.used()) {
      for (int64_t t = 0; t < tokens; ++t) cache_.append(r);
    }
    seen_[r] += tokens;
  }
}

size_t DecoderState::bytes() const {
  return static_cast<size_t>(rows() * row_floats_) * sizeof(float) + cache_.bytes();
}

RowStates DecoderState::layer(size_t layer) {
  return {.numbers = numbers_.data() + static_cast<int64_t>(layer) * layer_floats_,
          .stride = row_floats_,
          .seen = seen_,
          .cache = &cache_,
          .layer = layer};
}

void DecoderState::make_room(const Ragged& rows) {
  if (!cache_.used()) return;
  for (int64_t r = 0; r < rows.sequences(); ++r) {
    for (int64_t t = 0; t < rows.length(r); ++t) cache_.append(r);
  }
}

void DecoderState::count_tokens(const Ragged& rows) {
  for (int64_t r = 0; r < rows.sequences(); ++r) seen_[r] += rows.length(r);
}

}  // namespace memsizer::runtime
