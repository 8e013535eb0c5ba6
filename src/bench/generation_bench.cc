#include "bench/generation_bench.h"

#include <algorithm>
#include <numeric>

#include "bench/machine_limits.h"
#include "bench/process_memory.h"
#include "bench/step_cost.h"
#include "bench/zipf_list.h"
#include "core/clock.h"
#include "core/random.h"
#include "decode/generate.h"
#include "kernels/rows.h"
#include "runtime/model.h"
#include "runtime/step_model.h"

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
constexpr int64_t kWarmUp = 4;
// Sources that take longer to read than this are read once.
constexpr double kLongRead = 2.0;

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

  int64_t bytes() const { return static_cast<int64_t>(buffer_.size()); }

  double seconds(kernels::Team& team) {
    const double start = steady_seconds();
    team.share(static_cast<int64_t>(buffer_.size()), kPiece,
               [&](int64_t begin, int64_t end) { read_bytes(buffer_.data() + begin, end - begin); });
    return steady_seconds() - start;
  }

 private:
  static constexpr int64_t kPiece = 256 << 10;
  AlignedBuffer<std::byte> buffer_;
};

// Multiply-adds in registers by the same threads, a fraction of a millisecond of them; GFLOP/s.
double multiply_add_rate(kernels::Team& team) {
  constexpr int64_t kRounds = 100'000;
  const double start = steady_seconds();
  team.run([&](int /*member*/) { multiply_adds(kRounds); });
  return static_cast<double>(kRounds * flops_of_round() * team.size()) / (steady_seconds() - start) / 1e9;
}

// Steps of about the same cost: the generation has `stands_for` of them, some were timed.
struct Place {
  double stands_for = 1.0;
  double flops = 0.0;  // of one step
  std::vector<double> seconds;
};

// Random tokens in, what a model reads of them and how long that takes.
class Sources {
 public:
  Sources(const Model& model, Work& work, const GenerationPoint& point, int64_t source_tokens)
      : model_(model), work_(work), rows_(point.batch) {
    Random random = Random::of(3);
    const auto token = [&] {
      return static_cast<int32_t>(4 + random.below(static_cast<uint64_t>(point.config.vocab - 4)));
    };
    for (int64_t i = 0; i < rows_; ++i) {
      first_tokens_.push_back(token());
      for (int64_t t = 0; point.config.has_encoder() && t < source_tokens; ++t) tokens_.push_back(token());
      offsets_.push_back(static_cast<int64_t>(tokens_.size()));
    }
    for (int64_t i = 0; point.shortlist > 0 && i < rows_; ++i)
      lists_.push_back({1, zipf_list(random, point.config.vocab, point.shortlist)});
  }

  const std::vector<int32_t>& first_tokens() const { return first_tokens_; }
  // What each row chooses among; empty where that is the whole vocabulary.
  const std::vector<decode::RowGroup>& lists() const { return lists_; }

  DecoderState read() {
    const double start = steady_seconds();
    DecoderState state =
        tokens_.empty() ? model_.start(rows_) : model_.start(work_, Ragged{offsets_}, tokens_);
    seconds_.push_back(steady_seconds() - start);
    return state;
  }

  // The median over all readings; repeats short ones first.
  double read_seconds(int repeats) {
    if (tokens_.empty()) return 0.0;
    while (static_cast<int>(seconds_.size()) < repeats && seconds_.back() < kLongRead) read();
    return quantile(seconds_, 0.5);
  }

 private:
  const Model& model_;
  Work& work_;
  int64_t rows_;
  std::vector<int32_t> first_tokens_;
  std::vector<decode::RowGroup> lists_;
  std::vector<int32_t> tokens_;
  std::vector<int64_t> offsets_{0};
  std::vector<double> seconds_;
};

// A greedy generation of random rows, one step at a time.
class Greedy {
 public:
  Greedy(const Model& model, Work& work, Sources& sources)
      : model_(model),
        work_(work),
        state_(sources.read()),
        tokens_(sources.first_tokens()),
        lists_(sources.lists()) {
    offsets_.resize(tokens_.size() + 1);
    std::iota(offsets_.begin(), offsets_.end(), int64_t{0});
    scores_ = AlignedBuffer<float>(tokens_.size() * static_cast<size_t>(model.vocab()));
  }

  DecoderState& state() { return state_; }

