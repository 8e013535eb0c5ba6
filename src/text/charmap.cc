#include "text/charmap.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

namespace memsizer::text {
namespace {

// Field numbers in sentencepiece_model.proto.
constexpr uint64_t kPieces = 1;
constexpr uint64_t kTrainerSpec = 2;
constexpr uint64_t kNormalizerSpec = 3;
constexpr uint64_t kDenormalizerSpec = 5;
constexpr uint64_t kPrecompiledCharmap = 2;

struct Field {
  uint64_t number = 0;
  std::string_view content;  // of a length-delimited field, otherwise empty
};

// Walks the top level of a serialized protocol buffer.
class Fields {
 public:
  explicit Fields(std::string_view message) : rest_(message) {}

  bool done() const { return rest_.empty(); }

  // Nothing: the bytes are no protocol buffer.
  std::optional<Field> next() {
    const std::optional<uint64_t> tag = varint();
    if (!tag) return std::nullopt;
    Field field{.number = *tag >> 3, .content = {}};
    switch (*tag & 7) {
      case 0:
        return varint() ? std::optional(field) : std::nullopt;
      case 1:
        return take(8) ? std::optional(field) : std::nullopt;
      case 2: {
        const std::optional<uint64_t> bytes = varint();
        if (!bytes) return std::nullopt;
        const std::optional<std::string_view> content = take(*bytes);
        if (!content) return std::nullopt;
        field.content = *content;
        return field;
      }
      case 5:
        return take(4) ? std::optional(field) : std::nullopt;
      default:
        return std::nullopt;
    }
  }

 private:
  std::optional<uint64_t> varint() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<uint8_t>(rest_.front());
      rest_.remove_prefix(1);
      value |= uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return value;
    }
    return std::nullopt;
  }

  std::optional<std::string_view> take(uint64_t bytes) {
    if (bytes > rest_.size()) return std::nullopt;
    const std::string_view content = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return content;
  }

  std::string_view rest_;
};

// A double-array trie as Darts-clone stores it: units of 32 bits, each with the label it is reached by and
// the offset of its children; a child's place is the parent's base with the label's bits flipped in.
class DoubleArray {
 public:
  explicit DoubleArray(std::string_view bytes) : units_(bytes.size() / sizeof(uint32_t)) {
    // Nothing to copy has no address.
    if (!units_.empty()) std::memcpy(units_.data(), bytes.data(), units_.size() * sizeof(uint32_t));
  }

  // Whether every walk from the root stays inside and ends at values below `values`.
  bool sound(size_t values) const {
    if (units_.empty()) return false;
    std::vector<bool> seen(units_.size());
    std::vector<size_t> open;
    const auto enter = [&](size_t base) {
      if ((base | 0xff) >= units_.size()) return false;
      if (!seen[base]) open.push_back(base);
      seen[base] = true;
      return true;
    };
    if (!enter(offset(units_[0]))) return false;
    while (!open.empty()) {
      const size_t base = open.back();
      open.pop_back();
      for (uint32_t byte = 0; byte < 256; ++byte) {
        const size_t child = base ^ byte;
        const uint32_t unit = units_[child];
        if ((unit & kLabelBits) != byte) continue;
        const size_t child_base = child ^ offset(unit);
        if (!enter(child_base)) return false;
        if ((unit & kHasLeaf) && (units_[child_base] & kValueBits) >= values) return false;
      }
    }
    return true;
  }

 private:
  static constexpr uint32_t kHasLeaf = 1U << 8;
  static constexpr uint32_t kValueBits = (1U << 31) - 1;
  static constexpr uint32_t kLabelBits = 1U << 31 | 0xff;

  static size_t offset(uint32_t unit) {
    // Bit 9 says that the offset counts in steps of 256.
    return size_t{unit >> 10} << ((unit & 1U << 9) >> 6);
  }

  std::vector<uint32_t> units_;
};

// A charmap is the trie's size, the trie, and the texts it points to, each ending with a zero byte.
bool charmap_sound(std::string_view charmap) {
  if (charmap.empty()) return true;
  uint32_t trie_bytes = 0;
  if (charmap.size() <= sizeof(trie_bytes)) return false;
  std::memcpy(&trie_bytes, charmap.data(), sizeof(trie_bytes));
  charmap.remove_prefix(sizeof(trie_bytes));
  if (trie_bytes % sizeof(uint32_t) != 0 || trie_bytes >= charmap.size() || charmap.back() != '\0')
    return false;
  return DoubleArray(charmap.substr(0, trie_bytes)).sound(charmap.size() - trie_bytes);
}

bool normalizer_sound(std::string_view spec) {
  bool seen = false;
  for (Fields fields(spec); !fields.done();) {
    const std::optional<Field> field = fields.next();
    if (!field) return false;
    if (field->number != kPrecompiledCharmap) continue;
    if (seen || !charmap_sound(field->content)) return false;
    seen = true;
  }
  return true;
}

}  // namespace

std::string_view sentencepiece_damage(std::string_view model) {
  bool has_pieces = false;
  bool has_trainer = false;
  bool has_normalizer = false;
  bool has_denormalizer = false;
  for (Fields fields(model); !fields.done();) {
    const std::optional<Field> field = fields.next();
    if (!field) return "it is damaged or cut off";
    // Repeated sections would be merged by the library into one that was never looked at.
    bool* once = nullptr;
    if (field->number == kPieces) has_pieces = true;
    if (field->number == kTrainerSpec) once = &has_trainer;
    if (field->number == kNormalizerSpec) once = &has_normalizer;
    if (field->number == kDenormalizerSpec) once = &has_denormalizer;
    if (once && std::exchange(*once, true)) return "a section stands in it twice";
    if ((field->number == kNormalizerSpec || field->number == kDenormalizerSpec) &&
        !normalizer_sound(field->content))
      return "its normalisation table is damaged";
  }
  if (!has_pieces) return "it has no pieces";
  if (!has_trainer || !has_normalizer) return "it is cut off";
  return "";
}

}  // namespace memsizer::text
