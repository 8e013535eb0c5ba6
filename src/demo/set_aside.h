#pragma once

#include <string_view>

namespace memsizer::demo {

enum class Combination {
  AdjectiveNoun,
  VerbObject,
  NumberNoun,
  MinuteHour,
  DayMonth,
};

// Whether this combination of words is kept from training, so that the test shows what a model makes of words
// it knows but never met together. By a hash of the words: about one in ten, the same in every run.
bool set_aside(Combination kind, std::string_view first, std::string_view second);

}  // namespace memsizer::demo
