#pragma once

#include <filesystem>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/model.h"
#include "text/tokenizer.h"

namespace memsizer::engine {

// A model file ready for text: the weights and the tokenizers it carries. Nothing changes it, so any number
// of workers can share it.
class TextModel {
 public:
  // Throws UserError on a file that is no sound model, has no tokenizer inside, or needs more memory than
  // there is.
  static std::unique_ptr<TextModel> load(const std::filesystem::path& path);

  const runtime::Model& model() const { return *model_; }
  const ModelDescription& description() const { return model_->description(); }
  bool is_language_model() const { return !model_->config().has_encoder(); }

  // A source's tokens with their end token; or a language model's prompt, which has none.
  std::vector<int32_t> encode(std::string_view text) const;
  std::string decode(std::span<const int32_t> tokens) const { return tokenizer_->decode(tokens); }
  const text::Tokenizer& tokenizer() const { return *tokenizer_; }

 private:
  TextModel() = default;
  static std::unique_ptr<TextModel> load_file(const std::filesystem::path& path);

  std::unique_ptr<runtime::Model> model_;
  std::unique_ptr<text::Tokenizer> tokenizer_;         // of the output
  std::unique_ptr<text::Tokenizer> source_tokenizer_;  // null: the same
  std::future<void> closing_;                          // unmaps the file, which would delay the first token
};

}  // namespace memsizer::engine
