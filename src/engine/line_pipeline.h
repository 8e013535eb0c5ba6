#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/generation.h"

namespace memsizer::engine {

struct PipelineSettings {
  GenerationSettings generation;
  int threads = 0;              // of each worker; 0: the physical cores, shared among the workers
  int workers = 1;              // batches computed at once, on shared weights
  int64_t batch_tokens = 4096;  // of sources in a batch
  int64_t batch_rows = 64;      // inputs in a batch
  int64_t read_ahead = 4096;    // lines that are sorted by length together

  void validate() const;
};

// Lines in, results out, in the order of the lines, one for each: reads ahead, sorts by length, computes in
// batches on several workers. Lines that are there already are computed together, so it is fast on files and
// answers at once on a terminal.
class LinePipeline {
 public:
  // `model` must outlive it.
  LinePipeline(const TextModel& model, const PipelineSettings& settings);

  // False at the end of the input.
  using ReadLine = std::function<bool(std::string& line)>;
  // `line` counts from 0.
  using WriteResult = std::function<void(uint64_t line, const std::string& source, const Result& result)>;

  // One result a line.
  std::vector<Result> generate(std::span<const std::string> lines) { return compute(lines, 0); }

  // Returns when all input is done. What reading, computing or writing throws is thrown on.
  void run(const ReadLine& read, const WriteResult& write);

 private:
  std::vector<Result> compute(std::span<const std::string> lines, uint64_t first_line);

  const TextModel& model_;
  PipelineSettings settings_;
  std::vector<std::unique_ptr<runtime::Work>> works_;  // of each worker
};

}  // namespace memsizer::engine
