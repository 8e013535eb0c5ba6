#pragma once

#include <cstdint>

#include "core/random.h"
#include "decode/token_list.h"

namespace memsizer::bench {

// A shortlist as a source might have it: the special tokens, and others drawn by Zipf's law, the lower the
// likelier, so that the lists of a batch share their frequent tokens. `size` in all, at most `vocab`.
decode::TokenList zipf_list(Random& random, int64_t vocab, int64_t size);

}  // namespace memsizer::bench
