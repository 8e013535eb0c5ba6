#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "text/example_reader.h"
#include "text/token_file.h"
#include "text/tokenizer.h"

namespace memsizer::text {

// Makes the file of a TokenCorpus from examples: encodes them, ends them with the end token and holds them to
// the limits on lengths. What it does to an example is counted in the report.
class CorpusBuilder {
 public:
  // Creates `directory`, where the tokens wait until the file is finished. The arguments must outlive the
  // builder; those named as for TokenCorpus::open mean the same.
  CorpusBuilder(const DataOptions& options, const Tokenizer* source_tokenizer,
                const Tokenizer& target_tokenizer, bool filter_lengths,
                const std::filesystem::path& directory, CorpusReport& report,
                std::function<void(int64_t lines)> progress = {});

  // Takes all examples of the reader; the names are those of its files, for messages.
  void add(ExampleReader& reader, const std::string& source_name, const std::string& target_name);

  // Writes the file. Throws UserError if no example was kept.
  void finish(const std::filesystem::path& path, std::string_view key);

 private:
  struct Side {
    const char* name;    // "source"
    const char* option;  // "data.max_source_tokens"
    int64_t limit;
    std::string file;
    std::vector<int32_t> ids;

    bool over_long() const { return static_cast<int64_t>(ids.size()) > limit; }
    std::string place(int64_t line) const;
    std::string kind(std::string_view done) const;
    void truncate();
  };

  void encode(const Example& example);
  // Whether the example stays, shortened if need be.
  bool hold_to_limits(int64_t line);
  bool hold_training_pair(int64_t line);
  bool ratio_exceeded() const;
  [[noreturn]] void stop(int64_t line) const;
  std::string no_examples_text() const;

  const DataOptions& options_;
  const Tokenizer& source_tokenizer_;
  const Tokenizer& target_tokenizer_;
  bool filter_lengths_;
  CorpusReport& report_;
  std::function<void(int64_t lines)> progress_;
  TokenFileWriter writer_;
  Side source_;
  Side target_;
  std::vector<std::string> files_;
  int64_t lines_before_ = 0;  // in the files that are done
};

}  // namespace memsizer::text
