#include "train/changed_options.h"

#include <gtest/gtest.h>

#include "support/messages.h"

namespace memsizer::train {
namespace {

using memsizer::testing::has_text;
using memsizer::testing::message_of;

Recipe recipe_with(const std::vector<std::string>& settings) {
  return parse_recipe("[data]\ntrain = [\"a\", \"b\"]\n", "r.toml", settings);
}

std::vector<std::string> changes(const std::vector<std::string>& before, const std::vector<std::string>& now,
                                 bool restored = true) {
  return changed_options(recipe_with(before), recipe_with(now), restored, "runs/x");
}

std::string error_of(const std::string& before, const std::string& now, bool restored = true) {
  return message_of([&] { changes({before}, {now}, restored); });
}

TEST(ChangedOptions, WhatTheCheckpointDependsOnIsRefused) {
  const std::string error = error_of("training.max_tokens=500", "training.max_tokens=1000");
  EXPECT_EQ(
      error,
      "training.max_tokens is 1000, but the run in runs/x was begun with 500, and the order of the batches "
      "depends on it; resume with the old value, or choose another folder with --out");
  EXPECT_TRUE(has_text(error_of("optimizer.kind=adam", "optimizer.kind=nag"), "optimizer.kind"));
  for (const std::string setting :
       {"training.seed=2", "training.sort_window=7", "training.block_tokens=7", "training.ema_decay=0.9",
        "validation.metric=bleu", "data.max_ratio=3", "data.tokenizer.vocab=77", "task.kind=summarization"}) {
    EXPECT_TRUE(has_text(error_of("task.name=", setting), setting.substr(0, setting.find('='))));
  }
}

TEST(ChangedOptions, TheOthersAreTold) {
  EXPECT_TRUE(changes({"optimizer.lr=0.1"}, {"optimizer.lr=0.1"}).empty());
  EXPECT_EQ(changes({"optimizer.lr=0.1", "training.ema_decay=0.5"},
                    {"optimizer.lr=0.25", "training.ema_decay=0.9", "data.tokenizer.model=t"}),
            (std::vector<std::string>{"data.tokenizer.model is \"t\" from here on, it was \"\"",
                                      "optimizer.lr is 0.25 from here on, it was 0.1",
                                      "training.ema_decay is 0.9 from here on, it was 0.5"}));
}

TEST(ChangedOptions, ARunWithoutCheckpointHasOnlyItsTokenizer) {
  EXPECT_EQ(error_of("training.seed=1", "training.seed=2", /*restored=*/false), "no error");
  EXPECT_TRUE(has_text(error_of("data.tokenizer.vocab=50", "data.tokenizer.vocab=60", /*restored=*/false),
                       "data.tokenizer.vocab"));
}

// A list that names an option which is no more would protect nothing.
TEST(ChangedOptions, EveryOptionIsToldOrRefused) {
  Recipe recipe = recipe_with({});
  for (const OptionRef& option : collect_options(recipe, "")) {
    if (option.path.starts_with("model.")) continue;
    Recipe other = recipe_with({});
    const std::vector<OptionRef> options = collect_options(other, "");
    const nlohmann::json value = option.get();
    const OptionRef& changed = *find_option(options, option.path);
    const bool set = value.is_boolean()  ? changed.set(!value.get<bool>())
                     : value.is_number() ? changed.set(value.get<int64_t>() + 1)
                     : value.is_array()  ? changed.set({"x", "y"})
                                         : changed.set("x");
    if (!set) continue;  // a name out of a list; those that matter are above
    size_t told = 0;
    const std::string error =
        message_of([&] { told = changed_options(recipe_with({}), other, true, "runs/x").size(); });
    EXPECT_TRUE(told == 1 || has_text(error, option.path)) << option.path;
  }
}

}  // namespace
}  // namespace memsizer::train