  void step() {
    if (!lists_.empty()) return step_among();
    model_.advance(work_, Ragged{offsets_}, tokens_, state_, Model::Scores::LastToken, scores_.data());
    const int64_t vocab = model_.vocab();
    work_.team.split(static_cast<int64_t>(tokens_.size()), 1, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        tokens_[row] = static_cast<int32_t>(kernels::argmax(scores_.data() + row * vocab, vocab));
      }
    });
  }

 private:
  void step_among() {
    selected_.cover(model_, work_, lists_);
    model_.advance(work_, Ragged{offsets_}, tokens_, state_, selected_.matrix(), scores_.data());
    columns_.clear();
    for (const decode::RowGroup& row : lists_) columns_.push_back({1, selected_.columns(row.among)});
    const auto width = static_cast<size_t>(selected_.matrix().rows());
    const float* kept =
        decode::keep_columns({scores_.data(), tokens_.size() * width}, width, columns_).data();
    for (size_t row = 0; row < tokens_.size(); ++row) {
      const std::vector<int32_t>& list = *lists_[row].among;
      tokens_[row] = list[static_cast<size_t>(kernels::argmax(kept, std::ssize(list)))];
      kept += list.size();
    }
  }

  const Model& model_;
  Work& work_;
  DecoderState state_;
  std::vector<int32_t> tokens_;
  std::vector<int64_t> offsets_;
  AlignedBuffer<float> scores_;
  std::vector<decode::RowGroup> lists_;
  runtime::SelectedOutput selected_;
  std::vector<decode::ColumnGroup> columns_;
};

// Measures one point; the machine's limits in between, since on a shared machine they change.
class Measurement {
 public:
  explicit Measurement(const GenerationPoint& point)
      : point_(point),
        model_(described(point.config), *runtime::random_source(point.config, point.type, 1)),
        work_(point.threads),
        sources_(model_, work_, point, point.source_tokens()),
        output_rows_(output_rows()),
        weight_bytes_(cost_at(1).weight_bytes(point.type)),
        plain_(weight_bytes_) {}

  GenerationResult result() {
    reset_peak_resident();
    warm_up();
    if (point_.beam > 1) {
      search();
    } else {
      Greedy greedy(model_, work_, sources_);
      greedy.state().reserve(point_.length + kWarmUp);
      if (point_.every_step || point_.length <= kShortEnough) {
        every_step(greedy);
      } else {
        some_steps(greedy);
      }
      count_state(greedy.state());
    }
    result_.encoder_seconds = sources_.read_seconds(point_.repeats);
    summarize();
    return result_;
  }

 private:
  static ModelDescription described(const ModelConfig& config) {
    ModelDescription description;
    description.config = config;
    return description;
  }

  // The first one, with sources that are not long, fills the caches and wakes the threads.
  void warm_up() {
    Sources few(model_, work_, point_, std::min<int64_t>(point_.source_tokens(), 64));
    Greedy greedy(model_, work_, few);
    for (int64_t i = 0; i < kWarmUp; ++i) greedy.step();
  }

  // Of all rows' tokens together.
  int64_t output_rows() {
    if (sources_.lists().empty()) return model_.vocab();
    runtime::SelectedOutput selected;
    selected.cover(model_, work_, sources_.lists());
    return selected.matrix().rows();
  }

  // Of one row.
  StepCost cost_at(int64_t position) const {
    return step_cost(point_.config, position, point_.source_tokens())
        .with_output_rows(point_.config, output_rows_);
  }

  // The cost of one step of all rows.
  double flops_at(int64_t position) const {
    return static_cast<double>(point_.batch * point_.beam) * cost_at(position).row_flops;
  }

  void add_step(Place& place, double seconds) {
    place.seconds.push_back(seconds);
    all_seconds_.push_back(seconds);
    if (all_seconds_.size() % 4 == 1) measure_limits();
  }

  void measure_limits() {
    read_seconds_.push_back(plain_.seconds(work_.team));
    peaks_.push_back(multiply_add_rate(work_.team));
  }

  void timed_step(Greedy& greedy, Place& place) {
    const double start = steady_seconds();
    greedy.step();
    add_step(place, steady_seconds() - start);
  }

  bool enough(int64_t passes, double begin) const {
    return passes >= point_.repeats && steady_seconds() - begin >= point_.seconds;
  }

  // Of a generation whose steps are each at this place among the measured ones.
  double seconds_at(double q) const {
    double seconds = 0.0;
    for (const Place& place : places_) seconds += place.stands_for * quantile(place.seconds, q);
    return seconds;
  }

