// Every case of metrics.json: the numbers that sacreBLEU, multi-bleu.perl and the ROUGE programs gave. A
// group of numbers that no check knows is a failure.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/error.h"
#include "metrics/bleu.h"
#include "metrics/bleu_tokenizers.h"
#include "metrics/rouge.h"
#include "metrics/rouge_155.h"
#include "metrics/rouge_pltrdy.h"

namespace memsizer::metrics {
namespace {

using nlohmann::json;
using Strings = std::vector<std::string>;
using Check = std::function<void(const json& entry, const json& expected)>;
using Checks = std::map<std::string, Check>;

json fixtures() {
  const char* chosen = std::getenv("MEMSIZER_GOLDEN");
  const std::filesystem::path directory = chosen && *chosen ? chosen : "tests/golden";
  std::ifstream file(directory / "metrics.json");
  EXPECT_TRUE(file) << "no metrics.json in " << directory;
  return file ? json::parse(file) : json::object();
}

// References stand as one list, or as a list of lists where there are several to a line.
std::vector<Strings> references_of(const json& entry) {
  const json& refs = entry.at("refs");
  if (!refs.empty() && refs.front().is_array()) return refs.get<std::vector<Strings>>();
  return {refs.get<Strings>()};
}

// Runs the check of every group of numbers in an entry; returns how many there were.
int run_checks(const json& entry, const Checks& checks, const Strings& inputs) {
  int count = 0;
  for (const auto& [key, expected] : entry.items()) {
    if (std::find(inputs.begin(), inputs.end(), key) != inputs.end()) continue;
    const auto check = checks.find(key);
    if (check == checks.end()) {
      ADD_FAILURE() << "no check knows '" << key << "'";
      continue;
    }
    SCOPED_TRACE(key);
    check->second(entry, expected);
    ++count;
  }
  return count;
}

void expect_bleu(const json& entry, const json& expected, const BleuOptions& options) {
  const BleuScore score = bleu(entry.at("hyps").get<Strings>(), references_of(entry), options);
  EXPECT_DOUBLE_EQ(score.score, expected.at("score").get<double>());
  EXPECT_DOUBLE_EQ(score.brevity_penalty, expected.at("bp").get<double>());
  EXPECT_EQ(score.hypothesis_length, expected.at("sys_len").get<int64_t>());
  EXPECT_EQ(score.reference_length, expected.at("ref_len").get<int64_t>());
  // sacreBLEU shows what add-k added; ours are the counts before smoothing.
  const bool added = options.smoothing == BleuSmoothing::AddK && score.matches[0] > 0;
  for (size_t i = 0; i < 4; ++i) {
    const double k = added && i > 0 ? 1.0 : 0.0;
    EXPECT_EQ(static_cast<double>(score.matches[i]) + k, expected.at("counts").at(i).get<double>()) << i;
    EXPECT_EQ(static_cast<double>(score.totals[i]) + k, expected.at("totals").at(i).get<double>()) << i;
    EXPECT_DOUBLE_EQ(score.precisions[i], expected.at("precisions").at(i).get<double>()) << i;
  }
}

Check bleu_check(const BleuOptions& options) {
  return [options](const json& entry, const json& expected) { expect_bleu(entry, expected, options); };
}

void expect_sentence_bleu(const json& entry, const json& expected) {
  const auto hypotheses = entry.at("hyps").get<Strings>();
  const std::vector<Strings> references = references_of(entry);
  ASSERT_EQ(hypotheses.size(), expected.size());
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    std::vector<Strings> of_line;
    for (const Strings& set : references) of_line.push_back({set.at(i)});
    EXPECT_DOUBLE_EQ(bleu(Strings{hypotheses[i]}, of_line, {.effective_order = true}).score,
                     expected.at(i).get<double>());
  }
}

void expect_multi_bleu(const json& expected, const Strings& hypotheses,
                       const std::vector<Strings>& references) {
  const BleuScore score = multi_bleu(hypotheses, references);
  if (expected.get<std::string>().empty()) {
    // The script divided by zero and printed nothing.
    EXPECT_EQ(score.hypothesis_length, 0);
    EXPECT_EQ(score.score, 0.0);
    return;
  }
  EXPECT_EQ(format_multi_bleu(score), expected.get<std::string>());
}

// Perl's lc on bytes.
Strings ascii_lowercase(Strings lines) {
  for (std::string& line : lines) {
    for (char& c : line) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    }
  }
  return lines;
}

