#include "serve/memory_plan.h"

#include <fmt/format.h>

#include <algorithm>

namespace memsizer::serve {
namespace {

// A state's buffer grows geometrically, and rows are gathered in a second one.
constexpr int64_t kStateCopies = 3;
// A row of logits, its scores, and candidates.
constexpr int64_t kBytesPerLogit = 16;
// Of a prompt or sources that are read at once: those of a batch, or a piece.
constexpr int64_t kTokensAtOnce = 4096;
// The body, its texts, and their tokens.
constexpr int64_t kBytesPerBodyByte = 10;
// Values of JSON take memory whatever their text takes; as many as body.cc allows, in each thread.
constexpr int64_t kJsonBytes = (int64_t{1} << 18) * 64;
constexpr int64_t kConnectionBytes = 80 << 10;
// A token of an output: its number, its score, its text, and what JSON makes of them.
constexpr int64_t kBytesPerOutputToken = 64;
// Text of a stream that its client has not taken, as it is and as events.
constexpr int64_t kWaitingBytes = 640 << 10;
constexpr int64_t kTextBytes = 8 << 10;  // what a request takes beside its texts
// A program's heap is never used to the last byte.
constexpr double kHeapMargin = 1.25;

struct ModelPlan {
  int64_t states = 0;
  int64_t scratch = 0;
  int64_t queue = 0;
};

ModelPlan plan_of(const ServedModel& model) {
  const ModelLimits& limits = model.limits();
  const ModelConfig& config = model.text().description().config;
  const int64_t rows = limits.slots * model.widest_beam();
  const bool language_model = model.text().is_language_model();
  const int64_t source =
      language_model ? 0 : engine::default_options(model.text().description()).max_source_tokens;
  const int64_t target = language_model ? limits.max_context : limits.max_tokens;
  const StateSize& size = model.state_size();
  ModelPlan plan;
  plan.states = kStateCopies * rows * (size.constant_bytes + size.bytes_per_target_token * target) +
                limits.slots * size.bytes_per_source_token * source;
  const int64_t width = 16 * config.dim + 3 * std::max(config.encoder.ffn, config.decoder.ffn);
  plan.scratch = (kTokensAtOnce + source + rows) * width * static_cast<int64_t>(sizeof(float)) +
                 rows * model.text().model().vocab() * kBytesPerLogit;
  const int64_t places = limits.slots + limits.queue;
  const int64_t tokens = limits.max_tokens * model.widest_beam();
  plan.queue = places * (kTextBytes + tokens * kBytesPerOutputToken + kWaitingBytes);
  return plan;
}

double mebibytes(int64_t bytes) {
  return static_cast<double>(bytes) / (1 << 20);
}

}  // namespace

std::string MemoryPlan::text() const {
  return fmt::format(
      "memory ceiling {:.0f} MiB: loaded {:.0f}, states of running texts {:.0f}, computation {:.0f}, texts "
      "and "
      "outputs {:.0f}, connections and requests {:.0f}, saved states {:.0f}",
      mebibytes(total()), mebibytes(loaded), mebibytes(states), mebibytes(scratch), mebibytes(queue),
      mebibytes(buffers), mebibytes(saved));
}

MemoryPlan memory_plan(int64_t loaded, const ServedModels& models, const HttpOptions& http,
                       const StateLimits& states) {
  MemoryPlan plan;
  plan.loaded = loaded;
  const auto margin = [](int64_t bytes) {
    return static_cast<int64_t>(static_cast<double>(bytes) * kHeapMargin);
  };
  int64_t largest = 0;
  for (const auto& model : models.all()) {
    const ModelPlan one = plan_of(*model);
    plan.states += margin(one.states);
    plan.scratch += margin(one.scratch);
    plan.queue += margin(one.queue);
    largest = std::max(largest, model->state_size().at(model->limits().max_context, 0));
  }
  plan.buffers = margin(http.body_budget * kBytesPerBodyByte + http.threads * kJsonBytes +
                        http.connections * kConnectionBytes);
  // One more in each thread, while it is written.
  plan.saved = margin(states.quota_bytes + 2 * http.threads * largest);
  return plan;
}

}  // namespace memsizer::serve
