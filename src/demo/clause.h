#pragma once

#include <optional>
#include <string>

#include "demo/lexicon.h"
#include "demo/noun_phrase.h"
#include "demo/phrase.h"

namespace memsizer::demo {

enum class Tense {
  Present,      // "reads"
  Progressive,  // "is reading": the present in German
  Past,         // "read": Perfekt in German
  Future,
  Modal,
  Liking,  // "likes to read", "liest gern"
};

enum class Modal { Must, Can, Want, Should, May };

// One verb and all that goes with it. A translation is a function of the English words, so what English
// leaves open is settled once: "you" is "du", a time at the end of the sentence belongs to its last clause.
struct Clause {
  NounPhrase subject = {};
  const Verb* verb = nullptr;
  Tense tense = Tense::Present;
  Modal modal = Modal::Must;
  bool negated = false;
  std::optional<NounPhrase> receiver = std::nullopt;  // dative, before the object
  std::optional<NounPhrase> object = std::nullopt;
  Phrase complement = {};   // "soccer", "tired", "to the market"
  Phrase beneficiary = {};  // "for my brother"
  Phrase companion = {};    // "with my brother"
  Phrase means = {};        // "by train"
  Phrase place = {};
  Phrase frequency = {};  // "often"
  Phrase time = {};
  bool time_first = false;  // "On Monday ...": the German subject moves behind the verb
};

enum class Order {
  Statement,    // verb second
  Question,     // verb first; in German also after another clause: "Wenn es regnet, bleibt er ..."
  Subordinate,  // verb last in German
  Purpose,      // "to buy bread", "um Brot zu kaufen"; without a subject
};

// The words of the clause, without a capital or a full stop.
std::string english(const Clause& clause, Order order);
std::string german(const Clause& clause, Order order);

}  // namespace memsizer::demo
