#include "bench/generation_bench.h"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "bench/machine_limits.h"
#include "bench/process_memory.h"
#include "bench/step_cost.h"
#include "core/random.h"
#include "kernels/rows.h"
#include "runtime/model.h"

namespace memsizer::bench {
namespace {

using kernels::AlignedBuffer;
using runtime::DecoderState;
using runtime::Model;
using runtime::Ragged;
using runtime::Work;

// A long generation is timed at so many places along the way, so many steps at each.
constexpr int64_t kPlaces = 12;
constexpr int64_t kStepsAtPlace = 5;
constexpr int64_t kShortEnough = kPlaces * kStepsAtPlace * 2;
// A short one is repeated so often at least.
constexpr int kPasses = 3;
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
    team.share(static_cast<int64_t>(buffer_.size()), kPiece,
               [&](int64_t begin, int64_t end) { read_bytes(buffer_.data() + begin, end - begin); });
    return now() - start;
  }

 private:
  static constexpr int64_t kPiece = 256 << 10;
  AlignedBuffer<std::byte> buffer_;
};

// Multiply-adds in registers by the same threads, a fraction of a millisecond of them; GFLOP/s.
double multiply_add_rate(kernels::Team& team) {
  constexpr int64_t kRounds = 100'000;
  const double start = now();
  team.run([&](int /*member*/) { multiply_adds(kRounds); });
  return static_cast<double>(kRounds * flops_of_round() * team.size()) / (now() - start) / 1e9;
}

// Steps of about the same cost: the generation has `stands_for` of them, some were timed.
struct Place {
  double stands_for = 1.0;
  double flops = 0.0;  // of one step
  std::vector<double> seconds;
};

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
        tokens_[row] = static_cast<int32_t>(kernels::argmax(scores_.data() + row * vocab, vocab));
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
  // The first one, with sources that are not long, warms the caches up.
  GenerationPoint warm_up = point;
  warm_up.length = std::min<int64_t>(point.length, 64);
  Greedy(model, work, warm_up).step();
  Greedy greedy(model, work, point);
  result.encoder_seconds = greedy.encoder_seconds();
  greedy.state().reserve(point.length + kWarmUp);

  std::vector<Place> places;
  std::vector<double> all_seconds;
  std::vector<double> read_seconds;
  std::vector<double> peaks;
  const auto timed_step = [&](Place& place) {
    const double start = now();
    greedy.step();
    place.seconds.push_back(now() - start);
    all_seconds.push_back(place.seconds.back());
    // The machine's limits in between, since on a shared machine they change.
    if (all_seconds.size() % 4 != 1) return;
    read_seconds.push_back(plain.seconds(work.team));
    peaks.push_back(multiply_add_rate(work.team));
  };
  const auto place_at = [&](int64_t position, double stands_for) {
    const StepCost cost = step_cost(point.config, position, point.length);
    return Place{stands_for, static_cast<double>(point.batch) * cost.row_flops, {}};
  };
  int64_t resident_at_64 = 0;
  if (point.every_step || point.length <= kShortEnough) {
    for (int64_t step = 0; step < point.length; ++step) {
      places.push_back(place_at(step + 1, 1.0));
      places.back().seconds.reserve(1);
    }
    // Memory of our own is there before resident_at_64, so that it is not taken for growth.
    for (std::vector<double>* own : {&all_seconds, &read_seconds, &peaks}) {
      own->resize(static_cast<size_t>(point.every_step ? point.length : 0));
      own->clear();
    }
    const double begin = now();
    for (int pass = 0; pass == 0 || (!point.every_step && (pass < kPasses || now() - begin < point.seconds));
         ++pass) {
      greedy.state().reset();
      for (int64_t step = 0; step < point.length; ++step) {
        timed_step(places[static_cast<size_t>(step)]);
        if (step == 63) resident_at_64 = resident_bytes();
      }
    }
  } else {
    // The cost of a step changes smoothly with its place, so evenly spaced places, each at the middle of its
    // stretch, give the whole.
    greedy.state().reset();
    for (int64_t i = 0; i < kPlaces; ++i) {
      const int64_t target = point.length * (2 * i + 1) / (2 * kPlaces) - kStepsAtPlace / 2;
      greedy.state().pretend_to_read(target - greedy.state().seen().front());
      places.push_back(place_at(target + kStepsAtPlace / 2 + 1, static_cast<double>(point.length) / kPlaces));
      greedy.step();
      for (int64_t step = 0; step < kStepsAtPlace; ++step) timed_step(places.back());
    }
  }
  if (resident_at_64 > 0) result.resident_growth = resident_bytes() - resident_at_64;
  // Medians, so that a step during which another process had the processor does not count.
  double decoder_seconds = 0.0;
  double flops = 0.0;
  for (const Place& place : places) {
    decoder_seconds += place.stands_for * quantile(place.seconds, 0.5);
    flops += place.stands_for * place.flops;
  }
  result.tokens_per_second = static_cast<double>(point.batch * point.length) / decoder_seconds;
  result.steps_timed = static_cast<int64_t>(all_seconds.size());
  result.gflops = flops / decoder_seconds / 1e9;
  result.step_p50 = quantile(all_seconds, 0.5);
  result.step_p95 = quantile(all_seconds, 0.95);
  const double read = quantile(read_seconds, 0.5);
  result.read_fraction = read * static_cast<double>(point.length) / decoder_seconds;
  result.read_gbytes = first_cost.weight_bytes(point.type) / read / 1e9;
  result.peak_gflops = quantile(peaks, 0.5);
  result.peak_resident_bytes = peak_resident_bytes();
  const runtime::SourceMemory* sources = greedy.state().sources();
  result.state_bytes = static_cast<int64_t>(greedy.state().bytes() + (sources ? sources->bytes() : 0));
  return result;
}

}  // namespace memsizer::bench
