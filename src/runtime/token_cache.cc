#include "runtime/token_cache.h"

#include <algorithm>
#include <cstring>

namespace memsizer::runtime {

TokenCache::TokenCache(const TokenCache& other) {
  *this = other;
}

TokenCache& TokenCache::operator=(const TokenCache& other) {
  if (this == &other) return *this;
  widths_ = other.widths_;
  capacity_ = other.capacity_;
  references_ = other.references_;
  free_ = other.free_;
  rows_ = other.rows_;
  spare_.clear();
  data_.clear();
  for (const auto& layer : other.data_) {
    data_.emplace_back(layer.size());
    if (layer.size() > 0) std::memcpy(data_.back().data(), layer.data(), layer.bytes());
  }
  return *this;
}

void TokenCache::set_rows(int64_t rows) {
  for (const auto& row : rows_) {
    for (const int32_t token : row) {
      if (--references_[token] == 0) free_.push_back(token);
    }
  }
  for (auto& row : rows_) row.clear();
  rows_.resize(static_cast<size_t>(rows));
}

void TokenCache::reorder(std::span<const int64_t> parents) {
  std::swap(rows_, spare_);
  rows_.resize(parents.size());
  for (size_t i = 0; i < parents.size(); ++i) {
    rows_[i] = spare_[parents[i]];
    for (const int32_t token : rows_[i]) ++references_[token];
  }
  for (auto& row : spare_) {
    for (const int32_t token : row) {
      if (--references_[token] == 0) free_.push_back(token);
    }
    row.clear();
  }
}

void TokenCache::append(int64_t row) {
  if (free_.empty()) grow(std::max<int64_t>(64, 2 * capacity_));
  const int32_t token = free_.back();
  free_.pop_back();
  references_[token] = 1;
  rows_[row].push_back(token);
}

void TokenCache::reserve(int64_t tokens, int64_t tokens_a_row) {
  if (tokens > capacity_) grow(tokens);
  for (auto& row : rows_) row.reserve(static_cast<size_t>(tokens_a_row));
}

void TokenCache::grow(int64_t tokens) {
  data_.resize(widths_.size());
  for (size_t layer = 0; layer < widths_.size(); ++layer) {
    auto larger = kernels::AlignedBuffer<float>::uninitialised(static_cast<size_t>(tokens * widths_[layer]));
    if (data_[layer].size() > 0) std::memcpy(larger.data(), data_[layer].data(), data_[layer].bytes());
    data_[layer] = std::move(larger);
  }
  references_.resize(static_cast<size_t>(tokens));
  // Taken from the back, so that the lowest come first.
  std::vector<int32_t> all_free;
  all_free.reserve(static_cast<size_t>(tokens));
  for (int64_t token = tokens - 1; token >= capacity_; --token)
    all_free.push_back(static_cast<int32_t>(token));
  all_free.insert(all_free.end(), free_.begin(), free_.end());
  free_ = std::move(all_free);
  capacity_ = tokens;
}

size_t TokenCache::bytes() const {
  size_t bytes = 0;
  for (const auto& layer : data_) bytes += layer.bytes();
  return bytes;
}

}  // namespace memsizer::runtime
