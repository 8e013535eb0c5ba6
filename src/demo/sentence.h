#pragma once

#include "demo/clause.h"
#include "demo/noun_phrase.h"
#include "demo/phrase.h"

namespace memsizer::demo {

// Whole sentences, with their capital and their full stop or question mark.

Phrase statement(const Clause& clause);
Phrase yes_no_question(const Clause& clause);
Phrase wh_question(const Phrase& asked, const Clause& clause);  // "where", "wo"
Phrase who_question(const Clause& clause);                      // the subject is Pronoun::Who

// The words of a clause inside another, as because_sentence and the conditionals take it.
Phrase subordinate(const Clause& clause);

Phrase because_sentence(const Clause& main, const Phrase& reason);
Phrase that_sentence(const Clause& main, const Clause& what);
Phrase if_first(const Phrase& condition, const Clause& main);
Phrase if_last(const Clause& main, const Phrase& condition);
Phrase purpose_sentence(const Clause& main, const Clause& why);  // "goes to the market to buy apples"
Phrase and_sentence(const Clause& first, const Clause& second);
Phrase but_sentence(const Clause& first, const Clause& second);

Phrase there_is(const NounPhrase& what, const Phrase& place);
Phrase is_there(const NounPhrase& what, const Phrase& place);
Phrase it_is(const Phrase& clock_time);

}  // namespace memsizer::demo
