#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memsizer::serve {

// Who may use the server. States belong to the name of the key that they were made with.
class ApiKeys {
 public:
  // Nobody needs a key.
  ApiKeys() = default;

  // A file with one key per line, or a name and a key; lines that begin with # are left out. Throws UserError
  // if it has none, a short one, or several of which one has no name.
  static ApiKeys read(const std::filesystem::path& path);

  bool needed() const { return !keys_.empty(); }

  // The name of a key, if it is one; the time that this takes does not tell how near a guess comes.
  std::optional<std::string> owner_of(std::string_view key) const;

 private:
  struct Key {
    std::string name;
    std::string key;
  };
  std::vector<Key> keys_;
};

// The name when no key is needed, and of a key without a name.
inline constexpr auto kDefaultOwner = "default";

}  // namespace memsizer::serve
