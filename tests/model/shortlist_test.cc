#include "model/shortlist.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "model/model_checksum.h"
#include "model/model_file.h"
#include "model/quantize.h"
#include "model/tensor_check.h"
#include "support/messages.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"

namespace memsizer {
namespace {

namespace fs = std::filesystem;
using testing::has_text;
using testing::message_of;
using testing::TempDir;

const fs::path kModel = "tests/data/model_v2.safetensors";

// For the 12 tokens of the tiny model.
Shortlist tiny_shortlist() {
  std::vector<std::vector<int32_t>> likely(12);
  likely[4] = {10, 4};
  likely[5] = {11, 5, 4};
  return {{6, 4}, likely};
}

std::vector<std::byte> bytes_of(const std::vector<int32_t>& numbers) {
  const auto bytes = std::as_bytes(std::span(numbers));
  return {bytes.begin(), bytes.end()};
}

TEST(Shortlist, HasWhatTheSourcesTokensMakeLikely) {
  const Shortlist shortlist = tiny_shortlist();
  EXPECT_EQ(shortlist.entries(), 5);
  EXPECT_EQ(shortlist.candidates({}), (std::vector<int32_t>{0, 1, 2, 3, 4, 6}));
  EXPECT_EQ(shortlist.candidates(std::vector<int32_t>{4, 4, 2}),
            (std::vector<int32_t>{0, 1, 2, 3, 4, 6, 10}));
  EXPECT_EQ(shortlist.candidates(std::vector<int32_t>{5, 4}),
            (std::vector<int32_t>{0, 1, 2, 3, 4, 5, 6, 10, 11}));
}

TEST(Shortlist, IsPartOfAModelFileAndSurvivesConversions) {
  const TempDir dir;
  add_shortlist(kModel, tiny_shortlist(), dir / "listed");
  quantize_model(dir / "listed", WeightType::I8, dir / "int8");
  export_model(dir / "listed", dir / "exported");
  const std::vector<fs::path> two = {dir / "listed", dir / "exported"};
  average_models(two, dir / "mean");
  add_shortlist(dir / "listed", tiny_shortlist(), dir / "again");
  for (const char* name : {"listed", "int8", "exported", "mean", "again"}) {
    const SafetensorsFile file = SafetensorsFile::open(dir / name);
    const ModelDescription description = read_description(file);
    EXPECT_EQ(description.version, 3) << name;
    EXPECT_NO_THROW(verify_checksum(file)) << name;
    EXPECT_NO_THROW(check_tensors(file, description)) << name;
    ASSERT_TRUE(description.shortlist) << name;
    EXPECT_EQ(description.shortlist->candidates(std::vector<int32_t>{5}),
              tiny_shortlist().candidates(std::vector<int32_t>{5}))
        << name;
  }
  EXPECT_FALSE(read_description(SafetensorsFile::open(kModel)).shortlist);
}

TEST(Shortlist, OfAnotherTokenizerIsRefused) {
  const TempDir dir;
  add_shortlist(kModel, tiny_shortlist(), dir / "listed");
  const SafetensorsFile listed = SafetensorsFile::open(dir / "listed");
  std::string tokenizer = read_description(listed).tokenizer;
  tokenizer[tokenizer.find("cat")] = 'b';
  std::vector<NamedTensor> tensors;
  for (const std::string& name : listed.names()) {
    const TensorView& view = listed.tensor(name);
    tensors.push_back({name, view.dtype, view.shape, view.data});
    if (name == "tokenizer") tensors.back().data = std::as_bytes(std::span(tokenizer));
  }
  write_model(dir / "other", tensors, listed.metadata());
  EXPECT_TRUE(has_text(message_of([&] { read_description(SafetensorsFile::open(dir / "other")); }),
                       "its shortlist was made for another tokenizer"));
}

TEST(Shortlist, DamageIsToldAsSuch) {
  const TempDir dir;
  add_shortlist(kModel, tiny_shortlist(), dir / "listed");
  std::ifstream in(dir / "listed", std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  text[text.find("Kater")] = 'V';
  const auto bytes = std::as_bytes(std::span(text));
  const SafetensorsFile file = SafetensorsFile::parse({bytes.begin(), bytes.end()}, "m");
  EXPECT_TRUE(has_text(message_of([&] { read_description(file); }), "'m' is damaged"));
}

// tests/data/model_v3.safetensors is what this program wrote when version 3 was new.
TEST(Shortlist, IsWrittenAsItEverWas) {
  const TempDir dir;
  add_shortlist(kModel, tiny_shortlist(), dir / "listed");
  const auto read = [](const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return std::string{std::istreambuf_iterator<char>(in), {}};
  };
  EXPECT_EQ(read(dir / "listed"), read("tests/data/model_v3.safetensors"));
  const SafetensorsFile file = SafetensorsFile::open("tests/data/model_v3.safetensors");
  const ModelDescription description = read_description(file);
  EXPECT_EQ(description.version, 3);
  EXPECT_NO_THROW(verify_checksum(file));
  EXPECT_NO_THROW(check_tensors(file, description));
  EXPECT_EQ(description.shortlist->candidates(std::vector<int32_t>{4}),
            (std::vector<int32_t>{0, 1, 2, 3, 4, 6, 10}));
}

TEST(Shortlist, ThatDoesNotFitIsRefused) {
  const TempDir dir;
  add_shortlist(kModel, tiny_shortlist(), dir / "listed");
  const SafetensorsFile listed = SafetensorsFile::open(dir / "listed");
  const auto message = [&](const std::string& changed, const std::vector<int32_t>& numbers) {
    const std::vector<std::byte> data = bytes_of(numbers);
    std::vector<NamedTensor> tensors;
    for (const std::string& name : listed.names()) {
      const TensorView& view = listed.tensor(name);
      tensors.push_back({name, view.dtype, view.shape, view.data});
      if (name == changed) tensors.back() = {name, DType::I32, {std::ssize(numbers)}, data};
    }
    write_model(dir / "m", tensors, listed.metadata());
    return message_of([&] { read_description(SafetensorsFile::open(dir / "m")); });
  };
  const std::vector<int32_t> counts = {0, 0, 0, 0, 2, 3, 0, 0, 0, 0, 0, 0};
  EXPECT_EQ(message("shortlist.counts", counts), "no error");
  EXPECT_TRUE(has_text(message("shortlist.counts", {2, 3}), "for 2 source tokens, expected 12"));
  EXPECT_TRUE(has_text(message("shortlist.counts", {0, 0, 0, 0, -1, 6, 0, 0, 0, 0, 0, 0}), "-1 tokens"));
  EXPECT_TRUE(has_text(message("shortlist.counts", {0, 0, 0, 0, 2, 4, 0, 0, 0, 0, 0, 0}),
                       "found 5 tokens in its lists, expected 6"));
  EXPECT_TRUE(has_text(message("shortlist.tokens", {4, 10, 4, 5, 12}), "does not rise within 0 to 11"));
  EXPECT_TRUE(has_text(message("shortlist.tokens", {4, 10, 5, 4, 11}), "does not rise"));
  EXPECT_TRUE(has_text(message("shortlist.tokens", {-1, 10, 4, 5, 11}), "does not rise"));
  EXPECT_TRUE(has_text(message("shortlist.frequent", {0, 1, 2, 4}), "lacks special tokens"));
}

TEST(Shortlist, IsNotForEveryModel) {
  EXPECT_TRUE(
      has_text(message_of([] { require_shortlist_fits(testing::tiny_adaptive_description().config, "m"); }),
               "m is a language model"));
  ModelConfig config = testing::tiny_description().config;
  config.adaptive.cutoffs = {6};
  EXPECT_TRUE(has_text(message_of([&] { require_shortlist_fits(config, "m"); }), "m has adaptive softmax"));
}

}  // namespace
}  // namespace memsizer
