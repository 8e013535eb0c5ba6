#include "cli/bench.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/generation_bench.h"
#include "cli/command_line.h"
#include "core/error.h"
#include "core/names.h"
#include "core/presets.h"
#include "kernels/team.h"

namespace memsizer::cli {
namespace {

struct BenchCommand {
  std::string preset = "base";
  std::vector<std::string> settings;
  std::vector<std::string> mechanisms;
  std::vector<int64_t> lengths = {64};
  std::vector<int64_t> batches = {1};
  std::vector<std::string> precisions = {"fp32"};
  int threads = 0;
  bool every_step = false;
  bool json = false;
};

kernels::WeightType precision_of(const std::string& name) {
  if (name == "fp32") return kernels::WeightType::F32;
  if (name == "bf16") return kernels::WeightType::BF16;
  if (name == "int8") return kernels::WeightType::I8;
  throw UserError("precision '{}' is not known; it must be fp32, bf16 or int8", name);
}

// The model with one mechanism in all places of the decoder where it can stand.
ModelConfig with_mechanism(ModelConfig config, const std::string& name) {
  for (const MechanismTraits& row : mechanism_table()) {
    if (row.name != name) continue;
    require_position(row.mechanism, Position::CausalSelf);
    config.decoder.self = row.mechanism;
    if (row.cross) config.decoder.cross = row.mechanism;
    return config;
  }
  std::vector<std::string> known;
  for (const MechanismTraits& row : mechanism_table()) known.emplace_back(row.name);
  throw UserError("mechanism '{}' is not known{}; known are {}", name, did_you_mean(name, known),
                  fmt::join(known, ", "));
}

nlohmann::json as_json(const std::string& mechanism, const std::string& precision,
                       const bench::GenerationPoint& point, const bench::GenerationResult& result) {
  return {{"mechanism", mechanism},
          {"precision", precision},
          {"threads", point.threads},
          {"batch", point.batch},
          {"length", point.length},
          {"tokens_per_second", result.tokens_per_second},
          {"encoder_seconds", result.encoder_seconds},
          {"step_p50_seconds", result.step_p50},
          {"step_p95_seconds", result.step_p95},
          {"gflops", result.gflops},
          {"peak_gflops", result.peak_gflops},
          {"read_fraction", result.read_fraction},
          {"read_gbytes_per_second", result.read_gbytes},
          {"peak_resident_bytes", result.peak_resident_bytes},
          {"resident_growth_bytes", result.resident_growth},
          {"state_bytes", result.state_bytes},
          {"weight_bytes", result.weight_bytes},
          {"steps_timed", result.steps_timed}};
}

void run_bench(const BenchCommand& command) {
  ModelConfig base = preset_config(command.preset);
  const std::vector<OptionRef> known = collect_options(base, "model");
  for (const std::string& setting : command.settings) set_option_assignment(known, setting);
  base.validate();
  std::vector<std::string> mechanisms = command.mechanisms;
  if (mechanisms.empty()) mechanisms.emplace_back(mechanism_name(base.decoder.self));
  // A mistake is found before the first line of the table.
  for (const std::string& name : mechanisms) with_mechanism(base, name).validate();
  for (const std::string& name : command.precisions) precision_of(name);
  for (const int64_t number : command.lengths) {
    if (number < 1 || number > (1 << 24))
      throw UserError("length is {}; it must be 1 to {}", number, 1 << 24);
  }
  for (const int64_t number : command.batches) {
    if (number < 1 || number > (1 << 16)) throw UserError("batch is {}; it must be 1 to {}", number, 1 << 16);
  }
  const int threads = command.threads > 0 ? command.threads : kernels::physical_cores();
  nlohmann::json points = nlohmann::json::array();
  if (!command.json) {
    fmt::print(
        "| mechanism | precision | batch | length | tokens/s | step p50 ms | p95 ms | GFLOP/s | of FMA peak "
        "| "
        "of read bound | encoder ms | peak MB | state KB |\n"
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  }
  for (const int64_t batch : command.batches) {
    for (const int64_t length : command.lengths) {
      for (const std::string& precision : command.precisions) {
        for (const std::string& mechanism : mechanisms) {
          bench::GenerationPoint point;
          point.config = with_mechanism(base, mechanism);
          point.type = precision_of(precision);
          point.threads = threads;
          point.batch = batch;
          point.length = length;
          point.every_step = command.every_step;
          const bench::GenerationResult result = bench::measure_generation(point);
          if (command.json) {
            points.push_back(as_json(mechanism, precision, point, result));
            continue;
          }
          fmt::print(
              "| {} | {} | {} | {} | {:.0f} | {:.2f} | {:.2f} | {:.1f} | {:.0f} % | {:.0f} % | {:.1f} | "
              "{:.0f} | {:.0f} |\n",
              mechanism, precision, batch, length, result.tokens_per_second, 1e3 * result.step_p50,
              1e3 * result.step_p95, result.gflops, 100.0 * result.gflops / result.peak_gflops,
              100.0 * result.read_fraction, 1e3 * result.encoder_seconds,
              static_cast<double>(result.peak_resident_bytes) / 1e6,
              static_cast<double>(result.state_bytes) / 1e3);
          std::fflush(stdout);
        }
      }
    }
  }
  if (command.json) fmt::print("{}\n", nlohmann::json{{"points", points}}.dump(2));
}

}  // namespace

void add_bench(CLI::App& app) {
  auto options = std::make_shared<BenchCommand>();
  CLI::App* command = app.add_subcommand(
      "bench",
      "Measure generation with random weights: speed, latency, memory, against the machine's limits");
  std::vector<std::string> names;
  for (const Preset& preset : presets()) names.emplace_back(preset.name);
  command->add_option("--preset", options->preset, fmt::format("a named shape: {}", fmt::join(names, ", ")))
      ->capture_default_str();
  add_settings_option(*command, options->settings);
  command->add_option("--mechanisms", options->mechanisms, "in the decoder, such as memsizer,softmax")
      ->delimiter(',');
  command->add_option("--lengths", options->lengths, "target tokens; the source has as many")
      ->delimiter(',')
      ->capture_default_str();
  command->add_option("--batch", options->batches, "rows generated together")
      ->delimiter(',')
      ->capture_default_str();
  command->add_option("--precision", options->precisions, "fp32, bf16, int8")
      ->delimiter(',')
      ->capture_default_str();
  command->add_option("--threads", options->threads, "0 takes the physical cores")->capture_default_str();
  command->add_flag("--every-step", options->every_step,
                    "time every step of long generations too, instead of some along the way");
  command->add_flag("--json", options->json, "machine-readable output");
  command->callback([options] { run_bench(*options); });
}

}  // namespace memsizer::cli
