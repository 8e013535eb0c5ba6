#include <fmt/format.h>

#include <array>

#include "demo/clause.h"
#include "demo/words_line.h"

namespace memsizer::demo {
namespace {

// ich, du, er, wir; "sie" is as "wir".
using Forms = std::array<std::string_view, 4>;

constexpr Forms kHaben = {"habe", "hast", "hat", "haben"};
constexpr Forms kSein = {"bin", "bist", "ist", "sind"};
constexpr Forms kWerden = {"werde", "wirst", "wird", "werden"};
constexpr Forms kHatte = {"hatte", "hattest", "hatte", "hatten"};
constexpr Forms kWar = {"war", "warst", "war", "waren"};
// Must, Can, Want, Should, May.
constexpr std::array<Forms, 5> kModals = {{{"muss", "musst", "muss", "müssen"},
                                           {"kann", "kannst", "kann", "können"},
                                           {"will", "willst", "will", "wollen"},
                                           {"sollte", "solltest", "sollte", "sollten"},
                                           {"darf", "darfst", "darf", "dürfen"}}};

std::string_view form(const Forms& forms, Agreement agreement) {
  switch (agreement) {
    case Agreement::I:
      return forms[0];
    case Agreement::You:
      return forms[1];
    case Agreement::He:
      return forms[2];
    default:
      return forms[3];
  }
}

struct VerbGroup {
  std::string finite;
  std::string prefix;     // "an": at the end of a main clause, before the verb of a subordinate one
  std::string nonfinite;  // participle or infinitive, with the prefix in it
};

VerbGroup verb_group(const Clause& clause) {
  const GermanVerb& verb = clause.verb->german;
  const Agreement who = agreement(clause.subject);
  const Forms present = {verb.ich, verb.du, verb.er, verb.infinitive};
  const std::string infinitive = fmt::format("{}{}", verb.prefix, verb.infinitive);
  switch (clause.tense) {
    case Tense::Present:
    case Tense::Progressive:
    case Tense::Liking:
      return {std::string(form(present, who)), std::string(verb.prefix), ""};
    case Tense::Past:
      if (clause.verb->usage == Usage::Imperfect)
        return {std::string(form(clause.verb == &verb_be() ? kWar : kHatte, who)), "", ""};
      return {std::string(form(verb.with_sein ? kSein : kHaben, who)), "", std::string(verb.participle)};
    case Tense::Future:
      return {std::string(form(kWerden, who)), "", infinitive};
    case Tense::Modal:
      break;
  }
  return {std::string(form(kModals[static_cast<size_t>(clause.modal)], who)), "", infinitive};
}

bool is_new(const NounPhrase& phrase) {
  return phrase.noun && (phrase.determiner == Determiner::Indefinite ||
                         phrase.determiner == Determiner::None || phrase.determiner == Determiner::Number);
}

// Where the object stands among the time and the place.
enum class Slot {
  BeforeTime,  // a pronoun; a definite object of a negation, which "nicht" follows
  AfterTime,
  AfterPlace,  // news comes late: "Er isst im Garten einen Apfel", but "Er isst den Apfel im Garten"
};

// What stands between the finite verb and the end of the clause, without the subject.
std::string middle(const Clause& clause) {
  const Verb& verb = *clause.verb;
  const std::string_view preposition = verb.german.preposition;
  std::string_view negation = clause.negated ? "nicht" : "";
  Slot slot = Slot::AfterTime;
  std::string object;
  if (clause.object) {
    NounPhrase phrase = *clause.object;
    if (!preposition.empty()) {
      slot = Slot::AfterPlace;
      object = german(preposition, phrase, verb.object_case);
    } else {
      if (phrase.pronoun)
        slot = Slot::BeforeTime;
      else if (is_new(phrase))
        slot = Slot::AfterPlace;
      else if (clause.negated)
        slot = Slot::BeforeTime;
      if (clause.negated && slot == Slot::AfterPlace) {
        phrase.determiner = Determiner::No;
        negation = "";
      }
      object = german(phrase, verb.object_case);
    }
  }
  const auto object_at = [&](Slot here) { return here == slot ? std::string_view(object) : ""; };

  WordsLine line;
  if (clause.receiver) line << german(*clause.receiver, Case::Dative);
  line << object_at(Slot::BeforeTime);
  if (!clause.time_first) line << clause.time.german;
  line << clause.frequency.german;
  if (clause.tense == Tense::Liking) line << "gern";
  line << object_at(Slot::AfterTime) << negation << clause.companion.german << clause.means.german
       << clause.place.german << object_at(Slot::AfterPlace) << clause.beneficiary.german
       << clause.complement.german;
  return line.text();
}

}  // namespace

std::string german(const Clause& clause, Order order) {
  const VerbGroup verb = verb_group(clause);
  WordsLine line;
  switch (order) {
    case Order::Purpose: {
      const GermanVerb& words = clause.verb->german;
      line << "um" << middle(clause);
      if (words.prefix.empty())
        line << "zu" << words.infinitive;
      else
        line << fmt::format("{}zu{}", words.prefix, words.infinitive);
      break;
    }
    case Order::Subordinate:
      line << german(clause.subject, Case::Nominative) << middle(clause);
      if (verb.nonfinite.empty())
        line << fmt::format("{}{}", verb.prefix, verb.finite);
      else
        line << verb.nonfinite << verb.finite;
      break;
    case Order::Question:
      line << verb.finite << german(clause.subject, Case::Nominative) << middle(clause) << verb.prefix
           << verb.nonfinite;
      break;
    case Order::Statement:
      if (clause.time_first)
        line << clause.time.german << verb.finite << german(clause.subject, Case::Nominative);
      else
        line << german(clause.subject, Case::Nominative) << verb.finite;
      line << middle(clause) << verb.prefix << verb.nonfinite;
      break;
  }
  return line.text();
}

}  // namespace memsizer::demo
