#include "report/step_rate.h"

#include <gtest/gtest.h>

namespace memsizer::report {
namespace {

TEST(StepRate, NothingBeforeTheFirstStep) {
  StepRate rate(100);
  EXPECT_FALSE(rate.seconds_for(10));
  rate.advance(100, 5);
  EXPECT_FALSE(rate.seconds_for(10));
}

TEST(StepRate, SteadySpeedIsExact) {
  StepRate rate(0);
  for (int i = 1; i <= 1000; ++i) rate.advance(i, 0.5 * i);
  EXPECT_NEAR(rate.seconds_for(10).value(), 5, 1e-9);
}

TEST(StepRate, StepsBeforeThisRunDoNotCount) {
  StepRate rate(1'000'000);
  rate.advance(1'000'010, 20);
  EXPECT_NEAR(rate.seconds_for(5).value(), 10, 1e-9);
}

TEST(StepRate, ForgetsASlowStart) {
  StepRate rate(0);
  rate.advance(1, 100);
  for (int i = 2; i <= 3000; ++i) rate.advance(i, 100 + 0.2 * i);
  EXPECT_NEAR(rate.seconds_for(10).value(), 2, 0.1);
}

TEST(StepRate, APauseBarelyShows) {
  StepRate rate(0);
  for (int i = 1; i <= 1000; ++i) rate.advance(i, i);
  rate.advance(1001, 1001 + 10);
  EXPECT_LT(rate.seconds_for(100).value(), 130);
}

TEST(StepRate, BackwardStepsAndClocksAreHarmless) {
  StepRate rate(10);
  rate.advance(5, 1);
  rate.advance(6, 0.5);
  rate.advance(7, 1.5);
  EXPECT_GT(rate.seconds_for(1).value(), 0);
  EXPECT_EQ(rate.seconds_for(-3).value(), 0);
}

}  // namespace
}  // namespace memsizer::report
