#include "mechanisms/registry.h"

#include <gtest/gtest.h>

#include <set>

#include "support/messages.h"

namespace memsizer {
namespace {

struct PaperRow {
  std::string_view mechanism;
  bool linear;
  bool recurrent;
  bool length_agnostic;
};

TEST(Mechanisms, AgreeWithThePapersTable) {
  for (const PaperRow& row :
       {PaperRow{"softmax", false, false, true}, PaperRow{"synthesizer-random", false, false, false},
        PaperRow{"synthesizer-dense", false, false, false}, PaperRow{"linformer", true, false, false},
        PaperRow{"rfa", true, true, true}, PaperRow{"performer", true, true, true},
        PaperRow{"memsizer", true, true, true}}) {
    const MechanismTraits& ours = mechanism_named(row.mechanism).traits();
    EXPECT_EQ(ours.linear, row.linear) << ours.name;
    EXPECT_EQ(ours.recurrent, row.recurrent) << ours.name;
    EXPECT_EQ(ours.length_agnostic, row.length_agnostic) << ours.name;
  }
}

TEST(Mechanisms, SayWhyTheyCannotBeUsedSomewhere) {
  for (const Mechanism& mechanism : mechanisms()) {
    const MechanismTraits& row = mechanism.traits();
    for (const Position position : {Position::EncoderSelf, Position::CausalSelf, Position::Cross}) {
      const std::string message = testing::message_of([&] { require_position(mechanism, position); });
      if (row.supports(position)) {
        EXPECT_EQ(message, "no error");
      } else {
        EXPECT_FALSE(row.note.empty()) << row.name;
        EXPECT_TRUE(testing::has_text(message, std::string(row.note)));
      }
    }
  }
}

TEST(Mechanisms, AreKnownByTheirNames) {
  for (const Mechanism& mechanism : mechanisms()) EXPECT_EQ(mechanism_named(mechanism.name()), mechanism);
  EXPECT_TRUE(testing::has_text(testing::message_of([] { mechanism_named("softmaxx"); }),
                                "mechanism 'softmaxx' is not known; did you mean 'softmax'?"));
}

TEST(Mechanisms, KeepFieldsOfDifferentNames) {
  for (const Mechanism& mechanism : mechanisms()) {
    for (const Position position : kPositions) {
      const MixerConfig config{.mechanism = mechanism, .position = position, .dim = 24, .heads = 3};
      if (!mechanism.traits().supports(position)) continue;
      const std::vector<StateField> fields = config.state();
      std::set<std::string> names;
      bool grows = false;
      for (const StateField& field : fields) {
        EXPECT_TRUE(names.insert(field.name).second) << mechanism.name() << " " << field.name;
        grows = grows || field.growth != Growth::Fixed;
        EXPECT_TRUE(field.type == DType::F32 || (field.type == DType::I64 && field.shape.empty()))
            << "numbers are floats, but for a count of tokens";
      }
      if (position == Position::EncoderSelf) {
        EXPECT_TRUE(fields.empty()) << mechanism.name();
      } else {
        EXPECT_EQ(grows, !mechanism.traits().recurrent) << mechanism.name();
      }
    }
  }
}

}  // namespace
}  // namespace memsizer
