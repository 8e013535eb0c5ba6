#include "text/sentencepiece_tokenizer.h"

#include <fmt/format.h>

#include <stdexcept>

#include "core/error.h"
#include "text/charmap.h"
#include "text/special_tokens.h"
#include "text/text_parts.h"

namespace memsizer::text {
namespace {

[[noreturn]] void fail(std::string_view name, std::string_view problem) {
  throw UserError("'{}' is not a usable SentencePiece model: {}; copy it again, or train a new one", name,
                  problem);
}

// These return a status only for mistakes of the caller.
void require_ok(const sentencepiece::util::Status& status) {
  if (!status.ok()) throw std::logic_error(fmt::format("SentencePiece: {}", status.ToString()));
}

}  // namespace

std::unique_ptr<SentencePieceTokenizer> SentencePieceTokenizer::parse(std::string_view bytes,
                                                                      std::string_view name) {
  if (const std::string_view damage = sentencepiece_damage(bytes); !damage.empty()) fail(name, damage);
  std::unique_ptr<SentencePieceTokenizer> tokenizer(new SentencePieceTokenizer);
  sentencepiece::SentencePieceProcessor& processor = tokenizer->processor_;
  try {
    if (!processor.LoadFromSerializedProto(bytes).ok()) fail(name, "its content does not fit together");
  } catch (const UserError&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {
    // The library's trie throws on pieces that no training makes.
    fail(name, "its pieces are damaged");
  }
  if (processor.bos_id() != kBos || processor.pad_id() != kPad || processor.eos_id() != kEos ||
      processor.unk_id() != kUnk) {
    throw UserError(
        "'{}' has the special ids bos {}, pad {}, eos {}, unk {}; expected {}, {}, {}, {}, so train it with "
        "spm_train --bos_id={} --pad_id={} --eos_id={} --unk_id={}",
        name, processor.bos_id(), processor.pad_id(), processor.eos_id(), processor.unk_id(), kBos, kPad,
        kEos, kUnk, kBos, kPad, kEos, kUnk);
  }
  if (processor.GetPieceSize() <= kUnk + 1) fail(name, "it has special tokens only");
  tokenizer->space_id_ = processor.PieceToId("\u2581");
  if (tokenizer->space_id_ == kUnk) tokenizer->space_id_ = kNoId;
  tokenizer->serialized_ = bytes;
  return tokenizer;
}

// The library joins unknown characters one by one, and copies what it has joined each time: a word of them
// takes quadratic time, so long words are read in parts. The tokens are those of the whole text but where a
// part's end cuts a piece, and for models that are not as usual (pieces across spaces, no space before a
// text).
void SentencePieceTokenizer::encode(std::string_view text, std::vector<int32_t>& ids) const {
  const size_t before = ids.size();
  std::vector<int> found;
  for (const TextPart& part : text_parts(text)) {
    require_ok(processor_.Encode(part.text, &found));
    auto first = found.begin();
    if (part.goes_on && first != found.end() && *first == space_id_) ++first;
    const bool joins = first != found.end() && *first == kUnk && ids.size() > before && ids.back() == kUnk;
    ids.insert(ids.end(), joins ? first + 1 : first, found.end());
  }
}

std::string SentencePieceTokenizer::decode(std::span<const int32_t> ids) const {
  std::vector<int> kept;
  kept.reserve(ids.size());
  for (const int32_t id : ids) {
    if (is_control(id)) continue;
    kept.push_back(id >= 0 && id < size() ? id : static_cast<int>(kUnk));
  }
  std::string text;
  require_ok(processor_.Decode(kept, &text));
  return text;
}

std::string SentencePieceTokenizer::piece(int32_t id) const {
  if (id < 0 || id >= size()) id = static_cast<int32_t>(kUnk);
  // Models name their special tokens as they please.
  if (id <= kUnk) return std::string(kSpecialNames[static_cast<size_t>(id)]);
  return processor_.IdToPiece(id);
}

}  // namespace memsizer::text
