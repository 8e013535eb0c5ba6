#pragma once

#include <sentencepiece_processor.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"

namespace memsizer::text {

// A SentencePiece model of any type, trained here or elsewhere with our special ids.
class SentencePieceTokenizer final : public Tokenizer {
 public:
  // From a serialized model; `name` opens the message of a UserError.
  static std::unique_ptr<SentencePieceTokenizer> parse(std::string_view bytes, std::string_view name);

  int64_t size() const override { return processor_.GetPieceSize(); }
  void encode(std::string_view text, std::vector<int32_t>& ids) const override;
  // An unknown token shows as the model's surface for it, usually " ⁇ ".
  std::string decode(std::span<const int32_t> ids) const override;
  std::string piece(int32_t id) const override;
  std::string serialized() const override { return serialized_; }

 private:
  SentencePieceTokenizer() = default;

  static constexpr int kNoId = -1;

  sentencepiece::SentencePieceProcessor processor_;
  int space_id_ = kNoId;  // of the space alone, which opens every text
  std::string serialized_;
};

}  // namespace memsizer::text
