#include <gtest/gtest.h>

#include "mechanisms/memsizer/description.h"
#include "mechanisms/registry.h"
#include "support/messages.h"

namespace memsizer {
namespace {

using testing::has_text;
using testing::message_of;

MixerConfig mixer(Position position, std::string_view mechanism = "memsizer") {
  return {.mechanism = mechanism_named(mechanism), .position = position, .dim = 24, .heads = 4};
}

// The message of one option changed by `change` in a causal mixer.
template <typename Change>
std::string message_with(const Change& change, Position position = Position::CausalSelf) {
  MixerConfig config = mixer(position);
  change(config.options<MemsizerOptions>());
  return message_of([&] { config.validate(); });
}

TEST(MemsizerOptions, GroupsDivideHeadsAndWidth) {
  const auto groups = [](int64_t count) {
    return message_with([&](MemsizerOptions& options) { options.groups.causal = count; });
  };
  EXPECT_EQ(groups(4), "no error");
  EXPECT_TRUE(
      has_text(groups(3), "model.memsizer.causal_groups is 3; it must divide the mechanism's heads (4)"));
  EXPECT_TRUE(has_text(groups(0), "model.memsizer.causal_groups is 0; it must be from 1"));
}

TEST(MemsizerOptions, BothReadsNeedTwoGroups) {
  EXPECT_TRUE(
      has_text(message_with([](MemsizerOptions& options) { options.read.cross = MemsizerRead::Both; },
                            Position::Cross),
               "model.memsizer.cross_read is both with one group; set model.memsizer.cross_groups to 2"));
}

TEST(MemsizerOptions, CausalMemoriesCannotPool) {
  const auto pool = [](MemsizerOptions& options) {
    options.read = {.causal = MemsizerRead::Pool, .cross = MemsizerRead::Pool, .encoder = MemsizerRead::Pool};
  };
  EXPECT_EQ(message_with(pool, Position::Cross), "no error");
  EXPECT_EQ(message_with(pool, Position::EncoderSelf), "no error");
  EXPECT_TRUE(has_text(message_with(pool),
                       "model.memsizer.causal_read is pool; a causal memory has no whole source"));
}

TEST(MemsizerOptions, SizesOfConvolutionAndWindowAreChecked) {
  EXPECT_TRUE(has_text(message_with([](MemsizerOptions& options) { options.convolution = -1; }),
                       "model.memsizer.causal_convolution is -1"));
  EXPECT_TRUE(has_text(message_with([](MemsizerOptions& options) { options.window = -2; }),
                       "model.memsizer.causal_window is -2"));
}

TEST(MemsizerOptions, CausalOnesLeaveOtherPositionsAlone) {
  MixerConfig config = mixer(Position::Cross);
  const std::vector<TensorSpec> published = mixer_tensor_list(config);
  auto& options = config.options<MemsizerOptions>();
  options.forget = true;
  options.convolution = 4;
  options.window = 8;
  options.groups.causal = 2;
  options.read.causal = MemsizerRead::Mean;
  EXPECT_EQ(mixer_tensor_list(config).size(), published.size());
  EXPECT_EQ(config.state().size(), 1U);
}

TEST(MemsizerOptions, StateSaysWhatEachCosts) {
  MixerConfig config = mixer(Position::CausalSelf);
  auto& options = config.options<MemsizerOptions>();
  options.slots.causal = 5;
  options.groups.causal = 2;
  options.read.causal = MemsizerRead::Both;
  options.forget = true;
  options.convolution = 4;
  options.window = 8;
  std::vector<std::pair<std::string, int64_t>> found;
  for (const StateField& field : config.state()) found.emplace_back(field.name, field.elements());
  const std::vector<std::pair<std::string, int64_t>> expected = {
      {"memory", 5 * 24},      {"normaliser", 5},         {"inputs", 3 * 24},
      {"window_keys", 8 * 24}, {"window_values", 8 * 24}, {"count", 1}};
  EXPECT_EQ(found, expected);
}

TEST(MemsizerPlus, HasASectionOfItsOwn) {
  MixerConfig config = mixer(Position::CausalSelf, "memsizer-plus");
  config.options<MemsizerOptions>().slots.causal = 7;
  config.options<MemsizerPlusOptions>().slots.causal = 9;
  EXPECT_EQ(MemsizerForm(config).slots, 9);
  config.options<MemsizerPlusOptions>().groups.causal = 5;
  EXPECT_TRUE(has_text(message_of([&] { config.validate(); }), "model.memsizer-plus.causal_groups is 5"));
}

}  // namespace
}  // namespace memsizer
