#include "demo/noun_phrase.h"

#include <fmt/format.h>

#include <array>
#include <stdexcept>

#include "demo/numbers.h"

namespace memsizer::demo {
namespace {

// Columns: masculine, feminine, neuter, plural. Rows: nominative, accusative, dative, genitive.
using Endings = std::array<std::array<std::string_view, 4>, 4>;

constexpr Endings kDefinite = {{{"der", "die", "das", "die"},
                                {"den", "die", "das", "die"},
                                {"dem", "der", "dem", "den"},
                                {"des", "der", "des", "der"}}};
// After ein, kein and the possessives.
constexpr Endings kEin = {
    {{"", "e", "", "e"}, {"en", "e", "", "e"}, {"em", "er", "em", "en"}, {"es", "er", "es", "er"}}};

// Adjectives after der, after ein, and without either. The genitive without article does not occur.
constexpr Endings kWeak = {
    {{"e", "e", "e", "en"}, {"en", "e", "e", "en"}, {"en", "en", "en", "en"}, {"en", "en", "en", "en"}}};
constexpr Endings kMixed = {
    {{"er", "e", "es", "en"}, {"en", "e", "es", "en"}, {"en", "en", "en", "en"}, {"en", "en", "en", "en"}}};
constexpr Endings kStrong = {
    {{"er", "e", "es", "e"}, {"en", "e", "es", "e"}, {"em", "er", "em", "en"}, {"", "", "", ""}}};

constexpr std::array<std::string_view, 7> kEnglishSubject = {"I", "you", "he", "she", "we", "they", "who"};
constexpr std::array<std::string_view, 6> kEnglishObject = {"me", "you", "him", "her", "us", "them"};
constexpr std::array<std::array<std::string_view, 7>, 3> kGermanPronouns = {
    {{"ich", "du", "er", "sie", "wir", "sie", "wer"},
     {"mich", "dich", "ihn", "sie", "uns", "sie", "wen"},
     {"mir", "dir", "ihm", "ihr", "uns", "ihnen", "wem"}}};

size_t column(const Noun& noun, bool plural) {
  return plural ? 3 : static_cast<size_t>(noun.gender);
}

std::string_view possessive_stem(Determiner determiner) {
  switch (determiner) {
    case Determiner::Indefinite:
      return "ein";
    case Determiner::No:
      return "kein";
    case Determiner::My:
      return "mein";
    case Determiner::Your:
      return "dein";
    case Determiner::His:
      return "sein";
    case Determiner::Her:
      return "ihr";
    case Determiner::Our:
      return "unser";
    default:
      return "";
  }
}

std::string_view english_possessive(Determiner determiner) {
  switch (determiner) {
    case Determiner::My:
      return "my";
    case Determiner::Your:
      return "your";
    case Determiner::His:
      return "his";
    case Determiner::Her:
      return "her";
    case Determiner::Our:
      return "our";
    default:
      return "";
  }
}

std::string genitive(const Noun& noun) {
  std::string text(noun.german);
  if (noun.gender == Gender::Feminine) return text;
  // One syllable takes -es: des Arztes, des Kindes, but des Lehrers, des Mädchens, des Onkels.
  const bool longer = text.ends_with("er") || text.ends_with("el") || text.ends_with("en");
  return text + (longer ? "s" : "es");
}

std::string declined(const Noun& noun, bool plural, Case grammatical_case) {
  if (!plural) return grammatical_case == Case::Genitive ? genitive(noun) : std::string(noun.german);
  std::string text(noun.german_plural);
  if (grammatical_case == Case::Dative && !text.ends_with('n') && !text.ends_with('s')) text += 'n';
  return text;
}

void append(std::string& text, std::string_view word) {
  if (word.empty()) return;
  if (!text.empty()) text += ' ';
  text += word;
}

std::string german_noun(const NounPhrase& phrase, Case grammatical_case) {
  const Noun& noun = *phrase.noun;
  const auto row = static_cast<size_t>(grammatical_case);
  const size_t col = column(noun, phrase.plural);
  std::string text;
  const Endings* endings = &kStrong;
  switch (phrase.determiner) {
    case Determiner::None:
      break;
    case Determiner::Number:
      text = german_number(phrase.number);
      break;
    case Determiner::HowMany:
      text = "wie viele";
      break;
    case Determiner::Definite:
    case Determiner::Owner:
      text = kDefinite[row][col];
      endings = &kWeak;
      break;
    case Determiner::Indefinite:
      // "a" has no plural: a plural without a determiner is None.
      if (phrase.plural) throw std::logic_error("an indefinite article before a plural");
      [[fallthrough]];
    default:
      text = fmt::format("{}{}", possessive_stem(phrase.determiner), kEin[row][col]);
      endings = &kMixed;
  }
  if (phrase.adjective) append(text, fmt::format("{}{}", phrase.adjective->stem, (*endings)[row][col]));
  append(text, declined(noun, phrase.plural, grammatical_case));
  if (phrase.determiner == Determiner::Owner) {
    const NounPhrase owner{.noun = phrase.owner, .determiner = phrase.owner_determiner};
    append(text, german(owner, Case::Genitive));
  }
  return text;
}

std::string english_noun(const NounPhrase& phrase) {
  const Noun& noun = *phrase.noun;
  std::string rest(phrase.adjective ? phrase.adjective->english : "");
  append(rest, phrase.plural ? noun.english_plural : noun.english);
  std::string text;
  switch (phrase.determiner) {
    case Determiner::None:
      break;
    case Determiner::Number:
      text = english_number(phrase.number);
      break;
    case Determiner::HowMany:
      text = "how many";
      break;
    case Determiner::Definite:
      text = "the";
      break;
    case Determiner::Indefinite:
      text = std::string_view("aeiou").find(rest.front()) == std::string_view::npos ? "a" : "an";
      break;
    case Determiner::Owner:
      text = english_noun({.noun = phrase.owner, .determiner = phrase.owner_determiner}) + "'s";
      break;
    default:
      text = english_possessive(phrase.determiner);
  }
  append(text, rest);
  return text;
}

}  // namespace

Agreement agreement(const NounPhrase& phrase) {
  if (!phrase.pronoun) return phrase.plural ? Agreement::They : Agreement::He;
  switch (*phrase.pronoun) {
    case Pronoun::I:
      return Agreement::I;
    case Pronoun::You:
      return Agreement::You;
    case Pronoun::We:
      return Agreement::We;
    case Pronoun::They:
      return Agreement::They;
    default:
      return Agreement::He;
  }
}

std::string english_subject(const NounPhrase& phrase) {
  if (phrase.pronoun) return std::string(kEnglishSubject[static_cast<size_t>(*phrase.pronoun)]);
  return phrase.name ? std::string(phrase.name->name) : english_noun(phrase);
}

std::string english_object(const NounPhrase& phrase) {
  if (phrase.pronoun) return std::string(kEnglishObject.at(static_cast<size_t>(*phrase.pronoun)));
  return english_subject(phrase);
}

std::string german(const NounPhrase& phrase, Case grammatical_case) {
  if (phrase.pronoun)
    return std::string(
        kGermanPronouns.at(static_cast<size_t>(grammatical_case))[static_cast<size_t>(*phrase.pronoun)]);
  return phrase.name ? std::string(phrase.name->name) : german_noun(phrase, grammatical_case);
}

std::string german(std::string_view preposition, const NounPhrase& phrase, Case grammatical_case) {
  constexpr std::string_view kApart = "in dem ";
  std::string text = fmt::format("{} {}", preposition, german(phrase, grammatical_case));
  if (text.starts_with(kApart)) text.replace(0, kApart.size(), "im ");
  return text;
}

}  // namespace memsizer::demo
