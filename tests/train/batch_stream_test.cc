#include "train/batch_stream.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <numeric>

#include "core/special_tokens.h"
#include "support/messages.h"
#include "support/temp_dir.h"
#include "text/tokenizer.h"

namespace memsizer::train {
namespace {

using memsizer::testing::TempDir;

// A corpus of numbered words, so that every token tells where it came from.
struct Corpus {
  TempDir dir;
  Recipe recipe;
  std::unique_ptr<text::Tokenizer> tokenizer;
  std::optional<text::TokenCorpus> tokens;

  Corpus(bool pairs, int lines) {
    for (const char* name : {"a", "b"}) {
      std::ofstream file(dir / name);
      for (int i = 0; i < lines; ++i) {
        for (int word = 0; word <= i % 7; ++word) file << "w" << i << " ";
        file << "\n";
      }
    }
    recipe.data.directory = dir.path().string();
    recipe.data.tokenizer.type = text::TokenizerType::Words;
    recipe.data.tokenizer.vocab = 0;
    recipe.data.format = pairs ? text::CorpusFormat::Parallel : text::CorpusFormat::Text;
    recipe.data.train = pairs ? std::vector<std::string>{"a", "b"} : std::vector<std::string>{"a"};
    recipe.task.kind = pairs ? Task::Translation : Task::LanguageModel;
    recipe.training.max_tokens = 64;
    recipe.training.block_tokens = 16;
    std::ifstream file(dir / "a");
    tokenizer = text::train_tokenizer(recipe.data.tokenizer, [&](std::string& line) {
      return static_cast<bool>(std::getline(file, line));
    });
    text::CorpusReport report;
    tokens =
        text::TokenCorpus::open(recipe.data, recipe.data.train, pairs ? tokenizer.get() : nullptr, *tokenizer,
                                /*filter_lengths=*/true, dir / "cache", report);
  }
};

// Without training.update_tokens, one process reads one batch per update.
TokenBatch next(BatchStream& stream) {
  std::vector<TokenBatch> batches = stream.next_update();
  EXPECT_EQ(batches.size(), 1U);
  return batches.front();
}

// The batches of one update that each of `size` processes reads, starting at `position`; all move to the same
// place.
std::vector<std::vector<TokenBatch>> shares_of_update(const Corpus& corpus, int64_t size,
                                                      BatchStream::Position& position) {
  std::vector<std::vector<TokenBatch>> shares;
  const BatchStream::Position start = position;
  for (int64_t rank = 0; rank < size; ++rank) {
    BatchStream stream(*corpus.tokens, corpus.recipe, {rank, size});
    stream.seek(start);
    shares.push_back(stream.next_update());
    if (rank > 0) {
      EXPECT_EQ(stream.position().epoch, position.epoch);
      EXPECT_EQ(stream.position().batch, position.batch);
    }
    position = stream.position();
  }
  return shares;
}

// What a batch holds, to be compared and counted.
std::string text_of(const TokenBatch& batch) {
  std::string text;
  const at::Tensor flat = batch.targets.flatten();
  for (int64_t i = 0; i < flat.numel(); ++i) text += std::to_string(flat[i].item<int64_t>()) + " ";
  return text;
}

TEST(BatchStream, AnEpochOfALanguageModelReadsTheStreamOnceInFullBatches) {
  const Corpus corpus(/*pairs=*/false, 200);
  BatchStream stream(*corpus.tokens, corpus.recipe);
  std::map<int64_t, int64_t> seen;
  int64_t tokens = 0;
  int64_t full = 0;
  int64_t batches = 0;
  while (stream.position().epoch == 0) {
    const TokenBatch batch = next(stream);
    tokens += batch.target_tokens;
    full += batch.target_tokens == 64 ? 1 : 0;
    ++batches;
    EXPECT_LE(batch.targets.numel(), 64);
    const at::Tensor flat = batch.targets.flatten();
    for (int64_t i = 0; i < flat.numel(); ++i) ++seen[flat[i].item<int64_t>()];
  }
  EXPECT_EQ(tokens, static_cast<int64_t>(corpus.tokens->stream().size()));
  EXPECT_GE(full, batches - 2);
  for (const int32_t token : corpus.tokens->stream()) --seen[token];
  seen.erase(kPad);
  for (const auto& [token, count] : seen) EXPECT_EQ(count, 0) << token;
}

TEST(BatchStream, InputsAreTheTargetsShifted) {
  for (const bool pairs : {true, false}) {
    const Corpus corpus(pairs, 60);
    BatchStream stream(*corpus.tokens, corpus.recipe);
    const TokenBatch batch = next(stream);
    EXPECT_EQ(batch.source.defined(), pairs);
    const int64_t length = batch.targets.size(1);
    for (int64_t row = 0; row < batch.targets.size(0); ++row) {
      for (int64_t t = 1; t < length; ++t) {
        const auto target = batch.targets[row][t].item<int64_t>();
        if (target == kPad) continue;
        EXPECT_EQ(batch.input[row][t].item<int64_t>(), batch.targets[row][t - 1].item<int64_t>());
      }
      if (pairs) {
        EXPECT_EQ(batch.input[row][0].item<int64_t>(), kEos);
        EXPECT_EQ(batch.source[row][-1].item<int64_t>(), kEos);
      }
    }
  }
}

TEST(BatchStream, GoesOnFromAnyPosition) {
  const Corpus corpus(/*pairs=*/true, 100);
  BatchStream first(*corpus.tokens, corpus.recipe);
  for (int skipped = 0; skipped < 60; ++skipped) {
    BatchStream second(*corpus.tokens, corpus.recipe);
    second.seek(first.position());
    const TokenBatch a = next(first);
    const TokenBatch b = next(second);
    EXPECT_TRUE(a.source.equal(b.source) && a.targets.equal(b.targets) && a.input.equal(b.input)) << skipped;
    EXPECT_EQ(first.position().epoch, second.position().epoch);
    EXPECT_EQ(first.position().batch, second.position().batch);
  }
  EXPECT_GT(first.position().epoch, 0);
}

TEST(BatchStream, APlaceThatTheDataDoNotHaveIsRefused) {
  const Corpus corpus(/*pairs=*/true, 100);
  const auto error_of = [&](BatchStream::Position position) {
    BatchStream stream(*corpus.tokens, corpus.recipe);
    return memsizer::testing::message_of([&] { stream.seek(position); });
  };
  int64_t batches = 0;
  for (BatchStream stream(*corpus.tokens, corpus.recipe); stream.position().epoch == 0; ++batches)
    next(stream);
  EXPECT_EQ(error_of({0, batches - 1}), "no error");
  for (const BatchStream::Position position :
       {BatchStream::Position{0, batches}, {0, -1}, {-1, 0}, {3, 1 << 20}, {0, int64_t{1} << 62}}) {
    EXPECT_TRUE(memsizer::testing::has_text(error_of(position), "found a place"));
  }
}

TEST(BatchStream, SaysWhereABatchCameFrom) {
  const Corpus corpus(/*pairs=*/true, 30);
  BatchStream stream(*corpus.tokens, corpus.recipe);
  next(stream);
  EXPECT_EQ(stream.describe(0).find("epoch 1, batch 1 (lines "), 0U) << stream.describe(0);
}

TEST(BatchStream, AnUpdateGathersTokensUntilItsEpochEnds) {
  Corpus corpus(/*pairs=*/true, 100);
  corpus.recipe.training.update_tokens = 150;
  BatchStream stream(*corpus.tokens, corpus.recipe);
  while (stream.position().epoch < 2) {
    const int64_t epoch = stream.position().epoch;
    std::vector<int64_t> tokens;
    for (const TokenBatch& batch : stream.next_update()) tokens.push_back(batch.target_tokens);
    const int64_t all = std::accumulate(tokens.begin(), tokens.end(), int64_t{0});
    EXPECT_LT(all - tokens.back(), 150) << "the last batch was not needed";
    if (stream.position().epoch == epoch) {
      EXPECT_GE(all, 150);
    }
  }
}

TEST(BatchStream, ProcessesReadDisjointSharesOfTheSameEpoch) {
  for (const bool pairs : {true, false}) {
    for (const int64_t update_tokens : {0, 200}) {
      Corpus corpus(pairs, 100);
      corpus.recipe.training.update_tokens = update_tokens;
      std::map<std::string, int> expected;
      BatchStream whole(*corpus.tokens, corpus.recipe);
      while (whole.position().epoch == 0) {
        for (const TokenBatch& batch : whole.next_update()) ++expected[text_of(batch)];
      }
      for (const int64_t size : {2, 3}) {
        std::map<std::string, int> found;
        BatchStream::Position position;
        while (position.epoch == 0) {
          for (const auto& share : shares_of_update(corpus, size, position)) {
            if (update_tokens == 0) {
              EXPECT_LE(share.size(), 1U);
            }
            for (const TokenBatch& batch : share) ++found[text_of(batch)];
          }
        }
        EXPECT_EQ(found, expected) << size << " processes";
      }
    }
  }
}

TEST(BatchStream, AnUpdateIsTheSameForAnyNumberOfProcesses) {
  Corpus corpus(/*pairs=*/true, 100);
  corpus.recipe.training.update_tokens = 200;
  BatchStream whole(*corpus.tokens, corpus.recipe);
  BatchStream::Position position;
  // Their number changes from update to update, as if the run were resumed with another one each time.
  for (int64_t update = 0; update < 12; ++update) {
    std::map<std::string, int> left;
    for (const TokenBatch& batch : whole.next_update()) ++left[text_of(batch)];
    for (const auto& share : shares_of_update(corpus, 1 + update % 4, position)) {
      for (const TokenBatch& batch : share) --left[text_of(batch)];
    }
    for (const auto& [text, count] : left) EXPECT_EQ(count, 0) << "update " << update;
    EXPECT_EQ(position.epoch, whole.position().epoch);
    EXPECT_EQ(position.batch, whole.position().batch);
  }
  EXPECT_GT(position.epoch, 0);
}

}  // namespace
}  // namespace memsizer::train
