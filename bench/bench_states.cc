// Rows that join a batch of 64, leave it, are saved and loaded, after more and more tokens read: a recurrent
// state takes the same time however much it has read.
//
//   bench_states                                          everything
//   bench_states --benchmark_filter=memsizer              one mechanism
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "core/clock.h"
#include "model/presets.h"
#include "runtime/saved_state.h"

namespace memsizer::bench {
namespace {

using benchmark::State;
using runtime::DecoderState;
using runtime::Model;

constexpr int64_t kRows = 64;
constexpr int64_t kPlace = 17;  // of the row that leaves

std::shared_ptr<const Model> language_model(Mechanism mechanism) {
  ModelDescription description;
  description.config = preset_config("base");
  description.config.architecture = Architecture::LanguageModel;
  description.config.embedding.tie = Tying::Decoder;
  description.config.vocab = 256;
  description.config.decoder.self = mechanism;
  return std::make_shared<Model>(description,
                                 *runtime::random_source(description.config, WeightType::F32, 1));
}

DecoderState after(const Model& model, int64_t rows, int64_t tokens) {
  DecoderState state = model.start(rows);
  state.reserve(tokens);
  state.pretend_to_read(tokens);
  return state;
}

// The last row takes the place of the one that leaves.
std::vector<int64_t> without_one() {
  std::vector<int64_t> parents(static_cast<size_t>(kRows));
  std::iota(parents.begin(), parents.end(), int64_t{0});
  parents[kPlace] = kRows;
  return parents;
}

// A row joins and another leaves, over and over; only `timed` of the two counts.
enum class Timed { Append, Remove };
void join_and_leave(State& state, const Model& model, int64_t tokens, Timed timed) {
  DecoderState batch = after(model, kRows, tokens);
  const DecoderState one = after(model, 1, tokens);
  const std::vector<int64_t> parents = without_one();
  // The first one makes room.
  batch.append(DecoderState(one));
  batch.reorder(parents);
  for (auto _ : state) {
    DecoderState joining = one;
    const double start = steady_seconds();
    batch.append(std::move(joining));
    const double joined = steady_seconds();
    batch.reorder(parents);
    const double left = steady_seconds();
    state.SetIterationTime(timed == Timed::Append ? joined - start : left - joined);
  }
}

void save(State& state, const Model& model, int64_t tokens) {
  const DecoderState batch = after(model, kRows, tokens);
  for (auto _ : state) benchmark::DoNotOptimize(runtime::save_state(model, batch, kPlace).data());
}

void load(State& state, const Model& model, int64_t tokens) {
  const std::vector<std::byte> bytes = runtime::save_state(model, after(model, 1, tokens), 0);
  for (auto _ : state) benchmark::DoNotOptimize(runtime::load_state(model, bytes, "state").rows());
  state.counters["bytes"] = static_cast<double>(bytes.size());
}

void add_all() {
  for (const std::string mechanism : {"memsizer", "softmax"}) {
    const std::shared_ptr<const Model> model = language_model(mechanism_named(mechanism));
    for (const int64_t tokens : {64, 1024, 16384}) {
      // 64 rows of what softmax keeps of 16384 tokens would take 26 GB.
      if (mechanism == "softmax" && tokens > 1024) continue;
      const auto add = [&](const char* what, const auto& run) {
        const std::string name = fmt::format("{}/{}/{}", what, mechanism, tokens);
        return benchmark::RegisterBenchmark(
            name.c_str(), [model, tokens, run](State& state) { run(state, *model, tokens); });
      };
      add("append", [](State& state, const Model& of, int64_t read) {
        join_and_leave(state, of, read, Timed::Append);
      })->UseManualTime();
      add("remove", [](State& state, const Model& of, int64_t read) {
        join_and_leave(state, of, read, Timed::Remove);
      })->UseManualTime();
      add("save", save);
      add("load", load);
    }
  }
}

}  // namespace
}  // namespace memsizer::bench

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  memsizer::bench::add_all();
  benchmark::RunSpecifiedBenchmarks();
}
