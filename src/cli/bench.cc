#include "cli/bench.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "bench/machine.h"
#include "bench/sweep_report.h"
#include "cli/command_line.h"
#include "cli/output_path.h"
#include "core/atomic_file.h"
#include "core/error.h"
#include "kernels/thread_count.h"
#include "model/model_file.h"
#include "model/presets.h"
#include "report/progress.h"

namespace memsizer::cli {
namespace {

struct BenchCommand {
  std::string model;
  std::string preset = "base";
  std::vector<std::string> settings;
  VariantLists variants;
  bench::SweepLists lists;
  std::vector<int> threads;
  bench::GenerationPoint like;
  std::string report;
  bool json = false;
};

ModelConfig base_config(const BenchCommand& command) {
  ModelConfig base = command.model.empty()
                         ? preset_config(command.preset)
                         : read_description(SafetensorsFile::open(model_path(command.model))).config;
  const std::vector<OptionRef> known = collect_options(base, "model");
  for (const std::string& setting : command.settings) set_option_assignment(known, setting);
  base.validate();
  return base;
}

// All values of a point that the reader of a figure must know, where they do not vary.
report::Facts facts_of(const BenchCommand& command, const std::vector<bench::SweepPoint>& points) {
  report::Facts facts = bench::machine_facts();
  const bench::GenerationPoint& first = points.front().point;
  const std::string settings =
      command.settings.empty() ? "" : fmt::format(" with {}", fmt::join(command.settings, " "));
  facts.emplace_back("model",
                     fmt::format("{}{}, random weights",
                                 command.model.empty()
                                     ? "preset " + command.preset
                                     : "shape of " + std::filesystem::path(command.model).filename().string(),
                                 settings));
  if (first.config.has_encoder()) {
    facts.emplace_back("sources", first.source_length > 0 ? fmt::format("{} tokens", first.source_length)
                                                          : "as long as the targets");
  }
  const auto fact = [&](const char* name, const std::string& value, size_t values) {
    if (values == 1) facts.emplace_back(name, value);
  };
  if (first.shortlist > 0)
    fact("shortlist", fmt::format("{} tokens per row, drawn by Zipf's law", first.shortlist),
         command.lists.shortlists.size());
  fact("precision", points.front().precision, command.lists.precisions.size());
  fact("threads", fmt::to_string(first.threads), command.threads.size());
  fact("search", first.beam == 1 ? "greedy" : fmt::format("beam {}", first.beam), command.lists.beams.size());
  facts.emplace_back(
      "figures",
      fmt::format("medians of at least {} repeats after a warm-up, each point in a process of its own",
                  first.repeats));
  return facts;
}

void run_bench(BenchCommand command) {
  require_other_file("--report", command.report, {{"--model", command.model}});
  command.like.config = base_config(command);
  for (int& count : command.threads) count = kernels::thread_count(count);
  command.lists.threads = command.threads;
  command.lists.variants = variants_of(command.variants, command.like.config);
  if (command.like.repeats < 1 || command.like.repeats > 1000)
    throw UserError("repeats is {}; it must be 1 to 1000", command.like.repeats);
  // A mistake is found before the first measurement.
  const std::vector<bench::SweepPoint> points = bench::sweep_points(command.lists, command.like);
  // And a report that cannot be written too.
  std::unique_ptr<AtomicFile> file;
  if (!command.report.empty()) file = std::make_unique<AtomicFile>(command.report);

  bench::SweepReport report{"Generation speed and memory", facts_of(command, points), {}};
  report::Progress progress("measuring", static_cast<int64_t>(points.size()), 0, 1);
  for (const bench::SweepPoint& at : points) {
    report.measurements.push_back({at, bench::measure_apart(at.point)});
    const auto& result = report.measurements.back().result;
    progress.update(static_cast<int64_t>(report.measurements.size()),
                    fmt::format("{} {} batch {} length {}: {}", at.variant.name(), at.precision,
                                at.point.batch, at.point.length,
                                result ? fmt::format("{:.0f} tokens/s", result->tokens_per_second)
                                       : "failed, probably for lack of memory"));
  }
  progress.finish();
  if (std::ranges::none_of(report.measurements, [](const auto& point) { return point.result.has_value(); })) {
    throw UserError("none of the {} points could be measured; ask for fewer rows, tokens or threads",
                    points.size());
  }
  if (file) {
    file->write(report.html());
    file->commit();
  }
  fmt::print("{}", command.json ? report.json().dump(2) + "\n" : report.markdown());
}

}  // namespace

void add_bench(CLI::App& app) {
  auto options = std::make_shared<BenchCommand>();
  options->threads = {0};
  CLI::App* command = app.add_subcommand(
      "bench",
      "Measure generation with random weights: speed, latency, memory, against the machine's limits");
  std::vector<std::string> names;
  for (const Preset& preset : presets()) names.emplace_back(preset.name);
  const auto add_list = [&](const char* name, auto& list, const char* help) {
    command->add_option(name, list, help)->delimiter(',')->capture_default_str();
  };
  command->add_option("--preset", options->preset, fmt::format("a named shape: {}", fmt::join(names, ", ")))
      ->capture_default_str();
  command->add_option("--model", options->model, "take the shape of this model file instead")
      ->excludes("--preset");
  add_settings_option(*command, options->settings);
  add_list("--mechanisms", options->variants.mechanisms, "in the decoder, such as memsizer,softmax");
  add_list("--slots", options->variants.slots, "their slots or features k: 8, or causal/cross such as 4/32");
  add_list("--heads", options->variants.heads, "their heads");
  add_list("--keys", options->variants.keys, "MemSizer's keys: learned, frozen, input");
  add_list("--lengths", options->lists.lengths, "target tokens; the source has as many");
  command->add_option("--source-length", options->like.source_length, "tokens of every source instead");
  add_list(
      "--shortlist", options->lists.shortlists,
      "tokens that each row chooses among, drawn by Zipf's law since random weights have no real lists: 800 "
      "is typical; 0 is the whole vocabulary");
  add_list("--batch", options->lists.batches, "rows generated together");
  add_list("--beam", options->lists.beams, "hypotheses of a search; 1 is greedy");
  add_list("--precision", options->lists.precisions, "fp32, bf16, int8");
  add_list("--threads", options->threads, "0 takes the physical cores");
  command->add_option("--repeats", options->like.repeats, "of each measurement, at least")
      ->capture_default_str();
  command->add_flag("--every-step", options->like.every_step,
                    "time every step of long generations too, instead of some along the way");
  command->add_option("--report", options->report, "a page with plots: out.html");
  command->add_flag("--json", options->json, "machine-readable output");
  command->callback([options] { run_bench(*options); });
}

}  // namespace memsizer::cli
