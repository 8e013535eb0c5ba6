#pragma once

#include <cstdint>
#include <vector>

#include "engine/text_model.h"
#include "model/shortlist.h"
#include "text/example_reader.h"
#include "text/token_pairs.h"

namespace memsizer::engine {

struct ShortlistOptions {
  int64_t best = 200;      // translations of each source token
  int64_t frequent = 200;  // target tokens that every output may have

  void validate() const;
};

// The tokens of a corpus as a model reads and writes them: sources with their end token, targets without.
text::TokenPairs token_pairs(const TextModel& model, text::ExampleReader& reader, int64_t most_pairs);

// The likeliest translations of each source token by a lexical table, and the most frequent target tokens.
// Where both sides have one vocabulary, a source token is a translation of itself: names are copied.
Shortlist make_shortlist(const TextModel& model, const text::TokenPairs& pairs,
                         const ShortlistOptions& options);

// What a shortlist does to a corpus.
struct ShortlistCoverage {
  double candidates = 0.0;  // of a source, on average
  double covered = 1.0;     // share of the targets' tokens that are candidates of their source
};
ShortlistCoverage coverage_of(const Shortlist& shortlist, const text::TokenPairs& pairs);

}  // namespace memsizer::engine
