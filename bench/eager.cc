// Generation by LibTorch, one operation after the other, against the runtime: the same language model with
// random weights, one row, greedy, in one run. LibTorch's threads are chosen as is best for it.
#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "bench/generation_bench.h"
#include "core/blas_kernels.h"
#include "kernels/team.h"
#include "model/presets.h"
#include "nn/language_model.h"
#include "train/process.h"

namespace memsizer::bench {
namespace {

constexpr int64_t kSteps = 64;
constexpr int kRounds = 5;

ModelConfig small_language_model() {
  ModelConfig config = preset_config("wiki103");
  config.adaptive.cutoffs.clear();
  config.vocab = 8192;
  config.dim = 512;
  config.decoder.layers = 6;
  config.decoder.ffn = 2048;
  config.decoder.final_norm = true;
  config.validate();
  return config;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

double eager_rate(nn::LanguageModel& model, int threads) {
  train::set_threads(threads);
  const torch::InferenceMode inference;
  nn::DecoderState state = model->start(1);
  at::Tensor token = at::full({1, 1}, 5, at::kLong);
  std::vector<double> seconds;
  for (int64_t step = 0; step < kSteps; ++step) {
    const auto start = std::chrono::steady_clock::now();
    token = model->advance(token, state).argmax(-1);
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return 1.0 / median(seconds);
}

double runtime_rate(const ModelConfig& config, WeightType type) {
  GenerationPoint point;
  point.config = config;
  point.type = type;
  point.threads = kernels::physical_cores();
  point.length = kSteps;
  point.seconds = 0.5;
  return measure_generation(point).tokens_per_second;
}

int run() {
  const ModelConfig config = small_language_model();
  nn::LanguageModel model(config);
  auto generator = at::detail::createCPUGenerator(1);
  model->initialise(generator);
  model->eval();
  std::vector<double> eager;
  std::vector<double> fp32;
  std::vector<double> int8;
  for (int round = 0; round < kRounds; ++round) {
    eager.push_back(std::max(eager_rate(model, 1), eager_rate(model, kernels::physical_cores())));
    fp32.push_back(runtime_rate(config, WeightType::F32));
    int8.push_back(runtime_rate(config, WeightType::I8));
  }
  fmt::print(
      "| language model, d {}, {} layers, feed-forward {}, vocabulary {}, one row | tokens/s | of LibTorch "
      "|\n"
      "|---|---|---|\n",
      config.dim, config.decoder.layers, config.decoder.ffn, config.vocab);
  const auto print = [&](const char* name, const std::vector<double>& rates) {
    fmt::print("| {} | {:.0f} | {:.1f} |\n", name, median(rates), median(rates) / median(eager));
  };
  print("LibTorch, operation by operation", eager);
  print("runtime, fp32", fp32);
  print("runtime, int8", int8);
  return 0;
}

}  // namespace
}  // namespace memsizer::bench

int main(int /*argc*/, char** argv) {
  memsizer::restart_with_blas_kernels(argv);
  memsizer::train::keep_tensor_memory();
  return memsizer::bench::run();
}
