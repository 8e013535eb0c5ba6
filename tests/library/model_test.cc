#include <gtest/gtest.h>

#include <algorithm>
#include <memsizer/memsizer.hpp>
#include <thread>

#include "library/tiny_models.h"
#include "support/messages.h"

namespace memsizer {
namespace {

using testing::has_text;

const testing::TinyModels& files() {
  static const testing::TinyModels kFiles;
  return kFiles;
}

// The text of whatever `call` throws.
template <typename Call>
std::string error_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

std::vector<int32_t> greedy(Session session, int32_t next, size_t most) {
  std::vector<int32_t> tokens;
  while (tokens.size() < most) {
    session.read({next});
    const auto scores = session.scores();
    next = static_cast<int32_t>(std::max_element(scores.begin(), scores.end()) - scores.begin());
    tokens.push_back(next);
  }
  return tokens;
}

TEST(Library, StreamedTextIsTheWholeText) {
  for (const std::string& path : {files().translator(), files().language_model()}) {
    const Model model(path, {.threads = 1});
    GenerationOptions options = model.default_options();
    options.sample = true;
    options.max_length = options.min_length = 30;
    for (const std::string line : {"the cat sat", "", "  "}) {
      std::string streamed;
      model.stream(line, options, [&](std::string_view piece) {
        streamed += piece;
        return true;
      });
      EXPECT_EQ(streamed, model.generate({line}, options).at(0).outputs.at(0).text) << path;
    }
    int pieces = 0;
    model.stream("the cat", options, [&](std::string_view) { return ++pieces < 2; });
    EXPECT_EQ(pieces, 2);
    EXPECT_THROW(model.stream("the cat", options, [](std::string_view) -> bool { throw 7; }), int);
  }
}

TEST(Library, CopiesOfASessionGoOnThreadsOfTheirOwn) {
  for (const std::string& path : {files().translator(), files().language_model()}) {
    const Model model(path, {.threads = 2});
    const Session start = model.start(model.is_language_model() ? "" : "the cat sat on a mat");
    const auto expected = greedy(start, kEndToken, 40);
    std::vector<std::vector<int32_t>> found(4);
    std::vector<std::thread> threads;
    for (auto& tokens : found) {
      threads.emplace_back([&tokens, copy = start] { tokens = greedy(copy, kEndToken, 40); });
    }
    for (std::thread& thread : threads) thread.join();
    for (const auto& tokens : found) EXPECT_EQ(tokens, expected);
  }
}

TEST(Library, AModelServesThreadsAtOnce) {
  const Model model(files().translator(), {.threads = 1, .workers = 2});
  const std::vector<std::string> lines = {"the cat", "", "a mat sat on the cat", "on on on"};
  const GenerationOptions options = model.default_options();
  const auto expected = model.generate(lines, options);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      const auto found = model.generate(lines, options);
      for (size_t line = 0; line < lines.size(); ++line)
        EXPECT_EQ(found.at(line).outputs.at(0).text, expected.at(line).outputs.at(0).text);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Library, AFailedReadLeavesTheScoresAsTheyWere) {
  const Model model(files().short_one(), {.threads = 1});
  Session session = model.start();
  EXPECT_THROW(session.read({99}), Error);
  EXPECT_TRUE(session.scores().empty());
  EXPECT_EQ(session.tokens_read(), 0);
  session.read({kEndToken, 5});
  const std::vector<float> scores(session.scores().begin(), session.scores().end());
  EXPECT_THROW(session.read({5, 5, 5, 5, 5, 5, 5}), Error);
  EXPECT_TRUE(std::ranges::equal(session.scores(), scores));
  EXPECT_EQ(session.tokens_read(), 2);
}

TEST(Library, ASavedSessionGoesOn) {
  for (const std::string& path : {files().translator(), files().language_model()}) {
    const Model model(path, {.threads = 1});
    Session session = model.start(model.is_language_model() ? "" : "the cat sat");
    session.read({kEndToken, 5, 6});
    const std::vector<std::byte> bytes = session.save();
    const Session loaded = model.load_session(bytes);
    EXPECT_EQ(loaded.tokens_read(), 3);
    EXPECT_TRUE(loaded.scores().empty());
    EXPECT_EQ(greedy(loaded, 7, 20), greedy(session, 7, 20));
    const Model other(files().short_one(), {.threads = 1});
    EXPECT_THROW(other.load_session(bytes), Error);
    EXPECT_THROW(model.load_session(std::span(bytes).first(bytes.size() / 2)), Error);
  }
}

TEST(Library, DefaultsAreTheModels) {
  EXPECT_EQ(Model(files().translator()).default_options(), (GenerationOptions{.beam = 2}));
  EXPECT_EQ(Model(files().language_model()).default_options(),
            (GenerationOptions{.sample = true, .beam = 2, .max_length_ratio = 0.0, .max_length = 100}));
}

TEST(Library, MistakesAreErrors) {
  EXPECT_TRUE(has_text(error_of([] { Model(files().translator(), {.threads = -3}); }), "threads is -3"));
  EXPECT_TRUE(has_text(error_of([] { Model(files().translator(), {.workers = 0}); }), "workers is 0"));
  const Model model(files().translator());
  GenerationOptions options = model.default_options();
  options.top_p = 2.0;
  EXPECT_TRUE(has_text(error_of([&] { model.generate({"the"}, options); }), "top_p is 2"));
}

}  // namespace
}  // namespace memsizer
