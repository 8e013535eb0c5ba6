#include "model/shortlist.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "core/error.h"
#include "core/special_tokens.h"

namespace memsizer {
namespace {

constexpr std::string_view kFrequent = "shortlist.frequent";
constexpr std::string_view kCounts = "shortlist.counts";
constexpr std::string_view kTokens = "shortlist.tokens";

template <typename... Args>
[[noreturn]] void fail(const SafetensorsFile& file, fmt::format_string<Args...> format, Args&&... args) {
  throw UserError("'{}': its shortlist does not fit: {}; run memsizer shortlist on the model it came from",
                  file.path().string(), fmt::format(format, std::forward<Args>(args)...));
}

std::vector<int32_t> numbers_of(const SafetensorsFile& file, std::string_view name) {
  if (!file.contains(name)) fail(file, "found no tensor {}", name);
  const TensorView& view = file.tensor(name);
  if (view.dtype != DType::I32 || view.shape.size() != 1) {
    fail(file, "tensor {} is {} [{}], expected I32 of one dimension", name, dtype_name(view.dtype),
         fmt::join(view.shape, ", "));
  }
  std::vector<int32_t> numbers(static_cast<size_t>(view.shape.front()));
  if (!numbers.empty()) std::memcpy(numbers.data(), view.data.data(), view.data.size());
  return numbers;
}

void require_rising(const SafetensorsFile& file, std::span<const int32_t> tokens, int64_t vocab) {
  const bool rising = std::ranges::adjacent_find(tokens, std::ranges::greater_equal{}) == tokens.end();
  if (rising && (tokens.empty() || (tokens.front() >= 0 && tokens.back() < vocab))) return;
  fail(file, "a list of {} tokens does not rise within 0 to {}", tokens.size(), vocab - 1);
}

void make_rising(std::vector<int32_t>& tokens) {
  std::ranges::sort(tokens);
  tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
}

}  // namespace

Shortlist::Shortlist(std::vector<int32_t> frequent, std::span<const std::vector<int32_t>> likely)
    : frequent_(std::move(frequent)) {
  for (int32_t special = 0; special <= kUnk; ++special) frequent_.push_back(special);
  make_rising(frequent_);
  for (std::vector<int32_t> list : likely) {
    make_rising(list);
    counts_.push_back(static_cast<int32_t>(list.size()));
    tokens_.insert(tokens_.end(), list.begin(), list.end());
  }
  find_begins();
}

void Shortlist::find_begins() {
  begins_.resize(counts_.size());
  std::exclusive_scan(counts_.begin(), counts_.end(), begins_.begin(), size_t{0});
}

Shortlist Shortlist::read(const SafetensorsFile& file, const ModelConfig& config) {
  require_shortlist_fits(config, file.path().string());
  Shortlist read;
  read.frequent_ = numbers_of(file, kFrequent);
  read.counts_ = numbers_of(file, kCounts);
  read.tokens_ = numbers_of(file, kTokens);
  const int64_t sources = config.source_vocab_size();
  if (std::ssize(read.counts_) != sources)
    fail(file, "it is for {} source tokens, expected {}", read.counts_.size(), sources);
  int64_t total = 0;
  for (const int32_t count : read.counts_) {
    if (count < 0) fail(file, "a list has {} tokens", count);
    total += count;
  }
  if (total != read.entries()) fail(file, "found {} tokens in its lists, expected {}", read.entries(), total);
  require_rising(file, read.frequent_, config.vocab);
  if (read.frequent_.size() <= kUnk || read.frequent_[kUnk] != kUnk) fail(file, "it lacks special tokens");
  read.find_begins();
  for (size_t i = 0; i < read.counts_.size(); ++i) {
    const auto count = static_cast<size_t>(read.counts_[i]);
    require_rising(file, std::span(read.tokens_).subspan(read.begins_[i], count), config.vocab);
  }
  return read;
}

std::vector<NamedTensor> Shortlist::tensors() const {
  const auto tensor = [](std::string_view name, const std::vector<int32_t>& numbers) {
    return NamedTensor{
        std::string(name), DType::I32, {std::ssize(numbers)}, std::as_bytes(std::span(numbers))};
  };
  return {tensor(kFrequent, frequent_), tensor(kCounts, counts_), tensor(kTokens, tokens_)};
}

std::vector<int32_t> Shortlist::candidates(std::span<const int32_t> source) const {
  std::vector<int32_t> tokens = frequent_;
  for (const int32_t token : source) {
    const auto begin = tokens_.begin() + static_cast<std::ptrdiff_t>(begins_.at(static_cast<size_t>(token)));
    tokens.insert(tokens.end(), begin, begin + counts_[static_cast<size_t>(token)]);
  }
  make_rising(tokens);
  return tokens;
}

bool is_shortlist_tensor(std::string_view name) {
  return name == kFrequent || name == kCounts || name == kTokens;
}

void require_shortlist_fits(const ModelConfig& config, std::string_view name) {
  if (!config.has_encoder())
    throw UserError("{} is a language model; a shortlist comes from the source, which it does not read",
                    name);
  if (config.adaptive.enabled())
    throw UserError("{} has adaptive softmax, which computes rare tokens apart; it takes no shortlist", name);
}

}  // namespace memsizer