void expect_tokens(const json& entry, const json& expected) {
  const std::vector<Strings> texts = {entry.at("hyps").get<Strings>(), entry.at("refs").get<Strings>()};
  ASSERT_EQ(expected.size(), texts.size());
  for (size_t side = 0; side < texts.size(); ++side) {
    for (size_t i = 0; i < texts[side].size(); ++i) {
      EXPECT_EQ(tokenized(BleuTokenizer::V13a, texts[side][i]), expected.at(side).at(i).get<std::string>());
    }
  }
}

const Checks& bleu_checks() {
  static const Checks checks = {
      {"sacrebleu_13a_exp", bleu_check({})},
      {"sacrebleu_none_nosmooth",
       bleu_check({.tokenizer = BleuTokenizer::None, .smoothing = BleuSmoothing::None})},
      {"sacrebleu_none_exp", bleu_check({.tokenizer = BleuTokenizer::None})},
      {"sacrebleu_intl_exp", bleu_check({.tokenizer = BleuTokenizer::Intl})},
      {"sacrebleu_13a_exp_lc", bleu_check({.lowercase = true})},
      {"sacrebleu_13a_addk1", bleu_check({.smoothing = BleuSmoothing::AddK, .smoothing_value = 1.0})},
      {"sacrebleu_13a_floor", bleu_check({.smoothing = BleuSmoothing::Floor})},
      {"sentence_bleu_13a_exp_effective_order", expect_sentence_bleu},
      {"multi_bleu_perl",
       [](const json& entry, const json& expected) {
         expect_multi_bleu(expected, entry.at("hyps").get<Strings>(), references_of(entry));
       }},
      {"multi_bleu_perl_lc",
       [](const json& entry, const json& expected) {
         std::vector<Strings> references = references_of(entry);
         for (Strings& set : references) set = ascii_lowercase(set);
         expect_multi_bleu(expected, ascii_lowercase(entry.at("hyps").get<Strings>()), references);
       }},
      {"tokens_13a", expect_tokens}};
  return checks;
}

void expect_value(const RougeValue& value, const json& expected, const char* what) {
  EXPECT_DOUBLE_EQ(value.precision, expected.at("p").get<double>()) << what;
  EXPECT_DOUBLE_EQ(value.recall, expected.at("r").get<double>()) << what;
  EXPECT_DOUBLE_EQ(value.f1, expected.at("f").get<double>()) << what;
}

struct Pairs {
  Strings hypotheses;
  Strings references;

  explicit Pairs(const json& entry) {
    for (const json& pair : entry.at("pairs")) {
      hypotheses.push_back(pair.at("hyp"));
      references.push_back(pair.at("ref"));
    }
  }
};

Check google_check(bool stemmer) {
  return [stemmer](const json& entry, const json& expected) {
    const Pairs pairs(entry);
    const json& per_pair = expected.at("per_pair");
    ASSERT_EQ(per_pair.size(), pairs.hypotheses.size());
    for (size_t i = 0; i < per_pair.size(); ++i) {
      const RougeScore score = rouge(pairs.hypotheses[i], pairs.references[i], {.stemmer = stemmer});
      expect_value(score.rouge1, per_pair[i].at("rouge1"), "rouge1");
      expect_value(score.rouge2, per_pair[i].at("rouge2"), "rouge2");
      expect_value(score.rouge_l, per_pair[i].at("rougeL"), "rougeL");
      expect_value(score.rouge_l_sum, per_pair[i].at("rougeLsum"), "rougeLsum");
    }
    const RougeScore mean = corpus_rouge(pairs.hypotheses, pairs.references, {.stemmer = stemmer});
    const json& mean_f = expected.at("mean_f");
    EXPECT_DOUBLE_EQ(mean.rouge1.f1, mean_f.at("rouge1").get<double>());
    EXPECT_DOUBLE_EQ(mean.rouge2.f1, mean_f.at("rouge2").get<double>());
    EXPECT_DOUBLE_EQ(mean.rouge_l.f1, mean_f.at("rougeL").get<double>());
    EXPECT_DOUBLE_EQ(mean.rouge_l_sum.f1, mean_f.at("rougeLsum").get<double>());
  };
}

