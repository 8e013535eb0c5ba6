#pragma once

#include <string>
#include <string_view>

namespace memsizer::demo {

// Words joined by single blanks; empty ones leave no trace.
class WordsLine {
 public:
  WordsLine& operator<<(std::string_view words) {
    if (words.empty()) return *this;
    if (!text_.empty()) text_ += ' ';
    text_ += words;
    return *this;
  }

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace memsizer::demo
