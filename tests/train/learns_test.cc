// Training learns: a tiny task, from text files to a finished model, to a loss that chance cannot reach.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <string_view>

#include "core/random.h"
#include "support/temp_dir.h"
#include "train/trainer.h"

namespace memsizer::train {
namespace {

using memsizer::testing::TempDir;

constexpr std::string_view kWords = "abcdefghij";
constexpr int kChosen = 5;

// The source has five of ten words in random order, the target has the same in alphabetical order.
void write_pairs(const TempDir& dir, const std::string& name, int lines, Random& random) {
  std::ofstream source(dir / (name + ".src"));
  std::ofstream target(dir / (name + ".tgt"));
  for (int line = 0; line < lines; ++line) {
    std::string words(kWords);
    random.shuffle(std::span<char>(words));
    words.resize(kChosen);
    for (const char word : words) source << word << ' ';
    std::ranges::sort(words);
    for (const char word : words) target << word << ' ';
    source << '\n';
    target << '\n';
  }
}

constexpr auto kRecipe = R"(
[data]
train = ["train.src", "train.tgt"]
valid = ["valid.src", "valid.tgt"]
[data.tokenizer]
type = "words"
vocab = 0
[model]
preset = "tiny"
dim = 32
dropout = 0.0
encoder = { layers = 1, heads = 2, ffn = 64 }
decoder = { layers = 1, heads = 2, ffn = 64 }
[optimizer]
lr = 5e-3
clip_norm = 1.0
[schedule]
warmup = 30
[training]
max_updates = 300
max_tokens = 384
label_smoothing = 0.0
log_every = 1000
checkpoint_every = 1000
threads = 1
[validation]
every = 1000
max_sentences = 1
samples = 0
)";

// Nats per target after a few hundred updates, on lines that were not trained on.
double learnt_loss(const std::string& mechanism) {
  const TempDir dir;
  Random random = Random::of(1);
  write_pairs(dir, "train", 4000, random);
  write_pairs(dir, "valid", 200, random);
  const Recipe recipe =
      parse_recipe(kRecipe, "learns",
                   {"data.directory=" + dir.path().string(), "model.encoder.self=" + mechanism,
                    "model.decoder.self=" + mechanism, "model.decoder.cross=" + mechanism});
  const TrainingResult result = Trainer(recipe, dir / "run", /*resume=*/false).run();
  for (const auto& [name, value] : result.valid) {
    if (name == "nll") return value;
  }
  ADD_FAILURE() << "the result has no loss";
  return 0.0;
}

// Without the source, all 252 choices of five words are equally likely: whatever a model knows of their order
// and number, the six targets of a line (five words and the end) cost it ln(252) = 5.53 nats together, which
// is 0.92 per target. Only a model that reads the source through its attention can be below; one that has
// learnt the task is below a tenth of it.
static_assert(kWords.size() == 10 && kChosen == 5, "252 is their number of choices");
const double kLearnt = std::log(252.0) / (kChosen + 1) / 10;

TEST(Training, MemsizerLearns) {
  EXPECT_LT(learnt_loss("memsizer"), kLearnt);
}

TEST(Training, SoftmaxLearns) {
  EXPECT_LT(learnt_loss("softmax"), kLearnt);
}

}  // namespace
}  // namespace memsizer::train
