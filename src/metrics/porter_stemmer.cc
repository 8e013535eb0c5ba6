#include "metrics/porter_stemmer.h"

#include <span>
#include <vector>

namespace memsizer::metrics {
namespace {

struct Rule {
  std::string_view suffix;
  std::string_view replacement;
};

constexpr Rule kPlurals[] = {{"sses", "ss"}, {"ies", "i"}, {"ss", "ss"}, {"s", ""}};

// Steps 2 and 3 apply where the measure of what precedes the suffix is above 0, step 4 where it is above 1.
constexpr Rule kStep2[] = {{"ational", "ate"}, {"tional", "tion"}, {"enci", "ence"},   {"anci", "ance"},
                           {"izer", "ize"},    {"bli", "ble"},     {"alli", "al"},     {"entli", "ent"},
                           {"eli", "e"},       {"ousli", "ous"},   {"ization", "ize"}, {"ation", "ate"},
                           {"ator", "ate"},    {"alism", "al"},    {"iveness", "ive"}, {"fulness", "ful"},
                           {"ousness", "ous"}, {"aliti", "al"},    {"iviti", "ive"},   {"biliti", "ble"}};
constexpr Rule kStep3[] = {{"icate", "ic"}, {"ative", ""}, {"alize", "al"}, {"iciti", "ic"},
                           {"ical", "ic"},  {"ful", ""},   {"ness", ""}};
constexpr std::string_view kStep4[] = {"al",    "ance", "ence", "er",  "ic",  "able", "ible", "ant",
                                       "ement", "ou",   "ism",  "ate", "iti", "ous",  "ive",  "ize"};

constexpr Rule kIrregular[] = {
    {"sky", "sky"},        {"skies", "sky"},       {"dying", "die"},        {"lying", "lie"},
    {"tying", "tie"},      {"news", "news"},       {"innings", "inning"},   {"inning", "inning"},
    {"outings", "outing"}, {"outing", "outing"},   {"cannings", "canning"}, {"canning", "canning"},
    {"howe", "howe"},      {"proceed", "proceed"}, {"exceed", "exceed"},    {"succeed", "succeed"}};

bool is_vowel_letter(char c) {
  return c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u';
}

// A y is a vowel after a consonant. Calls `visit(is_consonant)` for each letter.
template <typename Visit>
void for_each_letter(std::string_view word, const Visit& visit) {
  bool consonant = false;
  for (const char c : word) {
    consonant = c == 'y' ? !consonant : !is_vowel_letter(c);
    visit(consonant);
  }
}

// How many times a vowel is followed by a consonant: the m of [C](VC)^m[V].
int measure(std::string_view stem) {
  int count = 0;
  bool after_vowel = false;
  for_each_letter(stem, [&](bool consonant) {
    if (consonant && after_vowel) ++count;
    after_vowel = !consonant;
  });
  return count;
}

bool has_vowel(std::string_view stem) {
  bool found = false;
  for_each_letter(stem, [&](bool consonant) { found = found || !consonant; });
  return found;
}

std::vector<bool> consonants(std::string_view word) {
  std::vector<bool> flags;
  flags.reserve(word.size());
  for_each_letter(word, [&](bool consonant) { flags.push_back(consonant); });
  return flags;
}

bool ends_consonant(std::string_view word) {
  return !word.empty() && consonants(word).back();
}

class Stemming {
 public:
  Stemming(std::string_view word, PorterVariant variant)
      : word_(word), nltk_(variant == PorterVariant::Nltk) {}

  std::string run() && {
    strip_plural();
    strip_past_and_gerund();
    soften_y();
    apply_step_2();
    apply(kStep3);
    apply_step_4();
    strip_e();
    if (ends("ll") && measure(word_) > 1) word_.pop_back();
    return std::move(word_);
  }

 private:
  bool ends(std::string_view suffix) const { return word_.ends_with(suffix); }

  std::string_view before(std::string_view suffix) const {
    return std::string_view(word_).substr(0, word_.size() - suffix.size());
  }

  void replace(std::string_view suffix, std::string_view replacement) {
    word_.replace(word_.size() - suffix.size(), suffix.size(), replacement);
  }

