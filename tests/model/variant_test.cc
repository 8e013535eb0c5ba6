#include "model/variant.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "mechanisms/memsizer/description.h"
#include "mechanisms/rfa/description.h"
#include "model/presets.h"
#include "support/messages.h"

namespace memsizer {
namespace {

using testing::has_text;
using testing::message_of;

std::vector<std::string> names(const VariantLists& lists) {
  std::vector<std::string> result;
  for (const Variant& variant : variants_of(lists)) result.push_back(variant.name());
  return result;
}

TEST(Variant, EachMechanismWithEachSettingThatItHas) {
  EXPECT_EQ(names({{"softmax", "memsizer"}, {}, {}, {}}), (std::vector<std::string>{"softmax", "memsizer"}));
  EXPECT_EQ(names({{"softmax", "t2r", "memsizer"}, {"8", "4/32"}, {}, {"frozen"}}),
            (std::vector<std::string>{"softmax", "t2r-k8", "t2r-k4-32", "memsizer-k8-frozen",
                                      "memsizer-k4-32-frozen"}));
  EXPECT_EQ(names({{"memsizer"}, {}, {1, 4}, {}}),
            (std::vector<std::string>{"memsizer-heads1", "memsizer-heads4"}));
}

TEST(Variant, SetsTheModel) {
  const ModelConfig base = preset_config("tiny");
  const ModelConfig config = variants_of({{"memsizer"}, {"5/7"}, {2}, {"frozen"}}).front().applied_to(base);
  EXPECT_EQ(config.decoder.self, mechanism_named("memsizer"));
  EXPECT_EQ(config.decoder.cross, mechanism_named("memsizer"));
  EXPECT_EQ(config.options<MemsizerOptions>().slots.causal, 5);
  EXPECT_EQ(config.options<MemsizerOptions>().slots.cross, 7);
  EXPECT_EQ(config.options<MemsizerOptions>().heads, 2);
  EXPECT_EQ(config.options<MemsizerOptions>().keys, MemsizerKeys::Frozen);
  EXPECT_EQ(
      variants_of({{"rfa"}, {"9"}, {}, {}}).front().applied_to(base).options<RfaOptions>().features.cross, 9);
}

TEST(Variant, SoftmaxCrossesForWhatCannot) {
  const ModelConfig config = variants_of({{"ssru"}, {}, {}, {}}).front().applied_to(preset_config("tiny"));
  EXPECT_EQ(config.decoder.self, mechanism_named("ssru"));
  EXPECT_EQ(config.decoder.cross, mechanism_named("softmax"));
}

TEST(Variant, RefusesWhatIsNotThere) {
  EXPECT_TRUE(has_text(message_of([] {
                         variants_of({{"memsizr"}, {}, {}, {}});
                       }),
                       "did you mean 'memsizer'"));
  EXPECT_THROW(variants_of({{"linformer"}, {}, {}, {}}), UserError);
  for (const char* slots : {"", "x", "0", "4/", "/4", "4/x", "-1", "99999999999999999999"})
    EXPECT_TRUE(has_text(message_of([&] { SlotChoice::parse(slots); }), "such as 4/32")) << slots;
}

}  // namespace
}  // namespace memsizer
