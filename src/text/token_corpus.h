#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "text/example_reader.h"
#include "text/token_file.h"
#include "text/tokenizer.h"

namespace memsizer::text {

// A tokenised corpus in one memory-mapped file, so that it may be larger than memory. Sequences end with the
// end token. A language model's corpus has empty sources, and its targets joined are the stream.
class TokenCorpus {
 public:
  // Opens the cache file made from the same file contents, tokenizers and options, or makes it anew; it is
  // written atomically. A stale or damaged cache is rebuilt, never trusted. `report` describes the corpus
  // also when it came from the cache. Progress is called now and then with the number of lines read.
  // Without a source tokenizer the target's serves both sides. `filter_lengths` holds pairs to the limits of
  // the options (training); otherwise none is dropped, but over_long = truncate still shortens sources. The
  // lines of format text are never held to them.
  static TokenCorpus open(const DataOptions& options, const std::vector<std::string>& files,
                          const Tokenizer* source_tokenizer, const Tokenizer& target_tokenizer,
                          bool filter_lengths, const std::filesystem::path& cache_directory,
                          CorpusReport& report, const std::function<void(int64_t lines)>& progress = {});

  int64_t size() const { return file_.size(); }
  std::span<const int32_t> source(int64_t index) const { return file_.source(index); }
  std::span<const int32_t> target(int64_t index) const { return file_.target(index); }
  // Line of the corpus the example came from, from 1: for messages.
  int64_t line(int64_t index) const { return file_.line(index); }
  // All targets one after another.
  std::span<const int32_t> stream() const { return file_.targets(); }
  // Of the contents: equal corpora have equal keys.
  const std::string& key() const { return file_.key(); }

 private:
  explicit TokenCorpus(TokenFile file) : file_(std::move(file)) {}

  TokenFile file_;
};

}  // namespace memsizer::text
