#include <gtest/gtest.h>
#include <memsizer/memsizer.h>

#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "library/tiny_models.h"
#include "support/messages.h"

namespace memsizer {
namespace {

using testing::has_text;

struct Free {
  void operator()(memsizer_model* model) const { memsizer_free_model(model); }
  void operator()(memsizer_results* results) const { memsizer_free_results(results); }
  void operator()(memsizer_session* session) const { memsizer_free_session(session); }
};
using ModelPtr = std::unique_ptr<memsizer_model, Free>;
using ResultsPtr = std::unique_ptr<memsizer_results, Free>;
using SessionPtr = std::unique_ptr<memsizer_session, Free>;

class CInterface : public ::testing::Test {
 protected:
  ModelPtr load(const std::string& path) {
    ModelPtr model(memsizer_load(path.c_str(), 1, 1, error, sizeof error));
    EXPECT_TRUE(model) << error;
    return model;
  }
  memsizer_options defaults(const ModelPtr& model) {
    memsizer_options options;
    EXPECT_EQ(memsizer_default_options(model.get(), &options, sizeof options, error, sizeof error), 0);
    return options;
  }
  std::string text_of(const ModelPtr& model, const memsizer_options* options) {
    const char* line = "the cat sat";
    const ResultsPtr results(memsizer_generate(model.get(), &line, 1, options, error, sizeof error));
    return results ? memsizer_text(results.get(), 0, 0) : std::string("failed: ") + error;
  }