Check rouge_155_check(bool stemmer) {
  return [stemmer](const json& entry, const json& expected) {
    const Pairs pairs(entry);
    ASSERT_EQ(expected.size(), pairs.hypotheses.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      const Rouge155Score score = rouge_155(pairs.hypotheses[i], pairs.references[i], {.stemmer = stemmer});
      expect_value(score.rouge1, expected[i].at("ROUGE-1"), "ROUGE-1");
      expect_value(score.rouge2, expected[i].at("ROUGE-2"), "ROUGE-2");
      expect_value(score.rouge_l, expected[i].at("ROUGE-L"), "ROUGE-L");
    }
  };
}

void expect_pltrdy(const json& entry, const json& expected) {
  const Pairs pairs(entry);
  if (expected.is_string()) {
    // The package refused the whole list for one empty hypothesis.
    const auto empty = std::find(pairs.hypotheses.begin(), pairs.hypotheses.end(), "");
    ASSERT_NE(empty, pairs.hypotheses.end());
    EXPECT_THROW(rouge_pltrdy(*empty, pairs.references.front()), UserError);
    return;
  }
  ASSERT_EQ(expected.size(), pairs.hypotheses.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    const PltrdyRougeScore score = rouge_pltrdy(pairs.hypotheses[i], pairs.references[i]);
    expect_value(score.rouge1, expected[i].at("rouge-1"), "rouge-1");
    expect_value(score.rouge2, expected[i].at("rouge-2"), "rouge-2");
    expect_value(score.rouge_l, expected[i].at("rouge-l"), "rouge-l");
  }
}

const Checks& rouge_checks() {
  static const Checks checks = {{"google_nostem", google_check(false)},
                                {"google_stem", google_check(true)},
                                {"rouge155_nostem", rouge_155_check(false)},
                                {"rouge155_stem", rouge_155_check(true)},
                                {"pltrdy", expect_pltrdy}};
  return checks;
}

TEST(MetricsGolden, EveryGroupIsKnown) {
  const json all = fixtures();
  const Strings known = {"description", "sources", "bleu", "bleu_multiref", "rouge"};
  for (const auto& [group, content] : all.items()) {
    EXPECT_NE(std::find(known.begin(), known.end(), group), known.end())
        << "no check knows '" << group << "'";
  }
}

TEST(MetricsGolden, Bleu) {
  const json all = fixtures();
  int count = 0;
  for (const json& entry : all.at("bleu")) {
    SCOPED_TRACE(entry.at("name").get<std::string>());
    count += run_checks(entry, bleu_checks(), {"name", "hyps", "refs"});
  }
  EXPECT_GT(count, 0);
}

TEST(MetricsGolden, BleuWithSeveralReferences) {
  EXPECT_GT(run_checks(fixtures().at("bleu_multiref"), bleu_checks(), {"name", "hyps", "refs"}), 0);
}

TEST(MetricsGolden, Rouge) {
  const json all = fixtures();
  int count = 0;
  for (const json& entry : all.at("rouge")) {
    SCOPED_TRACE(entry.at("name").get<std::string>());
    count += run_checks(entry, rouge_checks(), {"name", "pairs"});
  }
  EXPECT_GT(count, 0);
}

}  // namespace
}  // namespace memsizer::metrics
