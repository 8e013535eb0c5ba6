#pragma once

#include "support/golden.h"

namespace memsizer::testing {

// A check that knows a family of fixtures: false if the variant is none of its own.
using GoldenCheck = bool (*)(const Fixture&);

bool check_mixer(const Fixture& fixture);
bool check_translation_model(const Fixture& fixture);
bool check_language_model(const Fixture& fixture);
bool check_adaptive(const Fixture& fixture);
bool check_label_smoothing(const Fixture& fixture);
bool check_positions(const Fixture& fixture);

}  // namespace memsizer::testing
