#include "serve/admission.h"

#include <gtest/gtest.h>

namespace memsizer::serve {
namespace {

using Length = Admission::Length;

TEST(Admission, PlacesAreTakenAndGivenBack) {
  Admission admission(2, 1, 1);
  auto two = admission.enter(2, Length::Short);
  ASSERT_TRUE(two);
  EXPECT_FALSE(admission.enter(2, Length::Short)) << "all of them or none";
  const auto one = admission.enter(1, Length::Short);
  EXPECT_TRUE(one);
  EXPECT_EQ(admission.inside(), 3);
  EXPECT_FALSE(admission.enter(1, Length::Short));
  two.reset();
  EXPECT_TRUE(admission.enter(2, Length::Short));
}

TEST(Admission, LongTextsLeaveRoomForShortOnes) {
  Admission admission(4, 4, 2);
  const auto first = admission.enter(2, Length::Long);
  EXPECT_TRUE(first);
  EXPECT_FALSE(admission.enter(1, Length::Long));
  EXPECT_EQ(admission.most(Length::Long), 2);
  EXPECT_EQ(admission.most(Length::Short), 8);
  EXPECT_TRUE(admission.enter(6, Length::Short));
}

}  // namespace
}  // namespace memsizer::serve
