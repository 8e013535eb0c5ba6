#include "bench/generation_bench.h"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "bench/machine_limits.h"
#include "bench/process_memory.h"
#include "bench/step_cost.h"
#include "core/random.h"
#include "runtime/model.h"

namespace memsizer::bench {
namespace {

using kernels::AlignedBuffer;
using runtime::DecoderState;
using runtime::Model;
using runtime::Ragged;
using runtime::Work;

// Steps timed in a long generation: so many places, so many steps at each.
constexpr int64_t kPlaces = 12;
constexpr int64_t kStepsAtPlace = 4;
constexpr int64_t kShortEnough = kPlaces * kStepsAtPlace * 2;
constexpr int64_t kWarmUp = 4;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double quantile(std::vector<double> values, double q) {
  if (values.empty()) return 0.0;
  const auto at = static_cast<int64_t>(q * static_cast<double>(values.size() - 1) + 0.5);
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<size_t>(at)];
}

// The plain read of as many bytes as a step's weights, by the same threads.
class PlainRead {
 public:
  explicit PlainRead(double bytes) : buffer_((static_cast<size_t>(bytes) + 63) / 64 * 64) {}

  double seconds(kernels::Team& team) {
    const double start = now();
    team.split(static_cast<int64_t>(buffer_.size()), 4096,
               [&](int64_t begin, int64_t end) { read_bytes(buffer_.data() + begin, end - begin); });
    return now() - start;
  }

 private:
  AlignedBuffer<std::byte> buffer_;
};

double fma_gflops(kernels::Team& team) {
  constexpr int64_t kRounds = 2'000'000;
  double best = 0.0;
  for (int repeat = 0; repeat < 3; ++repeat) {
    const double start = now();
    team.run([&](int /*member*/) { multiply_adds(kRounds); });
    best = std::max(best, static_cast<double>(kRounds * flops_of_round() * team.size()) / (now() - start));
  }
  return best / 1e9;
}

// A greedy generation of random rows, one step at a time.
class Greedy {
 public:
  Greedy(const Model& model, Work& work, const GenerationPoint& point) : model_(model), work_(work) {
    const auto rows = static_cast<size_t>(point.batch);
    Random random = Random::of(3);
    const auto token = [&] {
      return static_cast<int32_t>(4 + random.below(static_cast<uint64_t>(point.config.vocab - 4)));
    };
    for (size_t i = 0; i < rows; ++i) tokens_.push_back(token());
    std::vector<int64_t> source_offsets{0};
    std::vector<int32_t> sources;
    for (int64_t i = 0; i < point.batch; ++i) {
      for (int64_t t = 0; t < point.length; ++t) sources.push_back(token());
      source_offsets.push_back(static_cast<int64_t>(sources.size()));
    }
    const double start = now();
    state_ = point.config.has_encoder() ? model.start(work, Ragged{source_offsets}, sources)
                                        : model.start(point.batch);
    encoder_seconds_ = now() - start;
    offsets_.resize(rows + 1);
    std::iota(offsets_.begin(), offsets_.end(), int64_t{0});
    scores_ = AlignedBuffer<float>(rows * static_cast<size_t>(model.vocab()));
  }

  double encoder_seconds() const { return encoder_seconds_; }
  DecoderState& state() { return state_; }

  void step() {
    model_.advance(work_, Ragged{offsets_}, tokens_, state_, Model::Scores::LastToken, scores_.data());
    const int64_t vocab = model_.vocab();
    work_.team.split(static_cast<int64_t>(tokens_.size()), 1, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        const float* scores = scores_.data() + row * vocab;
        tokens_[row] = static_cast<int32_t>(std::max_element(scores, scores + vocab) - scores);
      }
    });
  }

 private:
  const Model& model_;
  Work& work_;
  DecoderState state_;
  double encoder_seconds_ = 0.0;
  std::vector<int32_t> tokens_;
  std::vector<int64_t> offsets_;
  AlignedBuffer<float> scores_;
};

}  // namespace

GenerationResult measure_generation(const GenerationPoint& point) {
  ModelDescription description;
  description.config = point.config;
  const Model model(description, *runtime::random_source(point.config, point.type, 1));
  Work work(point.threads);
  const StepCost first_cost = step_cost(point.config, 1, point.length);
  PlainRead plain(first_cost.weight_bytes(point.type));

  GenerationResult result;
  result.weight_bytes = static_cast<int64_t>(first_cost.weight_bytes(point.type));
  reset_peak_resident();
  // The first one warms the caches up and takes the memory that later ones use again.
  Greedy(model, work, point).step();
  Greedy greedy(model, work, point);
  result.encoder_seconds = greedy.encoder_seconds();
  greedy.state().reserve(point.length + kWarmUp);

  std::vector<double> step_seconds;
  std::vector<double> read_seconds;
  double decoder_seconds = 0.0;
  double flops = 0.0;
  int64_t resident_at_64 = 0;
  const auto timed_step = [&](int64_t position) {
    const double start = now();
    greedy.step();
    step_seconds.push_back(now() - start);
    flops += static_cast<double>(point.batch) * step_cost(point.config, position, point.length).row_flops;
    if (step_seconds.size() % 8 == 1) read_seconds.push_back(plain.seconds(work.team));
    return step_seconds.back();
  };
  const bool all = point.every_step || point.length <= kShortEnough;
  if (all) {
    const double begin = now();
    do {
      greedy.state().reset();
      for (int64_t step = 0; step < point.length; ++step) {
        decoder_seconds += timed_step(step + 1);
        if (step == 63) resident_at_64 = resident_bytes();
      }
      result.tokens_per_second += static_cast<double>(point.batch * point.length);
    } while (now() - begin < point.seconds);
    result.tokens_per_second /= decoder_seconds;
  } else {
    // The cost of a step changes smoothly with its place, so a sum over evenly spaced places, each at the
    // middle of its stretch, gives the whole.
    greedy.state().reset();
    for (int64_t place = 0; place < kPlaces; ++place) {
      const int64_t target = point.length * (2 * place + 1) / (2 * kPlaces) - kStepsAtPlace / 2;
      greedy.state().pretend_to_read(target - greedy.state().seen().front());
      greedy.step();
      double at_place = 0.0;
      for (int64_t i = 0; i < kStepsAtPlace; ++i) at_place += timed_step(target + i + 1);
      decoder_seconds += at_place / kStepsAtPlace * static_cast<double>(point.length) / kPlaces;
    }
    result.tokens_per_second = static_cast<double>(point.batch * point.length) / decoder_seconds;
  }
  const double total = std::accumulate(step_seconds.begin(), step_seconds.end(), 0.0);
  result.steps_timed = static_cast<int64_t>(step_seconds.size());
  result.gflops = flops / total / 1e9;
  result.step_p50 = quantile(step_seconds, 0.5);
  result.step_p95 = quantile(step_seconds, 0.95);
  const double read = quantile(read_seconds, 0.5);
  result.read_fraction = read / result.step_p50;
  result.read_gbytes = first_cost.weight_bytes(point.type) / read / 1e9;
  result.peak_gflops = fma_gflops(work.team);
  result.peak_resident_bytes = peak_resident_bytes();
  result.resident_growth = resident_at_64 > 0 ? resident_bytes() - resident_at_64 : 0;
  const runtime::SourceMemory* sources = greedy.state().sources();
  result.state_bytes = static_cast<int64_t>(greedy.state().bytes() + (sources ? sources->bytes() : 0));
  return result;
}

}  // namespace memsizer::bench
