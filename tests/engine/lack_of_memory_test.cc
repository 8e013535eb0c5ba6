#include <gtest/gtest.h>

#include <new>
#include <string>
#include <vector>

#include "core/error.h"
#include "engine/line_pipeline.h"
#include "engine/text_stream.h"
#include "engine/written_model.h"
#include "support/failing_allocations.h"

namespace memsizer::engine {
namespace {

using testing::FailingAllocations;

enum class Outcome { Done, Error };

// Done or an error that a program tells; anything else is a bug.
template <typename Call>
Outcome outcome_of(const Call& call) {
  try {
    call();
    return Outcome::Done;
  } catch (const std::bad_alloc&) {
    return Outcome::Error;
  } catch (const UserError&) {
    return Outcome::Error;
  }
}

// Calls with a failure of each allocation in turn, until there is none left to fail.

template <typename Call>
void fail_each(int64_t in_a_row, const Call& call) {
  int64_t errors = 0;
  bool failed = true;
  for (int64_t n = 1; failed; ++n) {
    ASSERT_LT(n, 100'000) << "it takes ever more memory";
    Outcome outcome = Outcome::Done;
    {
      const FailingAllocations failing(n, in_a_row);
      outcome = outcome_of(call);
      failed = failing.failed();
    }
    if (outcome == Outcome::Error) ++errors;
    EXPECT_TRUE(failed || outcome == Outcome::Done);
  }
  EXPECT_GT(errors, 0);
}

class LackOfMemory : public ::testing::TestWithParam<const char*> {
 protected:
  static void SetUpTestSuite() {
    testing::write_tiny_model(path("memsizer"), tiny_translator(mechanism_named("memsizer")));
    testing::write_tiny_model(path("softmax"), tiny_translator(mechanism_named("softmax")));
  }
  static std::filesystem::path path(const std::string& name) {
    static const testing::TempDir dir;
    return dir / name;
  }
};

const std::vector<std::string>& lines() {
  static const std::vector<std::string> kLines = {"the cat sat", "", "on a mat the cat sat on a mat",
                                                  "der Kater"};
  return kLines;
}

std::vector<std::string> texts_of(Generator& generator, const GenerationOptions& options) {
  std::vector<std::string> texts;
  for (const Result& result : generate_lines(generator, lines(), options))
    texts.push_back(result.outputs.at(0).text);
  return texts;
}

TEST_P(LackOfMemory, LoadingFailsOrIsRight) {
  const GenerationOptions options = default_options(TextModel::load(path(GetParam()))->description());
  std::vector<std::string> expected;
  {
    const auto model = TextModel::load(path(GetParam()));
    Generator generator(*model, {.threads = 1});
    expected = texts_of(generator, options);
  }
  fail_each(1, [&] {
    const auto model = TextModel::load(path(GetParam()));
    Generator generator(*model, {.threads = 2, .workers = 2});
  });
  const auto model = TextModel::load(path(GetParam()));
  Generator generator(*model, {.threads = 1});
  EXPECT_EQ(texts_of(generator, options), expected);
}

// The generator that lacked memory serves the next request as if nothing had been.
TEST_P(LackOfMemory, ARequestFailsOrIsRight) {
  const auto model = TextModel::load(path(GetParam()));
  GenerationOptions options = default_options(model->description());
  options.max_length = 8;
  Generator generator(*model, {.threads = 1});
  const std::vector<std::string> expected = texts_of(generator, options);
  for (const int64_t in_a_row : {1, 5}) {
    fail_each(in_a_row, [&] {
      const std::vector<std::string> found = texts_of(generator, options);
      EXPECT_EQ(found, expected);
    });
    EXPECT_EQ(texts_of(generator, options), expected);
  }
}

TEST_P(LackOfMemory, AStreamEnds) {
  const auto model = TextModel::load(path(GetParam()));
  GenerationOptions options = default_options(model->description());
  options.sample = true;
  options.max_length = 8;
  Generator generator(*model, {.threads = 1});
  const auto streamed = [&] {
    std::string text;
    Request request;
    request.input = lines().front();
    request.options = options;
    stream_text(generator, std::move(request), [&](std::string_view piece) {
      text += piece;
      return true;
    });
    return text;
  };
  const std::string expected = streamed();
  fail_each(1, [&] {
    const std::string found = streamed();
    EXPECT_EQ(found, expected);
  });
  EXPECT_EQ(streamed(), expected);
}

INSTANTIATE_TEST_SUITE_P(Mechanisms, LackOfMemory, ::testing::Values("memsizer", "softmax"),
                         [](const auto& instance) { return std::string(instance.param); });

}  // namespace
}  // namespace memsizer::engine
