#include "demo/sentence_sampler.h"

#include <fmt/format.h>

#include <array>

namespace memsizer::demo {
namespace {

constexpr Kinds kPeople = kPerson | kFamily;

// Subordinate clauses, in that order of words.
const std::array<Phrase, 5> kWeather = {{{"it is raining", "es regnet"},
                                         {"it is snowing", "es schneit"},
                                         {"the sun is shining", "die Sonne scheint"},
                                         {"it is cold", "es kalt ist"},
                                         {"the weather is beautiful", "das Wetter schön ist"}}};

void capitalise(std::string& text) {
  if (text.front() >= 'a' && text.front() <= 'z') text.front() = static_cast<char>(text.front() - 'a' + 'A');
}

Phrase said(const Clause& clause, Order order, std::string_view end) {
  return {fmt::format("{}{}", english(clause, order), end), fmt::format("{}{}", german(clause, order), end)};
}

Phrase asked(const Clause& clause, std::string_view english_word, std::string_view german_word) {
  return {fmt::format("{}?", english(clause, Order::Question, english_word)),
          fmt::format("{}?", german(clause, Order::Question, german_word))};
}

}  // namespace

Phrase SentenceSampler::statement() {
  switch (clauses_.weighted({420, 25, 55, 25, 42, 25, 48, 28})) {
    case 0:
      return said(clauses_.action({}), Order::Statement, ".");
    case 1:
      return said(clauses_.mood({}), Order::Statement, ".");
    case 2:
      return said(clauses_.quality({}), Order::Statement, ".");
    case 3:
      return said(clauses_.comparison(), Order::Statement, ".");
    case 4:
      return said(clauses_.location({}), Order::Statement, ".");
    case 5:
      return said(clauses_.age({}), Order::Statement, ".");
    case 6:
      return said(clauses_.price({}), Order::Statement, ".");
    default:
      return said(clauses_.birthday(), Order::Statement, ".");
  }
}

Phrase SentenceSampler::yes_no_question() {
  const ClauseRequest request{.question = true};
  switch (clauses_.weighted({80, 7, 8, 5})) {
    case 0:
      return said(clauses_.action(request), Order::Question, "?");
    case 1:
      return said(clauses_.mood(request), Order::Question, "?");
    case 2:
      return said(clauses_.quality(request), Order::Question, "?");
    default:
      return said(clauses_.location(request), Order::Question, "?");
  }
}

Phrase SentenceSampler::wh_question() {
  switch (clauses_.weighted({20, 20, 15, 15, 15, 15})) {
    case 0: {
      const Verb& verb = clauses_.pick(verbs(), [](const Verb& candidate) {
        return (candidate.objects & ~kPeople) != 0 && candidate.german.preposition.empty();
      });
      return asked(clauses_.action_of(verb, {.question = true, .with_object = false}), "what", "was");
    }
    case 1: {
      const ClauseRequest request{.with_negation = false};
      Clause clause = clauses_.action_by(NounPhrase::of(Pronoun::Who), request);
      clause.time_first = false;
      return said(clause, Order::Statement, "?");
    }
    case 2: {
      const bool moving = clauses_.chance(40);
      const Verb& verb =
          moving ? (clauses_.chance(50) ? verb_go() : verb_travel())
                 : clauses_.pick(verbs(), [](const Verb& candidate) { return candidate.places != 0; });
      const Clause clause = clauses_.action_of(verb, {.question = true, .with_place = false});
      return asked(clause, "where", moving ? "wohin" : "wo");
    }
    case 3:
      return asked(clauses_.redraw([&] { return clauses_.action({.question = true, .with_time = false}); },
                                   [](const Clause& clause) { return clause.verb->usage == Usage::Any; }),
                   "when", "wann");
    case 4:
      return asked(clauses_.action({.question = true}), "why", "warum");
    default: {
      const Verb& verb = clauses_.pick(verbs(), [](const Verb& candidate) {
        return (candidate.objects & (kForSale | kPortable | kAnimal | kFood)) != 0;
      });
      Clause clause = clauses_.action_of(verb, {.question = true, .with_object = false});
      const NounPhrase what = clauses_.how_many(verb);
      return asked(clause, english_object(what), german(what, Case::Accusative));
    }
  }
}

Phrase SentenceSampler::reason() {
  const ClauseRequest request{.subordinate = true};
  switch (clauses_.weighted({60, 25, 15})) {
    case 0:
      return said(clauses_.action(request), Order::Subordinate, "");
    case 1:
      return said(clauses_.mood(request), Order::Subordinate, "");
    default:
      return kWeather[static_cast<size_t>(clauses_.between(0, 4))];
  }
}

Phrase SentenceSampler::condition() {
  if (clauses_.chance(45)) return kWeather[static_cast<size_t>(clauses_.between(0, 4))];
  const ClauseRequest request{.subordinate = true, .with_time = false};
  const Clause clause = clauses_.redraw(
      [&] { return clauses_.chance(40) ? clauses_.mood(request) : clauses_.action(request); },
      [](const Clause& drawn) { return drawn.tense == Tense::Present || drawn.tense == Tense::Modal; });
  return said(clause, Order::Subordinate, "");
}

Phrase SentenceSampler::because() {
  const Phrase main = said(clauses_.action({}), Order::Statement, "");
  const Phrase why = reason();
  return {fmt::format("{} because {}.", main.english, why.english),
          fmt::format("{}, weil {}.", main.german, why.german)};
}

Phrase SentenceSampler::that() {
  const Clause main{.subject = clauses_.person({}), .verb = &clauses_.pick(opinion_verbs())};
  const Phrase matrix = said(main, Order::Statement, "");
  const Phrase what = said(
      clauses_.chance(75) ? clauses_.action({.subordinate = true}) : clauses_.mood({.subordinate = true}),
      Order::Subordinate, "");
  return {fmt::format("{} that {}.", matrix.english, what.english),
          fmt::format("{}, dass {}.", matrix.german, what.german)};
}

Phrase SentenceSampler::conditional() {
  const Phrase when = condition();
  const Clause main = clauses_.redraw(
      [&] { return clauses_.action({.with_time = false}); },
      [](const Clause& drawn) { return drawn.tense != Tense::Past && drawn.tense != Tense::Progressive; });
  if (clauses_.chance(60))
    return {fmt::format("if {}, {}.", when.english, english(main, Order::Statement)),
            fmt::format("wenn {}, {}.", when.german, german(main, Order::Question))};
  return {fmt::format("{} if {}.", english(main, Order::Statement), when.english),
          fmt::format("{}, wenn {}.", german(main, Order::Statement), when.german)};
}

Phrase SentenceSampler::purpose() {
  struct Errand {
    std::string_view verb;
    Activities where;
  };
  static constexpr std::array<Errand, 7> kErrands = {{{"buy", kShop},
                                                      {"pick", kMeet},
                                                      {"read", kRead},
                                                      {"bake", kCook},
                                                      {"swim", kSwim},
                                                      {"sleep", kRest},
                                                      {"draw", kPlay}}};
  Clause main =
      clauses_.action_of(verb_go(), {.with_place = false, .with_company = false, .with_negation = false});
  const Errand& errand = kErrands[clauses_.weighted({30, 20, 12, 12, 8, 8, 10})];
  const Place& goal = clauses_.pick(
      destinations(), [&](const Place& place) { return (place.activities & errand.where) != 0; });
  main.complement = phrase(goal);
  Clause why{.subject = main.subject, .verb = &find_verb(errand.verb)};
  if (why.verb->objects != 0) why.object = clauses_.object(*why.verb, why.subject, true);
  return {fmt::format("{} {}.", english(main, Order::Statement), english(why, Order::Purpose)),
          fmt::format("{}, {}.", german(main, Order::Statement), german(why, Order::Purpose))};
}

Phrase SentenceSampler::coordination() {
  const ClauseRequest request{.with_time = false};
  const Phrase first = said(clauses_.action(request), Order::Statement, "");
  const Phrase second = said(clauses_.action(request), Order::Statement, "");
  if (clauses_.chance(50))
    return {fmt::format("{} and {}.", first.english, second.english),
            fmt::format("{} und {}.", first.german, second.german)};
  return {fmt::format("{}, but {}.", first.english, second.english),
          fmt::format("{}, aber {}.", first.german, second.german)};
}

Phrase SentenceSampler::existence() {
  const NounPhrase what = clauses_.redraw([&] { return clauses_.thing(kFurniture, {}, true); },
                                          [](const NounPhrase& drawn) {
                                            return drawn.determiner == Determiner::Indefinite ||
                                                   drawn.determiner == Determiner::Number;
                                          });
  const Phrase where = clauses_.place(kIndoors);
  const std::string_view is = what.plural ? "are" : "is";
  const std::string object = german(what, Case::Accusative);
  if (clauses_.chance(70))
    return {fmt::format("there {} {} {}.", is, english_object(what), where.english),
            fmt::format("{} gibt es {}.", where.german, object)};
  return {fmt::format("{} there {} {}?", is, english_object(what), where.english),
          fmt::format("gibt es {} {}?", where.german, object)};
}

Phrase SentenceSampler::draw() {
  switch (clauses_.weighted({560, 105, 110, 55, 42, 38, 28, 30, 28, 6})) {
    case 0:
      return statement();
    case 1:
      return yes_no_question();
    case 2:
      return wh_question();
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
    default: {
      const Phrase now = clauses_.clock();
      return {fmt::format("it is {}.", now.english), fmt::format("es ist {}.", now.german)};
    }
  }
}

Sentence SentenceSampler::next() {
  clauses_.forget_set_aside();
  Phrase text = draw();
  capitalise(text.english);
  capitalise(text.german);
  return {{std::move(text.english), std::move(text.german)}, clauses_.saw_set_aside()};
}

}  // namespace memsizer::demo
