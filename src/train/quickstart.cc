#include "train/quickstart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <vector>

#include "core/atomic_file.h"
#include "core/clock.h"
#include "core/error.h"
#include "demo/english_german.h"
#include "model/state_size.h"
#include "model/tensor_list.h"
#include "nn/encoder_decoder.h"
#include "train/process.h"
#include "train/trainer.h"

namespace memsizer::train {
namespace {

namespace fs = std::filesystem;
using at::Tensor;

constexpr int64_t kTrainPairs = 60000;
constexpr int64_t kHeldOutPairs = 500;
constexpr auto kMarker = "quickstart";  // a folder with this file is ours to replace

constexpr auto kRecipe = R"(
[task]
kind = "translation"
name = "Quickstart: English to German"
[data]
train = ["train.en", "train.de"]
valid = ["valid.en", "valid.de"]
test = ["test.en", "test.de"]
[data.tokenizer]
vocab = 1200
max_training_lines = 20000
[model]
preset = "tiny"
dropout = 0.0
[model.encoder]
ffn = 256
[model.decoder]
self = "memsizer-plus"
cross = "memsizer-plus"
ffn = 256
[optimizer]
lr = 1e-5
clip_norm = 1.0
[schedule]
kind = "cosine"
max_lr = 2e-3
warmup = 100
[training]
max_tokens = 1024
label_smoothing = 0.05
log_every = 100
checkpoint_every = 600
keep_last = 2
[validation]
every = 600
metric = "bleu"
max_sentences = 100
samples = 1
[generation]
beam = 4
)";

void prepare_folder(const fs::path& folder) {
  std::error_code error;
  if (fs::exists(folder) && !fs::is_empty(folder, error)) {
    if (!fs::exists(folder / kMarker)) {
      throw UserError("{} exists and is no earlier quickstart; choose another folder with --out",
                      folder.string());
    }
    // One that still runs keeps its folder.
    const FileLock entered = RunFolder(folder).open(/*resume=*/true);
    fs::remove_all(folder, error);
  }
  fs::create_directories(folder / "data", error);
  if (error) {
    throw UserError("cannot create {}: {}; choose another folder with --out", (folder / "data").string(),
                    error.message());
  }
  write_text(folder / kMarker, "made by memsizer quickstart; the next one replaces this folder\n");
}

void write_side(const fs::path& path, const std::vector<demo::SentencePair>& pairs,
                std::string demo::SentencePair::*side) {
  AtomicFile file(path);
  for (const demo::SentencePair& pair : pairs) file.write(pair.*side + "\n");
  file.commit();
}

void write_corpus(const fs::path& folder, uint64_t seed) {
  const demo::SentencePairs pairs = demo::english_german(kTrainPairs, kHeldOutPairs, kHeldOutPairs, seed);
  const auto write = [&](const std::string& name, const std::vector<demo::SentencePair>& list) {
    write_side(folder / fmt::format("{}.en", name), list, &demo::SentencePair::english);
    write_side(folder / fmt::format("{}.de", name), list, &demo::SentencePair::german);
  };
  write("train", pairs.train);
  write("valid", pairs.valid);
  write("test", pairs.test);
}

struct Speed {
  double tokens_per_second;
  int64_t state_bytes;
};

// Generates a fixed number of tokens for a batch, whatever they are.
Speed measure(TaskModel& model, const Tensor& sources, int64_t length) {
  const auto rows = sources.size(0);
  const auto search = model.start(sources);
  std::vector<int32_t> tokens(static_cast<size_t>(rows), static_cast<int32_t>(kEos));
  const double start = steady_seconds();
  for (int64_t t = 0; t < length; ++t) {
    const std::span<float> logits = search->advance(tokens);
    for (int64_t row = 0; row < rows; ++row) {
      const std::span<float> scores =
          logits.subspan(static_cast<size_t>(row * search->vocab()), static_cast<size_t>(search->vocab()));
      scores[kPad] = -std::numeric_limits<float>::infinity();
      tokens[row] = static_cast<int32_t>(std::ranges::max_element(scores) - scores.begin());
    }
  }
  const StateSize state = decoder_state_size(model.config());
  return {static_cast<double>(rows * length) / (steady_seconds() - start), state.at(length, sources.size(1))};
}

void compare_with_baseline(Trainer& trainer) {
  constexpr int64_t kRows = 16;
  ModelConfig config = trainer.model().config();
  config.decoder.self = config.decoder.cross = baseline_mechanism();
  const auto twin = make_task_model(config);
  auto generator = at::detail::createCPUGenerator(1);
  twin->initialise(generator);
  text::Batch rows;
  for (int64_t i = 0; i < kRows; ++i) rows.push_back(i);
  const Tensor sources = source_batch(trainer.data().test->corpus, rows);
  fmt::print("\ngeneration, batch {}             {:<8}              {} twin\n", kRows,
             trainer.model().config().decoder.self.at(0).name(), baseline_mechanism().name());
  fmt::print("  tokens            tokens/s  state bytes      tokens/s  state bytes\n");
  for (const int64_t length : {64, 512}) {
    const Speed ours = measure(trainer.model(), sources, length);
    const Speed theirs = measure(*twin, sources, length);
    fmt::print("  {:>6}  {:>18.0f} {:>12}  {:>12.0f} {:>12}\n", length, ours.tokens_per_second,
               ours.state_bytes, theirs.tokens_per_second, theirs.state_bytes);
  }
}

}  // namespace

