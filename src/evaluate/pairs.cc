#include "evaluate/pairs.h"

#include <algorithm>
#include <deque>

#include "core/clock.h"
#include "metrics/perplexity.h"
#include "text/special_tokens.h"
#include "text/white_space.h"

namespace memsizer::evaluate {
namespace {

// The sources as the model reads them.
class ReadSources {
 public:
  ReadSources(const EvaluatedModel& model, const Pairs& pairs, int64_t longest) {
    const int64_t positions = model.longest_source();
    if (positions > 0) longest = std::min(longest, positions);
    for (size_t i = 0; i < pairs.size(); ++i) {
      const Tokens source = pairs.source_tokens(i);
      tokens_.push_back(source);
      if (static_cast<int64_t>(source.size()) <= longest) continue;
      text::truncate(truncated_.emplace_back(source.begin(), source.end()), longest);
      tokens_.back() = truncated_.back();
    }
  }

  const Tokens& operator[](size_t pair) const { return tokens_[pair]; }

 private:
  std::vector<Tokens> tokens_;
  std::deque<std::vector<int32_t>> truncated_;
};

void generate(EvaluatedModel& model, const text::Tokenizer& tokenizer, const Pairs& pairs,
              const ReadSources& read, const PairProtocol& protocol, const OnDone& on_done,
              PairEvaluation& result) {
  const size_t count =
      protocol.sentences > 0 ? std::min(pairs.size(), static_cast<size_t>(protocol.sentences)) : pairs.size();
  std::vector<Tokens> sources;
  std::vector<size_t> places;
  for (size_t i = 0; i < count; ++i) {
    // Nothing to translate gives nothing.
    if (text::is_blank(pairs.sources[i])) continue;
    sources.push_back(read[i]);
    places.push_back(i);
    if (read[i].size() < pairs.source_tokens(i).size()) ++result.truncated;
  }
  Evaluation& evaluation = result.evaluation;
  evaluation.outputs.resize(count);
  const double start = steady_seconds();
  const std::vector<std::vector<int32_t>> found = model.generate(sources, on_done);
  for (size_t i = 0; i < places.size(); ++i) {
    evaluation.outputs[places[i]] = tokenizer.decode(found[i]);
    evaluation.generated_tokens += static_cast<int64_t>(found[i].size());
  }
  evaluation.generation_seconds = steady_seconds() - start;
}

void score_references(EvaluatedModel& model, const Pairs& pairs, const ReadSources& read,
                      PairEvaluation& result) {
  const int64_t longest = model.longest_target();
  std::vector<Tokens> sources;
  std::vector<Tokens> targets;
  std::vector<size_t> places;
  metrics::Perplexity perplexity;
  int64_t tokens = 0;
  result.target_tokens.assign(pairs.size(), 0);
  for (size_t i = 0; i < pairs.size(); ++i) {
    const Tokens target = pairs.target_tokens(i);
    const auto length = static_cast<int64_t>(target.size());
    if (longest > 0 && length > longest) {
      ++result.left_out;
      continue;
    }
    sources.push_back(read[i]);
    targets.push_back(target);
    places.push_back(i);
    result.target_tokens[i] = length;
    tokens += length;
  }
  const Likelihood found = model.target_likelihood(sources, targets);
  perplexity.add(found.total, tokens);
  result.evaluation.nll = perplexity.nll();
  result.evaluation.perplexity = perplexity.value();
  result.evaluation.tokens = tokens;
  if (found.each.empty()) return;
  result.log_probability.assign(pairs.size(), 0.0);
  for (size_t i = 0; i < places.size(); ++i) result.log_probability[places[i]] = found.each[i];
}

// The outputs are of the first references.
void score_outputs(std::span<const std::string> references, const PairProtocol& protocol,
                   PairEvaluation& result) {
  Evaluation& evaluation = result.evaluation;
  const auto some = references.first(evaluation.outputs.size());
  const metrics::ScoredTexts texts{evaluation.outputs, {{some.begin(), some.end()}}, {}};
  for (const metrics::Metric metric : protocol.metrics) {
    result.scores.push_back(metrics::score_text(metric, texts, protocol.scoring));
    const metrics::NamedScores named = metrics::named_scores(metric, result.scores.back());
    evaluation.scores.insert(evaluation.scores.end(), named.begin(), named.end());
  }
}

}  // namespace

PairEvaluation evaluate_pairs(EvaluatedModel& model, const text::Tokenizer& tokenizer, const Pairs& pairs,
                              const PairProtocol& protocol, const OnDone& on_done) {
  const ReadSources read(model, pairs, protocol.max_source_tokens);
  PairEvaluation result;
  generate(model, tokenizer, pairs, read, protocol, on_done, result);
  if (protocol.likelihood) score_references(model, pairs, read, result);
  score_outputs(pairs.references, protocol, result);
  return result;
}

PairEvaluation evaluate_outputs(std::vector<std::string> outputs, std::span<const std::string> references,
                                const PairProtocol& protocol) {
  PairEvaluation result;
  result.evaluation.outputs = std::move(outputs);
  score_outputs(references, protocol, result);
  return result;
}

}  // namespace memsizer::evaluate
