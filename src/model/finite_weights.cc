#include "model/finite_weights.h"

#include <cstring>
#include <optional>

#include "core/error.h"

namespace memsizer {
namespace {

struct NotFinite {
  size_t position;
  const char* number;
};

// `exponent` has all bits of a number's exponent: a number that has them too is NaN or infinite.
template <typename Bits>
std::optional<NotFinite> first_not_finite(std::span<const std::byte> data, Bits exponent) {
  const size_t count = data.size() / sizeof(Bits);
  // A file does not promise alignment.
  const auto bits_at = [&](size_t i) {
    Bits bits;
    std::memcpy(&bits, data.data() + i * sizeof(Bits), sizeof(Bits));
    return bits;
  };
  // All of them at first, which vectorises; where, only if there is one.
  bool finite = true;
  for (size_t i = 0; i < count; ++i) finite &= (bits_at(i) & exponent) != exponent;
  if (finite) return std::nullopt;
  size_t i = 0;
  while ((bits_at(i) & exponent) != exponent) ++i;
  constexpr auto kSign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
  const Bits bits = bits_at(i);
  if ((bits | kSign) != (exponent | kSign)) return NotFinite{i, "nan"};
  return NotFinite{i, bits == exponent ? "inf" : "-inf"};
}

std::optional<NotFinite> first_not_finite(DType type, std::span<const std::byte> data) {
  switch (type) {
    case DType::F32:
      return first_not_finite<uint32_t>(data, 0x7f800000U);
    case DType::F64:
      return first_not_finite<uint64_t>(data, 0x7ff0000000000000U);
    case DType::F16:
      return first_not_finite<uint16_t>(data, 0x7c00U);
    case DType::BF16:
      return first_not_finite<uint16_t>(data, 0x7f80U);
    default:
      return std::nullopt;
  }
}

}  // namespace

void require_finite(const std::filesystem::path& file, std::string_view name, DType type,
                    std::span<const std::byte> data) {
  const std::optional<NotFinite> found = first_not_finite(type, data);
  if (!found) return;
  throw UserError(
      "'{}': tensor {} holds {} at position {}; weights must be finite: train again with a lower "
      "optimizer.lr, "
      "or take an earlier checkpoint",
      file.string(), printable_name(name), found->number, found->position);
}

void require_finite(const SafetensorsFile& file) {
  for (const std::string& name : file.names()) {
    const TensorView& view = file.tensor(name);
    require_finite(file.path(), name, view.dtype, view.data);
  }
}

}  // namespace memsizer
