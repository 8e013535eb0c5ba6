#include "serve/stop_text.h"

#include <algorithm>

namespace memsizer::serve {

std::string StopText::push(std::string_view piece) {
  if (stopped_) return "";
  held_ += piece;
  size_t end = std::string::npos;
  for (const std::string& stop : stops_) end = std::min(end, held_.find(stop));
  if (end != std::string::npos) {
    stopped_ = true;
    return held_.substr(0, end);
  }
  size_t kept = 0;
  for (const std::string& stop : stops_) {
    for (size_t length = std::min(held_.size(), stop.size() - 1); length > kept; --length) {
      if (held_.ends_with(std::string_view(stop).substr(0, length))) {
        kept = length;
        break;
      }
    }
  }
  std::string certain = held_.substr(0, held_.size() - kept);
  held_.erase(0, certain.size());
  return certain;
}

}  // namespace memsizer::serve
