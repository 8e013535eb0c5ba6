#include "engine/generation.h"

#include <algorithm>
#include <numeric>

#include "core/error.h"
#include "runtime/joined_tokens.h"
#include "runtime/step_model.h"

namespace memsizer::engine {
namespace {

using runtime::DecoderState;
using runtime::JoinedTokens;
using runtime::Model;
using runtime::Work;

// Tokens of a prompt read at once, over all rows: enough to fill the matrix products.
constexpr int64_t kPieceTokens = 2048;

// Reads what comes before the last token of each prompt. A search starts with the end token, as every text
// does; here the last token of the prompt stands in for it.
class PromptedModel : public runtime::RuntimeStepModel {
 public:
  PromptedModel(const Model& model, Work& work, DecoderState state, std::vector<int32_t> last_tokens)
      : RuntimeStepModel(model, work, std::move(state)), last_tokens_(std::move(last_tokens)) {}

  std::span<float> advance(std::span<const int32_t> tokens) override {
    if (last_tokens_.empty()) return RuntimeStepModel::advance(tokens);
    const std::vector<int32_t> last = std::move(last_tokens_);
    last_tokens_.clear();
    return RuntimeStepModel::advance(last);
  }

 private:
  std::vector<int32_t> last_tokens_;
};

PromptedModel read_prompts(const Model& model, Work& work, const std::vector<Input>& inputs) {
  std::vector<std::vector<int32_t>> prompts;
  size_t longest = 0;
  for (const Input& input : inputs) {
    prompts.push_back({static_cast<int32_t>(kEos)});
    prompts.back().insert(prompts.back().end(), input.tokens.begin(), input.tokens.end());
    longest = std::max(longest, prompts.back().size());
  }
  const auto rows = static_cast<int64_t>(inputs.size());
  DecoderState state = model.start(rows);
  const auto piece = static_cast<size_t>(std::max<int64_t>(1, kPieceTokens / rows));
  for (size_t begin = 0; begin + 1 < longest; begin += piece) {
    JoinedTokens next;
    for (const auto& prompt : prompts) {
      const size_t end = std::min(prompt.size() - 1, begin + piece);
      next.add(begin < end ? std::span(prompt).subspan(begin, end - begin) : std::span<const int32_t>());
    }
    model.read(work, next.ragged(), next.tokens, state);
  }
  std::vector<int32_t> last;
  for (const auto& prompt : prompts) last.push_back(prompt.back());
  return {model, work, std::move(state), std::move(last)};
}

Output output_of(const TextModel& model, std::vector<int32_t> tokens, double score,
                 std::vector<float> token_scores) {
  std::string text = model.decode(tokens);
  return {std::move(text), score, std::move(tokens), std::move(token_scores)};
}

std::vector<Result> search(const TextModel& model, decode::StepModel& step_model,
                           const std::vector<decode::Request>& requests, const GenerationSettings& settings) {
  std::vector<Result> results(requests.size());
  auto found = decode::generate(step_model, requests, settings.search, model.model().longest_target());
  for (size_t i = 0; i < found.size(); ++i) {
    for (decode::Hypothesis& hypothesis : found[i]) {
      results[i].outputs.push_back(output_of(model, std::move(hypothesis.tokens), hypothesis.score,
                                             std::move(hypothesis.token_scores)));
    }
  }
  return results;
}

std::vector<Result> draw(const TextModel& model, decode::StepModel& step_model,
                         const std::vector<decode::Request>& requests, const std::vector<Input>& inputs,
                         const GenerationSettings& settings, const OnText& on_text) {
  std::vector<decode::SampleRequest> sampled;
  for (size_t i = 0; i < requests.size(); ++i) {
    decode::SampleRequest request;
    request.source_length = requests[i].source_length;
    request.stream = inputs[i].stream;
    sampled.push_back(request);
  }
  std::vector<Result> results(requests.size());
  auto found =
      decode::sample(step_model, sampled, settings.sampling, model.model().longest_target(), on_text);
  for (size_t i = 0; i < found.size(); ++i) {
    const double score = std::accumulate(found[i].token_scores.begin(), found[i].token_scores.end(), 0.0);
    results[i].outputs.push_back(
        output_of(model, std::move(found[i].tokens), score, std::move(found[i].token_scores)));
  }
  return results;
}

}  // namespace

GenerationSettings GenerationSettings::of(const ModelDescription& description) {
  GenerationSettings settings;
  nlohmann::json generation = description.generation;
  if (generation.is_object() && !generation.empty()) {
    // What the model was trained to read; older files do not say.
    const auto longest = generation.find("max_source_tokens");
    if (longest != generation.end()) {
      if (longest->is_number_integer()) settings.max_source_tokens = longest->get<int64_t>();
      generation.erase(longest);
    }
    options_from_json(collect_options(settings.search, ""), generation);
  }
  if (!description.config.has_encoder()) {
    // A language model goes on for as long as it is told: there is no source to measure by.
    settings.sample = true;
    settings.search.max_length_ratio = 0.0;
    settings.search.max_length = 100;
    settings.sampling.max_length_ratio = 0.0;
  }
  return settings;
}

void GenerationSettings::validate() const {
  search.validate("generation");
  sampling.validate("sampling");
  if (max_source_tokens < 1)
    throw UserError("max_source_tokens is {}; it must be at least 1", max_source_tokens);
}

std::vector<int32_t> cut_source(const TextModel& model, const GenerationSettings& settings,
                                std::vector<int32_t> tokens) {
  const int64_t positions = model.model().longest_source();
  const int64_t longest =
      positions > 0 ? std::min(settings.max_source_tokens, positions) : settings.max_source_tokens;
  if (static_cast<int64_t>(tokens.size()) > longest) {
    tokens.resize(static_cast<size_t>(longest));
    tokens.back() = static_cast<int32_t>(kEos);
  }
  return tokens;
}

std::vector<Result> generate(const TextModel& model, Work& work, const std::vector<Input>& inputs,
                             const GenerationSettings& settings, const OnText& on_text) {
  if (inputs.empty()) return {};
  std::vector<decode::Request> requests;
  for (const Input& input : inputs) requests.push_back({static_cast<int64_t>(input.tokens.size()), {}});
  const auto run = [&](decode::StepModel& step_model) {
    return settings.sample ? draw(model, step_model, requests, inputs, settings, on_text)
                           : search(model, step_model, requests, settings);
  };
  if (model.is_language_model()) {
    PromptedModel prompted = read_prompts(model.model(), work, inputs);
    return run(prompted);
  }
  JoinedTokens sources;
  for (const Input& input : inputs) sources.add(input.tokens);
  runtime::RuntimeStepModel step_model(model.model(), work,
                                       model.model().start(work, sources.ragged(), sources.tokens));
  return run(step_model);
}

}  // namespace memsizer::engine
