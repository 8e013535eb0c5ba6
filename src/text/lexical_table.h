#pragma once

#include <cstdint>
#include <vector>

#include "text/token_pairs.h"

namespace memsizer::text {

// How likely each target token is as a translation of each source token: IBM model 1 (Brown et al. 1993), in
// which every token of a target comes from some token of its source, whatever their places. What belongs to
// no word of the source goes to a token that all sources have, such as their end token.
class LexicalTable {
 public:
  // All translations that the pairs allow are equally likely at first. `pairs` must outlive it, with tokens
  // below the sizes of the vocabularies.
  LexicalTable(const TokenPairs& pairs, int64_t source_vocab, int64_t target_vocab);

  // One step of expectation and maximisation.
  void improve();

  // 0 for what never was in a pair together.
  float probability(int32_t source, int32_t target) const;

  // The likeliest translations, at most `count`, likeliest first; of equal ones the lower token.
  std::vector<int32_t> best(int32_t source, int64_t count) const;

 private:
  struct Translation {
    int32_t target = 0;
    float probability = 0.0F;
  };

  // Source tokens are taken one by one: their probabilities are laid out over the whole target vocabulary,
  // and all pairs that they are in are passed over. So nothing is searched for, and nothing is kept but what
  // is in some pair together.
  void lay_out(size_t source);

  const TokenPairs& pairs_;
  std::vector<std::vector<uint32_t>> pairs_of_source_;  // as often as it is in a pair
  std::vector<std::vector<Translation>> translations_;  // of each source token, by target token
  std::vector<float> laid_out_;                         // [target vocabulary]
  std::vector<float> counts_;                           // the same, expected
};

}  // namespace memsizer::text
