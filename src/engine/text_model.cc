#include "engine/text_model.h"

#include <new>
#include <system_error>

#include "core/error.h"
#include "core/memory_error.h"
#include "model/model_file.h"

namespace memsizer::engine {
namespace {

std::unique_ptr<text::Tokenizer> tokenizer_of(const std::string& bytes, int64_t vocab,
                                              const std::string& name) {
  auto tokenizer = text::load_tokenizer(bytes, name);
  if (tokenizer->size() == vocab) return tokenizer;
  throw UserError("{}: its tokenizer has {} tokens but its weights are for {}; the file is damaged", name,
                  tokenizer->size(), vocab);
}

}  // namespace

std::unique_ptr<TextModel> TextModel::load(const std::filesystem::path& path) {
  try {
    return load_file(path);
  } catch (const std::bad_alloc&) {
    // The program itself, the file's pages and the packed weights.
    constexpr size_t kProgram = size_t{64} << 20;
    std::error_code unread;
    const auto size = static_cast<size_t>(std::filesystem::file_size(path, unread));
    throw not_enough_memory(path, kProgram + (unread ? 0 : 2 * size));
  }
}

std::unique_ptr<TextModel> TextModel::load_file(const std::filesystem::path& path) {
  SafetensorsFile file = SafetensorsFile::open(path);
  const ModelDescription description = read_description(file);
  const std::string name = path.string();
  if (description.tokenizer.empty()) {
    throw UserError("{} has no tokenizer inside, so it cannot read text; make the model with memsizer train",
                    name);
  }
  auto result = std::unique_ptr<TextModel>(new TextModel);
  // A large vocabulary takes as long as the weights, so they are loaded side by side if the system gives a
  // thread, and one after the other if it does not.
  auto tokenizers = std::async(std::launch::async | std::launch::deferred, [&] {
    const ModelConfig& config = description.config;
    result->tokenizer_ = tokenizer_of(description.tokenizer, config.vocab, name);
    if (!description.source_tokenizer.empty())
      result->source_tokenizer_ =
          tokenizer_of(description.source_tokenizer, config.source_vocab_size(), name);
  });
  result->model_ = runtime::Model::load(file, description);
  tokenizers.get();
  result->closing_ = std::async(
      std::launch::async | std::launch::deferred, [](SafetensorsFile /*closed*/) {}, std::move(file));
  return result;
}

std::vector<int32_t> TextModel::encode(std::string_view text) const {
  std::vector<int32_t> tokens;
  const text::Tokenizer& tokenizer = source_tokenizer_ ? *source_tokenizer_ : *tokenizer_;
  tokenizer.encode(text, tokens);
  if (!is_language_model()) tokens.push_back(static_cast<int32_t>(kEos));
  return tokens;
}

}  // namespace memsizer::engine
