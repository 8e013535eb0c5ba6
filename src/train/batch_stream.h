#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "text/batches.h"
#include "train/batch_position.h"
#include "train/recipe.h"
#include "train/token_batch.h"

namespace memsizer::train {

// Which of the processes that train together this one is.
struct Share {
  int64_t rank = 0;
  int64_t size = 1;
};

// The training batches, epoch after epoch without end, in an order that depends on the seed alone. Of several
// processes, each reads every size-th batch of that common order. The position is two numbers in the common
// order, so a run can go on exactly where it was, also with another number of processes.
class BatchStream {
 public:
  using Position = BatchPosition;

  BatchStream(const text::TokenCorpus& corpus, const Recipe& recipe, Share share = {});

  // The batches of the next update that are this process's, possibly none. The update itself is the same for
  // any number of processes: batches until they have training.update_tokens targets (0: one batch per
  // process), or the epoch ends. The position moves behind all of them.
  std::vector<TokenBatch> next_update();

  const Position& position() const { return position_; }
  // A place that the data do not have is a UserError.
  void seek(Position position);

  // Where a batch of the last update came from, for messages: "epoch 3, batch 17 (lines 5, 90, 311, ...)".
  std::string describe(size_t batch) const;

 private:
  void plan();
  void advance();
  int64_t target_tokens(const text::Batch& examples) const;
  TokenBatch tensors(const text::Batch& examples) const;

  const text::TokenCorpus& corpus_;
  Share share_;
  int64_t update_tokens_;
  text::BatchOptions options_;
  std::vector<text::StreamBlock> blocks_;  // of a language model
  std::vector<text::Batch> batches_;       // of the current epoch
  Position position_;
  std::vector<Position> last_;  // of the batches that the last next_update() returned
};

}  // namespace memsizer::train
