#include "metrics/length_buckets.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace memsizer::metrics {
namespace {

TEST(LengthBuckets, PutsEachLengthIntoOneRange) {
  const LengthBuckets buckets({10, 20});
  ASSERT_EQ(buckets.size(), 3);
  EXPECT_EQ(buckets.bucket_of(1), 0);
  EXPECT_EQ(buckets.bucket_of(10), 0);
  EXPECT_EQ(buckets.bucket_of(11), 1);
  EXPECT_EQ(buckets.bucket_of(20), 1);
  EXPECT_EQ(buckets.bucket_of(21), 2);
  EXPECT_EQ(buckets.label(0), "1 to 10");
  EXPECT_EQ(buckets.label(1), "11 to 20");
  EXPECT_EQ(buckets.label(2), "above 20");
}

TEST(LengthBuckets, WithoutBoundsIsOneForAll) {
  const LengthBuckets buckets({});
  EXPECT_EQ(buckets.size(), 1);
  EXPECT_EQ(buckets.bucket_of(5), 0);
  EXPECT_EQ(buckets.label(0), "all");
}

TEST(LengthBuckets, RefusesBoundsThatDoNotAscend) {
  EXPECT_THROW(LengthBuckets({10, 10}), UserError);
  EXPECT_THROW(LengthBuckets({0}), UserError);
}

}  // namespace
}  // namespace memsizer::metrics
