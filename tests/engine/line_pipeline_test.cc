#include "engine/line_pipeline.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "core/error.h"
#include "engine/written_model.h"

namespace memsizer::engine {
namespace {

const TextModel& tiny() {
  static const std::unique_ptr<TextModel> model = TextModel::load("tests/data/model_v2.safetensors");
  return *model;
}

PipelineSettings settings_of(int threads, int workers, int64_t batch_rows) {
  PipelineSettings settings;
  settings.generation = default_options(tiny().description());
  settings.generation.max_length = 12;
  settings.generator = {.threads = threads, .workers = workers, .batch_rows = batch_rows};
  return settings;
}

std::vector<std::string> texts(const std::vector<Result>& results) {
  std::vector<std::string> texts;
  for (const Result& result : results)
    texts.push_back(result.outputs.empty() ? "" : result.outputs.front().text);
  return texts;
}

// Lines of every kind: words, unknown words, blank ones, invalid UTF-8, very long ones.
std::vector<std::string> odd_lines() {
  std::vector<std::string> lines = {"a b c",        "", "   ", "\xff\xfe broken", "c b a c b a c b a", "\t",
                                    "unknown words"};
  lines.emplace_back(100000, 'x');
  std::string many;
  for (int i = 0; i < 5000; ++i) many += "a ";
  lines.push_back(many);
  for (int i = 0; i < 40; ++i) lines.push_back(std::string(static_cast<size_t>(i % 7), 'b') + " a c");
  return lines;
}

TEST(LinePipeline, ResultsDoNotDependOnBatchesWorkersOrThreads) {
  const std::vector<std::string> lines = odd_lines();
  LinePipeline plain(tiny(), settings_of(1, 1, 1));
  const auto expected = texts(plain.generate(lines));
  ASSERT_EQ(expected.size(), lines.size());
  EXPECT_EQ(expected[1], "");
  EXPECT_EQ(expected[2], "");
  for (const auto& [threads, workers, rows] : {std::tuple{2, 1, 64}, {1, 3, 4}, {2, 2, 7}}) {
    LinePipeline pipeline(tiny(), settings_of(threads, workers, rows));
    EXPECT_EQ(texts(pipeline.generate(lines)), expected) << threads << " " << workers << " " << rows;
  }
}

TEST(LinePipeline, WritesEveryLineInOrder) {
  const std::vector<std::string> lines = odd_lines();
  PipelineSettings settings = settings_of(1, 2, 4);
  settings.read_ahead = 5;
  LinePipeline pipeline(tiny(), settings);
  size_t next = 0;
  std::vector<std::string> sources;
  pipeline.run(
      [&](std::string& line) {
        if (next == lines.size()) return false;
        line = lines[next++];
        return true;
      },
      [&](uint64_t line, const std::string& source, const Result& result) {
        EXPECT_EQ(line, sources.size());
        EXPECT_FALSE(result.outputs.empty());
        sources.push_back(source);
      });
  EXPECT_EQ(sources, lines);
}

// Random numbers come from a line's number, so that work that was interrupted goes on as if it were not.
TEST(LinePipeline, GoesOnFromAnyLine) {
  const std::vector<std::string> lines = odd_lines();
  PipelineSettings settings = settings_of(1, 1, 4);
  settings.generation.sample = true;
  LinePipeline pipeline(tiny(), settings);
  const auto run_from = [&](size_t first) {
    size_t next = first;
    std::vector<std::string> outputs;
    pipeline.run(
        [&](std::string& line) {
          if (next == lines.size()) return false;
          line = lines[next++];
          return true;
        },
        [&](uint64_t line, const std::string& source, const Result& result) {
          EXPECT_EQ(source, lines[line]);
          outputs.push_back(result.outputs.front().text);
        },
        first);
    return outputs;
  };
  std::vector<std::string> whole = run_from(0);
  ASSERT_EQ(whole.size(), lines.size());
  whole.erase(whole.begin(), whole.begin() + 9);
  EXPECT_EQ(run_from(9), whole);
}

TEST(LinePipeline, PassesOnWhatReadingAndWritingThrow) {
  LinePipeline pipeline(tiny(), settings_of(1, 1, 4));
  int reads = 0;
  EXPECT_THROW(pipeline.run(
                   [&](std::string& line) {
                     if (++reads == 3) throw UserError("damaged input");
                     line = "a b";
                     return true;
                   },
                   [](uint64_t, const std::string&, const Result&) {}),
               UserError);
  EXPECT_THROW(
      pipeline.run(
          [](std::string& line) {
            line = "a b";
            return true;
          },
          [](uint64_t, const std::string&, const Result&) { throw std::runtime_error("disk full"); }),
      std::runtime_error);
}

// One output per line, whatever the others are.
TEST(LinePipeline, ALineThatIsTooLongHasAnEmptyOutput) {
  ModelDescription description = tiny_language_model(mechanism_named("memsizer"));
  description.config.embedding.positions = PositionTable::Learned;
  description.config.embedding.max_positions = 8;
  const auto model = written_model(description);
  PipelineSettings settings;
  settings.generation = default_options(model->description());
  settings.generation.max_length = settings.generation.min_length = 6;
  settings.generator = {.threads = 1};
  const std::vector<std::string> lines = {"the", "the cat sat on a mat the cat sat", "the cat sat", ""};
  size_t next = 0;
  std::vector<Result> results;
  LinePipeline(*model, settings)
      .run(
          [&](std::string& line) {
            if (next == lines.size()) return false;
            line = lines[next++];
            return true;
          },
          [&](uint64_t, const std::string&, const Result& result) { results.push_back(result); });
  ASSERT_EQ(results.size(), lines.size());
  for (const Result& result : results) EXPECT_EQ(result.outputs.size(), 1U);
  EXPECT_EQ(results[0].shortfall, "");
  EXPECT_FALSE(results[0].outputs[0].text.empty());
  EXPECT_EQ(results[1].shortfall,
            "the prompt has 9 tokens; this model has positions for 7: give a shorter one");
  EXPECT_EQ(results[1].outputs[0].text, "");
  EXPECT_EQ(results[2].shortfall, "stopped after 4 tokens, where the model's 8 positions end");
  EXPECT_FALSE(results[2].outputs[0].text.empty());
  EXPECT_EQ(results[3].shortfall, "");
}

TEST(LinePipeline, SettingsAreChecked) {
  for (const auto& spoil : {+[](PipelineSettings& s) { s.generator.workers = 0; },
                            +[](PipelineSettings& s) { s.generator.threads = -1; },
                            +[](PipelineSettings& s) { s.generator.batch_tokens = 0; },
                            +[](PipelineSettings& s) { s.generation.beam = 0; },
                            +[](PipelineSettings& s) { s.generation.max_source_tokens = 0; }}) {
    PipelineSettings settings = settings_of(1, 1, 4);
    spoil(settings);
    EXPECT_THROW(LinePipeline(tiny(), settings), UserError);
  }
}

}  // namespace
}  // namespace memsizer::engine
