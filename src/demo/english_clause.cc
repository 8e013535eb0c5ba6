#include <fmt/format.h>

#include <array>

#include "demo/clause.h"
#include "demo/words_line.h"

namespace memsizer::demo {
namespace {

constexpr std::array<std::string_view, 5> kModals = {"must", "can", "want", "should", "may"};

struct VerbGroup {
  std::string auxiliary;  // what a question puts before the subject; empty for "reads", "read"
  std::string main;
};

std::string_view be(Agreement agreement, bool past) {
  if (past) return agreement == Agreement::I || agreement == Agreement::He ? "was" : "were";
  if (agreement == Agreement::I) return "am";
  return agreement == Agreement::He ? "is" : "are";
}

// "reads", or "does" and "read" where a question or "not" needs an auxiliary.
VerbGroup with_do(std::string_view base, std::string_view third, Agreement agreement, bool needs_auxiliary) {
  const bool he = agreement == Agreement::He;
  if (needs_auxiliary) return {he ? "does" : "do", std::string(base)};
  return {"", std::string(he ? third : base)};
}

VerbGroup verb_group(const Clause& clause, bool needs_auxiliary) {
  const EnglishVerb& verb = clause.verb->english;
  const Agreement who = agreement(clause.subject);
  if (clause.verb == &verb_be()) return {std::string(be(who, clause.tense == Tense::Past)), ""};
  switch (clause.tense) {
    case Tense::Present:
      return with_do(verb.base, verb.third, who, needs_auxiliary);
    case Tense::Progressive:
      return {std::string(be(who, false)), std::string(verb.ing)};
    case Tense::Past:
      if (needs_auxiliary) return {"did", std::string(verb.base)};
      return {"", std::string(verb.past)};
    case Tense::Future:
      return {"will", std::string(verb.base)};
    case Tense::Liking: {
      VerbGroup group = with_do("like", "likes", who, needs_auxiliary);
      group.main += fmt::format(" to {}", verb.base);
      return group;
    }
    case Tense::Modal:
      break;
  }
  if (clause.modal == Modal::Want) {
    VerbGroup group = with_do("want", "wants", who, needs_auxiliary);
    group.main += fmt::format(" to {}", verb.base);
    return group;
  }
  return {std::string(kModals[static_cast<size_t>(clause.modal)]), std::string(verb.base)};
}

void add_objects(WordsLine& line, const Clause& clause) {
  const EnglishVerb& verb = clause.verb->english;
  // "picks him up", but "picks up the child".
  const bool object_first = clause.object && clause.object->pronoun;
  if (!object_first) line << verb.particle;
  line << verb.preposition;
  if (clause.receiver) line << english_object(*clause.receiver);
  if (clause.object) line << english_object(*clause.object);
  if (object_first) line << verb.particle;
}

}  // namespace

std::string english(const Clause& clause, Order order) {
  WordsLine line;
  if (order == Order::Purpose) {
    line << "to" << clause.verb->english.base;
    add_objects(line, clause);
    return line.text();
  }
  const bool question = order == Order::Question;
  VerbGroup verb = verb_group(clause, question || clause.negated);
  const bool cannot = clause.negated && verb.auxiliary == "can";
  if (cannot) verb.auxiliary = "cannot";
  if (clause.time_first) line << clause.time.english;
  if (question) line << verb.auxiliary;
  line << english_subject(clause.subject);
  if (!question) line << verb.auxiliary;
  if (clause.negated && !cannot) line << "not";
  line << clause.frequency.english << verb.main;
  add_objects(line, clause);
  line << clause.complement.english << clause.beneficiary.english << clause.companion.english
       << clause.means.english << clause.place.english;
  if (!clause.time_first) line << clause.time.english;
  return line.text();
}

}  // namespace memsizer::demo
