#include "text/token_corpus.h"

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "core/error.h"
#include "text/corpus_builder.h"
#include "text/corpus_key.h"

namespace memsizer::text {
namespace {

namespace fs = std::filesystem;

void add_files(CorpusBuilder& builder, const DataOptions& options, const std::vector<std::string>& files,
               CorpusReport& report) {
  const std::unique_ptr<ExampleReader> reader = open_examples(options, files, report);
  builder.add(*reader, files.front(), files.back());
}

void add_examples(CorpusBuilder& builder, const DataOptions& options, const std::vector<std::string>& files,
                  CorpusReport& report) {
  if (options.format == CorpusFormat::Parallel) return add_files(builder, options, files, report);
  // A mistake in the last file shows before the first has been read.
  open_examples(options, files, report);
  // One at a time, so that messages name the file a line is in.
  for (const std::string& file : files) add_files(builder, options, {file}, report);
}

}  // namespace

TokenCorpus TokenCorpus::open(const DataOptions& options, const std::vector<std::string>& files,
                              const Tokenizer* source_tokenizer, const Tokenizer& target_tokenizer,
                              bool filter_lengths, const fs::path& cache_directory, CorpusReport& report,
                              const std::function<void(int64_t lines)>& progress) {
  if (files.empty()) throw UserError("found no files of text, expected at least one; list them in data");
  std::vector<fs::path> paths;
  for (const std::string& file : files) paths.push_back(options.resolve(file));
  const std::string key = corpus_key(options, paths, source_tokenizer, target_tokenizer, filter_lengths);
  const fs::path path = cache_directory / fmt::format("{}.tokens", key);
  std::optional<TokenFile> file = TokenFile::open(path, key);
  if (!file) {
    report = {};
    CorpusBuilder builder(options, source_tokenizer, target_tokenizer, filter_lengths, cache_directory,
                          report, progress);
    add_examples(builder, options, files, report);
    builder.finish(path, key);
    file = TokenFile::open(path, key);
  }
  if (!file) {
    throw UserError("'{}' is damaged though it was just written; set data.cache to a folder on a sound disk",
                    path.string());
  }
  report = file->report();
  return TokenCorpus(std::move(*file));
}

}  // namespace memsizer::text