  // Porter's *o: consonant, vowel, consonant other than w, x, y at the end. NLTK adds two-letter stems of a
  // vowel and a consonant.
  bool ends_short_syllable(std::string_view stem) const {
    const std::vector<bool> flags = consonants(stem);
    const size_t n = flags.size();
    if (nltk_ && n == 2) return !flags[0] && flags[1];
    return n >= 3 && flags[n - 3] && !flags[n - 2] && flags[n - 1] && stem[n - 1] != 'w' &&
           stem[n - 1] != 'x' && stem[n - 1] != 'y';
  }

  bool ends_double_consonant() const {
    const size_t n = word_.size();
    if (n < 2 || word_[n - 1] != word_[n - 2]) return false;
    if (!nltk_ && word_[n - 1] == 'y') return false;
    return ends_consonant(word_);
  }

  void strip_plural() {
    if (nltk_ && word_.size() == 4 && ends("ies")) return replace("ies", "ie");
    for (const Rule& rule : kPlurals) {
      if (ends(rule.suffix)) return replace(rule.suffix, rule.replacement);
    }
  }

  void strip_past_and_gerund() {
    if (nltk_ && ends("ied")) return replace("ied", word_.size() == 4 ? "ie" : "i");
    if (ends("eed")) {
      if (measure(before("eed")) > 0) word_.pop_back();
      return;
    }
    const std::string_view suffix = ends("ed") ? "ed" : "ing";
    if (!ends(suffix) || !has_vowel(before(suffix))) return;
    replace(suffix, "");
    if (ends("at") || ends("bl") || ends("iz")) {
      word_ += 'e';
    } else if (ends_double_consonant()) {
      const char last = word_.back();
      if (last != 'l' && last != 's' && last != 'z') word_.pop_back();
    } else if (measure(word_) == 1 && ends_short_syllable(word_)) {
      word_ += 'e';
    }
  }

  void soften_y() {
    if (!ends("y")) return;
    const std::string_view stem = before("y");
    if (nltk_ ? stem.size() > 1 && ends_consonant(stem) : has_vowel(stem)) replace("y", "i");
  }

  // Only the first rule whose suffix fits is tried.
  bool apply(std::span<const Rule> rules) {
    for (const Rule& rule : rules) {
      if (!ends(rule.suffix)) continue;
      if (measure(before(rule.suffix)) > 0) replace(rule.suffix, rule.replacement);
      return true;
    }
    return false;
  }

  void apply_step_2() {
    if (nltk_) {
      while (ends("alli") && measure(before("alli")) > 0) replace("alli", "al");
    }
    if (apply(kStep2)) return;
    if (nltk_) {
      if (ends("fulli")) {
        if (measure(before("fulli")) > 0) replace("fulli", "ful");
      } else if (ends("logi") && measure(before("ogi")) > 0) {
        word_.pop_back();
      }
    } else if (ends("logi") && measure(before("logi")) > 0) {
      word_.pop_back();
    }
  }

  bool strip_if_long(std::string_view suffix) {
    if (measure(before(suffix)) <= 1) return false;
    replace(suffix, "");
    return true;
  }

  void apply_step_4() {
    for (const std::string_view suffix : kStep4) {
      if (!ends(suffix)) continue;
      strip_if_long(suffix);
      if (nltk_) return;
      break;
    }
    // ROUGE goes on with what the rules above left; NLTK gets here only if none of their suffixes fitted.
    if (ends("ment")) {
      strip_if_long("ment");
      if (nltk_) return;
    }
    if (ends("ent")) {
      strip_if_long("ent");
    } else if (ends("sion") || ends("tion")) {
      strip_if_long("ion");
    }
  }

  void strip_e() {
    if (!ends("e")) return;
    const std::string_view stem = before("e");
    const int m = measure(stem);
    if (m > 1 || (m == 1 && !ends_short_syllable(stem))) word_.pop_back();
  }

  std::string word_;
  bool nltk_;
};

}  // namespace

std::string porter_stem(std::string_view word, PorterVariant variant) {
  if (variant == PorterVariant::Nltk) {
    for (const Rule& form : kIrregular) {
      if (word == form.suffix) return std::string(form.replacement);
    }
  }
  if (word.size() <= 2) return std::string(word);
  return Stemming(word, variant).run();
}

}  // namespace memsizer::metrics