  void every_step(Greedy& greedy) {
    for (int64_t step = 0; step < point_.length; ++step) {
      places_.push_back({1.0, flops_at(step + 1), {}});
      places_.back().seconds.reserve(1);
    }
    // Memory of our own is there before the first 64 steps are over, so that it is not taken for growth.
    for (std::vector<double>* own : {&all_seconds_, &read_seconds_, &peaks_}) {
      own->resize(static_cast<size_t>(point_.every_step ? point_.length : 0));
      own->clear();
    }
    const double begin = steady_seconds();
    int64_t resident_at_64 = 0;
    do {
      greedy.state().reset();
      for (int64_t step = 0; step < point_.length; ++step) {
        timed_step(greedy, places_[static_cast<size_t>(step)]);
        if (step == 63) resident_at_64 = resident_bytes();
      }
      ++result_.repeats;
    } while (!point_.every_step && !enough(result_.repeats, begin));
    if (resident_at_64 > 0) result_.resident_growth = resident_bytes() - resident_at_64;
  }

  // The cost of a step changes smoothly with its place, so evenly spaced places, each at the middle of its
  // stretch, give the whole.
  void some_steps(Greedy& greedy) {
    std::vector<int64_t> targets;
    for (int64_t i = 0; i < kPlaces; ++i) {
      targets.push_back(point_.length * (2 * i + 1) / (2 * kPlaces) - kStepsAtPlace / 2);
      places_.push_back({static_cast<double>(point_.length) / kPlaces,
                         flops_at(targets.back() + kStepsAtPlace / 2 + 1),
                         {}});
    }
    for (int repeat = 0; repeat < point_.repeats; ++repeat) {
      greedy.state().reset();
      for (int64_t i = 0; i < kPlaces; ++i) {
        greedy.state().pretend_to_read(targets[i] - greedy.state().seen().front());
        greedy.step();
        for (int64_t step = 0; step < kStepsAtPlace; ++step) timed_step(greedy, places_[i]);
      }
      ++result_.repeats;
    }
  }

  // The search that translate runs, kept from ending early.
  void search() {
    GenerationOptions options;
    options.beam = point_.beam;
    options.max_length_ratio = 0.0;
    options.max_length = options.min_length = point_.length - 1;
    std::vector<decode::Request> requests(static_cast<size_t>(point_.batch));
    for (size_t i = 0; i < requests.size(); ++i) {
      requests[i].source_length = point_.source_tokens();
      if (!sources_.lists().empty()) requests[i].among = sources_.lists()[i].among;
    }
    double flops = 0.0;
    for (int64_t step = 0; step < point_.length; ++step) flops += flops_at(step + 1);
    const auto length = static_cast<double>(point_.length);
    places_.push_back({length, flops / length, {}});
    const double begin = steady_seconds();
    do {
      runtime::RuntimeStepModel step_model(model_, work_, sources_.read());
      const double start = steady_seconds();
      decode::generate(step_model, requests, options, model_.longest_target());
      add_step(places_.back(), (steady_seconds() - start) / length);
      count_state(step_model.state());
      ++result_.repeats;
    } while (!enough(result_.repeats, begin));
  }

  void count_state(const DecoderState& state) {
    result_.state_bytes = static_cast<int64_t>(state.bytes() + state.source_bytes());
  }

  // Medians, so that a step during which another process had the processor does not count.
  void summarize() {
    double flops = 0.0;
    for (const Place& place : places_) flops += place.stands_for * place.flops;
    const auto tokens = static_cast<double>(point_.batch * point_.length);
    const double seconds = seconds_at(0.5);
    result_.tokens_per_second = tokens / seconds;
    result_.slow_tokens_per_second = tokens / seconds_at(0.9);
    result_.fast_tokens_per_second = tokens / seconds_at(0.1);
    result_.steps_timed = static_cast<int64_t>(all_seconds_.size());
    result_.gflops = flops / seconds / 1e9;
    result_.step_p50 = quantile(all_seconds_, 0.5);
    result_.step_p95 = quantile(all_seconds_, 0.95);
    const double read = quantile(read_seconds_, 0.5);
    result_.read_fraction = read * static_cast<double>(point_.length) / seconds;
    result_.read_gbytes = weight_bytes_ / read / 1e9;
    result_.peak_gflops = quantile(peaks_, 0.5);
    result_.weight_bytes = static_cast<int64_t>(weight_bytes_);
    // What the limits are measured with is no part of generation.
    result_.peak_resident_bytes = peak_resident_bytes() - plain_.bytes();
  }

  GenerationPoint point_;
  Model model_;
  Work work_;
  Sources sources_;
  int64_t output_rows_;
  double weight_bytes_;
  PlainRead plain_;
  std::vector<Place> places_;
  std::vector<double> all_seconds_;
  std::vector<double> read_seconds_;
  std::vector<double> peaks_;
  GenerationResult result_;
};

}  // namespace

GenerationResult measure_generation(const GenerationPoint& point) {
  return Measurement(point).result();
}

}  // namespace memsizer::bench
