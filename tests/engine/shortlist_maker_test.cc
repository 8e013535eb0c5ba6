#include "engine/shortlist_maker.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/written_model.h"
#include "support/messages.h"

namespace memsizer::engine {
namespace {

using testing::has_text;
using testing::message_of;

// Lines of a corpus that is in memory.
class Lines : public text::ExampleReader {
 public:
  explicit Lines(std::vector<text::Example> lines) : lines_(std::move(lines)) {}
  bool next(text::Example& example) override {
    if (at_ == lines_.size()) return false;
    example = lines_[at_++];
    return true;
  }

 private:
  std::vector<text::Example> lines_;
  size_t at_ = 0;
};

const TextModel& tiny() {
  static const std::unique_ptr<TextModel> model = TextModel::load("tests/data/model_v2.safetensors");
  return *model;
}

int32_t token_of(const std::string& word) {
  return tiny().encode(word).front();
}

text::TokenPairs corpus(int64_t most_pairs = 100) {
  Lines lines(
      {{"the cat", "der Kater", 1}, {"the mat", "der mat", 2}, {"a cat", "a Kater", 3}, {"the", "der", 4}});
  return token_pairs(tiny(), lines, most_pairs);
}

TEST(ShortlistMaker, FindsTranslations) {
  const text::TokenPairs pairs = corpus();
  const Shortlist shortlist = make_shortlist(tiny(), pairs, {.best = 1, .frequent = 0});
  const auto has = [&](const std::string& source, const std::string& target) {
    const std::vector<int32_t> tokens = {token_of(source)};
    return std::ranges::binary_search(shortlist.candidates(tokens), token_of(target));
  };
  EXPECT_TRUE(has("cat", "Kater"));
  EXPECT_TRUE(has("the", "der"));
  EXPECT_FALSE(has("cat", "der"));
  // Whatever it is, it can be copied.
  EXPECT_TRUE(has("sat", "sat"));
  EXPECT_TRUE(has("cat", "cat"));
}

TEST(ShortlistMaker, KeepsWhatIsFrequent) {
  const text::TokenPairs pairs = corpus();
  const Shortlist shortlist = make_shortlist(tiny(), pairs, {.best = 1, .frequent = 2});
  const std::vector<int32_t> always = shortlist.candidates({});
  EXPECT_EQ(always.size(), 6U);
  EXPECT_TRUE(std::ranges::binary_search(always, token_of("der")));
  EXPECT_TRUE(std::ranges::binary_search(always, token_of("Kater")));
}

TEST(ShortlistMaker, TellsWhatIsCovered) {
  const text::TokenPairs pairs = corpus();
  const ShortlistCoverage all = coverage_of(make_shortlist(tiny(), pairs, {.best = 9}), pairs);
  EXPECT_EQ(all.covered, 1.0);
  EXPECT_GT(all.candidates, 4.0);
  EXPECT_LE(all.candidates, 12.0);
  std::vector<std::vector<int32_t>> nothing(12);
  EXPECT_EQ(coverage_of(Shortlist({}, nothing), pairs).covered, 0.0);
  EXPECT_EQ(coverage_of(Shortlist({}, nothing), pairs).candidates, 4.0);
}

TEST(ShortlistMaker, TakesASampleOfALargeCorpus) {
  EXPECT_EQ(corpus(3).size(), 3U);
  EXPECT_EQ(corpus(4).size(), 4U);
}

TEST(ShortlistMaker, OptionsAreChecked) {
  EXPECT_TRUE(has_text(message_of([] { ShortlistOptions{.best = 0}.validate(); }), "best is 0"));
  EXPECT_TRUE(has_text(message_of([] { ShortlistOptions{.frequent = -1}.validate(); }), "frequent is -1"));
}

}  // namespace
}  // namespace memsizer::engine
