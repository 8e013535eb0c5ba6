#include "core/generation_options.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/options.h"
#include "support/messages.h"

namespace memsizer {
namespace {

using testing::has_text;
using testing::message_of;

TEST(GenerationOptions, NamesWhatIsWrong) {
  const struct {
    std::vector<std::string> settings;
    std::string message;
  } cases[] = {
      {{"x.beam=0"}, "x.beam is 0; it must be from 1 to 1000"},
      {{"x.beam=1001"}, "x.beam is 1001"},
      {{"x.beam=-9223372036854775808"}, "x.beam is -9223372036854775808"},
      {{"x.beam=3", "x.n_best=4"}, "x.n_best is 4; it must be from 1 to 3"},
      {{"x.n_best=0"}, "x.n_best is 0"},
      {{"x.length_penalty=1e300"}, "x.length_penalty is 1e+300; it must be from -10 to 10"},
      {{"x.max_length_ratio=-0.1"}, "x.max_length_ratio is -0.1"},
      {{"x.max_length=-1"}, "x.max_length is -1"},
      {{"x.max_length=9223372036854775807"}, "x.max_length is 9223372036854775807"},
      {{"x.max_length=0", "x.max_length_ratio=0"}, "x.max_length is 0 and so is x.max_length_ratio"},
      {{"x.min_length=-1"}, "x.min_length is -1"},
      {{"x.no_repeat_ngram=-1"}, "x.no_repeat_ngram is -1"},
      {{"x.no_repeat_ngram=1"}, "x.no_repeat_ngram is 1; it must be 0 (off) or from 2"},
      {{"x.temperature=0"}, "x.temperature is 0"},
      {{"x.temperature=-1"}, "x.temperature is -1"},
      {{"x.top_k=-1"}, "x.top_k is -1"},
      {{"x.top_p=0"}, "x.top_p is 0; it must be above 0 and at most 1"},
      {{"x.top_p=1.1"}, "x.top_p is 1.1"},
      {{"x.repetition_penalty=0"}, "x.repetition_penalty is 0"},
      {{"x.max_source_tokens=0"}, "x.max_source_tokens is 0; it must be from 1"},
  };
  for (const auto& test : cases) {
    GenerationOptions options;
    for (const std::string& setting : test.settings) {
      set_option_assignment(collect_options(options, "x"), setting);
    }
    EXPECT_TRUE(has_text(message_of([&] { validate(options, "x"); }), test.message));
  }
}

TEST(GenerationOptions, RefusesWhatIsNoNumber) {
  for (double GenerationOptions::*field :
       {&GenerationOptions::length_penalty, &GenerationOptions::max_length_ratio,
        &GenerationOptions::unk_penalty, &GenerationOptions::temperature,
        &GenerationOptions::repetition_penalty, &GenerationOptions::top_p}) {
    for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
      GenerationOptions options;
      options.*field = bad;
      EXPECT_TRUE(has_text(message_of([&] { validate(options, "x"); }), "it must be "));
    }
  }
  EXPECT_EQ(message_of([] { validate(GenerationOptions{}, "x"); }), "no error");
}

}  // namespace
}  // namespace memsizer