  testing::TinyModels files;
  char error[256] = "";
};

TEST_F(CInterface, GeneratesBestFirst) {
  const ModelPtr model = load(files.translator());
  memsizer_options options = defaults(model);
  EXPECT_EQ(options.size, sizeof options);
  EXPECT_EQ(options.beam, 2);
  EXPECT_EQ(options.normalize_scores, 1);
  options.n_best = 2;
  const char* lines[] = {"the cat", "", "a mat"};
  const ResultsPtr results(memsizer_generate(model.get(), lines, 3, &options, error, sizeof error));
  ASSERT_TRUE(results) << error;
  EXPECT_EQ(memsizer_outputs(results.get(), 0), 2U);
  EXPECT_GE(memsizer_score(results.get(), 0, 0), memsizer_score(results.get(), 0, 1));
  EXPECT_STREQ(memsizer_text(results.get(), 1, 0), "");
  EXPECT_EQ(memsizer_text(results.get(), 0, 2), nullptr);
  EXPECT_EQ(memsizer_text(results.get(), 3, 0), nullptr);
  EXPECT_EQ(memsizer_outputs(results.get(), 3), 0U);
  EXPECT_EQ(memsizer_score(results.get(), 3, 0), 0.0);
}

TEST_F(CInterface, OptionsOfOlderAndNewerCallersAreTaken) {
  const ModelPtr model = load(files.translator());
  const memsizer_options options = defaults(model);
  const std::string expected = text_of(model, &options);

  // An older caller's struct ends after the beam. What follows in memory is not its options.
  constexpr size_t kOldSize = offsetof(memsizer_options, n_best);
  alignas(memsizer_options) unsigned char older[sizeof(memsizer_options)];
  std::memset(older, 0xff, sizeof older);
  auto* old_options = reinterpret_cast<memsizer_options*>(older);
  ASSERT_EQ(memsizer_default_options(model.get(), old_options, kOldSize, error, sizeof error), 0);
  EXPECT_EQ(old_options->size, kOldSize);
  EXPECT_EQ(older[kOldSize], 0xff);
  EXPECT_EQ(text_of(model, old_options), expected);

  // A newer caller's has fields that this library does not know.
  struct Newer {
    memsizer_options known;
    int64_t unknown[3];
  } newer;
  ASSERT_EQ(memsizer_default_options(model.get(), &newer.known, sizeof newer, error, sizeof error), 0);
  EXPECT_EQ(newer.known.size, sizeof newer);
  EXPECT_EQ(newer.unknown[2], 0);
  newer.unknown[1] = 77;
  EXPECT_EQ(text_of(model, &newer.known), expected);
}

TEST_F(CInterface, AShortlistIsAnOption) {
  const ModelPtr model = load(files.translator());
  memsizer_options options = defaults(model);
  EXPECT_EQ(options.shortlist, 0);
  options.shortlist = 1;
  EXPECT_TRUE(has_text(text_of(model, &options), "this model has no shortlist"));
}

TEST_F(CInterface, OptionsWithoutASizeAreRefused) {
  const ModelPtr model = load(files.translator());
  memsizer_options options = defaults(model);
  for (const size_t size : {size_t{0}, size_t{7}, size_t{8}, size_t{100}, size_t{1} << 40}) {
    options.size = size;
    EXPECT_TRUE(has_text(text_of(model, &options), "their size is " + std::to_string(size)));
    EXPECT_NE(memsizer_default_options(model.get(), &options, size, error, sizeof error), 0);
  }
  EXPECT_TRUE(has_text(text_of(model, nullptr), "options are NULL"));
  EXPECT_NE(memsizer_default_options(nullptr, &options, sizeof options, error, sizeof error), 0);
  EXPECT_STREQ(error, "model is NULL");
}

TEST_F(CInterface, StreamsPiecesThatAreTheWholeText) {
  const ModelPtr model = load(files.language_model());
  memsizer_options options = defaults(model);
  EXPECT_EQ(options.sample, 1);
  options.max_length = options.min_length = 20;
  struct Told {
    std::string text;
    int pieces = 0;
    int enough = 1000;
  } told;
  const auto on_text = [](const char* piece, size_t bytes, void* data) {
    Told& so_far = *static_cast<Told*>(data);
    so_far.text.append(piece, bytes);
    return ++so_far.pieces < so_far.enough ? 1 : 0;
  };
  ASSERT_EQ(memsizer_stream(model.get(), "the cat sat", &options, on_text, &told, error, sizeof error), 0);
  EXPECT_EQ(told.text, text_of(model, &options));
  Told stopped;
  stopped.enough = 2;
  ASSERT_EQ(memsizer_stream(model.get(), "the cat sat", &options, on_text, &stopped, error, sizeof error), 0);
  EXPECT_EQ(stopped.pieces, 2);
  EXPECT_TRUE(told.text.starts_with(stopped.text));
  EXPECT_NE(memsizer_stream(model.get(), "x", &options, nullptr, nullptr, error, sizeof error), 0);
  EXPECT_STREQ(error, "on_text is NULL");
}

TEST_F(CInterface, ForksGoTheirOwnWays) {
  const ModelPtr model = load(files.translator());
  const SessionPtr session(memsizer_start(model.get(), "the cat", error, sizeof error));
  ASSERT_TRUE(session) << error;
  EXPECT_EQ(memsizer_scores(session.get()), nullptr);
  const int32_t bad = 99;
  EXPECT_NE(memsizer_read(session.get(), &bad, 1, error, sizeof error), 0);
  EXPECT_TRUE(has_text(error, "token 99"));
  EXPECT_EQ(memsizer_scores(session.get()), nullptr);
  const int32_t end = 2;
  ASSERT_EQ(memsizer_read(session.get(), &end, 1, error, sizeof error), 0) << error;
  const auto vocab = static_cast<size_t>(memsizer_vocab(model.get()));
  const auto scores = [&](const SessionPtr& of) {
    const float* first = memsizer_scores(of.get());
    return std::vector<float>(first, first + vocab);
  };
  const std::vector<float> before = scores(session);
  const SessionPtr fork(memsizer_fork(session.get(), error, sizeof error));
  EXPECT_EQ(scores(fork), before);
  EXPECT_EQ(memsizer_state_bytes(fork.get()), memsizer_state_bytes(session.get()));
  const auto read = [](const SessionPtr& of, int32_t token) {
    EXPECT_EQ(memsizer_read(of.get(), &token, 1, nullptr, 0), 0);
  };
  std::thread other([&] { read(fork, 5); });
  read(session, 6);
  other.join();
  EXPECT_NE(scores(fork), scores(session));
  const SessionPtr again(memsizer_fork(fork.get(), error, sizeof error));
  read(again, 7);
  read(fork, 7);
  EXPECT_EQ(scores(again), scores(fork));
}

TEST_F(CInterface, SessionsAreSavedAndLoaded) {
  const ModelPtr model = load(files.language_model());
  const SessionPtr session(memsizer_start(model.get(), nullptr, error, sizeof error));
  const int32_t tokens[] = {2, 5, 6};
  ASSERT_EQ(memsizer_read(session.get(), tokens, 3, error, sizeof error), 0);
  const size_t size = memsizer_save(session.get(), nullptr, 0, error, sizeof error);
  ASSERT_GT(size, 0U) << error;
  std::vector<char> bytes(size);
  EXPECT_EQ(memsizer_save(session.get(), bytes.data(), size, error, sizeof error), size);
  const SessionPtr loaded(memsizer_load_session(model.get(), bytes.data(), size, error, sizeof error));
  ASSERT_TRUE(loaded) << error;
  EXPECT_EQ(memsizer_scores(loaded.get()), nullptr);
  for (const SessionPtr* each : {&session, &loaded})
    ASSERT_EQ(memsizer_read(each->get(), tokens + 1, 1, error, sizeof error), 0);
  const auto vocab = static_cast<size_t>(memsizer_vocab(model.get()));
  EXPECT_EQ(std::memcmp(memsizer_scores(session.get()), memsizer_scores(loaded.get()), vocab * sizeof(float)),
            0);
  EXPECT_FALSE(memsizer_load_session(model.get(), bytes.data(), size / 2, error, sizeof error));
  EXPECT_EQ(memsizer_save(nullptr, nullptr, 0, error, sizeof error), 0U);
  EXPECT_STREQ(error, "session is NULL");
}

TEST_F(CInterface, ThreadsOutOfRangeAreAnError) {
  EXPECT_FALSE(memsizer_load(files.translator().c_str(), -1, 1, error, sizeof error));
  EXPECT_TRUE(has_text(error, "threads is -1"));
  EXPECT_FALSE(memsizer_load(files.translator().c_str(), 100'000, 1, error, sizeof error));
  EXPECT_TRUE(has_text(error, "threads is 100000"));
}

}  // namespace
}  // namespace memsizer
