#include "runtime/token_cache.h"

#include <algorithm>
#include <cstring>

namespace memsizer::runtime {

TokenCache::TokenCache(std::vector<int64_t> floats_per_token) {
  if (std::ranges::any_of(floats_per_token, [](int64_t floats) { return floats > 0; }))
    widths_ = std::move(floats_per_token);
  data_.resize(widths_.size());
}

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

void TokenCache::hold(const TokenList& row) {
  for (const int32_t token : row) ++references_[token];
}

void TokenCache::release(TokenList& row) {
  for (const int32_t token : row) {
    if (--references_[token] == 0) free_.push_back(token);
  }
  row.clear();
}

void TokenCache::set_rows(int64_t rows) {
  if (!used()) return;
  for (TokenList& row : rows_) release(row);
  rows_.resize(static_cast<size_t>(rows));
}

void TokenCache::reorder(std::span<const int64_t> parents) {
  if (!used()) return;
  std::swap(rows_, spare_);
  rows_.resize(parents.size());
  for (size_t i = 0; i < parents.size(); ++i) {
    rows_[i] = spare_[parents[i]];
    hold(rows_[i]);
  }
  for (TokenList& row : spare_) release(row);
}

void TokenCache::reorder_in_place(std::span<const int64_t> parents) {
  if (!used()) return;
  rows_.resize(std::max(rows_.size(), parents.size()));
  for (size_t i = 0; i < parents.size(); ++i) {
    if (parents[i] == static_cast<int64_t>(i)) continue;
    hold(rows_[parents[i]]);
    release(rows_[i]);
    rows_[i] = rows_[parents[i]];
  }
  for (size_t i = parents.size(); i < rows_.size(); ++i) release(rows_[i]);
  rows_.resize(parents.size());
}

void TokenCache::append_rows(const TokenCache& other) {
  if (!used()) return;
  // Tokens that the joining rows share stay shared.
  std::vector<int32_t> place_of(other.references_.size(), -1);
  for (const TokenList& row : other.rows_) {
    TokenList& joined = rows_.emplace_back();
    joined.reserve(row.size());
    for (const int32_t token : row) {
      int32_t& place = place_of[token];
      if (place < 0) {
        place = take_token();
        for (size_t i = 0; i < widths_.size(); ++i) {
          std::copy_n(other.data_[i].data() + token * widths_[i], widths_[i],
                      data_[i].data() + place * widths_[i]);
        }
      }
      ++references_[place];
      joined.push_back(place);
    }
  }
}

int32_t TokenCache::take_token() {
  if (free_.empty()) grow(std::max<int64_t>(64, 2 * capacity_));
  const int32_t token = free_.back();
  free_.pop_back();
  return token;
}

void TokenCache::append(int64_t row, int64_t tokens) {
  if (!used()) return;
  for (int64_t i = 0; i < tokens; ++i) {
    const int32_t token = take_token();
    references_[token] = 1;
    rows_[row].push_back(token);
  }
}

void TokenCache::reserve(int64_t tokens, int64_t tokens_per_row) {
  if (!used()) return;
  if (tokens > capacity_) grow(tokens);
  for (TokenList& row : rows_) row.reserve(static_cast<size_t>(tokens_per_row));
}

void TokenCache::grow(int64_t tokens) {
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
