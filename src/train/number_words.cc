#include "train/number_words.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <stdexcept>

#include "core/model_config.h"

namespace memsizer::train {
namespace {

constexpr std::array<std::string_view, 20> kSmall = {
    "zero",     "one",     "two",     "three",     "four",     "five",    "six",
    "seven",    "eight",   "nine",    "ten",       "eleven",   "twelve",  "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"};
constexpr std::array<std::string_view, 10> kTens = {"",      "",      "twenty",  "thirty", "forty",
                                                    "fifty", "sixty", "seventy", "eighty", "ninety"};

void append(std::string& text, std::string_view word) {
  if (!text.empty()) text += ' ';
  text += word;
}

void append_below_thousand(std::string& text, int64_t number) {
  if (number >= 100) {
    append(text, kSmall[number / 100]);
    append(text, "hundred");
    number %= 100;
  }
  if (number >= 20) {
    append(text, kTens[number / 10]);
    number %= 10;
  }
  if (number > 0) append(text, kSmall[number]);
}

at::Tensor padded(const std::vector<std::vector<int64_t>>& rows, bool left) {
  size_t longest = 0;
  for (const auto& row : rows) longest = std::max(longest, row.size());
  const auto batch = static_cast<int64_t>(rows.size());
  at::Tensor tokens = at::full({batch, static_cast<int64_t>(longest)}, kPad, at::kLong);
  auto cells = tokens.accessor<int64_t, 2>();
  for (int64_t b = 0; b < batch; ++b) {
    const size_t shift = left ? longest - rows[b].size() : 0;
    for (size_t i = 0; i < rows[b].size(); ++i) cells[b][static_cast<int64_t>(shift + i)] = rows[b][i];
  }
  return tokens;
}

}  // namespace

NumberWords::NumberWords() : words_{"<bos>", "<pad>", "<eos>", "<unk>"} {
  for (char digit = '0'; digit <= '9'; ++digit) words_.emplace_back(1, digit);
  for (const std::string_view word : kSmall) words_.emplace_back(word);
  for (const std::string_view word : kTens) {
    if (!word.empty()) words_.emplace_back(word);
  }
  words_.emplace_back("hundred");
  words_.emplace_back("thousand");
}

std::string NumberWords::in_words(int64_t number) {
  if (number == 0) return "zero";
  std::string text;
  if (number >= 1000) {
    append_below_thousand(text, number / 1000);
    append(text, "thousand");
  }
  append_below_thousand(text, number % 1000);
  return text;
}

bool NumberWords::held_out(int64_t number) {
  // Fibonacci hashing: neighbours land far apart. Single digits stay in: nobody could guess their words.
  return number >= 10 && (static_cast<uint64_t>(number) * 11400714819323198485ULL >> 32) % 10 == 0;
}

std::vector<int64_t> NumberWords::ids(std::string_view text) const {
  std::vector<int64_t> tokens;
  std::istringstream stream{std::string(text)};
  for (std::string word; stream >> word;) {
    const auto found = std::find(words_.begin(), words_.end(), word);
    if (found == words_.end()) throw std::logic_error("number word without an id: " + word);
    tokens.push_back(found - words_.begin());
  }
  tokens.push_back(kEos);
  return tokens;
}

at::Tensor NumberWords::sources(const std::vector<int64_t>& numbers) const {
  std::vector<std::vector<int64_t>> rows;
  for (const int64_t number : numbers) {
    std::string spaced;
    for (const char digit : std::to_string(number)) append(spaced, std::string_view(&digit, 1));
    rows.push_back(ids(spaced));
  }
  return padded(rows, /*left=*/true);
}

at::Tensor NumberWords::targets(const std::vector<int64_t>& numbers) const {
  std::vector<std::vector<int64_t>> rows;
  for (const int64_t number : numbers) rows.push_back(ids(in_words(number)));
  return padded(rows, /*left=*/false);
}

std::string NumberWords::text(const at::Tensor& row) const {
  std::string text;
  for (int64_t i = 0; i < row.size(0); ++i) {
    const int64_t id = row[i].item<int64_t>();
    if (id == kEos) break;
    append(text, words_.at(id));
  }
  return text;
}

}  // namespace memsizer::train
