#include "metrics/lead.h"

#include <algorithm>
#include <array>

namespace memsizer::metrics {
namespace {

constexpr std::array<std::string_view, 3> kWideStops = {"。", "！", "？"};
constexpr std::array<std::string_view, 8> kClosing = {"\"", "'", ")", "]", "”", "’", "''", "»"};
constexpr std::array<std::string_view, 24> kAbbreviations = {
    "al", "e.g", "i.e", "cf", "vs", "etc", "fig", "figs", "eq",     "eqs",  "sec",  "no",
    "mr", "mrs", "ms",  "dr", "st", "jr",  "sr",  "prof", "approx", "resp", "dept", "inc"};

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// Whether the word before the stop at `stop` is one that a stop belongs to.
bool is_abbreviation(std::string_view text, size_t stop) {
  if (text[stop] != '.') return false;
  size_t begin = stop;
  while (begin > 0 && !is_space(text[begin - 1]) && text[begin - 1] != '(' && text[begin - 1] != '[') --begin;
  std::string word(text.substr(begin, stop - begin));
  // An initial; "I" ends sentences.
  if (word.size() == 1 && word[0] >= 'A' && word[0] <= 'Z' && word[0] != 'I') return true;
  std::ranges::transform(word, word.begin(), lower);
  return std::ranges::find(kAbbreviations, word) != kAbbreviations.end();
}

// Where a sentence that stops at `at` ends, closing quotes included; `at` itself if it does not stop there.
size_t end_after_stop(std::string_view text, size_t at) {
  if (text[at] == '\n') return at + 1;
  for (const std::string_view stop : kWideStops) {
    if (text.substr(at).starts_with(stop)) return at + stop.size();
  }
  if (text[at] != '.' && text[at] != '!' && text[at] != '?') return at;
  if (is_abbreviation(text, at)) return at;
  size_t end = at + 1;
  for (bool closes = true; closes && end < text.size();) {
    closes = false;
    for (const std::string_view mark : kClosing) {
      if (!text.substr(end).starts_with(mark)) continue;
      end += mark.size();
      closes = true;
      break;
    }
  }
  if (end == text.size()) return end;
  if (!is_space(text[end])) return at;
  size_t next = end;
  while (next < text.size() && is_space(text[next])) ++next;
  const bool small_letter = next < text.size() && text[next] >= 'a' && text[next] <= 'z';
  return small_letter ? at : end;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace

std::vector<std::string_view> sentences_of(std::string_view text) {
  std::vector<std::string_view> sentences;
  const auto add = [&](std::string_view sentence) {
    sentence = trimmed(sentence);
    if (!sentence.empty()) sentences.push_back(sentence);
  };
  size_t begin = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = end_after_stop(text, at);
    if (end == at) {
      ++at;
      continue;
    }
    add(text.substr(begin, end - begin));
    begin = at = end;
  }
  add(text.substr(begin));
  return sentences;
}

std::string lead_sentences(std::string_view document, int64_t count) {
  std::string lead;
  for (const std::string_view sentence : sentences_of(document)) {
    if (count-- <= 0) break;
    if (!lead.empty()) lead += ' ';
    lead += sentence;
  }
  return lead;
}

}  // namespace memsizer::metrics
