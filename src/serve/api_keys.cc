#include "serve/api_keys.h"

#include <algorithm>
#include <sstream>

#include "core/error.h"
#include "text/line_reader.h"

namespace memsizer::serve {
namespace {

constexpr size_t kShortestKey = 16;
constexpr size_t kLongestKey = 512;

// Looks at as many bytes whatever the guess is.
bool same(std::string_view guess, std::string_view key) {
  auto difference = static_cast<unsigned>(guess.size() ^ key.size());
  for (size_t i = 0; i < kLongestKey; ++i) {
    const auto a = static_cast<unsigned char>(i < guess.size() ? guess[i] : 0);
    const auto b = static_cast<unsigned char>(i < key.size() ? key[i] : 0);
    difference |= static_cast<unsigned>(a ^ b);
  }
  return difference == 0;
}

bool good_name(std::string_view name) {
  return !name.empty() && name.size() <= 32 && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

}  // namespace

ApiKeys ApiKeys::read(const std::filesystem::path& path) {
  ApiKeys keys;
  text::LineReader reader(path, path.string());
  std::string line;
  bool unnamed = false;
  for (int number = 1; reader.next(line); ++number) {
    std::istringstream words(line);
    std::string first;
    std::string second;
    std::string more;
    words >> first >> second >> more;
    if (first.empty() || first.starts_with('#')) continue;
    unnamed = unnamed || second.empty();
    Key key = second.empty() ? Key{kDefaultOwner, first} : Key{first, second};
    if (!more.empty() || !good_name(key.name)) {
      throw UserError(
          "{} line {}: expected a key, or a name of a-z, 0-9, - and _ and a key, with a space between",
          path.string(), number);
    }
    if (key.key.size() < kShortestKey || key.key.size() > kLongestKey) {
      throw UserError("{} line {}: the key has {} characters; it must have {} to {}", path.string(), number,
                      key.key.size(), kShortestKey, kLongestKey);
    }
    keys.keys_.push_back(std::move(key));
  }
  if (keys.keys_.empty()) throw UserError("{} has no key; put one on a line of its own", path.string());
  if (unnamed && keys.keys_.size() > 1)
    throw UserError("{} has several keys; put a name before each, so that each has its own states",
                    path.string());
  return keys;
}

std::optional<std::string> ApiKeys::owner_of(std::string_view key) const {
  std::optional<std::string> owner;
  for (const Key& known : keys_) {
    if (same(key, known.key)) owner = known.name;
  }
  return key.size() <= kLongestKey ? owner : std::nullopt;
}

}  // namespace memsizer::serve
