#include "train/batch_stream.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "core/special_tokens.h"
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

TEST(BatchStream, AnEpochOfALanguageModelReadsTheStreamOnceInFullBatches) {
  const Corpus corpus(/*pairs=*/false, 200);
  BatchStream stream(*corpus.tokens, corpus.recipe);
  std::map<int64_t, int64_t> seen;
  int64_t tokens = 0;
  int64_t full = 0;
  int64_t batches = 0;
  while (stream.position().epoch == 0) {
    const TokenBatch batch = stream.next();
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
    const TokenBatch batch = stream.next();
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
    const TokenBatch a = first.next();
    const TokenBatch b = second.next();
    EXPECT_TRUE(a.source.equal(b.source) && a.targets.equal(b.targets) && a.input.equal(b.input)) << skipped;
    EXPECT_EQ(first.position().epoch, second.position().epoch);
    EXPECT_EQ(first.position().batch, second.position().batch);
  }
  EXPECT_GT(first.position().epoch, 0);
}

TEST(BatchStream, SaysWhereABatchCameFrom) {
  const Corpus corpus(/*pairs=*/true, 30);
  BatchStream stream(*corpus.tokens, corpus.recipe);
  stream.next();
  EXPECT_EQ(stream.describe_last().find("epoch 1, batch 1 (lines "), 0U) << stream.describe_last();
}

}  // namespace
}  // namespace memsizer::train
