#include "runtime/decoder_state.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <set>
#include <stdexcept>

namespace memsizer::runtime {
namespace {

// Whether each row can be put in its place, from the first to the last, without overwriting one that is still
// to be copied: a parent is behind its place, or stays where it is.
bool fits_in_place(std::span<const int64_t> parents) {
  for (size_t i = 0; i < parents.size(); ++i) {
    const auto parent = static_cast<size_t>(parents[i]);
    if (parent < i && parents[parent] != parents[i]) return false;
  }
  return true;
}

// Row i of `rows` becomes what row parents[i] was.
template <typename T>
void gather(std::span<const int64_t> parents, std::vector<T>& rows, std::vector<T>& spare) {
  if (rows.empty()) return;
  spare.clear();
  for (const int64_t parent : parents) spare.push_back(rows[parent]);
  std::swap(rows, spare);
  spare.clear();
}

template <typename T>
void gather_in_place(std::span<const int64_t> parents, std::vector<T>& rows) {
  if (rows.empty()) return;
  rows.resize(std::max(rows.size(), parents.size()));
  for (size_t i = 0; i < parents.size(); ++i) {
    if (parents[i] != static_cast<int64_t>(i)) rows[i] = rows[parents[i]];
  }
  rows.resize(parents.size());
}

}  // namespace

DecoderState::DecoderState(std::shared_ptr<const StateLayout> layout, int64_t rows)
    : layout_(std::move(layout)),
      numbers_(static_cast<size_t>(rows * row_floats())),
      seen_(static_cast<size_t>(rows)),
      cache_(layout_->token_widths()) {
  cache_.set_rows(rows);
}

DecoderState::DecoderState(std::shared_ptr<const StateLayout> layout, Sources sources)
    : DecoderState(std::move(layout), static_cast<int64_t>(sources.size())) {
  sources_ = std::move(sources);
}

DecoderState::DecoderState(const DecoderState& other) {
  *this = other;
}

DecoderState& DecoderState::operator=(const DecoderState& other) {
  if (this == &other) return *this;
  layout_ = other.layout_;
  if (!has_room(other.rows())) numbers_ = larger_buffer(other.rows());
  const size_t floats = static_cast<size_t>(other.rows() * row_floats());
  if (floats > 0) std::memcpy(numbers_.data(), other.numbers_.data(), floats * sizeof(float));
  seen_ = other.seen_;
  sources_ = other.sources_;
  cache_ = other.cache_;
  return *this;
}

kernels::AlignedBuffer<float> DecoderState::larger_buffer(int64_t rows) const {
  const size_t floats = static_cast<size_t>(rows * row_floats());
  return kernels::AlignedBuffer<float>::uninitialised(
      floats > numbers_.size() ? std::max(floats, 2 * numbers_.size()) : numbers_.size());
}

void DecoderState::append(DecoderState&& other) {
  if (layout_ && other.layout_ != layout_)
    throw std::logic_error("rows of another model's state cannot join this one");
  if (rows() == 0) {
    *this = std::move(other);
    return;
  }
  const int64_t present = rows();
  const size_t present_bytes = static_cast<size_t>(present * row_floats()) * sizeof(float);
  const size_t joining_bytes = static_cast<size_t>(other.rows() * row_floats()) * sizeof(float);
  if (!has_room(present + other.rows())) {
    auto larger = larger_buffer(present + other.rows());
    std::memcpy(larger.data(), numbers_.data(), present_bytes);
    numbers_ = std::move(larger);
  }
  if (joining_bytes > 0) std::memcpy(row(present), other.numbers_.data(), joining_bytes);
  seen_.insert(seen_.end(), other.seen_.begin(), other.seen_.end());
  std::move(other.sources_.begin(), other.sources_.end(), std::back_inserter(sources_));
  cache_.append_rows(other.cache_);
}

void DecoderState::reorder(std::span<const int64_t> parents) {
  for (const int64_t parent : parents) {
    if (parent < 0 || parent >= rows())
      throw std::logic_error("a state is reordered by rows it does not have");
  }
  if (has_room(static_cast<int64_t>(parents.size())) && fits_in_place(parents)) {
    reorder_in_place(parents);
  } else {
    reorder_by_copy(parents);
  }
}

void DecoderState::reorder_in_place(std::span<const int64_t> parents) {
  const size_t row_bytes = static_cast<size_t>(row_floats()) * sizeof(float);
  for (size_t i = 0; i < parents.size() && row_bytes > 0; ++i) {
    const auto place = static_cast<int64_t>(i);
    if (parents[i] != place) std::memcpy(row(place), row(parents[i]), row_bytes);
  }
  gather_in_place(parents, seen_);
  gather_in_place(parents, sources_);
  cache_.reorder_in_place(parents);
}

void DecoderState::reorder_by_copy(std::span<const int64_t> parents) {
  const size_t row_bytes = static_cast<size_t>(row_floats()) * sizeof(float);
  const auto count = static_cast<int64_t>(parents.size());
  if (spare_.size() < static_cast<size_t>(count * row_floats())) spare_ = larger_buffer(count);
  for (int64_t i = 0; i < count && row_bytes > 0; ++i)
    std::memcpy(spare_.data() + i * row_floats(), row(parents[i]), row_bytes);
  std::swap(numbers_, spare_);
  gather(parents, seen_, spare_seen_);
  gather(parents, sources_, spare_sources_);
  cache_.reorder(parents);
}

void DecoderState::reset() {
  std::ranges::fill(seen_, 0);
  std::fill_n(numbers_.data(), rows() * row_floats(), 0.0F);
  cache_.set_rows(rows());
}

void DecoderState::reserve(int64_t tokens_per_row) {
  cache_.reserve(tokens_per_row * rows(), tokens_per_row);
}

void DecoderState::pretend_to_read(int64_t tokens) {
  for (int64_t r = 0; r < rows(); ++r) {
    cache_.append(r, tokens);
    seen_[r] += tokens;
  }
}

size_t DecoderState::bytes() const {
  return static_cast<size_t>(rows() * row_floats()) * sizeof(float) + cache_.bytes();
}

size_t DecoderState::source_bytes() const {
  size_t bytes = 0;
  for (const auto& source : std::set(sources_.begin(), sources_.end())) bytes += source->bytes();
  return bytes;
}

RowStates DecoderState::layer(size_t layer) {
  return {.numbers = numbers_.data() + layout_->row_offset(layer),
          .stride = row_floats(),
          .seen = seen_,
          .cache = &cache_,
          .layer = layer};
}

void DecoderState::make_room(const Ragged& rows) {
  for (int64_t r = 0; r < rows.sequences(); ++r) cache_.append(r, rows.length(r));
}

void DecoderState::count_tokens(const Ragged& rows) {
  for (int64_t r = 0; r < rows.sequences(); ++r) seen_[r] += rows.length(r);
}

}  // namespace memsizer::runtime
