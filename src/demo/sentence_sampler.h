#pragma once

#include "demo/clause_sampler.h"
#include "demo/english_german.h"

namespace memsizer::demo {

struct Sentence {
  SentencePair pair;
  bool set_aside = false;  // holds a combination of words that training must not see
};

// Draws whole sentences: statements, questions, and clauses joined by conjunctions.
class SentenceSampler {
 public:
  explicit SentenceSampler(Random random) : clauses_(random) {}

  Sentence next();

 private:
  Phrase draw();
  Clause stated();
  Clause asked();
  Phrase wh();
  Phrase because();
  Phrase that();
  Phrase conditional();
  Phrase condition();  // in the order of a subordinate clause, as is the weather
  Phrase weather();
  Phrase purpose();
  Phrase coordination();
  Phrase existence();

  ClauseSampler clauses_;
};

}  // namespace memsizer::demo
