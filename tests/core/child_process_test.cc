#include "core/child_process.h"

#include <gtest/gtest.h>

namespace memsizer {
namespace {

TEST(ChildProcess, GivesWhatItWrote) {
  EXPECT_EQ(output_of({"/bin/echo", "two words", "$HOME"}), "two words $HOME\n");
}

TEST(ChildProcess, LargeOutputComesWhole) {
  const auto text = output_of({"/usr/bin/head", "-c", "300000", "/dev/zero"});
  ASSERT_TRUE(text);
  EXPECT_EQ(text->size(), 300000U);
}

TEST(ChildProcess, FailureIsNoOutput) {
  EXPECT_FALSE(output_of({"/bin/false"}));
  EXPECT_FALSE(output_of({"/nowhere/program"}));
}

TEST(ChildProcess, HasNoInput) {
  EXPECT_EQ(output_of({"/bin/cat"}), "");
}

}  // namespace
}  // namespace memsizer
