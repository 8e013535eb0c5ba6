#include "model/model_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>

#include "mechanisms/memsizer/description.h"
#include "model/model_checksum.h"
#include "model/quantize.h"
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

// The defaults of a preset may change. A file names every option that the preset had when it was written; one
// that came later was as published.
TEST(ModelFile, OptionsThatAPresetGotLaterAreAsPublishedInOlderFiles) {
  const TempDir folder;
  ModelDescription description = tiny_description();
  description.config.decoder.cross = mechanism_named("memsizer-plus");
  description.config.options<MemsizerPlusOptions>().cross_value_norm = true;
  write_tiny_model(folder / "model", description);
  const SafetensorsFile written = SafetensorsFile::open(folder / "model");
  nlohmann::json config = nlohmann::json::parse(written.metadata().at("config"));
  ASSERT_EQ(config.at("memsizer-plus").erase("cross_value_norm"), 1);
  const SafetensorsFile older = with_metadata(written, folder / "older", "config", config.dump());
  ModelDescription found = read_description(older);
  EXPECT_TRUE(found.config.options<MemsizerPlusOptions>().cross_value_norm);
  EXPECT_EQ(found.config.options<MemsizerPlusOptions>().slots.causal,
            description.config.options<MemsizerPlusOptions>().slots.causal);
  EXPECT_NO_THROW(check_tensors(older, found));
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

TEST(ModelFile, OnlyModelsOfOneConfigurationAreAveraged) {
  const TempDir dir;
  const ModelDescription first = tiny_description();
  write_tiny_model(dir / "first", first);
  const auto error_with = [&](const ModelDescription& other) {
    write_tiny_model(dir / "other", other);
    const std::string error = message_of([&] {
      average_models(std::vector<fs::path>{dir / "first", dir / "other"}, dir / "mean");
    });
    EXPECT_EQ(fs::exists(dir / "mean"), error == "no error");
    fs::remove(dir / "mean");
    return error;
  };
  EXPECT_EQ(error_with(first), "no error");
  // The same tensors, another computation.
  ModelDescription other = first;
  other.config.decoder.heads = 1;
  EXPECT_TRUE(
      has_text(error_with(other), "model.decoder.heads is 2 in " + (dir / "first").string() + " but 1"));
  other = first;
  other.config.encoder.pre_norm = !first.config.encoder.pre_norm;
  EXPECT_TRUE(has_text(error_with(other), "model.encoder.pre_norm"));
  other = first;
  other.config.dim = 16;
  EXPECT_TRUE(has_text(error_with(other), "model.dim is 8"));
  other = first;
  other.tokenizer = "memsizer-words 1\nthe 8\ncat 7\nsat 6\non 5\na 4\nmat 3\ndie 2\nKatze 1\n";
  EXPECT_TRUE(has_text(error_with(other), "different tokenizers"));
}

// Writes the model with one number of its first tensor of floats changed, and the checksum that goes with it.
void forge_number(const fs::path& from, const fs::path& to, std::span<const std::byte> number) {
  const SafetensorsFile file = SafetensorsFile::open(from);
  std::vector<NamedTensor> tensors = tensors_of(file);
  const auto changed = std::ranges::find_if(tensors, [&](const NamedTensor& tensor) {
    return tensor.dtype == (number.size() == 2 ? DType::BF16 : DType::F32);
  });
  ASSERT_NE(changed, tensors.end());
  std::vector<std::byte> data(changed->data.begin(), changed->data.end());
  std::ranges::copy(number, data.begin() + static_cast<std::ptrdiff_t>(number.size()));
  changed->data = data;
  std::map<std::string, std::string> metadata = file.metadata();
  metadata[kChecksumKey] = model_checksum(tensors, metadata);
  write_safetensors(to, tensors, metadata);
}

TEST(ModelFile, NoToolWritesWeightsThatAreNotFinite) {
  const TempDir dir;
  write_tiny_model(dir / "good", tiny_description());
  const float numbers[] = {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                           -std::numeric_limits<float>::infinity()};
  for (const float& number : numbers) {
    forge_number(dir / "good", dir / "bad", std::as_bytes(std::span(&number, 1)));
    EXPECT_NO_THROW(verify_checksum(SafetensorsFile::open(dir / "bad")));
    const auto refused = [&](const auto& tool) {
      EXPECT_TRUE(has_text(message_of(tool), fmt::format("holds {} at position 1;", number)));
      EXPECT_FALSE(fs::exists(dir / "out"));
    };
    refused([&] { average_models(std::vector<fs::path>{dir / "good", dir / "bad"}, dir / "out"); });
    refused([&] { export_model(dir / "bad", dir / "out"); });
    refused([&] { quantize_model(dir / "bad", WeightType::I8, dir / "out"); });
    refused([&] { quantize_model(dir / "bad", WeightType::BF16, dir / "out"); });
    refused([&] {
      const SafetensorsFile file = SafetensorsFile::open(dir / "bad");
      write_model(dir / "out", tensors_of(file), file.metadata());
    });
  }
  const uint16_t half = 0x7fc0;
  forge_number("tests/data/model_bf16.safetensors", dir / "bad", std::as_bytes(std::span(&half, 1)));
  EXPECT_TRUE(
      has_text(message_of([&] { export_model(dir / "bad", dir / "out"); }), "holds nan at position 1;"));
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
