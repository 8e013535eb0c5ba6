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
  const auto infinity_of_sign = [&](Bits bits) { return bits == exponent ? "inf" : "-inf"; };
  constexpr auto kSign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
  for (size_t i = 0; i < data.size() / sizeof(Bits); ++i) {
    Bits bits;
    std::memcpy(&bits, data.data() + i * sizeof(Bits), sizeof(Bits));
    if ((bits & exponent) != exponent) continue;
    return NotFinite{i, (bits | kSign) == (exponent | kSign) ? infinity_of_sign(bits) : "nan"};
  }
  return std::nullopt;
}

std::optional<NotFinite> first_not_finite(const NamedTensor& tensor) {
  switch (tensor.dtype) {
    case DType::F32:
      return first_not_finite<uint32_t>(tensor.data, 0x7f800000U);
    case DType::F64:
      return first_not_finite<uint64_t>(tensor.data, 0x7ff0000000000000U);
    case DType::F16:
      return first_not_finite<uint16_t>(tensor.data, 0x7c00U);
    case DType::BF16:
      return first_not_finite<uint16_t>(tensor.data, 0x7f80U);
    default:
      return std::nullopt;
  }
}

}  // namespace

void require_finite(const NamedTensor& tensor, const std::filesystem::path& file) {
  const std::optional<NotFinite> found = first_not_finite(tensor);
  if (!found) return;
  throw UserError(
      "'{}': tensor {} holds {} at position {}; expected finite weights: train again with a lower "
      "optimizer.lr, "
      "or take an earlier checkpoint",
      file.string(), printable_name(tensor.name), found->number, found->position);
}

}  // namespace memsizer
