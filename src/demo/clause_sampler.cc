#include "demo/clause_sampler.h"

#include <fmt/format.h>

#include <array>
#include <tuple>
#include <utility>

namespace memsizer::demo {
namespace {

constexpr Kinds kPeople = kPerson | kFamily;

const std::array<Phrase, 4> kFrequencies = {
    {{"often", "oft"}, {"always", "immer"}, {"sometimes", "manchmal"}, {"never", "nie"}}};

struct Preposition {
  std::string_view english;
  std::string_view german;
};
// The first two of furniture and the like only.
constexpr std::array<Preposition, 5> kPrepositions = {
    {{"on", "auf"}, {"under", "unter"}, {"next to", "neben"}, {"behind", "hinter"}, {"in front of", "vor"}}};

}  // namespace

const Verb& ClauseSampler::any_verb() {
  switch (weighted({72, 6, 7, 5, 4, 5, 3})) {
    case 0:
      return pick(verbs());
    case 1:
      return verb_have();
    case 2:
      return verb_go();
    case 3:
      return verb_travel();
    case 4:
      return verb_live();
    case 5:
      return verb_play();
    default:
      return verb_learn();
  }
}

Tense ClauseSampler::tense(const Verb& verb, const NounPhrase& subject, const ClauseRequest& request) {
  const Agreement who = agreement(subject);
  switch (verb.usage) {
    case Usage::PresentOnly:
      return Tense::Present;
    case Usage::Imperfect:
      return chance(70) ? Tense::Present : Tense::Past;
    default:
      break;
  }
  const bool joined = request.subordinate && !verb.german.prefix.empty();
  const bool singular = who != Agreement::We && who != Agreement::They;
  const bool speaker = who == Agreement::I || who == Agreement::You;
  // "weil ich ihn anrufe" would be a word of its own for every separable verb, each met too rarely to learn.
  const bool present = !(joined && speaker);
  // "They read a book" is the past here, so the present must show.
  const bool simple = present && (verb.english.base != verb.english.past || who == Agreement::He);
  const bool progressive = present && verb.usage == Usage::Any;
  const bool modal = (verb.subjects & kPerson) != 0;
  // German has a form of its own for each of the three singular persons in the present only.
  const uint64_t rest = joined && who == Agreement::He ? 15 : singular ? 70 : 100;
  constexpr std::array kTenses = {Tense::Present, Tense::Progressive, Tense::Past, Tense::Future,
                                  Tense::Modal};
  return kTenses[weighted(
      {simple ? 2600U : 0U, progressive ? 2600U : 0U, 26 * rest, 12 * rest, modal ? 18 * rest : 0U})];
}

void ClauseSampler::add_object(Clause& clause, const ClauseRequest& request) {
  const Verb& verb = *clause.verb;
  if (verb.has_receiver) clause.receiver = person_object(clause.subject);
  if (verb.objects == 0 || !request.with_object) return;
  const bool countable = !clause.negated;
  clause.object = redraw([&] { return object(verb, clause.subject, countable); },
                         [&](const NounPhrase& what) {
                           if (clause.receiver && what.owner) return what.owner != clause.receiver->noun;
                           // "Er hilft keinem Kind": too rare a word.
                           return !clause.negated || verb.object_case != Case::Dative ||
                                  what.determiner != Determiner::Indefinite;
                         });
  if (verb.for_someone && !clause.negated && chance(18)) clause.beneficiary = beneficiary(clause.subject);
}

void ClauseSampler::add_complement(Clause& clause, const ClauseRequest& request) {
  const Verb* verb = clause.verb;
  if (verb == &verb_go() && request.with_place) clause.complement = phrase(pick(destinations()));
  if (verb == &verb_travel()) {
    if (request.with_place) clause.complement = phrase(pick(travel_goals()));
    if (!clause.negated && chance(50)) clause.means = phrase(pick(means_of_travel()));
  }
  if (verb == &verb_play() && request.with_object) clause.complement = phrase(pick(pastimes()));
  if (verb == &verb_learn() && request.with_object) clause.complement = phrase(pick(subjects_learned()));
  const bool accompanied = request.with_company && !clause.negated && clause.means.empty() && chance(28);
  if (verb->sociable && accompanied) clause.companion = companion(clause.subject);
}

void ClauseSampler::add_place(Clause& clause, const ClauseRequest& request) {
  const Verb& verb = *clause.verb;
  if (verb.places == 0 || !request.with_place) return;
  const bool needed = verb.places & (kStay | kDwell);
  // A negation would fall on the place.
  if (clause.negated && clause.object) return;
  if (!clause.beneficiary.empty() || !clause.companion.empty()) return;
  if (!needed && !chance(40)) return;
  clause.place = place(verb.places);
}

void ClauseSampler::add_time(Clause& clause, const ClauseRequest& request) {
  const Verb& verb = *clause.verb;
  if (verb.usage == Usage::PresentOnly || verb.usage == Usage::Imperfect || &verb == &verb_live()) return;
  const bool scheduled = (verb.subjects & (kVehicle | kEvent)) != 0 || verb.english.base == "get";
  const bool simple = clause.tense == Tense::Present;
  if (simple && !clause.negated && !request.question && !scheduled && chance(35)) {
    clause.frequency = kFrequencies[static_cast<size_t>(between(0, 3))];
    return;
  }
  // "He does not read every day" leaves open what is denied.
  if (simple && clause.negated && !scheduled) return;
  if (!request.with_time || !chance(scheduled ? 80 : 48)) return;
  if (scheduled && clause.tense != Tense::Progressive && chance(65)) {
    const Phrase when = clock();
    clause.time = {fmt::format("at {}", when.english), fmt::format("um {}", when.german)};
  } else {
    clause.time = time(clause.tense);
  }
  clause.time_first = !request.question && !request.subordinate && chance(40);
}

void ClauseSampler::add_liked(Clause& clause) {
  const Verb& verb = *clause.verb;
  clause.tense = Tense::Liking;
  if (verb.objects != 0) {
    NounPhrase liked{.determiner = Determiner::None};
    liked.noun = &pick(nouns(), [&](const Noun& noun) {
      return (noun.kinds & verb.objects) != 0 && !(noun.kinds & (kPortion | kPeople));
    });
    liked.plural = !(liked.noun->kinds & kMass);
    combine(Combination::VerbObject, verb.english.base, liked.noun->english);
    clause.object = liked;
  }
}

Clause ClauseSampler::filled(const Verb& verb, const NounPhrase& subject, const ClauseRequest& request) {
  Clause clause{.subject = subject, .verb = &verb};
  const bool person = !subject.noun || subject.noun->kinds & kPeople;
  const bool likable = verb.likable && (verb.objects == 0 || (verb.objects & ~kPeople) != 0);
  const bool joined = request.subordinate && !verb.german.prefix.empty();
  if (likable && person && !joined && request.with_object && chance(12)) {
    add_liked(clause);
    add_complement(clause, request);
    if (!clause.object && clause.complement.empty()) add_place(clause, request);
    return clause;
  }
  clause.tense = tense(verb, subject, request);
  if (clause.tense == Tense::Modal) {
    clause.modal = static_cast<Modal>(between(0, 4));
    if (!person) clause.modal = Modal::Must;
  }
  const bool plays = &verb == &verb_play() || &verb == &verb_learn();
  // "must not" is no negation of "muss".
  const bool negatable =
      !request.question && !plays && !(clause.tense == Tense::Modal && clause.modal == Modal::Must);
  clause.negated = request.with_negation && negatable && chance(16);
  add_object(clause, request);
  add_complement(clause, request);
  add_place(clause, request);
  add_time(clause, request);
  return clause;
}

Clause ClauseSampler::action(const ClauseRequest& request) {
  // There a separable verb is one word, which occurs nowhere else.
  if (request.subordinate && chance(40))
    return action_of(pick(verbs(), [](const Verb& verb) { return !verb.german.prefix.empty(); }), request);
  return action_of(any_verb(), request);
}

Clause ClauseSampler::action_of(const Verb& verb, const ClauseRequest& request) {
  NounPhrase who = subject(verb.subjects);
  // Few ask about themselves.
  if (request.question && who.pronoun == Pronoun::I) who.pronoun = Pronoun::You;
  return filled(verb, who, request);
}

Clause ClauseSampler::action_by(const NounPhrase& who, const ClauseRequest& request) {
  for (;;) {
    const Verb& verb = any_verb();
    if (verb.subjects & kPerson) return filled(verb, who, request);
  }
}

Clause ClauseSampler::mood(const ClauseRequest& request) {
  Clause clause{.subject = person({}), .verb = &verb_be()};
  const Adjective& mood = pick(moods());
  if (clause.subject.noun) combine(Combination::AdjectiveNoun, mood.english, clause.subject.noun->english);
  clause.complement = {std::string(mood.english), std::string(mood.german)};
  clause.tense = chance(65) ? Tense::Present : Tense::Past;
  clause.negated = !request.question && chance(20);
  if (request.with_time && chance(40))
    clause.time = clause.tense == Tense::Past ? Phrase{"yesterday", "gestern"} : Phrase{"today", "heute"};
  clause.time_first = !clause.time.empty() && !request.question && !request.subordinate && chance(40);
  return clause;
}

NounPhrase ClauseSampler::definite_thing(Kinds kinds) {
  return redraw([&] { return thing(kinds, {}, false); },
                [](const NounPhrase& phrase) {
                  return phrase.determiner != Determiner::None && phrase.determiner != Determiner::Indefinite;
                });
}

Clause ClauseSampler::quality(const ClauseRequest& request) {
  Clause clause{.verb = &verb_be()};
  const Kinds kinds = chance(20) ? kMass : kSized | kAged | kColoured | kForSale;
  const auto drawn = redraw(
      [&] {
        NounPhrase what = thing(kinds, {}, false);
        describe(what, 30);
        const Adjective& how = pick(adjectives(), [&](const Adjective& candidate) {
          return (candidate.kinds & what.noun->kinds) != 0;
        });
        return std::pair(what, &how);
      },
      [](const auto& both) {
        const auto& [what, how] = both;
        // "Fresh cheese is expensive", but not "cheese is fresh", nor "old chairs are new".
        const bool generic = what.determiner == Determiner::None && !what.adjective;
        const bool clash = what.adjective && (what.adjective->kinds & how->kinds) != 0;
        return what.determiner != Determiner::Indefinite && !generic && !clash;
      });
  clause.subject = drawn.first;
  const Adjective& adjective = *drawn.second;
  combine(Combination::AdjectiveNoun, adjective.english, clause.subject.noun->english);
  clause.complement = {std::string(adjective.english), std::string(adjective.german)};
  clause.tense = chance(75) ? Tense::Present : Tense::Past;
  clause.negated = !request.question && chance(20);
  return clause;
}

Clause ClauseSampler::comparison() {
  Clause clause{.verb = &verb_be()};
  const Adjective& adjective =
      pick(adjectives(), [](const Adjective& candidate) { return !candidate.german_comparative.empty(); });
  NounPhrase other;
  if (adjective.kinds & kPerson) {
    clause.subject = person({});
    other = redraw([&] { return person_object(clause.subject); },
                   [](const NounPhrase& phrase) { return !phrase.pronoun; });
  } else {
    std::tie(clause.subject, other) = redraw(
        [&] {
          NounPhrase first = definite_thing(adjective.kinds);
          NounPhrase second = definite_thing(adjective.kinds);
          return std::pair(first, second);
        },
        [](const auto& two) {
          // Like is compared with like.
          constexpr Kinds kGroups = kAnimal | kFurniture | kClothing | kPortable | kFood | kPerson;
          const auto& [first, second] = two;
          return first.noun != second.noun && (first.noun->kinds & second.noun->kinds & kGroups) != 0 &&
                 !first.adjective && !second.adjective;
        });
  }
  clause.complement = {
      fmt::format("{} than {}", adjective.english_comparative, english_subject(other)),
      fmt::format("{} als {}", adjective.german_comparative, german(other, Case::Nominative))};
  return clause;
}

Clause ClauseSampler::location(const ClauseRequest& request) {
  Clause clause{.verb = &verb_be()};
  clause.subject = redraw([&] { return thing(kPortable | kAnimal, {}, false); },
                          [](const NounPhrase& what) { return what.determiner != Determiner::None; });
  const auto is_flat = [](const Noun& noun) { return (noun.kinds & (kFurniture | kPortable)) != 0; };
  const bool animal = (clause.subject.noun->kinds & kAnimal) != 0;
  // Cows stand behind the house rather than under the table.
  const NounPhrase landmark =
      redraw([&] { return thing(kSupport, {}, false); },
             [&](const NounPhrase& what) {
               return !what.plural && what.noun != clause.subject.noun && !(animal && is_flat(*what.noun));
             });
  const bool flat = is_flat(*landmark.noun);
  const Preposition& where = kPrepositions[static_cast<size_t>(between(flat ? 0 : 2, 4))];
  clause.complement = {fmt::format("{} {}", where.english, english_object(landmark)),
                       german(where.german, landmark, Case::Dative)};
  clause.tense = chance(75) ? Tense::Present : Tense::Past;
  clause.negated = !request.question && clause.subject.determiner != Determiner::Indefinite && chance(15);
  return clause;
}

Clause ClauseSampler::age(const ClauseRequest& request) {
  Clause clause{.verb = &verb_be()};
  clause.subject = redraw([&] { return person({}); },
                          [](const NounPhrase& who) { return !who.noun || (who.noun->kinds & kYoung) != 0; });
  clause.complement = counted(number(), "years", "Jahre");
  clause.complement.english += " old";
  clause.complement.german += " alt";
  clause.negated = !request.question && chance(10);
  return clause;
}

Clause ClauseSampler::price(const ClauseRequest& request) {
  Clause clause{.verb = &verb_cost()};
  clause.subject = redraw([&] { return thing(kForSale, {}, true); },
                          [](const NounPhrase& what) {
                            // Nobody has a house for ninety euros.
                            const bool dear =
                                what.noun == &find_noun("house") || what.noun == &find_noun("car");
                            return what.determiner != Determiner::None && !dear;
                          });
  describe(clause.subject, 60);
  const bool large = !(clause.subject.noun->kinds & kFood) && chance(30);
  clause.complement = counted(large ? 100 * between(1, 5) : number(), "euros", "Euro");
  clause.negated = !request.question && chance(10);
  return clause;
}

Clause ClauseSampler::birthday() {
  static constexpr Noun kBirthday = {"birthday",   "birthdays",   Gender::Masculine,
                                     "Geburtstag", "Geburtstage", 0};
  Clause clause{.verb = &verb_be()};
  clause.subject.noun = &kBirthday;
  if (chance(50)) {
    clause.subject.determiner = static_cast<Determiner>(static_cast<int>(Determiner::My) + between(0, 3));
  } else {
    clause.subject.determiner = Determiner::Owner;
    clause.subject.owner = &pick(nouns(), [](const Noun& noun) { return (noun.kinds & kFamily) != 0; });
    clause.subject.owner_determiner =
        static_cast<Determiner>(static_cast<int>(Determiner::My) + between(0, 4));
  }
  clause.complement = date();
  return clause;
}

}  // namespace memsizer::demo
