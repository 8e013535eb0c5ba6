#include "train/recipe.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "support/messages.h"

namespace memsizer::train {
namespace {

using memsizer::testing::has_text;
using memsizer::testing::message_of;

constexpr auto kSmallest = "[data]\ntrain = [\"a\", \"b\"]\n";

Recipe parsed(const std::string& text, const std::vector<std::string>& settings = {}) {
  return parse_recipe(text, "r.toml", settings);
}

std::string error_of(const std::string& text, const std::vector<std::string>& settings = {}) {
  return message_of([&] { parsed(text, settings); });
}

TEST(Recipe, EveryOneInTheFolderLoads) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("recipes")) {
    EXPECT_EQ(message_of([&] { load_recipe(entry.path(), {}); }), "no error") << entry.path();
    ++count;
  }
  EXPECT_GE(count, 11);
}

TEST(Recipe, ResolvedFormReadsBackTheSame) {
  for (const auto& entry : std::filesystem::directory_iterator("recipes")) {
    const Recipe recipe = load_recipe(entry.path(), {});
    EXPECT_EQ(parsed(recipe.to_toml()).to_toml(), recipe.to_toml()) << entry.path();
  }
}

TEST(Recipe, PresetComesBeforeTheModelsOptions) {
  const Recipe recipe = parsed(std::string(kSmallest) + "[model]\ndim = 64\npreset = \"tiny\"\n");
  EXPECT_EQ(recipe.model.dim, 64);
  EXPECT_EQ(recipe.model.encoder.layers, 2);
  const Recipe other = parsed(std::string(kSmallest) + "[model]\ndim = 64\n", {"model.preset=base"});
  EXPECT_EQ(other.model.dim, 64);
  EXPECT_EQ(other.model.encoder.layers, 6);
}

TEST(Recipe, SettingsWinOverTheFile) {
  const Recipe recipe = parsed(std::string(kSmallest) + "[training]\nseed = 3\n",
                               {"training.seed=4", "data.train=x.en,x.de", "optimizer.lr=1e-3"});
  EXPECT_EQ(recipe.training.seed, 4);
  EXPECT_EQ(recipe.data.train, (std::vector<std::string>{"x.en", "x.de"}));
  EXPECT_DOUBLE_EQ(recipe.optimizer.lr, 1e-3);
}

TEST(Recipe, MistakesAreNamedWithTheirLine) {
  const std::string unknown = error_of(std::string(kSmallest) + "[training]\nmax_update = 3\n");
  EXPECT_TRUE(has_text(unknown, "r.toml:4"));
  EXPECT_TRUE(has_text(unknown, "max_updates"));
  EXPECT_TRUE(has_text(error_of(std::string(kSmallest) + "[training]\nseed = \"one\"\n"), "an integer"));
  EXPECT_TRUE(has_text(error_of("[data\n"), "r.toml:1: not TOML"));
  EXPECT_TRUE(
      has_text(error_of(std::string(kSmallest) + "[model.decoder]\nself = \"memsiser\"\n"), "memsizer"));
  EXPECT_TRUE(has_text(error_of(std::string(kSmallest) + "[model]\npreset = \"smal\"\n"), "small"));
  EXPECT_TRUE(has_text(error_of(std::string(kSmallest) + "[training]\nseed = 1979-05-27\n"), "date"));
  EXPECT_TRUE(has_text(error_of(kSmallest, {"training.sead=1"}), "training.seed"));
  EXPECT_TRUE(has_text(error_of("[training]\nseed = 1\n"), "data.train"));
}

TEST(Recipe, ValuesOutOfRangeAreNamed) {
  for (const std::string setting :
       {"optimizer.lr=0", "optimizer.beta2=1", "schedule.warmup=0", "training.max_tokens=1",
        "training.average_last=9", "training.label_smoothing=1", "validation.context=512",
        "training.max_updates=0", "schedule.kind=cosine", "training.ema_decay=1", "training.threads=-1"}) {
    const std::string error = error_of(kSmallest, {setting});
    EXPECT_NE(error, "no error") << setting;
  }
}

TEST(Recipe, NumbersAreFinite) {
  Recipe recipe;
  int count = 0;
  for (const OptionRef& option : collect_options(recipe, "")) {
    if (!option.get().is_number_float()) continue;
    ++count;
    for (const std::string number : {"inf", "-inf", "nan"}) {
      const std::string error =
          error_of(fmt::format("{} = {}\ndata.train = ['a', 'b']\n", option.path, number));
      EXPECT_TRUE(has_text(error, "r.toml:1: option " + option.path + " takes a finite number"));
    }
  }
  EXPECT_GT(count, 20);
  const std::string error = error_of("optimizer.eps = inf\n" + std::string(kSmallest));
  EXPECT_TRUE(has_text(error, "r.toml:1: option optimizer.eps takes a finite number; found 'inf'"));
}

