#include "text/word_tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <utility>

#include "core/error.h"
#include "core/safetensors.h"
#include "text/special_tokens.h"
#include "text/white_space.h"

namespace memsizer::text {
namespace {

bool is_special(std::string_view word) {
  return std::ranges::find(kSpecialNames, word) != kSpecialNames.end();
}

[[noreturn]] void fail(std::string_view name, int64_t line, std::string_view problem) {
  throw UserError("'{}' is not a word dictionary: line {} {}; expected a word, a space and its count", name,
                  line, problem);
}

}  // namespace

WordTokenizer::WordTokenizer() {
  for (const std::string_view name : kSpecialNames) add(std::string(name), 0);
}

bool WordTokenizer::add(std::string word, int64_t count) {
  const auto id = static_cast<int32_t>(pieces_.size());
  if (!ids_.emplace(word, id).second) return false;
  pieces_.push_back(std::move(word));
  counts_.push_back(count);
  return true;
}

std::unique_ptr<WordTokenizer> WordTokenizer::train(const TokenizerOptions& options,
                                                    const LineSource& next_line) {
  WordMap<int64_t> counts;
  for (std::string line; next_line(line);) {
    size_t position = 0;
    for (std::string_view word = next_word(line, position); !word.empty(); word = next_word(line, position)) {
      if (is_special(word)) continue;
      const auto found = counts.find(word);
      if (found != counts.end()) {
        ++found->second;
      } else {
        counts.emplace(word, 1);
      }
    }
  }
  if (counts.empty()) throw UserError("the text to make a vocabulary from holds no word; check data.train");

  std::vector<std::pair<std::string, int64_t>> words;
  for (auto& [word, count] : counts) {
    if (count >= options.min_count) words.emplace_back(word, count);
  }
  if (words.empty()) {
    throw UserError("data.tokenizer.min_count is {}, but no word of the text occurs as often; lower it",
                    options.min_count);
  }
  std::ranges::sort(words, [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });

  std::unique_ptr<WordTokenizer> tokenizer(new WordTokenizer);
  for (auto& [word, count] : words) {
    if (options.vocab > 0 && tokenizer->size() >= options.vocab) break;
    tokenizer->add(std::move(word), count);
  }
  return tokenizer;
}

std::unique_ptr<WordTokenizer> WordTokenizer::parse(std::string_view bytes, std::string_view name) {
  std::unique_ptr<WordTokenizer> tokenizer(new WordTokenizer);
  int64_t line_number = 0;
  for (size_t begin = 0; begin < bytes.size();) {
    const size_t end = std::min(bytes.find('\n', begin), bytes.size());
    std::string_view line = bytes.substr(begin, end - begin);
    begin = end + 1;
    ++line_number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line_number == 1 && line.starts_with(kMagic)) {
      if (line.substr(kMagic.size()) == kVersion) continue;
      throw UserError("'{}' is a word dictionary of version '{}'; this program reads version {}", name,
                      printable_name(line.substr(kMagic.size())), kVersion);
    }

    const size_t space = line.rfind(' ');
    if (space == std::string_view::npos || space == 0) {
      fail(name, line_number, fmt::format("is '{}'", printable_name(line)));
    }
    const std::string_view word = line.substr(0, space);
    const std::string_view digits = line.substr(space + 1);
    int64_t count = 0;
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
    if (error != std::errc() || stop != digits.data() + digits.size() || count < 0) {
      fail(name, line_number, fmt::format("has the count '{}'", printable_name(digits)));
    }
    size_t position = 0;
    if (next_word(word, position) != word)
      fail(name, line_number, fmt::format("has white space inside '{}'", printable_name(word)));
    if (is_special(word)) {
      fail(name, line_number, fmt::format("lists '{}', which has an id of its own", word));
    }
    if (!tokenizer->add(std::string(word), count))
      fail(name, line_number, fmt::format("lists '{}' a second time", printable_name(word)));
    if (tokenizer->size() == std::numeric_limits<int32_t>::max())
      fail(name, line_number, "is one more than fits");
  }
  if (tokenizer->size() == static_cast<int64_t>(kSpecialNames.size()))
    throw UserError("'{}' is a word dictionary without a word; make it again", name);
  return tokenizer;
}

void WordTokenizer::encode(std::string_view text, std::vector<int32_t>& ids) const {
  size_t position = 0;
  for (std::string_view word = next_word(text, position); !word.empty(); word = next_word(text, position)) {
    const auto found = ids_.find(word);
    const bool known = found != ids_.end() && found->second > kUnk;
    ids.push_back(known ? found->second : static_cast<int32_t>(kUnk));
  }
}

std::string WordTokenizer::decode(std::span<const int32_t> ids) const {
  std::string text;
  for (const int32_t id : ids) {
    if (is_control(id)) continue;
    if (!text.empty()) text += ' ';
    text += piece(id);
  }
  return text;
}

std::string WordTokenizer::piece(int32_t id) const {
  const bool known = id >= 0 && id < size();
  return pieces_[known ? static_cast<size_t>(id) : static_cast<size_t>(kUnk)];
}

std::string WordTokenizer::serialized() const {
  std::string bytes = fmt::format("{}{}\n", kMagic, kVersion);
  for (size_t i = kSpecialNames.size(); i < pieces_.size(); ++i)
    fmt::format_to(std::back_inserter(bytes), "{} {}\n", pieces_[i], counts_[i]);
  return bytes;
}

}  // namespace memsizer::text
