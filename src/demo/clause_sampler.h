#pragma once

#include "demo/clause.h"
#include "demo/phrase_sampler.h"

namespace memsizer::demo {

// What a sentence wants of a clause.
struct ClauseRequest {
  bool question = false;
  bool subordinate = false;
  bool with_object = true;
  bool with_time = true;
  bool with_place = true;
  bool with_company = true;
  bool with_negation = true;
};

// Draws clauses about what people do, have and are.
class ClauseSampler : public PhraseSampler {
 public:
  using PhraseSampler::PhraseSampler;

  // Anything people, trains or films do.
  Clause action(const ClauseRequest& request);
  // The same with this verb, or by this subject.
  Clause action_of(const Verb& verb, const ClauseRequest& request);
  Clause action_by(const NounPhrase& subject, const ClauseRequest& request);

  Clause mood(const ClauseRequest& request);      // "Anna is tired today"
  Clause quality(const ClauseRequest& request);   // "the house is big"
  Clause comparison();                            // "the house is bigger than the car"
  Clause location(const ClauseRequest& request);  // "the key is on the table"
  Clause age(const ClauseRequest& request);       // "Anna is twelve years old"
  Clause price(const ClauseRequest& request);     // "the coat costs ninety euros"
  Clause birthday();                              // "my birthday is on the third of May"

 private:
  const Verb& any_verb();
  NounPhrase definite_thing(Kinds kinds);
  Clause filled(const Verb& verb, const NounPhrase& subject, const ClauseRequest& request);
  Tense tense(const Verb& verb, const NounPhrase& subject, const ClauseRequest& request);
  void add_object(Clause& clause, const ClauseRequest& request);
  void add_complement(Clause& clause, const ClauseRequest& request);
  void add_place(Clause& clause, const ClauseRequest& request);
  void add_time(Clause& clause, const ClauseRequest& request);
  void add_liked(Clause& clause);
};

}  // namespace memsizer::demo
