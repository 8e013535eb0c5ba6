#include "demo/sentence_sampler.h"

#include <array>
#include <string_view>
#include <utility>

#include "demo/sentence.h"

namespace memsizer::demo {
namespace {

constexpr Kinds kPeople = kPerson | kFamily;

// Subordinate clauses, in that order of words.
const std::array<Phrase, 5> kWeather = {{{"it is raining", "es regnet"},
                                         {"it is snowing", "es schneit"},
                                         {"the sun is shining", "die Sonne scheint"},
                                         {"it is cold", "es kalt ist"},
                                         {"the weather is beautiful", "das Wetter schön ist"}}};

struct Errand {
  std::string_view verb;
  Activities where;
};
constexpr std::array<Errand, 7> kErrands = {{{"buy", kShop},
                                             {"pick", kMeet},
                                             {"read", kRead},
                                             {"bake", kCook},
                                             {"swim", kSwim},
                                             {"sleep", kRest},
                                             {"draw", kPlay}}};

bool has_things_as_objects(const Verb& verb) {
  return (verb.objects & ~kPeople) != 0;
}

}  // namespace

Clause SentenceSampler::stated() {
  switch (clauses_.weighted({420, 25, 55, 25, 42, 25, 48, 28})) {
    case 0:
      return clauses_.action({});
    case 1:
      return clauses_.mood({});
    case 2:
      return clauses_.quality({});
    case 3:
      return clauses_.comparison();
    case 4:
      return clauses_.location({});
    case 5:
      return clauses_.age({});
    case 6:
      return clauses_.price({});
    default:
      return clauses_.birthday();
  }
}

Clause SentenceSampler::asked() {
  const ClauseRequest request{.question = true};
  switch (clauses_.weighted({80, 7, 8, 5})) {
    case 0:
      return clauses_.action(request);
    case 1:
      return clauses_.mood(request);
    case 2:
      return clauses_.quality(request);
    default:
      return clauses_.location(request);
  }
}

Phrase SentenceSampler::wh() {
  switch (clauses_.weighted({20, 20, 15, 15, 15, 15})) {
    case 0: {
      const Verb& verb = clauses_.pick(verbs(), [](const Verb& candidate) {
        return has_things_as_objects(candidate) && candidate.german.preposition.empty();
      });
      return wh_question({"what", "was"}, clauses_.action_of(verb, {.question = true, .with_object = false}));
    }
    case 1: {
      Clause clause = clauses_.action_by(NounPhrase::of(Pronoun::Who), {.with_negation = false});
      clause.time_first = false;
      return who_question(clause);
    }
    case 2: {
      const Verb& verb = clauses_.pick(verbs(), [](const Verb& candidate) { return candidate.places != 0; });
      return wh_question({"where", "wo"}, clauses_.action_of(verb, {.question = true, .with_place = false}));
    }
    case 3: {
      const Verb& verb = clauses_.chance(50) ? verb_go() : verb_travel();
      return wh_question({"where", "wohin"},
                         clauses_.action_of(verb, {.question = true, .with_place = false}));
    }
    case 4: {
      const ClauseRequest request{.question = true, .with_time = false};
      const Clause clause =
          clauses_.redraw([&] { return clauses_.action(request); },
                          [](const Clause& drawn) { return drawn.verb->usage == Usage::Any; });
      if (clauses_.chance(50)) return wh_question({"why", "warum"}, clause);
      return wh_question({"when", "wann"}, clause);
    }
    default: {
      // What one drinks is not counted.
      const Verb& verb = clauses_.pick(verbs(), [](const Verb& candidate) {
        return has_things_as_objects(candidate) && candidate.german.preposition.empty() &&
               candidate.objects != kDrink;
      });
      const Clause clause = clauses_.action_of(verb, {.question = true, .with_object = false});
      const NounPhrase what = clauses_.how_many(verb);
      return wh_question({english_object(what), german(what, Case::Accusative)}, clause);
    }
  }
}

Phrase SentenceSampler::weather() {
  return kWeather[static_cast<size_t>(clauses_.between(0, 4))];
}

Phrase SentenceSampler::because() {
  const Clause main = clauses_.action({});
  const ClauseRequest request{.subordinate = true};
  switch (clauses_.weighted({60, 25, 15})) {
    case 0:
      return because_sentence(main, subordinate(clauses_.action(request)));
    case 1:
      return because_sentence(main, subordinate(clauses_.mood(request)));
    default:
      return because_sentence(main, weather());
  }
}

Phrase SentenceSampler::that() {
  const Clause main{.subject = clauses_.person({}), .verb = &clauses_.pick(opinion_verbs())};
  const ClauseRequest request{.subordinate = true};
  return that_sentence(main, clauses_.chance(75) ? clauses_.action(request) : clauses_.mood(request));
}

Phrase SentenceSampler::condition() {
  if (clauses_.chance(45)) return weather();
  const ClauseRequest request{.subordinate = true, .with_time = false};
  return subordinate(clauses_.redraw(
      [&] { return clauses_.chance(40) ? clauses_.mood(request) : clauses_.action(request); },
      [](const Clause& drawn) { return drawn.tense == Tense::Present || drawn.tense == Tense::Modal; }));
}

Phrase SentenceSampler::conditional() {
  const Phrase when = condition();
  const Clause main = clauses_.redraw([&] { return clauses_.action({.with_time = false}); },
                                      [](const Clause& drawn) {
                                        return drawn.verb->usage == Usage::Any &&
                                               drawn.tense != Tense::Past &&
                                               drawn.tense != Tense::Progressive;
                                      });
  return clauses_.chance(60) ? if_first(when, main) : if_last(main, when);
}

Phrase SentenceSampler::purpose() {
  Clause main =
      clauses_.action_of(verb_go(), {.with_place = false, .with_company = false, .with_negation = false});
  const Errand& errand = kErrands[clauses_.weighted({30, 20, 12, 12, 8, 8, 10})];
  main.complement = phrase(clauses_.pick(
      destinations(), [&](const Place& place) { return (place.activities & errand.where) != 0; }));
  Clause why{.subject = main.subject, .verb = &find_verb(errand.verb)};
  if (why.verb->objects != 0) why.object = clauses_.object(*why.verb, why.subject, true);
  return purpose_sentence(main, why);
}

Phrase SentenceSampler::coordination() {
  const ClauseRequest request{.with_time = false};
  const Clause first = clauses_.action(request);
  const Clause second = clauses_.action(request);
  return clauses_.chance(50) ? and_sentence(first, second) : but_sentence(first, second);
}

Phrase SentenceSampler::existence() {
  const NounPhrase what = clauses_.redraw([&] { return clauses_.thing(kFurniture, {}, true); },
                                          [](const NounPhrase& drawn) {
                                            return drawn.determiner == Determiner::Indefinite ||
                                                   drawn.determiner == Determiner::Number;
                                          });
  const Phrase where = clauses_.place(kIndoors);
  return clauses_.chance(70) ? there_is(what, where) : is_there(what, where);
}

Phrase SentenceSampler::draw() {
  switch (clauses_.weighted({540, 105, 110, 65, 50, 38, 28, 26, 26, 6})) {
    case 0:
      return statement(stated());
    case 1:
      return yes_no_question(asked());
    case 2:
      return wh();
    case 3:
      return because();
    case 4:
      return that();
    case 5:
      return conditional();
    case 6:
      return purpose();
    case 7:
      return coordination();
    case 8:
      return existence();
    default:
      return it_is(clauses_.clock());
  }
}

Sentence SentenceSampler::next() {
  clauses_.forget_set_aside();
  Phrase text = draw();
  return {{std::move(text.english), std::move(text.german)}, clauses_.saw_set_aside()};
}

}  // namespace memsizer::demo
