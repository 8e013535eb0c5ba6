#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace memsizer::serve {

// Text that comes in pieces, up to the first of some texts that end it. What may be the beginning of such a
// text is held back until it is certain.
class StopText {
 public:
  explicit StopText(std::vector<std::string> stops) : stops_(std::move(stops)) {}

  // What has become certain.
  std::string push(std::string_view piece);
  // The rest, at the end of the text.
  std::string finish() { return stopped_ ? "" : std::move(held_); }
  bool stopped() const { return stopped_; }

 private:
  std::vector<std::string> stops_;
  std::string held_;
  bool stopped_ = false;
};

}  // namespace memsizer::serve
