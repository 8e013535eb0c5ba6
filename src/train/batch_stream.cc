#include "train/batch_stream.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/error.h"

namespace memsizer::train {

BatchStream::BatchStream(const text::TokenCorpus& corpus, const Recipe& recipe, Share share)
    : corpus_(corpus), share_(share), update_tokens_(recipe.training.update_tokens) {
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
  if (position.epoch < 0)
    throw UserError("found a place in epoch {}, expected one from 0 on", position.epoch);
  const bool other_epoch = position.epoch != position_.epoch;
  position_ = position;
  if (other_epoch) plan();
  const auto batches = static_cast<int64_t>(batches_.size());
  if (position.batch < 0 || position.batch >= batches) {
    throw UserError("found a place before batch {} of epoch {}, which has batches 0 to {}", position.batch,
                    position.epoch, batches - 1);
  }
}

void BatchStream::advance() {
  if (position_.batch + 1 < static_cast<int64_t>(batches_.size())) {
    ++position_.batch;
  } else {
    seek({position_.epoch + 1, 0});
  }
}

int64_t BatchStream::target_tokens(const text::Batch& examples) const {
  int64_t tokens = 0;
  for (const int64_t i : examples) {
    tokens += blocks_.empty() ? static_cast<int64_t>(corpus_.target(i).size())
                              : blocks_[i].end - blocks_[i].score_from;
  }
  return tokens;
}

TokenBatch BatchStream::tensors(const text::Batch& examples) const {
  if (blocks_.empty()) return pair_batch(corpus_, examples);
  std::vector<text::StreamBlock> blocks;
  for (const int64_t i : examples) blocks.push_back(blocks_[i]);
  return stream_batch(corpus_.stream(), blocks);
}

std::vector<TokenBatch> BatchStream::next_update() {
  std::vector<TokenBatch> mine;
  last_.clear();
  int64_t batches = 0;
  int64_t tokens = 0;
  const auto complete = [&] {
    return update_tokens_ > 0 ? tokens >= update_tokens_ : batches == share_.size;
  };
  // An update ends with its epoch, so that every epoch sees each example once.
  do {
    const text::Batch& examples = batches_[position_.batch];
    ++batches;
    tokens += target_tokens(examples);
    if (position_.batch % share_.size == share_.rank) {
      mine.push_back(tensors(examples));
      last_.push_back(position_);
    }
    advance();
  } while (!complete() && position_.batch != 0);
  return mine;
}

std::string BatchStream::describe(size_t batch) const {
  if (batch >= last_.size()) return fmt::format("epoch {}", position_.epoch + 1);
  const Position& last = last_[batch];
  std::vector<int64_t> places;
  if (last.epoch == position_.epoch) {
    const text::Batch& examples = batches_[last.batch];
    for (size_t i = 0; i < std::min<size_t>(examples.size(), 5); ++i) {
      places.push_back(blocks_.empty() ? corpus_.line(examples[i]) : blocks_[examples[i]].begin);
    }
  }
  return fmt::format("epoch {}, batch {}{}", last.epoch + 1, last.batch + 1,
                     places.empty() ? ""
                                    : fmt::format(" ({} {}, ...)", blocks_.empty() ? "lines" : "tokens from",
                                                  fmt::join(places, ", ")));
}

}  // namespace memsizer::train
