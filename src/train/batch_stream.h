#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "text/batches.h"
#include "train/recipe.h"
#include "train/token_batch.h"

namespace memsizer::train {

// The training batches, epoch after epoch without end, in an order that depends on the seed alone. Its
// position is two numbers, so a run can go on exactly where it was.
class BatchStream {
 public:
  struct Position {
    int64_t epoch = 0;  // from 0
    int64_t batch = 0;  // inside the epoch: the next one to be read
  };

  BatchStream(const text::TokenCorpus& corpus, const Recipe& recipe);

  TokenBatch next();

  const Position& position() const { return position_; }
  void seek(Position position);
  // True where the next batch opens a new epoch.
  bool at_epoch_start() const { return position_.batch == 0; }

  // Where the last batch came from, for messages: "epoch 3, batch 17 (lines 5, 90, 311, ...)".
  std::string describe_last() const;

 private:
  void plan();

  const text::TokenCorpus& corpus_;
  text::BatchOptions options_;
  std::vector<text::StreamBlock> blocks_;  // of a language model
  std::vector<text::Batch> batches_;       // of the current epoch
  Position position_;
  Position last_;
};

}  // namespace memsizer::train
