#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "text/data_options.h"

namespace memsizer::text {

// One item of a corpus as text. A language model's line has only a target.
struct Example {
  std::string source;
  std::string target;
  int64_t line = 0;  // from 1, in the file it came from
};

// What was found in a corpus and what was done about it. Nothing is dropped that is not counted here.
struct CorpusReport {
  struct Finding {
    int64_t count = 0;
    std::vector<std::string> places;  // the first few, as "file:line"
  };

  int64_t examples = 0;       // kept
  int64_t source_tokens = 0;  // kept, end tokens included
  int64_t target_tokens = 0;
  std::map<std::string, Finding> findings;  // by kind, as "invalid UTF-8 (skipped)"

  void add(const std::string& kind, const std::string& place);
  // One line a finding: "train.de: empty side (skipped) in 7 lines, first at train.de:16510, ...".
  std::vector<std::string> lines() const;
};

// Reads examples one by one. Problems of a single line are skipped and counted in the report, or stop the
// run, as the options say; files of different numbers of lines always stop it (UserError with both counts).
class ExampleReader {
 public:
  virtual ~ExampleReader() = default;
  virtual bool next(Example& example) = 0;
};

// `files` as DataOptions lists them (already one of its train, valid, test). A missing, unreadable, binary
// or empty file is a UserError. Files ending in .gz are decompressed. Sources and targets have their white
// space normalised if the options say so; in a text corpus every line counts, empty ones too. Findings go to
// `report`, which must outlive the reader; its other counts are left to the caller. A corpus of which no line
// can be used is a UserError at its end.
std::unique_ptr<ExampleReader> open_examples(const DataOptions& options,
                                             const std::vector<std::string>& files, CorpusReport& report);

}  // namespace memsizer::text
