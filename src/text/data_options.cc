#include "text/data_options.h"

#include <array>
#include <cmath>

#include "core/error.h"

namespace memsizer {

template <>
std::span<const std::pair<text::TokenizerType, std::string_view>> enum_names<text::TokenizerType>() {
  using enum text::TokenizerType;
  static constexpr std::array kNames = {std::pair{Unigram, std::string_view("unigram")},
                                        std::pair{Bpe, std::string_view("bpe")},
                                        std::pair{Words, std::string_view("words")}};
  return kNames;
}

template <>
std::span<const std::pair<text::CorpusFormat, std::string_view>> enum_names<text::CorpusFormat>() {
  using enum text::CorpusFormat;
  static constexpr std::array kNames = {
      std::pair{Parallel, std::string_view("parallel")}, std::pair{Tsv, std::string_view("tsv")},
      std::pair{JsonLines, std::string_view("jsonl")}, std::pair{Text, std::string_view("text")}};
  return kNames;
}

template <>
std::span<const std::pair<text::BadLine, std::string_view>> enum_names<text::BadLine>() {
  using enum text::BadLine;
  static constexpr std::array kNames = {std::pair{Skip, std::string_view("skip")},
                                        std::pair{Stop, std::string_view("stop")}};
  return kNames;
}

template <>
std::span<const std::pair<text::OverLong, std::string_view>> enum_names<text::OverLong>() {
  using enum text::OverLong;
  static constexpr std::array kNames = {std::pair{Skip, std::string_view("skip")},
                                        std::pair{Truncate, std::string_view("truncate")},
                                        std::pair{Stop, std::string_view("stop")}};
  return kNames;
}

}  // namespace memsizer

namespace memsizer::text {
namespace {

// Four special tokens and one of text.
constexpr int64_t kMinVocab = 5;
// Larger ones are typing mistakes.
constexpr int64_t kMaxVocab = int64_t{1} << 24;
constexpr int64_t kMaxTokens = int64_t{1} << 30;
constexpr int64_t kMaxLines = int64_t{1} << 40;

// A field's full name, for messages.
std::string in_section(const std::string& prefix, std::string_view field) {
  return prefix.empty() ? std::string(field) : fmt::format("{}.{}", prefix, field);
}

void require_range(const std::string& field, int64_t value, int64_t low, int64_t high) {
  if (value >= low && value <= high) return;
  throw UserError("{} is {}; it must be from {} to {}", field, value, low, high);
}

void validate_files(const std::string& field, const std::vector<std::string>& files, CorpusFormat format) {
  if (format == CorpusFormat::Parallel && files.size() != 2) {
    throw UserError(
        "{} lists {} file{}; format parallel takes two, source and target, such as [\"train.en\", "
        "\"train.de\"]",
        field, files.size(), files.size() == 1 ? "" : "s");
  }
  for (const std::string& file : files) {
    if (file.empty()) throw UserError("{} lists an empty file name; give a path or leave it out", field);
  }
}

}  // namespace

void TokenizerOptions::validate(const std::string& prefix) const {
  const bool keeps_all = type == TokenizerType::Words && vocab == 0;
  if (!keeps_all && (vocab < kMinVocab || vocab > kMaxVocab)) {
    throw UserError("{} is {}; it must be from {} to {}{}", in_section(prefix, "vocab"), vocab, kMinVocab,
                    kMaxVocab, type == TokenizerType::Words ? ", or 0 for all words" : "");
  }
  if (source_vocab != 0) {
    require_range(in_section(prefix, "source_vocab"), source_vocab, kMinVocab, kMaxVocab);
    if (joint) {
      throw UserError("{} is {}, but {} is true, so there is only one vocabulary; set {}=false or drop it",
                      in_section(prefix, "source_vocab"), source_vocab, in_section(prefix, "joint"),
                      in_section(prefix, "joint"));
    }
  }
  if (joint && !source_model.empty()) {
    throw UserError("{} is '{}', but {} is true, so {} serves both sides; set {}=false or drop it",
                    in_section(prefix, "source_model"), source_model, in_section(prefix, "joint"),
                    in_section(prefix, "model"), in_section(prefix, "joint"));
  }
  // SentencePiece takes no less.
  const double least_coverage = type == TokenizerType::Words ? 0.0 : 0.98;
  if (!(character_coverage >= least_coverage && character_coverage <= 1.0)) {
    throw UserError("{} is {}; it must be from {} to 1", in_section(prefix, "character_coverage"),
                    character_coverage, least_coverage);
  }
  require_range(in_section(prefix, "min_count"), min_count, 1, kMaxLines);
  require_range(in_section(prefix, "max_training_lines"), max_training_lines, 1, kMaxLines);
}

std::filesystem::path DataOptions::resolve(const std::string& file) const {
  // An absolute file replaces the directory, and an empty directory adds nothing.
  return std::filesystem::path(directory) / file;
}

void DataOptions::validate(const std::string& prefix) const {
  if (train.empty()) {
    throw UserError("{} lists no file; expected {}", in_section(prefix, "train"),
                    format == CorpusFormat::Parallel ? "two, source and target" : "at least one");
  }
  validate_files(in_section(prefix, "train"), train, format);
  if (!valid.empty()) validate_files(in_section(prefix, "valid"), valid, format);
  if (!test.empty()) validate_files(in_section(prefix, "test"), test, format);
  if (format == CorpusFormat::JsonLines) {
    if (source_key.empty()) throw UserError("{} is empty; name a key", in_section(prefix, "source_key"));
    if (target_key.empty()) throw UserError("{} is empty; name a key", in_section(prefix, "target_key"));
    if (source_key == target_key) {
      throw UserError("{} and {} are both '{}'; name two different keys", in_section(prefix, "source_key"),
                      in_section(prefix, "target_key"), source_key);
    }
  }
  // One text token and the end token.
  require_range(in_section(prefix, "max_source_tokens"), max_source_tokens, 2, kMaxTokens);
  require_range(in_section(prefix, "max_target_tokens"), max_target_tokens, 2, kMaxTokens);
  // Between 0 and 1, not even sides of equal length would be kept.
  if (max_ratio != 0.0 && !(std::isfinite(max_ratio) && max_ratio >= 1.0)) {
    throw UserError("{} is {}; it must be at least 1, or 0 to keep all", in_section(prefix, "max_ratio"),
                    max_ratio);
  }
  if (format == CorpusFormat::Text && !tokenizer.joint) {
    throw UserError("{} is false, but format text has no source; set it to true",
                    in_section(prefix, "tokenizer.joint"));
  }
  tokenizer.validate(in_section(prefix, "tokenizer"));
}

}  // namespace memsizer::text
