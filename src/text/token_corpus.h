#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/mapped_file.h"
#include "text/example_reader.h"
#include "text/tokenizer.h"

namespace memsizer::text {

// A tokenised corpus in one memory-mapped file, so that it may be larger than memory. Sequences end with the
// end token. A language model's corpus has empty sources, and its targets joined are the stream.
class TokenCorpus {
 public:
  // Opens the cache file made from the same file contents, tokenizers and options, or makes it anew; it is
  // written atomically. A stale or damaged cache is rebuilt, never trusted. `report` describes the corpus
  // also when it came from the cache. Progress is called now and then with the number of lines read.
  static TokenCorpus open(const DataOptions& options, const std::vector<std::string>& files,
                          const Tokenizer* source_tokenizer, const Tokenizer& target_tokenizer,
                          bool filter_lengths, const std::filesystem::path& cache_directory,
                          CorpusReport& report, const std::function<void(int64_t lines)>& progress = {});

  int64_t size() const;
  std::span<const int32_t> source(int64_t index) const;
  std::span<const int32_t> target(int64_t index) const;
  // Line of the corpus the example came from, from 1: for messages.
  int64_t line(int64_t index) const;
  // All targets one after another.
  std::span<const int32_t> stream() const;
  // Of the contents: equal corpora have equal keys.
  const std::string& key() const;
};

}  // namespace memsizer::text
