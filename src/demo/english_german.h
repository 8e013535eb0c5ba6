#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace memsizer::demo {

struct SentencePair {
  std::string english;
  std::string german;
};

struct SentencePairs {
  std::vector<SentencePair> train;
  std::vector<SentencePair> valid;
  std::vector<SentencePair> test;
};

// English sentences and their German translations, written by a grammar: agreement, cases, word order,
// separable verbs, numbers, dates, times. No sentence of valid or test is in train, nor is any of the
// combinations of words that were set aside for them. The same for the same seed on any machine.
SentencePairs english_german(int64_t train, int64_t valid, int64_t test, uint64_t seed);

}  // namespace memsizer::demo
