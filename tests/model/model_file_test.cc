#include "model/model_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "mechanisms/memsizer/description.h"
#include "model/model_checksum.h"
#include "model/tensor_check.h"
#include "model/tensor_list.h"
#include "support/messages.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"

namespace memsizer {
namespace {

namespace fs = std::filesystem;
using testing::has_text;
using testing::message_of;
using testing::TempDir;
using testing::tiny_description;
using testing::write_tiny_model;

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<NamedTensor> tensors_of(const SafetensorsFile& file) {
  std::vector<NamedTensor> tensors;
  for (const std::string& name : file.names()) {
    const TensorView& view = file.tensor(name);
    tensors.push_back({name, view.dtype, view.shape, view.data});
  }
  return tensors;
}

// The file with `key` of its metadata changed (removed: empty) and everything else as it was.
SafetensorsFile with_metadata(const SafetensorsFile& file, const fs::path& path, const std::string& key,
                              const std::string& value) {
  std::map<std::string, std::string> metadata = file.metadata();
  metadata[key] = value;
  if (value.empty()) metadata.erase(key);
  write_safetensors(path, tensors_of(file), metadata);
  return SafetensorsFile::open(path);
}

// tests/data/model_v1.safetensors was written by the program before version 2 was thought of.
TEST(ModelFile, Version1StaysReadable) {
  const SafetensorsFile file = SafetensorsFile::open("tests/data/model_v1.safetensors");
  const ModelDescription description = read_description(file);
  EXPECT_EQ(description.version, 1);
  EXPECT_EQ(description.weights, WeightType::F32);
  EXPECT_EQ(description.task, Task::Translation);
  EXPECT_EQ(description.config.dim, 8);
  EXPECT_EQ(description.config.vocab, 12);
  EXPECT_EQ(description.config.options<MemsizerOptions>().slots.causal, 2);
  EXPECT_EQ(description.tokenizer, tiny_description().tokenizer);
  EXPECT_EQ(description.generation, (GenerationOptions{.beam = 2}));
  EXPECT_NO_THROW(verify_checksum(file));
  EXPECT_NO_THROW(check_tensors(file, description));
  for (const TensorSpec& spec : tensor_list(description.config)) {
    const std::vector<float> weights = testing::tiny_weights(spec);
    EXPECT_EQ(0, std::memcmp(weights.data(), file.tensor(spec.name).data.data(), 4 * weights.size()))
        << spec.name;
  }
}

TEST(ModelFile, IsWrittenAsItEverWas) {
  const TempDir dir;
  write_tiny_model(dir / "m", tiny_description());
  // The file in tests/data names one option of generation; all are written now.
  const SafetensorsFile full = SafetensorsFile::open(dir / "m");
  std::map<std::string, std::string> metadata = full.metadata();
  metadata["generation"] = "{\"beam\":2}";
  write_model(dir / "one_option", tensors_of(full), metadata);
  EXPECT_EQ(read(dir / "one_option"), read("tests/data/model_v2.safetensors"));
  const SafetensorsFile file = SafetensorsFile::open(dir / "m");
  EXPECT_EQ(file.metadata().at("version"), "2");
  EXPECT_EQ(file.metadata().at("checksum").size(), 16U);
  const ModelDescription description = read_description(file);
  EXPECT_EQ(description.version, 2);
  EXPECT_NO_THROW(verify_checksum(file));
  EXPECT_NO_THROW(check_tensors(file, description));
}

TEST(ModelFile, GenerationOptionsMayBeFewerOrMoreThanThisProgramKnows) {
  const TempDir dir;
  const SafetensorsFile good = SafetensorsFile::open("tests/data/model_v2.safetensors");
  const auto options = [&](const std::string& value) {
    return read_description(with_metadata(good, dir / "m", "generation", value)).generation;
  };
  EXPECT_EQ(options(""), GenerationOptions{});
  EXPECT_EQ(options("{}"), GenerationOptions{});
  EXPECT_EQ(options("{\"beam\":3,\"of_tomorrow\":[1]}"), (GenerationOptions{.beam = 3}));
  EXPECT_EQ(options("{\"max_source_tokens\":77,\"sample\":true}"),
            (GenerationOptions{.sample = true, .max_source_tokens = 77}));
  ModelDescription description = tiny_description();
  description.generation = {.sample = true, .beam = 7, .top_p = 0.5, .seed = 9, .max_source_tokens = 33};
  write_tiny_model(dir / "n", description);
  EXPECT_EQ(read_description(SafetensorsFile::open(dir / "n")).generation, description.generation);
}

TEST(ModelFile, EveryDamagedByteIsFound) {
  const std::string good = read("tests/data/model_v2.safetensors");
  size_t readable = 0;
  for (size_t at = 8; at < good.size(); at += 7) {
    std::vector<std::byte> bytes(good.size());
    std::memcpy(bytes.data(), good.data(), good.size());
    bytes[at] ^= std::byte{1};
    const std::string message = message_of([&] {
      const SafetensorsFile file = SafetensorsFile::parse(bytes, "damaged");
      ++readable;
      verify_checksum(file);
    });
    EXPECT_NE(message, "no error") << at;
  }
  EXPECT_GT(readable, 500U);
}

TEST(ModelFile, ADamagedFileIsToldFromAGoodOne) {
  const TempDir dir;
  const SafetensorsFile good = SafetensorsFile::open("tests/data/model_v2.safetensors");
  const std::string sum = good.metadata().at("checksum");
  const auto message = [&](const std::string& key, const std::string& value) {
    return message_of([&] { verify_checksum(with_metadata(good, dir / "m", key, value)); });
  };
  EXPECT_TRUE(has_text(message("checksum", "0123456789abcdef"),
                       "is damaged: its checksum is " + sum + ", expected 0123456789abcdef; copy it again"));
  EXPECT_TRUE(has_text(message("checksum", ""), "found no checksum, expected one; copy it again"));
  EXPECT_TRUE(has_text(message("generation", "{\"beam\":3}"), "is damaged"));
}

TEST(ModelFile, ChecksumDoesNotDependOnTheOrder) {
  const SafetensorsFile file = SafetensorsFile::open("tests/data/model_v2.safetensors");
  std::vector<NamedTensor> tensors = tensors_of(file);
  std::reverse(tensors.begin(), tensors.end());
  EXPECT_EQ(model_checksum(tensors, file.metadata()), file.metadata().at("checksum"));
  std::swap(tensors[0].name, tensors[1].name);
  EXPECT_NE(model_checksum(tensors, file.metadata()), file.metadata().at("checksum"));
}

TEST(ModelFile, OthersAreRefused) {
  const TempDir dir;
  const SafetensorsFile good = SafetensorsFile::open("tests/data/model_v2.safetensors");
  const auto message = [&](const std::string& key, const std::string& value) {
    return message_of([&] { read_description(with_metadata(good, dir / "m", key, value)); });
  };
  EXPECT_TRUE(has_text(message("format", ""), "is not a MemSizer model: its metadata has no 'format'"));
  EXPECT_TRUE(has_text(message("format", "other"), "is of format 'other'; expected memsizer-model"));
  for (const std::string version : {"4", "0", "-1", "2 ", "02", "99999999999999999999"})
    EXPECT_TRUE(has_text(message("version", version), "reads versions 1 to 3")) << version;
  EXPECT_TRUE(has_text(message("weights", "int4"), "expected f32, bf16 or int8"));
  EXPECT_TRUE(has_text(message("config", "[]"), "'config' is not a JSON object"));
  EXPECT_TRUE(has_text(message("config", "{\"dim\":0}"), "model.dim is 0"));
  EXPECT_TRUE(has_text(message("config", "{\"dim\":{\"dim\":1}}"), "dim takes an integer"));
  EXPECT_TRUE(has_text(message("config", "{\"x\":{\"dim\":1}}"), "unknown option 'x'"));
  EXPECT_TRUE(has_text(message("generation", "7"), "'generation' is not a JSON object"));
  EXPECT_TRUE(has_text(message("generation", "{\"beam\":\"wide\"}"), "option beam takes an integer"));
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "{\"a\":";
  EXPECT_TRUE(has_text(message("generation", deep), "nested more than 16 deep"));
  EXPECT_TRUE(has_text(message("config", deep), "nested more than 16 deep"));
  const std::string long_key = "{\"" + std::string(1'000'000, 'k') + "\":1}";
  EXPECT_LT(message("config", long_key).size(), 500U);
}

TEST(ModelFile, ATaskThatIsNotKnownIsThatOfTheArchitecture) {
  const TempDir dir;
  const SafetensorsFile pairs = SafetensorsFile::open("tests/data/model_v1.safetensors");
  const SafetensorsFile stream = SafetensorsFile::open("tests/data/model_adaptive.safetensors");
  EXPECT_EQ(read_description(stream).task, Task::LanguageModel);
  const auto task = [&](const SafetensorsFile& file, const std::string& value) {
    return read_description(with_metadata(file, dir / "m", "task", value)).task;
  };
  EXPECT_EQ(task(pairs, "summarization"), Task::Summarization);
  EXPECT_EQ(task(pairs, ""), Task::Translation);
  EXPECT_EQ(task(pairs, "de-en"), Task::Translation);
  EXPECT_EQ(task(stream, ""), Task::LanguageModel);
  EXPECT_EQ(task(stream, "translation"), Task::LanguageModel);
}

TEST(ModelFile, AveragesAreModelsOfTheCurrentVersion) {
  const TempDir dir;
  const std::vector<fs::path> models = {"tests/data/model_v1.safetensors", "tests/data/model_v2.safetensors"};
  average_models(models, dir / "mean");
  const SafetensorsFile file = SafetensorsFile::open(dir / "mean");
  EXPECT_NO_THROW(verify_checksum(file));
  EXPECT_EQ(read(dir / "mean"), read("tests/data/model_v2.safetensors"));
  const std::vector<fs::path> quantized = {"tests/data/model_int8.safetensors"};
  EXPECT_TRUE(
      has_text(message_of([&] { average_models(quantized, dir / "no"); }), "average before quantizing"));
  EXPECT_FALSE(fs::exists(dir / "no"));
}

TEST(ModelFile, ACheckpointIsAFolder) {
  const TempDir dir;
  EXPECT_EQ(model_path(dir.path()), dir / "model.safetensors");
  EXPECT_EQ(model_path(dir / "x"), dir / "x");
}

TEST(ModelFile, TheTaskIsWhatItNamesIfItsArchitectureCanDoThat) {
  using enum Architecture;
  EXPECT_EQ(task_of(EncoderDecoder, "translation"), Task::Translation);
  EXPECT_EQ(task_of(EncoderDecoder, "summarization"), Task::Summarization);
  EXPECT_EQ(task_of(Architecture::LanguageModel, "language-model"), Task::LanguageModel);
  for (const std::string_view other : {"", "paraphrase", "language-model"})
    EXPECT_EQ(task_of(EncoderDecoder, other), Task::Translation) << other;
  for (const std::string_view other : {"", "paraphrase", "translation", "summarization"})
    EXPECT_EQ(task_of(Architecture::LanguageModel, other), Task::LanguageModel) << other;
}

}  // namespace
}  // namespace memsizer
