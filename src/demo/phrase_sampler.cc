#include "demo/phrase_sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "demo/calendar.h"
#include "demo/numbers.h"

namespace memsizer::demo {
namespace {

constexpr std::array<CalendarName, 4> kSeasons = {{{"in spring", "im Frühling"},
                                                   {"in summer", "im Sommer"},
                                                   {"in autumn", "im Herbst"},
                                                   {"in winter", "im Winter"}}};
constexpr std::array<CalendarName, 4> kHabits = {{{"every day", "jeden Tag"},
                                                  {"every morning", "jeden Morgen"},
                                                  {"every evening", "jeden Abend"},
                                                  {"every week", "jede Woche"}}};
constexpr std::array<CalendarName, 4> kAtPresent = {
    {{"now", "jetzt"}, {"today", "heute"}, {"this evening", "heute Abend"}, {"at the moment", "im Moment"}}};
constexpr std::array<CalendarName, 3> kInThePast = {
    {{"yesterday", "gestern"}, {"last week", "letzte Woche"}, {"last year", "letztes Jahr"}}};
constexpr std::array<CalendarName, 3> kInTheFuture = {
    {{"tomorrow", "morgen"}, {"next week", "nächste Woche"}, {"next year", "nächstes Jahr"}}};
constexpr std::array<CalendarName, 4> kSoon = {
    {{"today", "heute"}, {"tomorrow", "morgen"}, {"this evening", "heute Abend"}, {"now", "jetzt"}}};

// After a preposition, in the dative.
constexpr std::array<CalendarName, 4> kSpans = {
    {{"days", "Tagen"}, {"weeks", "Wochen"}, {"months", "Monaten"}, {"years", "Jahren"}}};

Phrase phrase(const CalendarName& name) {
  return {std::string(name.english), std::string(name.german)};
}

Phrase joined(const Phrase& first, const Phrase& second) {
  return {fmt::format("{} {}", first.english, second.english),
          fmt::format("{} {}", first.german, second.german)};
}

bool is_pronoun(const NounPhrase& phrase, std::initializer_list<Pronoun> pronouns) {
  return phrase.pronoun && std::ranges::find(pronouns, *phrase.pronoun) != pronouns.end();
}

bool is_male(const NounPhrase& phrase) {
  if (phrase.name) return phrase.name->gender == Gender::Masculine;
  if (phrase.noun) return !phrase.plural && phrase.noun->gender == Gender::Masculine;
  return phrase.pronoun == Pronoun::He;
}

bool is_female(const NounPhrase& phrase) {
  if (phrase.name) return phrase.name->gender == Gender::Feminine;
  if (phrase.noun) return !phrase.plural && phrase.noun->gender == Gender::Feminine;
  return phrase.pronoun == Pronoun::She;
}

}  // namespace

Phrase phrase(const Place& place) {
  return {std::string(place.english), std::string(place.german)};
}

size_t PhraseSampler::weighted(std::initializer_list<uint64_t> weights) {
  uint64_t total = 0;
  for (const uint64_t weight : weights) total += weight;
  uint64_t rest = random_.below(total);
  size_t index = 0;
  for (const uint64_t weight : weights) {
    if (rest < weight) break;
    rest -= weight;
    ++index;
  }
  return index;
}

const Noun& PhraseSampler::noun(Kinds kinds) {
  return pick(nouns(), [&](const Noun& candidate) { return (candidate.kinds & kinds) != 0; });
}

Determiner PhraseSampler::possessive(const NounPhrase& subject) {
  if (chance(60)) {
    if (subject.pronoun == Pronoun::I) return Determiner::My;
    if (subject.pronoun == Pronoun::You) return Determiner::Your;
    if (subject.pronoun == Pronoun::We) return Determiner::Our;
    if (is_male(subject)) return Determiner::His;
    if (is_female(subject)) return Determiner::Her;
  }
  // After "das Kind" or "das Mädchen" German would want "sein" where English has "her".
  const bool neuter = subject.noun && subject.noun->gender == Gender::Neuter && !subject.plural;
  const size_t choice = weighted({28, 20, neuter ? 0U : 16U, neuter ? 0U : 16U, 20});
  return static_cast<Determiner>(static_cast<size_t>(Determiner::My) + choice);
}

void PhraseSampler::describe(NounPhrase& phrase, uint64_t percent) {
  if (phrase.adjective || phrase.noun->kinds & kPortion || !chance(percent)) return;
  const Kinds kinds = phrase.noun->kinds;
  // Some nouns go with no adjective at all, so the search must end.
  for (int attempt = 0; attempt < 40; ++attempt) {
    const Adjective& adjective = pick(adjectives());
    if (!(adjective.kinds & kinds)) continue;
    phrase.adjective = &adjective;
    combine(Combination::AdjectiveNoun, adjective.english, phrase.noun->english);
    return;
  }
}

NounPhrase PhraseSampler::pronoun_subject() {
  constexpr std::array kPronouns = {Pronoun::I,   Pronoun::You, Pronoun::He,
                                    Pronoun::She, Pronoun::We,  Pronoun::They};
  return NounPhrase::of(kPronouns[weighted({29, 25, 12, 12, 11, 11})]);
}

NounPhrase PhraseSampler::human(const Noun& who, const NounPhrase& subject) {
  NounPhrase phrase{.noun = &who};
  if (who.kinds & kFamily) {
    phrase.plural = !(who.kinds & kOnlySingular) && chance(30);
    phrase.determiner = possessive(subject);
    describe(phrase, 8);
    return phrase;
  }
  switch (weighted({48, 24, 22, 6})) {
    case 0:
      break;
    case 1:
      phrase.determiner = Determiner::Indefinite;
      break;
    case 2:
      phrase.plural = true;
      break;
    default:
      phrase.plural = true;
      phrase.determiner = Determiner::Number;
      phrase.number = number();
      combine(Combination::NumberNoun, english_number(phrase.number), who.english);
  }
  describe(phrase, 30);
  return phrase;
}

NounPhrase PhraseSampler::person(const NounPhrase& subject) {
  switch (weighted({52, 12, 36})) {
    case 0:
      return pronoun_subject();
    case 1:
      return NounPhrase::of(pick(names()));
    default:
      return human(noun(kPerson | kFamily), subject);
  }
}

NounPhrase PhraseSampler::subject(Kinds kinds) {
  if (kinds & kPerson && (kinds == (kPerson | kFamily) || chance(75))) return person({});
  const Kinds others = kinds & ~(kPerson | kFamily);
  if (others & (kVehicle | kEvent)) {
    return {.noun = &noun(others)};
  }
  return thing(others, {}, false);
}

NounPhrase PhraseSampler::person_object(const NounPhrase& subject) {
  return redraw([&] { return person(subject); },
                [&](const NounPhrase& object) {
                  if (object.name) return object.name != subject.name;
                  if (object.noun) return object.noun != subject.noun;
                  // Reflexive pronouns are another matter, and so are two people called "he".
                  const auto includes_me = {Pronoun::I, Pronoun::We};
                  return object.pronoun != subject.pronoun &&
                         !(is_pronoun(subject, includes_me) && is_pronoun(object, includes_me));
                });
}

NounPhrase PhraseSampler::thing(Kinds kinds, const NounPhrase& subject, bool countable) {
  const Noun& what = noun(kinds);
  NounPhrase phrase{.noun = &what};
  if (what.kinds & kMass) {
    constexpr std::array kChoices = {Determiner::None, Determiner::Definite};
    const size_t choice = weighted({68, 20, 12});
    phrase.determiner = choice < kChoices.size() ? kChoices[choice] : possessive(subject);
    describe(phrase, 50);
    return phrase;
  }
  const bool singular = !(what.kinds & kOnlyPlural) && (what.kinds & kOnlySingular || chance(62));
  phrase.plural = !singular;
  const bool ownable = !(what.kinds & (kPortion | kFood));
  if (singular) {
    switch (weighted({30, 40, ownable ? 25U : 0U, ownable ? 9U : 0U})) {
      case 0:
        break;
      case 1:
        phrase.determiner = Determiner::Indefinite;
        break;
      case 2:
        phrase.determiner = possessive(subject);
        break;
      default:
        phrase.determiner = Determiner::Owner;
        phrase.owner = &pick(nouns(), [&](const Noun& owner) {
          return (owner.kinds & (kPerson | kFamily)) != 0 && &owner != subject.noun;
        });
        if (phrase.owner->kinds & kFamily) phrase.owner_determiner = possessive(subject);
    }
  } else {
    switch (weighted({30, 25, ownable ? 12U : 0U, countable ? 33U : 0U})) {
      case 0:
        break;
      case 1:
        phrase.determiner = Determiner::None;
        break;
      case 2:
        phrase.determiner = possessive(subject);
        break;
      default:
        phrase.determiner = Determiner::Number;
        phrase.number = number();
        combine(Combination::NumberNoun, english_number(phrase.number), what.english);
    }
  }
  describe(phrase, 42);
  return phrase;
}

NounPhrase PhraseSampler::object(const Verb& verb, const NounPhrase& subject, bool countable) {
  constexpr Kinds kPeople = kPerson | kFamily;
  const Kinds things = verb.objects & ~kPeople;
  NounPhrase object = verb.objects & kPeople && (things == 0 || chance(50))
                          ? person_object(subject)
                          : thing(things, subject, countable);
  if (object.noun) combine(Combination::VerbObject, verb.english.base, object.noun->english);
  return object;
}

NounPhrase PhraseSampler::how_many(const Verb& verb) {
  const Kinds things = verb.objects & ~(kPerson | kFamily);
  NounPhrase phrase{.determiner = Determiner::HowMany, .plural = true};
  phrase.noun = &pick(nouns(), [&](const Noun& candidate) {
    return (candidate.kinds & things) != 0 && !(candidate.kinds & (kMass | kOnlySingular));
  });
  combine(Combination::VerbObject, verb.english.base, phrase.noun->english);
  describe(phrase, 20);
  return phrase;
}

int PhraseSampler::number() {
  switch (weighted({45, 45, 10})) {
    case 0:
      return between(2, 12);
    case 1:
      return between(13, 30);
    default:
      return 10 * between(4, 9);
  }
}

Phrase PhraseSampler::counted(int number, std::string_view english, std::string_view german) {
  // Hundreds are prices only, and their words must be met in training.
  if (number < 100) combine(Combination::NumberNoun, english_number(number), english);
  return {fmt::format("{} {}", english_number(number), english),
          fmt::format("{} {}", german_number(number), german)};
}

Phrase PhraseSampler::clock() {
  const int hour = between(1, 12);
  const int minute = chance(20) ? 0 : 5 * between(1, 11);
  combine(Combination::MinuteHour, std::to_string(minute), std::to_string(hour));
  return clock_time(hour, minute);
}

Phrase PhraseSampler::date() {
  const int month = between(1, 12);
  const int day = between(1, days_of(month));
  combine(Combination::DayMonth, std::to_string(day), std::to_string(month));
  return on_date(day, month);
}

Phrase PhraseSampler::day() {
  return chance(68) ? date() : on_weekday(pick(weekdays()));
}

Phrase PhraseSampler::time(Tense tense) {
  const auto at = [&] {
    const Phrase when = clock();
    return Phrase{fmt::format("at {}", when.english), fmt::format("um {}", when.german)};
  };
  const auto any = [&](std::span<const CalendarName> names) { return phrase(pick(names)); };
  switch (tense) {
    case Tense::Present:
    case Tense::Liking: {
      if (tense == Tense::Present && chance(30)) return at();
      return chance(70) ? any(kHabits) : any(kSeasons);
    }
    case Tense::Progressive:
      return any(kAtPresent);
    default:
      break;
  }
  switch (weighted({26, 42, 9, 13, 9, 8})) {
    case 0:
      if (tense == Tense::Past) return any(kInThePast);
      return tense == Tense::Future ? any(kInTheFuture) : any(kSoon);
    case 1:
      return day();
    case 2:
      return in_month(pick(months()));
    case 3:
      return at();
    case 4: {
      const Phrase when = tense == Tense::Past     ? phrase(kInThePast[0])
                          : tense == Tense::Future ? phrase(kInTheFuture[0])
                                                   : on_weekday(pick(weekdays()));
      return joined(when, at());
    }
    default: {
      const CalendarName& span = kSpans[random_.below(kSpans.size())];
      const Phrase length = counted(between(2, 12), span.english, span.german);
      if (tense == Tense::Past)
        return {fmt::format("{} ago", length.english), fmt::format("vor {}", length.german)};
      return {fmt::format("in {}", length.english), fmt::format("in {}", length.german)};
    }
  }
}

Phrase PhraseSampler::place(Activities activities) {
  const std::span<const Place> choices = activities & kDwell ? dwellings() : places();
  return phrase(pick(choices, [&](const Place& where) { return (where.activities & activities) != 0; }));
}

Phrase PhraseSampler::companion(const NounPhrase& subject) {
  const NounPhrase who = person_object(subject);
  if (chance(65)) return {fmt::format("with {}", english_object(who)), german("mit", who, Case::Dative)};
  return {fmt::format("without {}", english_object(who)), german("ohne", who, Case::Accusative)};
}

Phrase PhraseSampler::beneficiary(const NounPhrase& subject) {
  const NounPhrase who = person_object(subject);
  return {fmt::format("for {}", english_object(who)), german("für", who, Case::Accusative)};
}

}  // namespace memsizer::demo
