#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/generator.h"

namespace memsizer::engine {

// One result per line, in their order; random numbers by the number of the line. Throws what the first line
// that fails throws.
std::vector<Result> generate_lines(Generator& generator, std::span<const std::string> lines,
                                   const GenerationOptions& options);

struct PipelineSettings {
  GenerationOptions generation;
  GeneratorOptions generator;
  int64_t read_ahead = 4096;  // lines that are sorted by length together

  void validate() const;
};

// Lines in, results out, in the order of the lines, one for each: reads ahead, sorts by length, and lets a
// generator work on them. Lines that have come already are submitted together, so it is fast on files and
// answers at once on a terminal.
class LinePipeline {
 public:
  // `model` must outlive it.
  LinePipeline(const TextModel& model, const PipelineSettings& settings);

  // False at the end of the input.
  using ReadLine = std::function<bool(std::string& line)>;
  // `line` counts from 0.
  using WriteResult = std::function<void(uint64_t line, const std::string& source, const Result& result)>;

  // One result per line.
  std::vector<Result> generate(std::span<const std::string> lines) {
    return generate_lines(generator_, lines, settings_.generation);
  }

  // Returns when all input is done. A line that the model cannot read has an empty output and a shortfall.
  // What else reading, computing or writing throws is thrown on. `first` is the number of the first line that
  // is read: others may have been done before. `stop_reading` makes a `read` that waits on another thread
  // return false; without it, a failure is thrown only when the next line has come.
  void run(
      const ReadLine& read, const WriteResult& write, uint64_t first = 0,
      const std::function<void()>& stop_reading = [] {});

 private:
  PipelineSettings settings_;
  Generator generator_;
};

}  // namespace memsizer::engine
