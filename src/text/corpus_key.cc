#include "text/corpus_key.h"

#include <fmt/format.h>

#include "core/content_hash.h"
#include "core/enum_value.h"
#include "core/mapped_file.h"

namespace memsizer::text {
namespace {

// To be raised when the same files and options come to give other tokens, so that old caches are not taken.
constexpr int kRules = 1;

std::string options_text(const DataOptions& options, bool filter_lengths) {
  std::string text = fmt::format("rules {} format {} normalize_space {} invalid_utf8 {} empty_side {}",
                                 kRules, enum_name(options.format), options.normalize_space,
                                 enum_name(options.invalid_utf8), enum_name(options.empty_side));
  if (options.format == CorpusFormat::Text) return text;
  text += fmt::format(" over_long {} max_source_tokens {} max_target_tokens {} filter_lengths {}",
                      enum_name(options.over_long), options.max_source_tokens, options.max_target_tokens,
                      filter_lengths);
  if (filter_lengths) text += fmt::format(" max_ratio {}", options.max_ratio);
  return text;
}

}  // namespace

std::string corpus_key(const DataOptions& options, std::span<const std::filesystem::path> files,
                       const Tokenizer* source_tokenizer, const Tokenizer& target_tokenizer,
                       bool filter_lengths) {
  ContentHash hash;
  hash.field(options_text(options, filter_lengths));
  if (options.format == CorpusFormat::JsonLines) {
    hash.field(options.source_key);
    hash.field(options.target_key);
  }
  if (options.format != CorpusFormat::Text) {
    hash.field((source_tokenizer ? *source_tokenizer : target_tokenizer).serialized());
  }
  hash.field(target_tokenizer.serialized());
  for (const std::filesystem::path& file : files) {
    // The same bytes are read otherwise when the name says that they are compressed.
    hash.field(file.extension() == ".gz" ? "gz" : "plain");
    hash.field(MappedFile::open(file).bytes());
  }
  return hash.hex();
}

}  // namespace memsizer::text
