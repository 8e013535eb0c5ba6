// The runtime against the reference's own models: encoder outputs, scores, and the n-best lists that
// fairseq's generator finds with them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "decode/generate.h"
#include "runtime/joined_tokens.h"
#include "runtime/model.h"
#include "runtime/step_model.h"
#include "support/golden_config.h"

namespace memsizer::runtime {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::golden_config;

constexpr double kTolerance = 1e-5;

fs::path golden_directory() {
  const char* chosen = std::getenv("MEMSIZER_GOLDEN");
  return chosen && *chosen ? chosen : "tests/golden";
}

std::unique_ptr<Model> golden_model(const SafetensorsFile& file) {
  ModelDescription description;
  description.config = golden_config(file);
  return std::make_unique<Model>(description, *file_source(file, "param."));
}

std::vector<float> floats(const SafetensorsFile& file, const std::string& name) {
  return file_source(file)->floats(name);
}

// Rows of tokens without their padding.
struct Tokens {
  std::vector<std::vector<int32_t>> rows;
  std::vector<int64_t> padding_before;  // of each row
  int64_t width = 0;

  static Tokens read(const SafetensorsFile& file, const std::string& name) {
    const TensorView& view = file.tensor(name);
    Tokens tokens;
    tokens.width = view.shape[1];
    std::vector<int64_t> ids(static_cast<size_t>(view.elements()));
    std::memcpy(ids.data(), view.data.data(), view.data.size());
    for (int64_t r = 0; r < view.shape[0]; ++r)
      tokens.add({ids.begin() + r * tokens.width, ids.begin() + (r + 1) * tokens.width});
    return tokens;
  }

  void add(const std::vector<int64_t>& row) {
    rows.emplace_back();
    padding_before.push_back(0);
    width = static_cast<int64_t>(row.size());
    for (const int64_t id : row) {
      if (id != kPad) {
        rows.back().push_back(static_cast<int32_t>(id));
      } else if (rows.back().empty()) {
        ++padding_before.back();
      }
    }
  }
};

void log_softmax(float* row, int64_t width) {
  const float largest = *std::max_element(row, row + width);
  double sum = 0.0;
  for (int64_t i = 0; i < width; ++i) sum += std::exp(static_cast<double>(row[i]) - largest);
  for (int64_t i = 0; i < width; ++i) row[i] -= static_cast<float>(largest + std::log(sum));
}

// Scores [tokens, vocab] against an expected [batch, time, vocab] at the tokens that are not padding.
void expect_scores(const Tokens& tokens, const std::vector<float>& scores, const std::vector<float>& expected,
                   int64_t vocab) {
  float largest = 0.0F;
  double worst = 0.0;
  size_t at = 0;
  for (size_t r = 0; r < tokens.rows.size(); ++r) {
    for (size_t t = 0; t < tokens.rows[r].size(); ++t) {
      const auto time = static_cast<size_t>(tokens.padding_before[r]) + t;
      const float* row =
          expected.data() + (r * static_cast<size_t>(tokens.width) + time) * static_cast<size_t>(vocab);
      for (int64_t v = 0; v < vocab; ++v) {
        largest = std::max(largest, std::fabs(row[v]));
        worst = std::max(worst, static_cast<double>(std::fabs(row[v] - scores[at])));
        ++at;
      }
    }
  }
  EXPECT_EQ(at, scores.size());
  EXPECT_LE(worst, kTolerance * largest);
}

void check_translator(const SafetensorsFile& file) {
  const auto model = golden_model(file);
  Work work(2);
  const Tokens sources = Tokens::read(file, "input.src_tokens");
  const JoinedTokens joined(sources.rows);
  Scratch::Frame frame(work.scratch);
  const float* encoded = model->encode(work, frame, joined.ragged(), joined.tokens);
  // [source, batch, dim]
  const std::vector<float> expected = floats(file, "expect.encoder_out");
  const int64_t dim = model->config().dim;
  const auto batch = static_cast<int64_t>(sources.rows.size());
  size_t at = 0;
  for (int64_t r = 0; r < batch; ++r) {
    for (size_t t = 0; t < sources.rows[r].size(); ++t) {
      const int64_t time = sources.padding_before[r] + static_cast<int64_t>(t);
      for (int64_t c = 0; c < dim; ++c)
        EXPECT_NEAR(encoded[at++], expected[(time * batch + r) * dim + c], 5.0 * kTolerance);
    }
  }
  const Tokens targets = Tokens::read(file, "input.prev_output_tokens");
  const JoinedTokens previous(targets.rows);
  DecoderState state = model->start(work, joined.ragged(), joined.tokens);
  std::vector<float> scores(previous.tokens.size() * static_cast<size_t>(model->vocab()));
  model->advance(work, previous.ragged(), previous.tokens, state, Model::Scores::EveryToken, scores.data());
  expect_scores(targets, scores, floats(file, "expect.logits"), model->vocab());
}

void check_language_model(const SafetensorsFile& file) {
  const auto model = golden_model(file);
  Work work(2);
  const Tokens tokens = Tokens::read(file, "input.src_tokens");
  const JoinedTokens joined(tokens.rows);
  DecoderState state = model->start(static_cast<int64_t>(tokens.rows.size()));
  std::vector<float> scores(joined.tokens.size() * static_cast<size_t>(model->vocab()));
  model->advance(work, joined.ragged(), joined.tokens, state, Model::Scores::EveryToken, scores.data());
  if (!model->config().adaptive.enabled()) {
    for (size_t i = 0; i < joined.tokens.size(); ++i)
      log_softmax(scores.data() + i * static_cast<size_t>(model->vocab()), model->vocab());
  }
  expect_scores(tokens, scores, floats(file, "expect.log_probs"), model->vocab());
}

TEST(RuntimeGolden, ModelsOfTheReference) {
  int found = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(golden_directory())) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("model_") || !name.ends_with(".safetensors")) continue;
    SCOPED_TRACE(name);
    const SafetensorsFile file = SafetensorsFile::open(entry.path());
    if (name.starts_with("model_lm")) {
      check_language_model(file);
    } else {
      check_translator(file);
    }
    ++found;
  }
  EXPECT_GT(found, 0) << "no model_*.safetensors in " << golden_directory();
}

