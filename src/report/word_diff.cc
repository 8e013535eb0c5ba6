#include "report/word_diff.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace memsizer::report {
namespace {

using Words = std::span<const std::string_view>;

// Cells of the comparison's table, which then takes 16 MB.
constexpr size_t kMaxCells = 4'000'000;
constexpr std::string_view kSpace = " \t\n\r\f\v";

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  size_t begin = text.find_first_not_of(kSpace);
  while (begin != std::string_view::npos) {
    const size_t end = std::min(text.find_first_of(kSpace, begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = text.find_first_not_of(kSpace, end);
  }
  return words;
}

void append(std::vector<WordRun>& runs, std::string_view word, bool shared) {
  if (runs.empty() || runs.back().shared != shared) {
    runs.push_back({std::string(word), shared});
    return;
  }
  runs.back().text += ' ';
  runs.back().text += word;
}

void append_shared(WordDiff& diff, Words words) {
  for (const std::string_view word : words) {
    append(diff.left, word, true);
    append(diff.right, word, true);
  }
}

// Longest common subsequence: lengths[i][j] is that of what follows left word i and right word j.
void append_compared(WordDiff& diff, Words left, Words right) {
  const size_t width = right.size() + 1;
  std::vector<uint32_t> lengths((left.size() + 1) * width, 0);
  const auto length = [&](size_t i, size_t j) -> uint32_t& { return lengths[i * width + j]; };
  for (size_t i = left.size(); i-- > 0;) {
    for (size_t j = right.size(); j-- > 0;) {
      length(i, j) =
          left[i] == right[j] ? length(i + 1, j + 1) + 1 : std::max(length(i + 1, j), length(i, j + 1));
    }
  }
  size_t i = 0;
  size_t j = 0;
  while (i < left.size() || j < right.size()) {
    if (i < left.size() && j < right.size() && left[i] == right[j]) {
      append_shared(diff, left.subspan(i, 1));
      ++i;
      ++j;
    } else if (j == right.size() || (i < left.size() && length(i + 1, j) >= length(i, j + 1))) {
      append(diff.left, left[i++], false);
    } else {
      append(diff.right, right[j++], false);
    }
  }
}

}  // namespace

WordDiff diff_words(std::string_view left_text, std::string_view right_text) {
  const std::vector<std::string_view> left_words = words_of(left_text);
  const std::vector<std::string_view> right_words = words_of(right_text);
  Words left = left_words;
  Words right = right_words;
  WordDiff diff;

  const auto start = static_cast<size_t>(
      std::mismatch(left.begin(), left.end(), right.begin(), right.end()).first - left.begin());
  append_shared(diff, left.first(start));
  left = left.subspan(start);
  right = right.subspan(start);
  const auto end = static_cast<size_t>(
      std::mismatch(left.rbegin(), left.rend(), right.rbegin(), right.rend()).first - left.rbegin());
  const Words tail = left.last(end);
  left = left.first(left.size() - end);
  right = right.first(right.size() - end);

  if ((left.size() + 1) <= kMaxCells / (right.size() + 1)) {
    append_compared(diff, left, right);
  } else {
    for (const std::string_view word : left) append(diff.left, word, false);
    for (const std::string_view word : right) append(diff.right, word, false);
  }
  append_shared(diff, tail);
  return diff;
}

}  // namespace memsizer::report
