#include "train/training_data.h"

#include "core/error.h"
#include "text/example_reader.h"

namespace memsizer::train {
namespace {

namespace fs = std::filesystem;
using text::Tokenizer;

enum class Side { Source, Target, Both };

std::unique_ptr<Tokenizer> train_on(const Recipe& recipe, Side side) {
  text::TokenizerOptions options = recipe.data.tokenizer;
  if (side == Side::Source && options.source_vocab > 0) options.vocab = options.source_vocab;
  text::CorpusReport ignored;
  const auto reader = text::open_examples(recipe.data, recipe.data.train, ignored);
  text::Example example;
  bool target_is_next = false;
  const auto next_line = [&](std::string& line) {
    if (target_is_next) {
      target_is_next = false;
      line = example.target;
      return true;
    }
    if (!reader->next(example)) return false;
    line = side == Side::Target ? example.target : example.source;
    target_is_next = side == Side::Both;
    return true;
  };
  return text::train_tokenizer(options, next_line);
}

// Where a tokenizer comes from, the first of these that is not empty; otherwise it is trained.
struct TokenizerOrigin {
  std::string named;  // a file
  std::string bytes;  // out of a model
};

// A run that goes on keeps its tokenizer; one left behind by a run that never began is not trusted.
std::unique_ptr<Tokenizer> tokenizer_for(const Recipe& recipe, Side side, const TokenizerOrigin& origin,
                                         const fs::path& path, bool stored, const Note& note) {
  if (stored && fs::exists(path)) return text::read_tokenizer(path);
  std::unique_ptr<Tokenizer> tokenizer;
  if (!origin.named.empty()) {
    tokenizer = text::read_tokenizer(origin.named);
  } else if (!origin.bytes.empty()) {
    tokenizer = text::load_tokenizer(origin.bytes, "the tokenizer of the model to start or learn from");
    note(fmt::format("tokenizer: that of the model, {} tokens", tokenizer->size()));
  } else {
    tokenizer = train_on(recipe, side);
    note(fmt::format("tokenizer: trained, {} tokens", tokenizer->size()));
  }
  write_text(path, tokenizer->serialized());
  return tokenizer;
}

void tell(const std::string& name, const text::CorpusReport& report, bool pairs, const Note& note) {
  if (pairs) {
    note(fmt::format("{}: {} pairs, {} source and {} target tokens", name, report.examples,
                     report.source_tokens, report.target_tokens));
  } else {
    note(fmt::format("{}: {} lines, {} tokens", name, report.examples, report.target_tokens));
  }
  for (const std::string& line : report.lines()) note(fmt::format("  {}", line));
}

}  // namespace

TrainingData open_training_data(const Recipe& recipe, const RunFolder& folder, bool stored,
                                const ModelDescription* model, const Note& note) {
  const bool pairs = !recipe.is_language_model();
  const bool joint = recipe.data.tokenizer.joint || !pairs;
  std::unique_ptr<Tokenizer> source_tokenizer;
  if (!joint) {
    source_tokenizer = tokenizer_for(
        recipe, Side::Source, {recipe.data.tokenizer.source_model, model ? model->source_tokenizer : ""},
        folder.source_tokenizer(), stored, note);
  }
  std::unique_ptr<Tokenizer> tokenizer = tokenizer_for(
      recipe, pairs && joint ? Side::Both : Side::Target,
      {recipe.data.tokenizer.model, model ? model->tokenizer : ""}, folder.tokenizer(), stored, note);
  const fs::path cache = recipe.data.cache.empty() ? folder.cache() : fs::path(recipe.data.cache);
  const Tokenizer* source_side = !pairs             ? nullptr
                                 : source_tokenizer ? source_tokenizer.get()
                                                    : tokenizer.get();

  const auto open = [&](const std::string& name, const std::vector<std::string>& files, bool filter) {
    text::CorpusReport report;
    text::TokenCorpus corpus =
        text::TokenCorpus::open(recipe.data, files, source_side, *tokenizer, filter, cache, report);
    tell(name, report, pairs, note);
    return corpus;
  };
  const auto open_set = [&](const std::string& name,
                            const std::vector<std::string>& files) -> std::optional<EvaluationSet> {
    if (files.empty()) return std::nullopt;
    EvaluationSet set{open(name, files, /*filter=*/false), {}, {}};
    if (!pairs) return set;
    text::CorpusReport ignored;
    const auto reader = text::open_examples(recipe.data, files, ignored);
    for (text::Example example; reader->next(example);) {
      set.sources.push_back(example.source);
      set.references.push_back(example.target);
    }
    return set;
  };
  text::TokenCorpus train = open("train", recipe.data.train, /*filter=*/true);
  std::optional<EvaluationSet> valid = open_set("valid", recipe.data.valid);
  std::optional<EvaluationSet> test = open_set("test", recipe.data.test);
  return {std::move(tokenizer), std::move(source_tokenizer), std::move(train), std::move(valid),
          std::move(test)};
}

}  // namespace memsizer::train
