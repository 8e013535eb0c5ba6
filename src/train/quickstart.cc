#include "train/quickstart.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/presets.h"
#include "core/state_size.h"
#include "core/tensor_list.h"
#include "nn/encoder_decoder.h"
#include "train/losses.h"
#include "train/number_words.h"
#include "train/process.h"

namespace memsizer::train {
namespace {

using at::Tensor;

constexpr int64_t kBatch = 64;
constexpr double kPeakLearningRate = 2e-3;
constexpr int64_t kWarmup = 100;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

ModelConfig tiny_config(const NumberWords& task, Mechanism decoder) {
  ModelConfig config = preset_config("tiny");
  config.vocab = task.vocab();
  config.dropout = 0.0;
  config.decoder.self = config.decoder.cross = decoder;
  config.validate();
  return config;
}

nn::EncoderDecoder build(const ModelConfig& config, int64_t seed) {
  nn::EncoderDecoder model(config);
  auto generator = at::detail::createCPUGenerator(static_cast<uint64_t>(seed));
  model->initialise(generator);
  return model;
}

// Numbers of every length from one digit to six, so that short ones are not rare.
std::vector<int64_t> draw_numbers(std::mt19937_64& random, int64_t count, bool held_out) {
  std::vector<int64_t> numbers;
  while (static_cast<int64_t>(numbers.size()) < count) {
    const auto limit = static_cast<int64_t>(std::pow(10.0, static_cast<double>(1 + random() % 6)));
    const auto number = static_cast<int64_t>(random() % static_cast<uint64_t>(limit));
    if (NumberWords::held_out(number) == held_out) numbers.push_back(number);
  }
  return numbers;
}

// Decoder input: the target shifted right by one, the end token first.
Tensor shifted(const Tensor& targets) {
  const Tensor start = at::full({targets.size(0), 1}, kEos, at::kLong);
  return at::cat({start, targets.slice(1, 0, targets.size(1) - 1)}, 1);
}

double learning_rate(int64_t step) {
  const double n = static_cast<double>(step + 1);
  const double w = static_cast<double>(kWarmup);
  return kPeakLearningRate * std::min(n / w, std::sqrt(w / n));
}

void train_model(nn::EncoderDecoder& model, const NumberWords& task, const QuickstartOptions& options) {
  torch::optim::Adam optimizer(model->parameters(),
                               torch::optim::AdamOptions(kPeakLearningRate).betas({0.9, 0.98}));
  std::mt19937_64 random(static_cast<uint64_t>(options.seed));
  const nn::Pass pass{.training = true,
                      .generator = at::detail::createCPUGenerator(static_cast<uint64_t>(options.seed))};
  const bool on_terminal = isatty(STDERR_FILENO) != 0;
  const auto start = std::chrono::steady_clock::now();
  for (int64_t step = 0; step < options.steps; ++step) {
    for (auto& group : optimizer.param_groups()) {
      static_cast<torch::optim::AdamOptions&>(group.options()).lr(learning_rate(step));
    }
    const std::vector<int64_t> numbers = draw_numbers(random, kBatch, /*held_out=*/false);
    const Tensor targets = task.targets(numbers);
    const Tensor logits = model->forward(task.sources(numbers), shifted(targets), pass);
    const Loss loss = label_smoothed_loss(logits.flatten(0, 1), targets.flatten(), 0.1);
    const double tokens = targets.ne(kPad).sum().item<double>();
    optimizer.zero_grad();
    (loss.value / tokens).backward();
    optimizer.step();
    const bool last = step + 1 == options.steps;
    if ((step + 1) % (on_terminal ? 20 : 150) != 0 && !last) continue;
    const double done = static_cast<double>(step + 1) / static_cast<double>(options.steps);
    fmt::print(stderr, "{}training {:>3.0f} %  loss {:.3f}  {:.0f} s left{}", on_terminal ? "\r" : "",
               100.0 * done, loss.nll.item<double>() / tokens, seconds_since(start) * (1.0 / done - 1.0),
               on_terminal && !last ? "   " : "\n");
  }
}

// Greedy generation from the recurrent state, until every row has ended: [batch, tokens].
Tensor generate(nn::EncoderDecoder& model, const Tensor& sources, int64_t most_tokens) {
  torch::NoGradGuard no_grad;
  nn::DecoderState state = model->start(sources);
  Tensor token = at::full({sources.size(0), 1}, kEos, at::kLong);
  Tensor ended = at::zeros({sources.size(0), 1}, at::kBool);
  std::vector<Tensor> tokens;
  for (int64_t t = 0; t < most_tokens && !ended.all().item<bool>(); ++t) {
    Tensor scores = model->advance(token, state);
    scores.select(2, kPad).fill_(-std::numeric_limits<float>::infinity());
    token = scores.argmax(2).masked_fill(ended, kEos);
    ended = ended.logical_or(token.eq(kEos));
    tokens.push_back(token);
  }
  return at::cat(tokens, 1);
}

double show_unseen(nn::EncoderDecoder& model, const NumberWords& task, int64_t seed) {
  constexpr int64_t kTested = 500;
  constexpr int64_t kShown = 6;
  std::mt19937_64 random(static_cast<uint64_t>(seed) + 1);
  const std::vector<int64_t> numbers = draw_numbers(random, kTested, /*held_out=*/true);
  const Tensor output = generate(model, task.sources(numbers), 24);
  int64_t right = 0;
  fmt::print("\nnumbers that training never saw\n");
  for (int64_t i = 0; i < kTested; ++i) {
    const std::string text = task.text(output[i]);
    const bool correct = text == NumberWords::in_words(numbers[i]);
    right += correct ? 1 : 0;
    if (i < kShown) fmt::print("  {:>6}  {}{}\n", numbers[i], text, correct ? "" : "   (wrong)");
  }
  return static_cast<double>(right) / static_cast<double>(kTested);
}

struct Speed {
  double tokens_per_second;
  int64_t state_bytes;
};

// Generates a fixed number of tokens for a batch, whatever they are.
Speed measure(nn::EncoderDecoder& model, const NumberWords& task, int64_t length) {
  torch::NoGradGuard no_grad;
  constexpr int64_t kRows = 16;
  std::mt19937_64 random(3);
  nn::DecoderState state = model->start(task.sources(draw_numbers(random, kRows, true)));
  Tensor token = at::full({kRows, 1}, kEos, at::kLong);
  const auto start = std::chrono::steady_clock::now();
  for (int64_t t = 0; t < length; ++t) {
    Tensor scores = model->advance(token, state);
    scores.select(2, kPad).fill_(-std::numeric_limits<float>::infinity());
    token = scores.argmax(2);
  }
  return {static_cast<double>(kRows * length) / seconds_since(start), state.bytes() / kRows};
}

void compare(nn::EncoderDecoder& memsizer, nn::EncoderDecoder& softmax, const NumberWords& task) {
  fmt::print("\ngeneration, batch 16            memsizer                softmax twin\n");
  fmt::print("  tokens            tokens/s  state bytes      tokens/s  state bytes\n");
  for (const int64_t length : {64, 512, 1024}) {
    const Speed ours = measure(memsizer, task, length);
    const Speed theirs = measure(softmax, task, length);
    fmt::print("  {:>6}  {:>18.0f} {:>12}  {:>12.0f} {:>12}\n", length, ours.tokens_per_second,
               ours.state_bytes, theirs.tokens_per_second, theirs.state_bytes);
  }
}

}  // namespace

void run_quickstart(const QuickstartOptions& options) {
  if (options.steps < 1) throw UserError("--steps is {}; it must be at least 1", options.steps);
  if (options.threads < 0)
    throw UserError("--threads is {}; it must be 0 (all cores) or more", options.threads);
  keep_tensor_memory();
  set_threads(options.threads);
  const NumberWords task;
  const ModelConfig config = tiny_config(task, Mechanism::Memsizer);
  nn::EncoderDecoder model = build(config, options.seed);
  fmt::print("A tiny MemSizer encoder-decoder ({} parameters) learns to read numbers out.\n",
             count_parameters(tensor_list(config)));
  std::fflush(stdout);
  const auto start = std::chrono::steady_clock::now();
  train_model(model, task, options);
  fmt::print("trained in {:.0f} s\n", seconds_since(start));
  const double accuracy = show_unseen(model, task, options.seed);
  fmt::print("  {:.1f} % of 500 are right to the letter\n", 100.0 * accuracy);

  nn::EncoderDecoder twin = build(tiny_config(task, Mechanism::Softmax), options.seed);
  compare(model, twin, task);
  fmt::print(
      "\nnext\n"
      "  memsizer info --preset transformer-big                                 the paper's translation "
      "model\n"
      "  memsizer info --preset wiki103 --set model.decoder.self=softmax        its softmax twin\n"
      "  memsizer mechanisms                                                    what each mechanism can "
      "do\n");
}

}  // namespace memsizer::train
