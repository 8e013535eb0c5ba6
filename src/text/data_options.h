#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/options.h"

namespace memsizer::text {

enum class TokenizerType { Unigram, Bpe, Words };
enum class CorpusFormat { Parallel, Tsv, JsonLines, Text };
enum class BadLine { Skip, Stop };
enum class OverLong { Skip, Truncate, Stop };

}  // namespace memsizer::text

namespace memsizer {

template <>
std::span<const std::pair<text::TokenizerType, std::string_view>> enum_names<text::TokenizerType>();
template <>
std::span<const std::pair<text::CorpusFormat, std::string_view>> enum_names<text::CorpusFormat>();
template <>
std::span<const std::pair<text::BadLine, std::string_view>> enum_names<text::BadLine>();
template <>
std::span<const std::pair<text::OverLong, std::string_view>> enum_names<text::OverLong>();

}  // namespace memsizer

namespace memsizer::text {

struct TokenizerOptions {
  TokenizerType type = TokenizerType::Unigram;
  std::string model;
  std::string source_model;
  int64_t vocab = 8000;
  int64_t source_vocab = 0;
  bool joint = true;
  double character_coverage = 1.0;
  int64_t min_count = 1;
  int64_t max_training_lines = 2000000;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("type", self.type, "SentencePiece unigram or bpe, or whitespace-separated words");
    visit("model", self.model, "an existing tokenizer for both sides, or for the target; empty: train one");
    visit("source_model", self.source_model, "an existing tokenizer for the source, where not joint");
    visit("vocab", self.vocab, "vocabulary size, special tokens included; words: 0 keeps all");
    visit("source_vocab", self.source_vocab, "vocabulary of the source, where not joint; 0: as vocab");
    visit("joint", self.joint, "one vocabulary for source and target");
    visit("character_coverage", self.character_coverage, "share of characters that get a piece of their own");
    visit("min_count", self.min_count, "words seen less often become unknown (type words)");
    visit("max_training_lines", self.max_training_lines,
          "lines sampled from a larger corpus to train unigram or bpe");
  }

  // Throws UserError; `prefix` is the section's name in messages.
  void validate(const std::string& prefix) const;
};

// Where the text lies and how to read it.
struct DataOptions {
  CorpusFormat format = CorpusFormat::Parallel;
  std::string directory;
  std::vector<std::string> train;
  std::vector<std::string> valid;
  std::vector<std::string> test;
  std::string source_key = "document";
  std::string target_key = "summary";
  bool normalize_space = true;
  int64_t max_source_tokens = 1024;
  int64_t max_target_tokens = 1024;
  double max_ratio = 0.0;
  OverLong over_long = OverLong::Skip;
  BadLine invalid_utf8 = BadLine::Skip;
  BadLine empty_side = BadLine::Skip;
  std::string cache;
  TokenizerOptions tokenizer;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("format", self.format, "parallel (two aligned files), tsv, jsonl, or text (language models)");
    visit("directory", self.directory, "folder that the files below are relative to");
    visit("train", self.train, "training files: source and target for parallel, otherwise one or more files");
    visit("valid", self.valid, "validation files");
    visit("test", self.test, "test files");
    visit("source_key", self.source_key, "key of the source in JSON lines");
    visit("target_key", self.target_key, "key of the target in JSON lines");
    visit("normalize_space", self.normalize_space, "runs of white space become one space, ends are trimmed");
    visit("max_source_tokens", self.max_source_tokens, "longest source, end token included");
    visit("max_target_tokens", self.max_target_tokens, "longest target, end token included");
    visit("max_ratio", self.max_ratio, "skip training pairs whose lengths differ by more; 0 keeps all");
    visit("over_long", self.over_long, "what happens to longer ones: skip, truncate or stop");
    visit("invalid_utf8", self.invalid_utf8, "what happens to a line that is not UTF-8: skip or stop");
    visit("empty_side", self.empty_side, "what happens to a pair with an empty side: skip or stop");
    visit("cache", self.cache, "folder of tokenised corpora; empty: beside the checkpoints");
    visit("tokenizer", self.tokenizer, "");
  }

  std::filesystem::path resolve(const std::string& file) const;

  // Throws UserError; `prefix` is the section's name in messages.
  void validate(const std::string& prefix) const;
};

}  // namespace memsizer::text
