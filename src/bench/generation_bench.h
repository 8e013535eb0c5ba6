#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/weight_type.h"
#include "model/model_config.h"

namespace memsizer::bench {

// One measurement of generation with random weights.
struct GenerationPoint {
  ModelConfig config;
  WeightType type = WeightType::F32;
  int threads = 1;
  int64_t batch = 1;
  int64_t beam = 1;           // 1 is greedy; more search as translate does
  int64_t length = 64;        // tokens generated a row
  int64_t source_length = 0;  // tokens of a source; 0: as many
  int64_t shortlist = 0;      // tokens that each row chooses among, drawn by Zipf's law; 0: all
  bool every_step = false;    // otherwise long greedy generations are timed at some of their steps
  int repeats = 3;            // of the whole, at least
  double seconds = 2.0;       // at least so long, if a generation is shorter

  int64_t source_tokens() const { return source_length > 0 ? source_length : length; }
};

struct GenerationResult {
  double tokens_per_second = 0;       // of the decoder, all rows together: a median
  double slow_tokens_per_second = 0;  // if each step were as slow as the slowest tenth at its place
  double fast_tokens_per_second = 0;
  double encoder_seconds = 0;  // to read the sources, encoder and cross-attention's memory: a median
  double step_p50 = 0;         // seconds of a step
  double step_p95 = 0;
  double gflops = 0;         // useful operations a second
  double peak_gflops = 0;    // of multiply-adds in registers, in the same run
  double read_fraction = 0;  // time of a plain read of the step's weights over the time of the step
  double read_gbytes = 0;    // of that plain read, GB/s
  int64_t peak_resident_bytes = 0;
  int64_t resident_growth = 0;  // from the end of the first 64 steps to the end
  int64_t state_bytes = 0;      // of all rows at the end, what the sources left included
  int64_t weight_bytes = 0;
  int64_t steps_timed = 0;
  int64_t repeats = 0;
};

GenerationResult measure_generation(const GenerationPoint& point);

}  // namespace memsizer::bench
