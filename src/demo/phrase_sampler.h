#pragma once

#include <initializer_list>
#include <span>
#include <string_view>

#include "core/random.h"
#include "demo/clause.h"
#include "demo/lexicon.h"
#include "demo/noun_phrase.h"
#include "demo/phrase.h"
#include "demo/set_aside.h"

namespace memsizer::demo {

// Draws the parts of a sentence and notes whether one of them is a combination that is set aside.
class PhraseSampler {
 public:
  explicit PhraseSampler(Random random) : random_(random) {}

  bool saw_set_aside() const { return saw_set_aside_; }
  void forget_set_aside() { saw_set_aside_ = false; }

  bool chance(uint64_t percent) { return random_.below(100) < percent; }
  int between(int first, int last) { return first + static_cast<int>(random_.below(last - first + 1)); }
  // An index, each as likely as its weight.
  size_t weighted(std::initializer_list<uint64_t> weights);

  template <typename T>
  const T& pick(std::span<const T> items) {
    return items[random_.below(items.size())];
  }
  template <typename T, typename Accept>
  const T& pick(std::span<const T> items, const Accept& accept) {
    for (;;) {
      const T& item = pick(items);
      if (accept(item)) return item;
    }
  }

  // Draws until one is accepted; combinations in those rejected do not count.
  template <typename Make, typename Accept>
  auto redraw(const Make& make, const Accept& accept) {
    const bool before = saw_set_aside_;
    for (;;) {
      auto drawn = make();
      if (accept(drawn)) return drawn;
      saw_set_aside_ = before;
    }
  }

  void combine(Combination kind, std::string_view first, std::string_view second) {
    saw_set_aside_ |= set_aside(kind, first, second);
  }

  NounPhrase subject(Kinds kinds);
  // Someone; possessives are mostly those of `subject`: "she ... her brother".
  NounPhrase person(const NounPhrase& subject);
  // Something that `verb` is done to by `subject`.
  NounPhrase object(const Verb& verb, const NounPhrase& subject, bool countable);
  NounPhrase person_object(const NounPhrase& subject);
  NounPhrase how_many(const Verb& verb);
  NounPhrase thing(Kinds kinds, const NounPhrase& subject, bool countable);
  // Gives a noun an adjective, this often.
  void describe(NounPhrase& phrase, uint64_t percent);

  int number();
  Phrase counted(int number, std::string_view english, std::string_view german);

  Phrase clock();
  Phrase date();
  Phrase time(Tense tense);
  Phrase place(Activities activities);
  Phrase companion(const NounPhrase& subject);
  Phrase beneficiary(const NounPhrase& subject);

 private:
  const Noun& noun(Kinds kinds);
  Determiner possessive(const NounPhrase& subject);
  NounPhrase pronoun_subject();
  NounPhrase human(const Noun& noun, const NounPhrase& subject);
  Phrase day();

  Random random_;
  bool saw_set_aside_ = false;
};

Phrase phrase(const Place& place);

}  // namespace memsizer::demo
