#include "train/batch_stream.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace memsizer::train {

BatchStream::BatchStream(const text::TokenCorpus& corpus, const Recipe& recipe) : corpus_(corpus) {
  options_.max_tokens = recipe.training.max_tokens;
  options_.window = recipe.training.sort_window;
  options_.seed = static_cast<uint64_t>(recipe.training.seed);
  if (recipe.is_language_model()) {
    blocks_ =
        text::training_blocks(static_cast<int64_t>(corpus.stream().size()), recipe.training.block_tokens);
  }
  plan();
}

void BatchStream::plan() {
  const auto length = [&](int64_t i) -> std::pair<int64_t, int64_t> {
    if (!blocks_.empty()) return {0, blocks_[i].end - blocks_[i].begin};
    return {static_cast<int64_t>(corpus_.source(i).size()), static_cast<int64_t>(corpus_.target(i).size())};
  };
  const int64_t examples = blocks_.empty() ? corpus_.size() : static_cast<int64_t>(blocks_.size());
  batches_ = text::epoch_batches(examples, length, options_, position_.epoch);
}

void BatchStream::seek(Position position) {
  const bool other_epoch = position.epoch != position_.epoch;
  position_ = position;
  if (other_epoch) plan();
}

TokenBatch BatchStream::next() {
  last_ = position_;
  const text::Batch& examples = batches_[position_.batch];
  TokenBatch batch;
  if (blocks_.empty()) {
    batch = pair_batch(corpus_, examples);
  } else {
    std::vector<text::StreamBlock> blocks;
    for (const int64_t i : examples) blocks.push_back(blocks_[i]);
    batch = stream_batch(corpus_.stream(), blocks);
  }
  if (position_.batch + 1 < static_cast<int64_t>(batches_.size())) {
    ++position_.batch;
  } else {
    seek({position_.epoch + 1, 0});
  }
  return batch;
}

std::string BatchStream::describe_last() const {
  std::vector<int64_t> places;
  if (last_.epoch == position_.epoch) {
    const text::Batch& examples = batches_[last_.batch];
    for (size_t i = 0; i < std::min<size_t>(examples.size(), 5); ++i) {
      places.push_back(blocks_.empty() ? corpus_.line(examples[i]) : blocks_[examples[i]].begin);
    }
  }
  return fmt::format("epoch {}, batch {}{}", last_.epoch + 1, last_.batch + 1,
                     places.empty() ? ""
                                    : fmt::format(" ({} {}, ...)", blocks_.empty() ? "lines" : "tokens from",
                                                  fmt::join(places, ", ")));
}

}  // namespace memsizer::train
