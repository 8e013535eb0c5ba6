#include "engine/likelihood.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/random.h"
#include "runtime/joined_tokens.h"
#include "runtime/tensor_source.h"

namespace memsizer::engine {
namespace {

runtime::Model random_model(Architecture architecture) {
  ModelDescription description;
  ModelConfig& config = description.config;
  config.architecture = architecture;
  config.dim = 16;
  config.vocab = 23;
  config.encoder.layers = config.decoder.layers = 2;
  config.encoder.heads = config.decoder.heads = 2;
  config.encoder.ffn = config.decoder.ffn = 32;
  return {description, *runtime::random_source(config, WeightType::F32, 1)};
}

std::vector<int32_t> tokens(size_t count, uint64_t seed) {
  Random random = Random::of(seed);
  std::vector<int32_t> result;
  for (size_t i = 0; i < count; ++i) result.push_back(static_cast<int32_t>(4 + random.below(19)));
  return result;
}

// One token at a time, the log-probability written out.
double step(const runtime::Model& model, runtime::Work& work, runtime::DecoderState& state, int32_t input,
            int32_t target) {
  std::vector<float> scores(static_cast<size_t>(model.vocab()));
  const std::vector<int64_t> offsets = {0, 1};
  model.advance(work, runtime::Ragged{offsets}, std::vector<int32_t>{input}, state,
                runtime::Model::Scores::LastToken, scores.data());
  double sum = 0.0;
  for (const float score : scores) sum += std::exp(static_cast<double>(score));
  return scores[static_cast<size_t>(target)] - std::log(sum);
}

TEST(Likelihood, WindowsScoreEachTokenOnceAfterItsContext) {
  const runtime::Model model = random_model(Architecture::LanguageModel);
  const std::vector<int32_t> stream = tokens(103, 1);
  for (const int threads : {1, 2}) {
    runtime::Work work(threads);
    for (const auto& [window, context] : {std::pair{16, 8}, {16, 0}, {10, 7}, {200, 100}, {1, 0}}) {
      const auto windows = text::evaluation_blocks(static_cast<int64_t>(stream.size()), window, context);
      const auto found = stream_likelihood(model, work, stream, windows);
      ASSERT_EQ(found.size(), stream.size());
      const int64_t fresh = window - context;
      for (int64_t i = 0; i < static_cast<int64_t>(stream.size()); ++i) {
        const int64_t begin = std::max<int64_t>(0, i / fresh * fresh - context);
        runtime::DecoderState state = model.start(1);
        double expected = 0.0;
        for (int64_t t = begin; t <= i; ++t) {
          const int32_t input = t > 0 ? stream[t - 1] : static_cast<int32_t>(kEos);
          expected = step(model, work, state, input, stream[t]);
        }
        EXPECT_NEAR(found[i], expected, 1e-4) << window << " " << context << " " << i;
      }
    }
  }
}

TEST(Likelihood, TargetsAreScoredGivenTheirSources) {
  const runtime::Model model = random_model(Architecture::EncoderDecoder);
  runtime::Work work(2);
  std::vector<std::vector<int32_t>> sources;
  std::vector<std::vector<int32_t>> targets;
  for (const size_t size : {3, 1, 40, 7, 1}) {
    sources.push_back(tokens(size, size));
    targets.push_back(tokens(size == 1 ? 1 : 44 - size, size + 100));
  }
  using Spans = std::vector<std::span<const int32_t>>;
  const std::vector<double> found = target_likelihood(model, work, Spans(sources.begin(), sources.end()),
                                                      Spans(targets.begin(), targets.end()));
  ASSERT_EQ(found.size(), sources.size());
  for (size_t i = 0; i < sources.size(); ++i) {
    runtime::JoinedTokens source;
    source.add(sources[i]);
    runtime::DecoderState state = model.start(work, source.ragged(), source.tokens);
    double expected = 0.0;
    for (size_t t = 0; t < targets[i].size(); ++t)
      expected +=
          step(model, work, state, t > 0 ? targets[i][t - 1] : static_cast<int32_t>(kEos), targets[i][t]);
    EXPECT_NEAR(found[i], expected, 1e-4 * static_cast<double>(targets[i].size())) << i;
  }
}

}  // namespace
}  // namespace memsizer::engine
