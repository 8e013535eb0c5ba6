// Forward plus backward of one causal layer, for every mechanism over sequence length and slots.
//
//   bench_mixers                                          the whole sweep (long)
//   bench_mixers --benchmark_filter='T:512/|T:512$'       one length
//   bench_mixers --promises                               the ratios that docs/performance.md promises
//   bench_mixers --options                                what each option of MemSizer costs
//   bench_mixers --keep-memory …                          with malloc set as the trainer sets it, not as
//   LibTorch finds it
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/blas_kernels.h"
#include "core/options.h"
#include "mechanisms/registry.h"
#include "memory_meter.h"
#include "model/variant.h"
#include "nn/mixer.h"
#include "quadratic_memsizer.h"
#include "ratio_reporter.h"
#include "train/process.h"

namespace memsizer::bench {
namespace {

constexpr int64_t kDim = 512;
constexpr int64_t kHeads = 8;
constexpr int64_t kBatch = 4;
constexpr int kRepetitions = 12;  // interleaved by --promises and --options; the best one counts
constexpr double kSecondsEach = 0.1;
constexpr int64_t kLengths[] = {32, 64, 128, 256, 512, 1024, 2048, 4096};
constexpr int64_t kSlots[] = {4, 8, 16, 32, 64, 128};

struct Case {
  Mechanism mechanism;
  bool quadratic;
  int64_t time;
  int64_t slots;             // 0: the mechanism has none
  nlohmann::json with = {};  // its other options
};

std::shared_ptr<nn::Mixer> make_layer(const Case& which) {
  MixerConfig config{
      .mechanism = which.mechanism, .position = Position::CausalSelf, .dim = kDim, .heads = kHeads};
  std::vector<OptionRef> options;
  config.mechanism_options.collect("model", options);
  const auto set = [&](std::string_view name, const nlohmann::json& value) {
    const std::string path = fmt::format("model.{}.{}", which.mechanism.name(), name);
    if (const OptionRef* option = find_option(options, path)) option->set(value);
  };
  if (which.slots > 0) set(fmt::format("causal_{}", size_name(which.mechanism)), which.slots);
  set("max_length", which.time);
  for (const auto& [name, value] : which.with.items()) set(name, value);
  std::shared_ptr<nn::Mixer> mixer = nn::make_mixer(config);
  auto generator = at::detail::createCPUGenerator(1);
  mixer->initialise(generator);
  return mixer;
}

void run(benchmark::State& state, const Case& which) {
  const std::shared_ptr<nn::Mixer> mixer = make_layer(which);
  auto generator = at::detail::createCPUGenerator(2);
  const at::Tensor x = at::randn({which.time, kBatch, kDim}, generator, at::kFloat).requires_grad_();
  const at::Tensor gradient = at::randn({which.time, kBatch, kDim}, generator, at::kFloat);
  const auto forward_backward = [&] {
    const at::Tensor out = which.quadratic ? quadratic_memsizer(*mixer, x) : mixer->forward(x);
    out.backward(gradient);
    mixer->zero_grad(/*set_to_none=*/true);
    x.mutable_grad() = at::Tensor();
  };
  // Gradients of the parameters and the input are part of the layer's peak, as they are in training.
  reset_peak();
  forward_backward();
  const auto peak = static_cast<double>(peak_bytes()) / 1e6;
  for ([[maybe_unused]] auto _ : state) forward_backward();
  state.counters["peak_MB"] = peak;
  state.counters["us_per_token"] =
      benchmark::Counter(static_cast<double>(which.time * kBatch) * 1e-6,
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void add(const Case& which, bool slow) {
  const std::string_view prefix = which.quadratic ? "quadratic-" : "";
  std::string name = fmt::format("causal/{}{}/T:{}", prefix, which.mechanism.name(), which.time);
  if (which.slots > 0) name += fmt::format("/k:{}", which.slots);
  for (const auto& [option, value] : which.with.items()) name += fmt::format("/{}:{}", option, value.dump());
  auto* registered =
      benchmark::RegisterBenchmark(name.c_str(), [which](benchmark::State& state) { run(state, which); });
  registered->Unit(benchmark::kMillisecond)->UseRealTime();
  if (slow) {
    registered->Iterations(1);
  } else {
    registered->MinTime(kSecondsEach)->Repetitions(kRepetitions)->ReportAggregatesOnly(true);
    // Noise only ever adds, so the best repetition is the measurement.
    registered->ComputeStatistics("best",
                                  [](const std::vector<double>& values) { return std::ranges::min(values); });
  }
}

void add_sweep() {
  for (const Mechanism& mechanism : mechanisms()) {
    if (!mechanism.traits().causal_self) continue;
    for (const int64_t time : kLengths) {
      if (size_name(mechanism).empty()) {
        add({mechanism, false, time, 0}, false);
        continue;
      }
      for (const int64_t slots : kSlots) add({mechanism, false, time, slots}, false);
    }
  }
  for (const int64_t time : kLengths) {
    for (const int64_t slots : kSlots) {
      // Past this the quadratic form needs tens of gigabytes and minutes a step.
      if (time * slots > 2048 * 128) continue;
      add({mechanism_named("memsizer"), true, time, slots}, time * slots >= 1024 * 32);
    }
  }
}

void add_promises() {
  add({mechanism_named("memsizer"), true, 512, 32}, false);
  for (const int64_t slots : {4, 32}) add({mechanism_named("memsizer"), false, 512, slots}, false);
  add({mechanism_named("softmax"), false, 512, 0}, false);
  add({mechanism_named("memsizer"), false, 4096, 32}, false);
  add({mechanism_named("memsizer"), false, 2048, 32}, false);
  add({mechanism_named("memsizer"), false, 2048, 128}, false);
  add({mechanism_named("memsizer"), true, 2048, 32}, true);
  add({mechanism_named("memsizer"), true, 2048, 128}, true);
}

// What each option that goes past the paper costs a layer, beside the published form, softmax and the preset.
void add_options() {
  constexpr int64_t kCausalSlots = 16;
  for (const int64_t time : {128, 1024}) {
    for (const nlohmann::json& with : std::initializer_list<nlohmann::json>{nlohmann::json::object(),
                                                                            {{"causal_read", "mean"}},
                                                                            {{"causal_groups", 4}},
                                                                            {{"causal_forget", true}},
                                                                            {{"causal_convolution", 4}},
                                                                            {{"causal_gate", true}},
                                                                            {{"causal_output", true}},
                                                                            {{"causal_window", 32}}}) {
      add({mechanism_named("memsizer"), false, time, kCausalSlots, with}, false);
    }
    add({mechanism_named("memsizer-plus"), false, time, kCausalSlots}, false);
    add({mechanism_named("softmax"), false, time, 0}, false);
  }
}

}  // namespace
}  // namespace memsizer::bench

int main(int argc, char** argv) {
  using namespace memsizer::bench;
  memsizer::restart_with_blas_kernels(argv);
  void (*add_cases)() = add_sweep;
  bool keep_memory = false;
  std::vector<char*> arguments;
  for (int i = 0; i < argc; ++i) {
    if (std::strcmp(argv[i], "--promises") == 0) {
      add_cases = add_promises;
    } else if (std::strcmp(argv[i], "--options") == 0) {
      add_cases = add_options;
    } else if (std::strcmp(argv[i], "--keep-memory") == 0) {
      keep_memory = true;
    } else {
      arguments.push_back(argv[i]);
    }
  }
  memsizer::train::set_threads(0);
  if (keep_memory) memsizer::train::keep_tensor_memory();
  install_memory_meter();
  std::string interleave = "--benchmark_enable_random_interleaving=true";
  if (add_cases != add_sweep) arguments.push_back(interleave.data());
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;
  add_cases();
  RatioReporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
}
