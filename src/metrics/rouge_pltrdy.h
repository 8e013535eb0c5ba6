#pragma once

#include <string>

#include "metrics/rouge.h"

namespace memsizer::metrics {

struct PltrdyRougeScore {
  RougeValue rouge1, rouge2, rouge_l;  // 0 to 1
};

// One summary against one reference as the Python package `rouge` (pltrdy) computes it: sentences end at any
// full stop, words at white space, case matters, and each n-gram counts once however often it occurs. A side
// without any sentence is a UserError, as it is an error there.
PltrdyRougeScore rouge_pltrdy(const std::string& hypothesis, const std::string& reference);

}  // namespace memsizer::metrics
