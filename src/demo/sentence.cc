#include "demo/sentence.h"

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace memsizer::demo {
namespace {

// No sentence of the grammar begins with an umlaut.
std::string capitalised(std::string text) {
  if (text.front() >= 'a' && text.front() <= 'z') text.front() = static_cast<char>(text.front() - 'a' + 'A');
  return text;
}

Phrase words(const Clause& clause, Order order) {
  return {english(clause, order), german(clause, order)};
}

template <typename... Parts>
Phrase sentence(std::string_view english_form, std::string_view german_form, const Parts&... parts) {
  return {capitalised(fmt::format(fmt::runtime(english_form), parts.english...)),
          capitalised(fmt::format(fmt::runtime(german_form), parts.german...))};
}

std::string_view there_is_or_are(const NounPhrase& what) {
  return what.plural ? "are" : "is";
}

}  // namespace

Phrase statement(const Clause& clause) {
  return sentence("{}.", "{}.", words(clause, Order::Statement));
}

Phrase yes_no_question(const Clause& clause) {
  return sentence("{}?", "{}?", words(clause, Order::Question));
}

Phrase wh_question(const Phrase& asked, const Clause& clause) {
  return sentence("{} {}?", "{} {}?", asked, words(clause, Order::Question));
}

Phrase who_question(const Clause& clause) {
  return sentence("{}?", "{}?", words(clause, Order::Statement));
}

Phrase subordinate(const Clause& clause) {
  return words(clause, Order::Subordinate);
}

Phrase because_sentence(const Clause& main, const Phrase& reason) {
  return sentence("{} because {}.", "{}, weil {}.", words(main, Order::Statement), reason);
}

Phrase that_sentence(const Clause& main, const Clause& what) {
  return sentence("{} that {}.", "{}, dass {}.", words(main, Order::Statement), subordinate(what));
}

Phrase if_first(const Phrase& condition, const Clause& main) {
  // The condition takes the first place of the German sentence, so its verb comes next.
  const Phrase rest{english(main, Order::Statement), german(main, Order::Question)};
  return sentence("if {}, {}.", "wenn {}, {}.", condition, rest);
}

Phrase if_last(const Clause& main, const Phrase& condition) {
  return sentence("{} if {}.", "{}, wenn {}.", words(main, Order::Statement), condition);
}

Phrase purpose_sentence(const Clause& main, const Clause& why) {
  return sentence("{} {}.", "{}, {}.", words(main, Order::Statement), words(why, Order::Purpose));
}

Phrase and_sentence(const Clause& first, const Clause& second) {
  return sentence("{} and {}.", "{} und {}.", words(first, Order::Statement),
                  words(second, Order::Statement));
}

Phrase but_sentence(const Clause& first, const Clause& second) {
  return sentence("{}, but {}.", "{}, aber {}.", words(first, Order::Statement),
                  words(second, Order::Statement));
}

Phrase there_is(const NounPhrase& what, const Phrase& place) {
  return {fmt::format("There {} {} {}.", there_is_or_are(what), english_object(what), place.english),
          capitalised(fmt::format("{} gibt es {}.", place.german, german(what, Case::Accusative)))};
}

Phrase is_there(const NounPhrase& what, const Phrase& place) {
  return {
      capitalised(fmt::format("{} there {} {}?", there_is_or_are(what), english_object(what), place.english)),
      fmt::format("Gibt es {} {}?", place.german, german(what, Case::Accusative))};
}

Phrase it_is(const Phrase& clock_time) {
  return sentence("it is {}.", "es ist {}.", clock_time);
}

}  // namespace memsizer::demo
