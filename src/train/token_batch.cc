#include "train/token_batch.h"

#include <algorithm>

#include "core/special_tokens.h"

namespace memsizer::train {
namespace {

using at::Tensor;

Tensor padded(int64_t rows, int64_t length) {
  return at::full({rows, length}, kPad, at::kLong);
}

int64_t longest_of(std::span<const Tokens> rows) {
  size_t longest = 0;
  for (const Tokens& row : rows) longest = std::max(longest, row.size());
  return static_cast<int64_t>(longest);
}

std::vector<Tokens> sources_of(const text::TokenCorpus& corpus, const text::Batch& examples) {
  std::vector<Tokens> sources;
  for (const int64_t i : examples) sources.push_back(corpus.source(i));
  return sources;
}

}  // namespace

TokenBatch on_device(TokenBatch batch, at::Device device) {
  if (batch.source.defined()) batch.source = batch.source.to(device);
  batch.input = batch.input.to(device);
  batch.targets = batch.targets.to(device);
  return batch;
}

Tensor source_batch(std::span<const Tokens> sources) {
  const int64_t longest = longest_of(sources);
  Tensor source = padded(static_cast<int64_t>(sources.size()), longest);
  int64_t* row_end = source.data_ptr<int64_t>();
  for (const Tokens& tokens : sources) {
    row_end += longest;
    std::ranges::copy_backward(tokens, row_end);
  }
  return source;
}

Tensor source_batch(const text::TokenCorpus& corpus, const text::Batch& examples) {
  return source_batch(sources_of(corpus, examples));
}

TokenBatch pair_batch(std::span<const Tokens> sources, std::span<const Tokens> targets) {
  TokenBatch batch;
  batch.source = source_batch(sources);
  const int64_t longest = longest_of(targets);
  batch.targets = padded(static_cast<int64_t>(targets.size()), longest);
  batch.input = padded(static_cast<int64_t>(targets.size()), longest);
  int64_t* target = batch.targets.data_ptr<int64_t>();
  int64_t* input = batch.input.data_ptr<int64_t>();
  for (const Tokens& tokens : targets) {
    std::ranges::copy(tokens, target);
    input[0] = kEos;
    std::ranges::copy(tokens.first(tokens.size() - 1), input + 1);
    batch.target_tokens += static_cast<int64_t>(tokens.size());
    target += longest;
    input += longest;
  }
  return batch;
}

TokenBatch pair_batch(const text::TokenCorpus& corpus, const text::Batch& examples) {
  std::vector<Tokens> targets;
  for (const int64_t i : examples) targets.push_back(corpus.target(i));
  return pair_batch(sources_of(corpus, examples), targets);
}

TokenBatch stream_batch(std::span<const int32_t> stream, std::span<const text::StreamBlock> blocks) {
  int64_t longest = 0;
  for (const text::StreamBlock& block : blocks) longest = std::max(longest, block.end - block.begin);
  TokenBatch batch;
  batch.targets = padded(static_cast<int64_t>(blocks.size()), longest);
  batch.input = padded(static_cast<int64_t>(blocks.size()), longest);
  int64_t* target = batch.targets.data_ptr<int64_t>();
  int64_t* input = batch.input.data_ptr<int64_t>();
  for (const text::StreamBlock& block : blocks) {
    for (int64_t t = block.begin; t < block.end; ++t) {
      input[t - block.begin] = t > 0 ? stream[t - 1] : kEos;
      if (t >= block.score_from) target[t - block.begin] = stream[t];
    }
    batch.target_tokens += block.end - block.score_from;
    target += longest;
    input += longest;
  }
  return batch;
}

}  // namespace memsizer::train