GenerationOptions options_of(const json& from) {
  GenerationOptions options;
  for (const auto& [name, value] : from.items()) {
    if (name == "len_penalty") {
      options.length_penalty = value;
    } else if (name == "min_len") {
      options.min_length = value;
    } else if (name == "normalize_scores") {
      options.normalize_scores = value;
    } else if (name == "unk_penalty") {
      options.unk_penalty = value;
    } else if (name == "temperature") {
      options.temperature = value;
    } else if (name == "no_repeat_ngram_size") {
      options.no_repeat_ngram = value;
    } else if (name == "beam_size") {
      options.beam = options.n_best = value;
    } else if (name == "max_len_a") {
      options.max_length_ratio = value;
    } else if (name == "max_len_b") {
      options.max_length = value;
    } else {
      ADD_FAILURE() << "unknown option " << name;
    }
  }
  return options;
}

TEST(RuntimeGolden, FindsTheReferencesHypotheses) {
  std::ifstream stream(golden_directory() / "beam_model.json");
  ASSERT_TRUE(stream) << "no beam_model.json in " << golden_directory();
  const json cases = json::parse(stream).at("cases");
  ASSERT_FALSE(cases.empty());
  for (const json& test : cases) {
    SCOPED_TRACE(test.at("model").get<std::string>() + " " + test.at("options").dump());
    const SafetensorsFile file =
        SafetensorsFile::open(golden_directory() / test.at("model").get<std::string>());
    const auto model = golden_model(file);
    Work work(2);
    Tokens sources;
    std::vector<decode::Request> requests;
    for (const json& row : test.at("src_tokens")) {
      sources.add(row.get<std::vector<int64_t>>());
      // The reference measures by the padded source.
      requests.push_back({static_cast<int64_t>(row.size()), {}});
    }
    const JoinedTokens joined(sources.rows);
    RuntimeStepModel step_model(*model, work, model->start(work, joined.ragged(), joined.tokens));
    const auto found = decode::generate(step_model, requests, options_of(test.at("options")));
    const json& expected = test.at("nbest");
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < found.size(); ++i) {
      ASSERT_EQ(found[i].size(), expected[i].size()) << "sentence " << i;
      for (size_t rank = 0; rank < found[i].size(); ++rank) {
        EXPECT_EQ(found[i][rank].tokens, expected[i][rank].at("tokens").get<std::vector<int32_t>>())
            << "sentence " << i << ", rank " << rank;
        EXPECT_NEAR(found[i][rank].score, expected[i][rank].at("score").get<double>(), kTolerance);
      }
    }
  }
}

}  // namespace
}  // namespace memsizer::runtime
