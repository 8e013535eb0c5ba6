// Products of the runtime: GFLOP/s (or integer operations) and the bytes of weights read, beside what this
// processor could do at the same time: a loop of multiply-adds in registers and a plain read of as many
// bytes.
//
//   bench_kernels                                         everything, one thread
//   bench_kernels --threads=2                             with a team of two
//   bench_kernels --benchmark_filter='64x1024x1024'       one shape
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "bench/machine_limits.h"
#include "kernels/matmul.h"
#include "kernels/memory.h"
#include "kernels/rows.h"

namespace memsizer::bench {
namespace {

using kernels::PackedMatrix;
using kernels::Team;

constexpr int64_t kRows[] = {1, 4, 8, 16, 32, 64, 256};
constexpr int64_t kShapes[][2] = {{1024, 1024}, {4096, 1024}, {1024, 4096}, {32768, 512}};
constexpr double kSecondsEach = 0.2;

// Numbers that are the same in every run; their values do not matter for the speed.
std::vector<float> some_numbers(int64_t count) {
  std::mt19937 random(1);
  std::vector<float> numbers(static_cast<size_t>(count));
  for (float& number : numbers) number = static_cast<float>(random() >> 8) * 0x1.0p-23F - 1.0F;
  return numbers;
}

// Matrices are kept from one benchmark to the next, as making them takes longer than measuring.
const PackedMatrix& matrix(WeightType type, int64_t rows, int64_t columns) {
  static std::map<std::string, std::unique_ptr<PackedMatrix>> made;
  auto& kept = made[fmt::format("{} {} {}", weight_type_name(type), rows, columns)];
  if (!kept) {
    kept = std::make_unique<PackedMatrix>(type, rows, columns);
    kept->set_rows(0, some_numbers(rows * columns));
  }
  return *kept;
}

// Seconds by the clock of the wall, or of this thread where it works alone: then what else runs on the
// machine counts less.
double now(const Team& team) {
  timespec time{};
  clock_gettime(team.size() == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// Calls work() over and over. The best call is the measurement: noise only ever adds, and on a busy machine
// an average is mostly of other programs.
template <typename Work>
void measure(benchmark::State& state, const Team& team, double flops, double bytes, const Work& work) {
  double best = std::numeric_limits<double>::infinity();
  for ([[maybe_unused]] auto _ : state) {
    const double begin = now(team);
    work();
    benchmark::ClobberMemory();
    const double seconds = now(team) - begin;
    best = std::min(best, seconds);
    state.SetIterationTime(seconds);
  }
  state.counters["best_us"] = best * 1e6;
  if (flops > 0.0) state.counters["best_GFLOP/s"] = flops / best * 1e-9;
  if (bytes > 0.0) state.counters["best_GB/s"] = bytes / best * 1e-9;
}

void run_matmul(benchmark::State& state, Team& team, WeightType type, int64_t count, int64_t rows,
                int64_t columns) {
  const PackedMatrix& weight = matrix(type, rows, columns);
  const std::vector<float> x = some_numbers(count * columns);
  std::vector<float> out(static_cast<size_t>(count * rows));
  measure(state, team, 2.0 * static_cast<double>(count * rows * columns), static_cast<double>(weight.bytes()),
          [&] {
            kernels::matmul(team, weight, {x.data(), columns}, count, {out.data(), rows});
          });
}

void run_read(benchmark::State& state, Team& team, WeightType type, int64_t rows, int64_t columns) {
  const PackedMatrix& weight = matrix(type, rows, columns);
  const std::byte* begin = weight.panel(0);
  const std::byte* end = weight.panel(weight.panels());
  measure(state, team, 0.0, static_cast<double>(end - begin), [&] {
    team.split((end - begin) / 64, 1,
               [&](int64_t first, int64_t last) { read_bytes(begin + first * 64, (last - first) * 64); });
  });
}

void run_multiply_adds(benchmark::State& state, Team& team) {
  constexpr int64_t kRounds = 100000;
  measure(state, team, static_cast<double>(kRounds * flops_of_round() * team.size()), 0.0,
          [&] { team.run([](int) { multiply_adds(kRounds); }); });
}

void run_pack(benchmark::State& state, Team& team) {
  constexpr int64_t kMatrixRows = 52000;
  constexpr int64_t kColumns = 1000;
  const std::vector<int8_t> numbers(static_cast<size_t>(kMatrixRows * kColumns), 1);
  const std::vector<float> scales(static_cast<size_t>(kMatrixRows), 1.0F);
  PackedMatrix weight(WeightType::I8, kMatrixRows, kColumns);
  measure(state, team, 0.0, static_cast<double>(numbers.size()),
          [&] { weight.set_rows(0, numbers, scales); });
}

// The memories of `sequences` sequences, one after the other as a batch keeps them, each in groups of
// columns; fading or not.
void run_memory(benchmark::State& state, const Team& team, int64_t sequences, int64_t groups, int64_t slots,
                int64_t width, bool fading) {
  const int64_t memories = sequences * groups;
  const int64_t columns = width / groups;
  std::vector<float> memory = some_numbers(sequences * slots * width);
  const std::vector<float> left = some_numbers(slots);
  const std::vector<float> right = some_numbers(columns);
  std::vector<float> out(static_cast<size_t>(columns));
  measure(state, team, 0.0, static_cast<double>(memory.size() * sizeof(float)), [&] {
    for (int64_t m = 0; m < memories; ++m) {
      float* numbers = memory.data() + m * slots * columns;
      if (fading) {
        kernels::memory_fading_step(0.9F, left.data(), right.data(), left.data(), slots, columns, numbers,
                                    columns, out.data());
      } else {
        kernels::memory_step(left.data(), right.data(), left.data(), slots, columns, numbers, columns,
                             out.data());
      }
    }
  });
}

template <typename Run>
void add(const std::string& name, const Run& run) {
  benchmark::RegisterBenchmark(name.c_str(), run)
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond)
      ->MinTime(kSecondsEach);
}

void add_all(Team& team) {
  using benchmark::State;
  add("limit/multiply-adds", [&](State& state) { run_multiply_adds(state, team); });
  for (const auto& [rows, columns] : kShapes) {
    for (const WeightType type : {WeightType::F32, WeightType::BF16, WeightType::I8}) {
      add(fmt::format("read/{}/{}x{}", weight_type_name(type), rows, columns),
          [&team, type, r = rows, c = columns](State& state) { run_read(state, team, type, r, c); });
      for (const int64_t count : kRows) {
        add(fmt::format("matmul/{}/{}x{}x{}", weight_type_name(type), count, rows, columns),
            [&team, type, count, r = rows, c = columns](State& state) {
              run_matmul(state, team, type, count, r, c);
            });
      }
    }
  }
  add("pack/52MB", [&](State& state) { run_pack(state, team); });
  for (const int64_t sequences : {8, 64}) {
    for (const int64_t slots : {4, 32}) {
      for (const int64_t groups : {1, 4, 8}) {
        for (const bool fading : {false, true}) {
          add(fmt::format("{}/{}x{}x512/{}", fading ? "fading memory" : "memory", sequences, slots, groups),
              [=, &team](State& state) { run_memory(state, team, sequences, groups, slots, 512, fading); });
        }
      }
    }
  }
}

// Takes --threads=N out of the arguments; 1 without it.
int threads_asked(int* count, char** arguments) {
  constexpr std::string_view kOption = "--threads=";
  int threads = 1;
  int kept = 0;
  for (int i = 0; i < *count; ++i) {
    const std::string_view argument = arguments[i];
    if (argument.starts_with(kOption)) {
      threads = std::max(1, std::atoi(arguments[i] + kOption.size()));
    } else {
      arguments[kept++] = arguments[i];
    }
  }
  *count = kept;
  return threads;
}

}  // namespace
}  // namespace memsizer::bench

int main(int argc, char** argv) {
  memsizer::kernels::Team team(memsizer::bench::threads_asked(&argc, argv));
  memsizer::bench::add_all(team);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
}