void run_quickstart(const QuickstartOptions& options) {
  if (options.updates < 1) throw UserError("--updates is {}; it must be at least 1", options.updates);
  if (options.threads < 0)
    throw UserError("--threads is {}; it must be 0 (all cores) or more", options.threads);
  keep_tensor_memory();
  const fs::path folder = options.folder;
  prepare_folder(folder);
  write_corpus(folder / "data", static_cast<uint64_t>(options.seed));
  std::vector<std::string> settings = {fmt::format("data.directory={}", (folder / "data").string()),
                                       fmt::format("training.max_updates={}", options.updates),
                                       fmt::format("training.seed={}", options.seed),
                                       fmt::format("training.threads={}", options.threads)};
  const Recipe recipe = parse_recipe(kRecipe, "quickstart", settings);
  Trainer trainer(recipe, folder, /*resume=*/false);
  trainer.open();
  fmt::print("A small MemSizer translator ({} parameters) learns German from {} generated sentences.\n",
             count_parameters(tensor_list(trainer.recipe().model)), kTrainPairs);
  std::fflush(stdout);
  const TrainingResult result = trainer.run();
  if (!result.finished) {
    fmt::print("stopped after update {}\n", result.updates);
    return;
  }
  fmt::print("trained in {:.0f} s\n\nsentences that training never saw\n", result.seconds);
  for (size_t i = 0; i < std::min<size_t>(6, result.samples.size()); ++i) {
    const report::SampleOutput& sample = result.samples[i];
    fmt::print("  english    {}\n  reference  {}\n  memsizer   {}\n\n", sample.source, sample.reference,
               sample.output);
  }
  for (const auto& [name, value] : result.test) {
    if (name == "bleu") fmt::print("BLEU on {} unseen sentences: {:.2f}\n", kHeldOutPairs, value);
  }
  compare_with_baseline(trainer);
  fmt::print(
      "\nnext\n"
      "  echo \"There are twelve big lamps in the kitchen.\" | memsizer translate --model {}\n"
      "      your own sentence, without LibTorch\n"
      "  memsizer info {}\n"
      "      what is in the model file\n"
      "  memsizer train recipes/multi30k-en-de.toml --set data.directory=DIR\n"
      "      the same on real sentences; --options lists every option of a recipe\n"
      "  memsizer train RECIPE.toml --set data.train=source.txt,target.txt --set data.directory=DIR\n"
      "      your own text\n"
      "the curves and more translations are in {}\n",
      result.model.string(), result.model.string(), RunFolder(folder).report().string());
}

}  // namespace memsizer::train
