#include "text/subword_training.h"

#include <fmt/format.h>
#include <sentencepiece_trainer.h>

#include <charconv>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/random.h"
#include "core/special_tokens.h"
#include "core/utf8.h"

namespace memsizer::text {
namespace {

// The trainer drops longer lines, and aborts the process on words of 65536 characters; longer lines are
// given to it in parts.
constexpr size_t kMaxPartBytes = 4096;
// With more text, positions no longer fit the trainer's usual 32 bits.
constexpr size_t kLargeCorpusBytes = size_t{1} << 30;
constexpr uint64_t kSampleSeed = 1;
// SentencePiece's stand-in for a space.
constexpr std::string_view kSpaceMark = "\u2581";
// The trainer marks boundaries with this character inside, and drops lines that hold it.
constexpr std::string_view kReservedMark = "\u2585";

// The trainer aborts the process if no line has text, so blank lines never reach it.
bool has_text(std::string_view line) {
  for (size_t position = 0; position < line.size();) {
    if (line[position] == ' ') {
      ++position;
    } else if (line.substr(position).starts_with(kSpaceMark)) {
      position += kSpaceMark.size();
    } else {
      return true;
    }
  }
  return false;
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

// An even sample of at most `limit` lines: each line of the text is in it with the same probability.
std::vector<std::string> sample_lines(const LineSource& next_line, int64_t limit) {
  std::vector<std::string> sample;
  Random random = Random::of(kSampleSeed);
  uint64_t seen = 0;
  for (std::string line; next_line(line);) {
    replace_all(line, kReservedMark, " ");
    if (!has_text(line)) continue;
    ++seen;
    if (sample.size() < static_cast<size_t>(limit)) {
      sample.push_back(std::move(line));
    } else if (const uint64_t slot = random.below(seen); slot < sample.size()) {
      sample[slot] = std::move(line);
    }
  }
  return sample;
}

// Hands lines to the trainer, long ones in parts cut at spaces where there are any.
class Parts final : public sentencepiece::SentenceIterator {
 public:
  explicit Parts(const std::vector<std::string>& lines) : lines_(lines) { Next(); }

  bool done() const override { return part_.empty(); }
  const std::string& value() const override { return part_; }
  sentencepiece::util::Status status() const override { return {}; }

  void Next() override {
    part_.clear();
    if (rest_.empty()) {
      if (next_line_ == lines_.size()) return;
      rest_ = lines_[next_line_++];
    }
    std::string_view part = whole_characters(rest_, kMaxPartBytes);
    if (part.size() < rest_.size()) {
      const size_t space = part.rfind(' ');
      if (space != std::string_view::npos) part = part.substr(0, space + 1);
    }
    part_ = part;
    rest_.remove_prefix(part.size());
  }

 private:
  const std::vector<std::string>& lines_;
  size_t next_line_ = 0;
  std::string_view rest_;
  std::string part_;
};

std::unordered_map<std::string, std::string> trainer_flags(const TokenizerOptions& options,
                                                           const std::vector<std::string>& lines) {
  size_t bytes = 0;
  for (const std::string& line : lines) bytes += line.size();
  return {
      {"model_type", options.type == TokenizerType::Bpe ? "bpe" : "unigram"},
      {"vocab_size", fmt::format("{}", options.vocab)},
      {"character_coverage", fmt::format("{}", options.character_coverage)},
      {"bos_id", fmt::format("{}", kBos)},
      {"pad_id", fmt::format("{}", kPad)},
      {"eos_id", fmt::format("{}", kEos)},
      {"unk_id", fmt::format("{}", kUnk)},
      // The trainer cuts the names of special tokens out of the text. With its own names, text such as
      // "<s>" or "<unk>" would not survive encoding.
      {"bos_piece", "<memsizer:bos>"},
      {"pad_piece", "<memsizer:pad>"},
      {"eos_piece", "<memsizer:eos>"},
      {"unk_piece", "<memsizer:unk>"},
      // Scores compare decoded text with raw references, so nothing is rewritten.
      {"normalization_rule_name", "identity"},
      {"remove_extra_whitespaces", "true"},
      {"max_sentence_length", fmt::format("{}", kMaxPartBytes)},
      {"train_extremely_large_corpus", bytes > kLargeCorpusBytes ? "true" : "false"},
      {"num_threads", "2"},
      {"minloglevel", "2"},
  };
}

std::optional<int64_t> number_after(std::string_view text, std::string_view before) {
  const size_t at = text.find(before);
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + before.size());
  int64_t number = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc()) return std::nullopt;
  return number;
}

[[noreturn]] void fail(const TokenizerOptions& options, std::string_view message) {
  if (const auto most = number_after(message, "Please set it to a value <= ")) {
    throw UserError("data.tokenizer.vocab is {} but this text allows at most {}; lower it", options.vocab,
                    *most);
  }
  if (const auto least =
          number_after(message, fmt::format("smaller than required_chars. {} vs ", options.vocab))) {
    throw UserError(
        "data.tokenizer.vocab is {} but the characters of this text need at least {}; raise it, or lower "
        "data.tokenizer.character_coverage",
        options.vocab, *least);
  }
  throw UserError("SentencePiece could not train on this text: {}; try another data.tokenizer.vocab",
                  message);
}

}  // namespace

std::string train_subwords(const TokenizerOptions& options, const LineSource& next_line) {
  const std::vector<std::string> lines = sample_lines(next_line, options.max_training_lines);
  if (lines.empty()) {
    throw UserError("the text to train a tokenizer on holds no line with text; check data.train");
  }
  Parts parts(lines);
  std::string model;
  const sentencepiece::util::Status status =
      sentencepiece::SentencePieceTrainer::Train(trainer_flags(options, lines), &parts, &model);
  if (!status.ok()) fail(options, status.error_message());
  return model;
}

}  // namespace memsizer::text
