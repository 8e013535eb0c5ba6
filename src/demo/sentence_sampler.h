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
  Phrase statement();
  Phrase yes_no_question();
  Phrase wh_question();
  Phrase because();
  Phrase that();
  Phrase conditional();
  Phrase purpose();
  Phrase coordination();
  Phrase existence();
  Phrase reason();     // a subordinate clause, as after "because"
  Phrase condition();  // the same, as after "if"

  ClauseSampler clauses_;
};

}  // namespace memsizer::demo
