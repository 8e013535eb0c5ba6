#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/generation_bench.h"
#include "model/variant.h"

namespace memsizer::bench {

// What is varied; each list has at least one value.
struct SweepLists {
  std::vector<Variant> variants;
  std::vector<std::string> precisions = {"fp32"};
  std::vector<int> threads = {1};
  std::vector<int64_t> batches = {1};
  std::vector<int64_t> beams = {1};
  std::vector<int64_t> lengths = {64};
  std::vector<int64_t> shortlists = {0};
};

struct SweepPoint {
  Variant variant;
  std::string precision;
  GenerationPoint point;
};

struct SweepMeasurement {
  SweepPoint at;
  std::optional<GenerationResult> result;  // none: it did not survive, such as for lack of memory
};

// "fp32", "bf16" or "int8"; anything else is a UserError.
WeightType precision_of(const std::string& name);

// Every combination, variants fastest: on a shared machine only what is measured in a row can be compared.
// `like` gives what is not varied, its configuration being the base. A value that no model can have is a
// UserError.
std::vector<SweepPoint> sweep_points(const SweepLists& lists, const GenerationPoint& like);

// Measures in a process of its own: what another measurement left in memory does not count, and one that
// dies does not end the others. No thread of this process may be running.
std::optional<GenerationResult> measure_apart(const GenerationPoint& point);

}  // namespace memsizer::bench
