#include "mechanisms/registry.h"

#include <gtest/gtest.h>

#include "support/messages.h"

namespace memsizer {
namespace {

struct PaperRow {
  Mechanism mechanism;
  bool linear;
  bool recurrent;
  bool length_agnostic;
};

TEST(Mechanisms, AgreeWithThePapersTable) {
  for (const PaperRow& row :
       {PaperRow{Mechanism::Softmax, false, false, true},
        PaperRow{Mechanism::SynthesizerRandom, false, false, false},
        PaperRow{Mechanism::SynthesizerDense, false, false, false},
        PaperRow{Mechanism::Linformer, true, false, false}, PaperRow{Mechanism::Rfa, true, true, true},
        PaperRow{Mechanism::Performer, true, true, true}, PaperRow{Mechanism::Memsizer, true, true, true}}) {
    const MechanismTraits& ours = traits(row.mechanism);
    EXPECT_EQ(ours.linear, row.linear) << ours.name;
    EXPECT_EQ(ours.recurrent, row.recurrent) << ours.name;
    EXPECT_EQ(ours.length_agnostic, row.length_agnostic) << ours.name;
  }
}

TEST(Mechanisms, SayWhyTheyCannotStandSomewhere) {
  for (const MechanismTraits& row : mechanism_table()) {
    for (const Position position : {Position::EncoderSelf, Position::CausalSelf, Position::Cross}) {
      const std::string message = testing::message_of([&] { require_position(row.mechanism, position); });
      if (row.supports(position)) {
        EXPECT_EQ(message, "no error");
      } else {
        EXPECT_FALSE(row.note.empty()) << row.name;
        EXPECT_TRUE(testing::has_text(message, std::string(row.note)));
      }
    }
  }
}

}  // namespace
}  // namespace memsizer
