#include "text/batches.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "core/error.h"
#include "core/random.h"

namespace memsizer::text {
namespace {

using LengthOf = std::function<std::pair<int64_t, int64_t>(int64_t)>;

// Lengths are kept beside the index, and small, because sorting millions of them is all the work there is.
struct Item {
  int64_t index;
  uint32_t source;
  uint32_t target;
};

void validate(int64_t examples, const BatchOptions& options) {
  if (examples < 0) throw std::invalid_argument("batches of a negative number of examples");
  if (options.max_tokens < 1) {
    throw UserError("tokens of a batch: found {}, expected at least 1", options.max_tokens);
  }
  if (options.max_sentences < 0) {
    throw UserError("sentences of a batch: found {}, expected at least 1, or 0 for no limit",
                    options.max_sentences);
  }
  if (options.window < 0) {
    throw UserError("examples sorted together: found {}, expected at least 1, or 0 for all", options.window);
  }
}

uint32_t checked_length(int64_t length, int64_t index) {
  constexpr int64_t kMax = std::numeric_limits<uint32_t>::max();
  if (length < 0) throw std::invalid_argument("batches of an example of negative length");
  if (length > kMax) {
    throw UserError("example {} has {} tokens, expected at most {}; split it", index + 1, length, kMax);
  }
  return static_cast<uint32_t>(length);
}

std::vector<Item> items_in(std::span<const int64_t> order, const LengthOf& length) {
  std::vector<Item> items;
  items.reserve(order.size());
  for (const int64_t index : order) {
    const auto [source, target] = length(index);
    items.push_back({index, checked_length(source, index), checked_length(target, index)});
  }
  return items;
}

bool shorter(const Item& a, const Item& b) {
  return std::pair(a.target, a.source) < std::pair(b.target, b.source);
}

std::vector<int64_t> all_indices(int64_t examples) {
  std::vector<int64_t> order(static_cast<size_t>(examples));
  std::iota(order.begin(), order.end(), int64_t{0});
  return order;
}

// Cuts the items, in their order, into batches as large as the options allow.
void cut(std::span<const Item> items, const BatchOptions& options, std::vector<Batch>& batches) {
  size_t begin = 0;
  int64_t longest = 0;
  const auto close = [&](size_t end) {
    Batch& batch = batches.emplace_back();
    batch.reserve(end - begin);
    for (const Item& item : items.subspan(begin, end - begin)) batch.push_back(item.index);
    begin = end;
    longest = 0;
  };
  for (size_t i = 0; i < items.size(); ++i) {
    const int64_t length = std::max(items[i].source, items[i].target);
    const auto sentences = static_cast<int64_t>(i - begin) + 1;
    // The side with the longest sequence has the larger padded size.
    const bool too_many_tokens = sentences > options.max_tokens / std::max<int64_t>({longest, length, 1});
    const bool too_many_sentences = options.max_sentences > 0 && sentences > options.max_sentences;
    if (sentences > 1 && (too_many_tokens || too_many_sentences)) close(i);
    longest = std::max(longest, length);
  }
  if (begin < items.size()) close(items.size());
}

}  // namespace

std::vector<Batch> epoch_batches(int64_t examples, const LengthOf& length, const BatchOptions& options,
                                 int64_t epoch) {
  validate(examples, options);
  Random random = Random::of(options.seed, static_cast<uint64_t>(epoch));
  std::vector<Batch> batches;
  std::vector<int64_t> order = all_indices(examples);
  random.shuffle(std::span(order));
  const size_t window = options.window > 0 ? static_cast<size_t>(options.window) : order.size();
  for (size_t begin = 0; begin < order.size();) {
    const size_t size = std::min(window, order.size() - begin);
    std::vector<Item> items = items_in(std::span(order).subspan(begin, size), length);
    std::stable_sort(items.begin(), items.end(), shorter);
    cut(items, options, batches);
    begin += size;
  }
  random.shuffle(std::span(batches));
  return batches;
}

std::vector<Batch> evaluation_batches(int64_t examples, const LengthOf& length, const BatchOptions& options) {
  validate(examples, options);
  std::vector<Item> items = items_in(all_indices(examples), length);
  std::stable_sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return shorter(b, a); });
  std::vector<Batch> batches;
  cut(items, options, batches);
  return batches;
}

std::vector<StreamBlock> training_blocks(int64_t stream_tokens, int64_t tokens) {
  return evaluation_blocks(stream_tokens, tokens, 0);
}

std::vector<StreamBlock> evaluation_blocks(int64_t stream_tokens, int64_t tokens, int64_t context) {
  if (stream_tokens < 0) throw std::invalid_argument("blocks of a stream of negative length");
  if (tokens < 1) throw UserError("tokens of a block: found {}, expected at least 1", tokens);
  if (context < 0 || context >= tokens) {
    throw UserError("tokens of context: found {} in blocks of {}, expected at least 0 and less than {}",
                    context, tokens, tokens);
  }
  std::vector<StreamBlock> blocks;
  int64_t end = 0;
  while (end < stream_tokens) {
    const int64_t score_from = end;
    end += std::min(tokens - context, stream_tokens - end);
    blocks.push_back(
        {.begin = std::max<int64_t>(score_from - context, 0), .end = end, .score_from = score_from});
  }
  return blocks;
}

}  // namespace memsizer::text
