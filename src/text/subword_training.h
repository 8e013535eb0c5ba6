#pragma once

#include <string>

#include "text/tokenizer.h"

namespace memsizer::text {

// Trains SentencePiece, unigram or BPE, and returns the serialized model. The same text and options give the
// same bytes. Text is not rewritten but for runs of spaces, so that decoding gives back what was read. Of
// more than options.max_training_lines lines, an even sample is taken.
std::string train_subwords(const TokenizerOptions& options, const LineSource& next_line);

}  // namespace memsizer::text
