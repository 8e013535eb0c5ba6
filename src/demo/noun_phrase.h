#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "demo/lexicon.h"

namespace memsizer::demo {

enum class Pronoun { I, You, He, She, We, They, Who };

enum class Determiner {
  None,  // "small dogs", "cold milk"
  Definite,
  Indefinite,
  No,  // "kein"; English says it with the verb
  My,
  Your,
  His,
  Her,
  Our,
  Number,   // "three small dogs"
  HowMany,  // "how many dogs"
  Owner,    // "my father's small dog", "der kleine Hund meines Vaters"
};

// What a verb agrees with. German "wir" and "sie" share a form, English "we", "you" and "they".
enum class Agreement { I, You, He, We, They };

// A pronoun, a name, or a noun with what stands before it. "You" is always one friend: "du".
struct NounPhrase {
  std::optional<Pronoun> pronoun = std::nullopt;
  const Name* name = nullptr;
  const Noun* noun = nullptr;
  Determiner determiner = Determiner::Definite;
  const Adjective* adjective = nullptr;
  bool plural = false;
  int number = 0;               // for Determiner::Number, from 2
  const Noun* owner = nullptr;  // for Determiner::Owner, with a determiner of its own
  Determiner owner_determiner = Determiner::Definite;

  static NounPhrase of(Pronoun pronoun) { return {.pronoun = pronoun}; }
  static NounPhrase of(const Name& name) { return {.name = &name}; }
};

Agreement agreement(const NounPhrase& phrase);

std::string english_subject(const NounPhrase& phrase);
std::string english_object(const NounPhrase& phrase);
std::string german(const NounPhrase& phrase, Case grammatical_case);

// A preposition and its phrase; "in dem" becomes "im".
std::string german(std::string_view preposition, const NounPhrase& phrase, Case grammatical_case);

}  // namespace memsizer::demo
