// Every fixture of the golden directory against our implementation. The directory is read when the test
// starts, so that MEMSIZER_GOLDEN=DIR runs any other set of the same form; a fixture that no check knows is a
// failure.
#include <gtest/gtest.h>

#include "golden_cases/cases.h"

namespace memsizer::testing {
namespace {

constexpr GoldenCheck kChecks[] = {check_mixer,    check_translation_model, check_language_model,
                                   check_adaptive, check_label_smoothing,   check_positions};

class Golden : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(Golden, AgreesWithReference) {
  const Fixture fixture(GetParam());
  for (const GoldenCheck check : kChecks) {
    if (check(fixture)) return;
  }
  FAIL() << "no check knows variant '" << fixture.variant() << "'";
}

INSTANTIATE_TEST_SUITE_P(All, Golden, ::testing::ValuesIn(golden_files()),
                         [](const auto& file) { return fixture_test_name(file.param); });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Golden);

TEST(GoldenDirectory, HoldsFixtures) {
  EXPECT_FALSE(golden_files().empty()) << "no fixtures in " << golden_directory();
}

}  // namespace
}  // namespace memsizer::testing
