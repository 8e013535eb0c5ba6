#include "demo/english_german.h"

#include <string_view>
#include <unordered_set>

#include "core/error.h"
#include "demo/sentence_sampler.h"

namespace memsizer::demo {
namespace {

// Repeats in a row after which the grammar counts as used up, and sentences may come twice.
constexpr int kPatience = 1000;

using Seen = std::unordered_set<std::string>;

std::vector<SentencePair> draw(std::string_view name, int64_t count, bool set_aside, SentenceSampler& sampler,
                               Seen& seen) {
  if (count < 0) throw UserError("{} is {} sentence pairs: ask for 0 or more", name, count);
  std::vector<SentencePair> pairs;
  int repeats = 0;
  while (static_cast<int64_t>(pairs.size()) < count) {
    Sentence sentence = sampler.next();
    if (sentence.set_aside != set_aside) continue;
    const bool fresh = seen.insert(sentence.pair.english).second;
    repeats = fresh ? 0 : repeats + 1;
    if (fresh || repeats > kPatience) pairs.push_back(std::move(sentence.pair));
  }
  return pairs;
}

}  // namespace

SentencePairs english_german(int64_t train, int64_t valid, int64_t test, uint64_t seed) {
  SentencePairs pairs;
  // Streams of their own, so that a longer training set leaves the tests as they are.
  SentenceSampler training(Random::of(seed, 0));
  SentenceSampler held_out(Random::of(seed, 1));
  Seen seen_in_training;
  Seen seen_held_out;
  pairs.train = draw("train", train, false, training, seen_in_training);
  pairs.test = draw("test", test, true, held_out, seen_held_out);
  pairs.valid = draw("valid", valid, true, held_out, seen_held_out);
  return pairs;
}

}  // namespace memsizer::demo
