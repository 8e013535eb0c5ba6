#include "core/names.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace memsizer {
namespace {

const std::vector<std::string> kOptions = {"beam", "length-penalty", "max-length", "min-length"};

TEST(NearestName, FindsATypo) {
  EXPECT_EQ(nearest_name("beem", kOptions), "beam");
  EXPECT_EQ(nearest_name("lenght-penalty", kOptions), "length-penalty");
  EXPECT_EQ(nearest_name("max_length", kOptions), "max-length");
}

TEST(NearestName, FindsTheNameItself) {
  EXPECT_EQ(nearest_name("min-length", kOptions), "min-length");
}

TEST(NearestName, TakesTheFirstOfEquallyNearNames) {
  EXPECT_EQ(nearest_name("mix-length", kOptions), "max-length");
}

TEST(NearestName, GivesNothingWhenAllAreFar) {
  EXPECT_EQ(nearest_name("temperature", kOptions), "");
}

TEST(NearestName, GivesNothingWithoutCandidates) {
  EXPECT_EQ(nearest_name("beam", {}), "");
}

TEST(NearestName, TakesEmptyAndHugeNames) {
  EXPECT_EQ(nearest_name("", kOptions), "");
  EXPECT_EQ(nearest_name(std::string(1'000'000, 'x'), kOptions), "");
}

TEST(DidYouMean, EndsAMessageOrAddsNothing) {
  EXPECT_EQ(did_you_mean("baem", kOptions), "; did you mean 'beam'?");
  EXPECT_EQ(did_you_mean("temperature", kOptions), "");
}

}  // namespace
}  // namespace memsizer
