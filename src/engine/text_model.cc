#include "engine/text_model.h"

#include "core/error.h"

namespace memsizer::engine {

std::unique_ptr<TextModel> TextModel::load(const std::filesystem::path& path) {
  return std::unique_ptr<TextModel>(new TextModel(runtime::Model::load(path), path.string()));
}

TextModel::TextModel(std::unique_ptr<runtime::Model> model, const std::string& name)
    : model_(std::move(model)) {
  const ModelDescription& inside = model_->description();
  if (inside.tokenizer.empty()) {
    throw UserError("{} has no tokenizer inside, so it cannot read text; make the model with memsizer train",
                    name);
  }
  const auto loaded = [&](const std::string& bytes, int64_t vocab) {
    auto tokenizer = text::load_tokenizer(bytes, name);
    if (tokenizer->size() != vocab) {
      throw UserError("{}: its tokenizer has {} tokens but its weights are for {}; the file is damaged", name,
                      tokenizer->size(), vocab);
    }
    return tokenizer;
  };
  tokenizer_ = loaded(inside.tokenizer, inside.config.vocab);
  if (!inside.source_tokenizer.empty())
    source_tokenizer_ = loaded(inside.source_tokenizer, inside.config.source_vocab_size());
}

std::vector<int32_t> TextModel::encode(std::string_view text) const {
  std::vector<int32_t> tokens;
  const text::Tokenizer& tokenizer = source_tokenizer_ ? *source_tokenizer_ : *tokenizer_;
  tokenizer.encode(text, tokens);
  if (!is_language_model()) tokens.push_back(static_cast<int32_t>(kEos));
  return tokens;
}

}  // namespace memsizer::engine
