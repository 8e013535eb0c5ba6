#include "kernels/thread_count.h"

#include <gtest/gtest.h>

#include "support/messages.h"

namespace memsizer::kernels {
namespace {

using testing::has_text;
using testing::message_of;

TEST(ThreadCount, NumbersOutOfRangeAreAnError) {
  const auto error = [](int threads, int workers) {
    return message_of([&] { thread_count(threads, workers); });
  };
  EXPECT_TRUE(has_text(error(-1, 1), "threads is -1; it must be from 1 to 1024"));
  EXPECT_TRUE(has_text(error(1025, 1), "threads is 1025"));
  EXPECT_TRUE(has_text(error(1, 0), "workers is 0"));
  EXPECT_TRUE(has_text(error(1024, 1024), "1024 workers of 1024 threads are 1048576 threads"));
}

TEST(ThreadCount, ZeroSharesTheCores) {
  EXPECT_GE(thread_count(0), 1);
  EXPECT_EQ(thread_count(0, 1024), 1);
  EXPECT_EQ(thread_count(3, 1024), 3);
}

}  // namespace
}  // namespace memsizer::kernels
