// The n-best lists of beam_table.json: what fairseq's generator finds with models that are tables.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/special_tokens.h"
#include "decode/generate.h"

namespace memsizer::decode {
namespace {

using nlohmann::json;

constexpr double kTolerance = 1e-5;

using Matrix = std::vector<std::vector<float>>;

// logits(next) = logit_table[last][next] + position_bias[step][next], for the table of the row's sentence.
class TableModel : public StepModel {
 public:
  explicit TableModel(const json& test)
      : vocab_(test.at("vocab")),
        logit_tables_(test.at("logit_table").get<std::vector<Matrix>>()),
        biases_(test.at("position_bias").get<std::vector<Matrix>>()),
        table_of_row_(test.at("table_of_sentence").get<std::vector<size_t>>()) {}

  int64_t vocab() const override { return vocab_; }

  void reorder(std::span<const int64_t> parents) override {
    std::vector<size_t> rows;
    for (const int64_t parent : parents) rows.push_back(table_of_row_.at(static_cast<size_t>(parent)));
    table_of_row_ = rows;
  }

  std::span<float> advance(std::span<const int32_t> tokens) override {
    if (tokens.size() != table_of_row_.size()) throw std::logic_error("not one token a row");
    logits_.clear();
    for (size_t row = 0; row < tokens.size(); ++row) {
      const size_t table = table_of_row_[row];
      const auto& by_last = logit_tables_.at(table).at(static_cast<size_t>(tokens[row]));
      const auto& by_step = biases_.at(table).at(step_);
      for (size_t next = 0; next < static_cast<size_t>(vocab_); ++next) {
        logits_.push_back(by_last.at(next) + by_step.at(next));
      }
    }
    ++step_;
    return logits_;
  }

 private:
  int64_t vocab_;
  std::vector<Matrix> logit_tables_;
  std::vector<Matrix> biases_;
  std::vector<size_t> table_of_row_;
  std::vector<float> logits_;
  size_t step_ = 0;
};

struct Setup {
  GenerationOptions options;
  int64_t source_length = 0;
};

void set_option(Setup& setup, const std::string& name, const json& value) {
  static const std::map<std::string, std::function<void(Setup&, const json&)>> setters = {
      {"len_penalty", [](Setup& s, const json& v) { s.options.length_penalty = v; }},
      {"min_len", [](Setup& s, const json& v) { s.options.min_length = v; }},
      {"normalize_scores", [](Setup& s, const json& v) { s.options.normalize_scores = v; }},
      {"unk_penalty", [](Setup& s, const json& v) { s.options.unk_penalty = v; }},
      {"temperature", [](Setup& s, const json& v) { s.options.temperature = v; }},
      {"no_repeat_ngram_size", [](Setup& s, const json& v) { s.options.no_repeat_ngram = v; }},
      {"src_len", [](Setup& s, const json& v) { s.source_length = v; }},
      {"beam_size", [](Setup& s, const json& v) { s.options.beam = s.options.n_best = v; }},
      {"max_len_a", [](Setup& s, const json& v) { s.options.max_length_ratio = v; }},
      {"max_len_b", [](Setup& s, const json& v) { s.options.max_length = v; }},
  };
  const auto setter = setters.find(name);
  ASSERT_NE(setter, setters.end()) << "unknown option " << name;
  setter->second(setup, value);
}

void check_known(const json& test) {
  static const std::set<std::string> known = {"id",    "vocab",         "bos",           "pad",
                                              "eos",   "unk",           "options",       "logit_table",
                                              "nbest", "position_bias", "prefix_tokens", "table_of_sentence"};
  for (const auto& [key, value] : test.items()) {
    ASSERT_TRUE(known.contains(key)) << "a case of unknown kind: it has " << key;
  }
  ASSERT_EQ(test.at("bos"), kBos);
  ASSERT_EQ(test.at("pad"), kPad);
  ASSERT_EQ(test.at("eos"), kEos);
  ASSERT_EQ(test.at("unk"), kUnk);
}

void check_hypothesis(const Hypothesis& found, const json& expected) {
  static const std::set<std::string> known = {"tokens", "score", "positional_scores"};
  for (const auto& [key, value] : expected.items()) ASSERT_TRUE(known.contains(key)) << key;
  EXPECT_EQ(found.tokens, expected.at("tokens").get<std::vector<int32_t>>());
  EXPECT_NEAR(found.score, expected.at("score").get<double>(), kTolerance);
  const auto scores = expected.at("positional_scores").get<std::vector<double>>();
  ASSERT_EQ(found.token_scores.size(), scores.size());
  for (size_t i = 0; i < scores.size(); ++i) {
    EXPECT_NEAR(static_cast<double>(found.token_scores[i]), scores[i], kTolerance) << "token " << i;
  }
}

void check_case(const json& test) {
  ASSERT_NO_FATAL_FAILURE(check_known(test));
  Setup setup;
  for (const auto& [name, value] : test.at("options").items()) {
    ASSERT_NO_FATAL_FAILURE(set_option(setup, name, value));
  }
  const size_t sentences = test.at("table_of_sentence").size();
  std::vector<Request> requests(sentences);
  for (size_t i = 0; i < sentences; ++i) {
    requests[i].source_length = setup.source_length;
    if (test.contains("prefix_tokens")) {
      requests[i].prefix = test.at("prefix_tokens").at(i).get<std::vector<int32_t>>();
    }
  }
  TableModel model(test);
  const auto found = generate(model, requests, setup.options);
  ASSERT_EQ(test.at("nbest").size(), sentences);
  for (size_t i = 0; i < sentences; ++i) {
    const json& expected = test.at("nbest").at(i);
    ASSERT_EQ(found[i].size(), expected.size()) << "sentence " << i;
    for (size_t rank = 0; rank < found[i].size(); ++rank) {
      SCOPED_TRACE("sentence " + std::to_string(i) + ", rank " + std::to_string(rank));
      ASSERT_NO_FATAL_FAILURE(check_hypothesis(found[i][rank], expected.at(rank)));
    }
  }
}

TEST(BeamTable, FindsTheReferencesHypotheses) {
  const char* chosen = std::getenv("MEMSIZER_GOLDEN");
  const std::filesystem::path directory = chosen && *chosen ? chosen : "tests/golden";
  std::ifstream file(directory / "beam_table.json");
  ASSERT_TRUE(file) << "no beam_table.json in " << directory;
  const json cases = json::parse(file).at("cases");
  ASSERT_FALSE(cases.empty());
  for (const json& test : cases) {
    SCOPED_TRACE(test.at("id").get<std::string>());
    check_case(test);
  }
}

}  // namespace
}  // namespace memsizer::decode
