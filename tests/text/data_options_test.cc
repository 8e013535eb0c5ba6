#include "text/data_options.h"

#include <gtest/gtest.h>

#include <limits>

#include "support/messages.h"

namespace memsizer::text {
namespace {

using testing::has_text;
using testing::message_of;

DataOptions parallel_options() {
  DataOptions options;
  options.train = {"train.en", "train.de"};
  return options;
}

// The message after one change to options that are right.
template <typename Change>
std::string message_after(const Change& change) {
  DataOptions options = parallel_options();
  change(options);
  return message_of([&] { options.validate("data"); });
}

TEST(DataOptions, TakesTheDefaults) {
  EXPECT_EQ(message_after([](DataOptions&) {}), "no error");
  EXPECT_EQ(message_of([] { TokenizerOptions().validate("data.tokenizer"); }), "no error");
}

TEST(DataOptions, NamesItsEnums) {
  DataOptions options = parallel_options();
  const std::vector<OptionRef> all = collect_options(options, "data");
  for (const char* text : {"unigram", "bpe", "words"}) {
    set_option(all, "data.tokenizer.type", text);
    EXPECT_EQ(options_to_json(all)["data"]["tokenizer"]["type"], text);
  }
  for (const char* text : {"parallel", "tsv", "jsonl", "text"}) {
    set_option(all, "data.format", text);
    EXPECT_EQ(options_to_json(all)["data"]["format"], text);
  }
  for (const char* text : {"skip", "truncate", "stop"}) {
    set_option(all, "data.over_long", text);
    EXPECT_EQ(options_to_json(all)["data"]["over_long"], text);
  }
  for (const char* text : {"skip", "stop"}) {
    set_option(all, "data.invalid_utf8", text);
    EXPECT_EQ(options_to_json(all)["data"]["invalid_utf8"], text);
  }
  EXPECT_EQ(options.tokenizer.type, TokenizerType::Words);
  EXPECT_EQ(options.format, CorpusFormat::Text);
  EXPECT_EQ(options.over_long, OverLong::Stop);
  EXPECT_EQ(options.invalid_utf8, BadLine::Stop);
  EXPECT_EQ(options.empty_side, BadLine::Skip);
  EXPECT_TRUE(
      has_text(message_of([&] { set_option(all, "data.empty_side", "truncate"); }), "one of skip, stop"));
}

TEST(DataOptions, ResolvesFiles) {
  DataOptions options;
  EXPECT_EQ(options.resolve("train.en"), "train.en");
  EXPECT_EQ(options.resolve("/corpora/train.en"), "/corpora/train.en");
  options.directory = "data/multi30k";
  EXPECT_EQ(options.resolve("train.en"), "data/multi30k/train.en");
  EXPECT_EQ(options.resolve("/corpora/train.en"), "/corpora/train.en");
  options.directory = "data/multi30k/";
  EXPECT_EQ(options.resolve("a/train.en"), "data/multi30k/a/train.en");
}

TEST(DataOptions, WantsTheRightNumberOfFiles) {
  EXPECT_TRUE(has_text(message_after([](DataOptions& o) { o.train.clear(); }), "data.train lists no file"));
  EXPECT_TRUE(has_text(message_after([](DataOptions& o) { o.train = {"a"}; }), "data.train lists 1 file;"));
  EXPECT_TRUE(has_text(message_after([](DataOptions& o) { o.train = {"a", "b", "c"}; }), "lists 3 files;"));
  EXPECT_TRUE(has_text(message_after([](DataOptions& o) { o.valid = {"a"}; }), "data.valid lists 1 file;"));
  EXPECT_TRUE(has_text(message_after([](DataOptions& o) { o.test = {"a"}; }), "data.test lists 1 file;"));
  EXPECT_TRUE(has_text(message_after([](DataOptions& o) { o.train = {"a", ""}; }), "an empty file name"));
  for (const CorpusFormat format : {CorpusFormat::Tsv, CorpusFormat::JsonLines, CorpusFormat::Text}) {
    const auto files = [format](std::vector<std::string> train) {
      return message_after([&](DataOptions& o) {
        o.format = format;
        o.train = train;
      });
    };
    EXPECT_EQ(files({"a"}), "no error");
    EXPECT_EQ(files({"a", "b", "c"}), "no error");
    EXPECT_TRUE(has_text(files({}), "at least one"));
  }
}

TEST(DataOptions, ChecksNumbers) {
  EXPECT_TRUE(has_text(message_after([](DataOptions& o) { o.max_source_tokens = 1; }),
                       "data.max_source_tokens is 1; it must be from 2 to "));
  EXPECT_TRUE(has_text(message_after([](DataOptions& o) { o.max_target_tokens = -5; }),
                       "data.max_target_tokens is -5;"));
  for (const double ratio :
       {-1.0, 0.5, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    EXPECT_TRUE(has_text(message_after([&](DataOptions& o) { o.max_ratio = ratio; }), "data.max_ratio is "));
  }
  for (const double ratio : {0.0, 1.0, 2.5})
    EXPECT_EQ(message_after([&](DataOptions& o) { o.max_ratio = ratio; }), "no error");
}

TEST(DataOptions, ChecksKeysOfJsonLines) {
  const auto keys = [](const char* source, const char* target, CorpusFormat format) {
    return message_after([&](DataOptions& o) {
      o.format = format;
      o.source_key = source;
      o.target_key = target;
    });
  };
  EXPECT_EQ(keys("a", "b", CorpusFormat::JsonLines), "no error");
  EXPECT_EQ(keys("", "", CorpusFormat::Tsv), "no error");
  EXPECT_TRUE(has_text(keys("", "b", CorpusFormat::JsonLines), "data.source_key is empty"));
  EXPECT_TRUE(has_text(keys("a", "", CorpusFormat::JsonLines), "data.target_key is empty"));
  EXPECT_TRUE(has_text(keys("a", "a", CorpusFormat::JsonLines), "are both 'a'"));
}

TEST(DataOptions, ChecksTheTokenizer) {
  const auto vocab = [](TokenizerType type, int64_t size) {
    return message_after([&](DataOptions& o) {
      o.tokenizer.type = type;
      o.tokenizer.vocab = size;
    });
  };
  EXPECT_EQ(vocab(TokenizerType::Unigram, 5), "no error");
  EXPECT_TRUE(has_text(vocab(TokenizerType::Unigram, 4), "data.tokenizer.vocab is 4; it must be from 5 to "));
  EXPECT_TRUE(has_text(vocab(TokenizerType::Bpe, 0), "data.tokenizer.vocab is 0;"));
  EXPECT_TRUE(has_text(vocab(TokenizerType::Bpe, int64_t{1} << 40), "data.tokenizer.vocab is "));
  EXPECT_EQ(vocab(TokenizerType::Words, 0), "no error");
  EXPECT_TRUE(has_text(vocab(TokenizerType::Words, 3), "or 0 for all words"));
  EXPECT_TRUE(has_text(vocab(TokenizerType::Words, -1), "data.tokenizer.vocab is -1;"));

  for (const double share : {0.0, -0.1, 0.97, 1.01, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_TRUE(has_text(message_after([&](DataOptions& o) { o.tokenizer.character_coverage = share; }),
                         "data.tokenizer.character_coverage is "));
  }
  EXPECT_EQ(message_after([](DataOptions& o) { o.tokenizer.character_coverage = 0.98; }), "no error");
  EXPECT_TRUE(has_text(message_after([](DataOptions& o) { o.tokenizer.min_count = 0; }), "min_count is 0;"));
  EXPECT_TRUE(has_text(message_after([](DataOptions& o) { o.tokenizer.max_training_lines = 0; }),
                       "data.tokenizer.max_training_lines is 0;"));
}

TEST(DataOptions, SourceVocabularyNeedsTwoOfThem) {
  EXPECT_TRUE(has_text(message_after([](DataOptions& o) { o.tokenizer.source_vocab = 100; }),
                       "data.tokenizer.source_vocab is 100, but data.tokenizer.joint is true"));
  EXPECT_TRUE(has_text(message_after([](DataOptions& o) { o.tokenizer.source_model = "en.model"; }),
                       "data.tokenizer.source_model is 'en.model', but data.tokenizer.joint is true"));
  const auto separate = [](int64_t source_vocab, CorpusFormat format) {
    return message_after([&](DataOptions& o) {
      o.format = format;
      o.tokenizer.joint = false;
      o.tokenizer.source_vocab = source_vocab;
      o.tokenizer.source_model = "en.model";
    });
  };
  EXPECT_EQ(separate(0, CorpusFormat::Parallel), "no error");
  EXPECT_EQ(separate(100, CorpusFormat::Parallel), "no error");
  EXPECT_TRUE(has_text(separate(4, CorpusFormat::Parallel), "data.tokenizer.source_vocab is 4;"));
  EXPECT_TRUE(has_text(separate(0, CorpusFormat::Text), "format text has no source"));
}

TEST(DataOptions, MessagesHaveNoStrayPrefix) {
  EXPECT_TRUE(message_of([] { DataOptions().validate(""); }).starts_with("train lists no file"));
}

}  // namespace
}  // namespace memsizer::text