TEST(Recipe, IntegersAreThoseOf64Bits) {
  EXPECT_EQ(error_of(kSmallest, {"training.seed=9223372036854775807"}), "no error");
  EXPECT_TRUE(has_text(error_of(kSmallest, {"training.seed=9223372036854775808"}), "training.seed"));
}

TEST(Recipe, AnyKeyIsNamedInOneLine) {
  for (const std::string key : {R"("a~b")", R"("")", R"("~")", R"("/")", R"("a\u001bb")", R"("a\nb")"}) {
    const std::string error = error_of(key + " = 1\n" + kSmallest);
    EXPECT_TRUE(has_text(error, "r.toml:1: unknown option '"));
    EXPECT_EQ(error.find_first_of("\n\x1b"), std::string::npos) << error;
  }
  EXPECT_TRUE(has_text(error_of(std::string(kSmallest) + "[\"training\".\"a~b\"]\nx = 1\n"), "r.toml:4"));
}

TEST(Recipe, KeysOfManyPartsAreRefusedBeforeTheyAreNested) {
  std::string parts = "a";
  for (int i = 1; i < 100000; ++i) parts += ".a";
  for (const std::string& text :
       {parts + " = 1\n", "[" + parts + "]\n", "[[" + parts + "]]\n", "x = {" + parts + " = 1}\n",
        "x = [{" + parts + " = 1}]\n", "\n\n# " + parts + "\n" + parts + " = 1\n"}) {
    const std::string error = error_of(kSmallest + text);
    EXPECT_TRUE(has_text(error, "parts"));
    EXPECT_EQ(error.find('\n'), std::string::npos);
    EXPECT_LT(error.size(), 300U);
  }
  EXPECT_TRUE(has_text(error_of(std::string(1000, '[')), "not TOML"));
}

TEST(Recipe, DotsOutsideOfKeysAreNoParts) {
  const std::string dots(1000, '.');
  const std::string quotes = "\"\"\"";
  for (const std::string& text :
       {"\"" + dots + "\" # " + dots, "'" + dots + "'", "\"a\\\"" + dots + "\"",
        quotes + dots + "\\\"\n\"\" " + dots + quotes, "'''" + dots + "\n'' " + dots + "'''"}) {
    EXPECT_EQ(error_of("# " + dots + "\n[task]\nname = " + text + "\n" + kSmallest), "no error") << text;
  }
}

TEST(Recipe, AFileWithoutEndIsRefused) {
  EXPECT_TRUE(has_text(message_of([] { load_recipe("/dev/zero", {}); }), "/dev/zero is larger than"));
  EXPECT_TRUE(has_text(message_of([] { load_recipe("tests", {}); }), "cannot read recipe"));
}

TEST(Recipe, AShortlistComesAfterTraining) {
  EXPECT_TRUE(has_text(error_of(kSmallest, {"generation.shortlist=true"}), "a model in training has none"));
}

TEST(Recipe, TaskAndFormatGoTogether) {
  EXPECT_TRUE(has_text(error_of(kSmallest, {"task.kind=language-model"}), "format"));
  EXPECT_TRUE(has_text(error_of(kSmallest, {"data.format=text", "data.train=a"}), "format"));
  EXPECT_EQ(error_of(kSmallest, {"data.format=text", "task.kind=language-model", "data.train=a"}),
            "no error");
}

TEST(Recipe, TheMetricThatChoosesIsOneThatTheTaskMeasures) {
  const auto error = [](const std::string& task, const std::string& metric) {
    const std::string format = task == "language-model" ? "text" : "tsv";
    return error_of("[data]\ntrain = [\"a\"]\n",
                    {"data.format=" + format, "task.kind=" + task, "validation.metric=" + metric});
  };
  for (const std::string metric : {"loss", "bleu", "chrf", "perplexity"}) {
    EXPECT_EQ(error("translation", metric), "no error") << metric;
    EXPECT_EQ(error("summarization", metric), "no error") << metric;
  }
  EXPECT_EQ(error("summarization", "rouge"), "no error");
  EXPECT_EQ(error("language-model", "loss"), "no error");
  EXPECT_EQ(
      error("translation", "rouge"),
      "validation.metric is rouge, which is not measured for translation; it must be one of bleu, chrf, "
      "perplexity, loss");
  EXPECT_EQ(error("language-model", "bleu"),
            "validation.metric is bleu, which is not measured for language-model; it must be one of "
            "perplexity, loss");
  EXPECT_TRUE(has_text(error("translation", "blau"), "bleu"));
}

TEST(Recipe, TokenizersOfBleuKeepTheirNames) {
  using enum metrics::BleuTokenizer;
  for (const auto& [name, tokenizer] :
       {std::pair{"13a", V13a}, {"zh", Zh}, {"none", None}, {"char", Char}, {"intl", Intl}})
    EXPECT_EQ(parsed(kSmallest, {fmt::format("validation.tokenizer={}", name)}).validation.tokenizer,
              tokenizer);
}

}  // namespace
}  // namespace memsizer::train
