// States as bytes: what is read back goes on as if it had never been written, and nothing else is read.
#include "runtime/saved_state.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "core/safetensors_bytes.h"
#include "mechanisms/memsizer/description.h"
#include "model/model_checksum.h"
#include "model/state_size.h"
#include "runtime/small_models.h"
#include "support/messages.h"

namespace memsizer::runtime {
namespace {

using Bytes = std::vector<std::byte>;

// A row after some steps, of a batch in which others have read more or fewer tokens.
Bytes saved_row(const Model& model, Work& work, uint64_t name, uint64_t steps) {
  DecoderState state = start_rows(model, work, {name + 1});
  step_rows(model, work, state, {token_of(name + 1, 0)});
  state.append(start_rows(model, work, {name, name + 2}));
  for (uint64_t step = 0; step < steps; ++step) {
    step_rows(model, work, state,
              {token_of(name + 1, step + 1), token_of(name, step), token_of(name + 2, step)});
  }
  return save_state(model, state, 1);
}

std::string refusal(const Model& model, const Bytes& bytes) {
  return testing::message_of([&] { load_state(model, bytes, "s"); });
}

// A document with something in it changed and its checksum put right.
class Forgery {
 public:
  explicit Forgery(const Bytes& bytes) : content_(parse_safetensors(bytes, "s")) {
    for (const NamedTensor& tensor : named_tensors(content_)) {
      tensors_.push_back(tensor);
      data_[tensor.name] = {tensor.data.begin(), tensor.data.end()};
    }
  }

  std::string& metadata(const std::string& key) { return content_.metadata[key]; }
  std::vector<NamedTensor>& tensors() { return tensors_; }
  NamedTensor& tensor(const std::string& name) {
    for (NamedTensor& tensor : tensors_) {
      if (tensor.name == name) return tensor;
    }
    throw std::logic_error("no tensor " + name);
  }
  Bytes& data(const std::string& name) { return data_[name]; }

  Bytes bytes() {
    for (NamedTensor& tensor : tensors_) tensor.data = data_[tensor.name];
    content_.metadata[kChecksumKey] = model_checksum(tensors_, content_.metadata);
    return safetensors_bytes(tensors_, content_.metadata);
  }

 private:
  SafetensorsContent content_;
  std::vector<NamedTensor> tensors_;
  std::map<std::string, Bytes> data_;
};

TEST(SavedState, ALoadedStateGoesOnAsTheSavedOne) {
  for (const SmallModel& small : small_models()) {
    SCOPED_TRACE(small.name);
    const auto model = random_model(small.config);
    Work work(1);
    const auto alone = steps_alone(*model, work, 11, 9);
    for (const uint64_t steps : {0, 5}) {
      const Bytes bytes = saved_row(*model, work, 11, steps);
      DecoderState state = load_state(*model, bytes, "s");
      EXPECT_EQ(state.rows(), 1);
      EXPECT_EQ(state.seen()[0], static_cast<int64_t>(steps));
      EXPECT_EQ(save_state(*model, state, 0), bytes) << "a loaded state is saved as the same bytes";
      // It joins others, which have read another number of tokens.
      DecoderState batch = start_rows(*model, work, {21});
      batch.append(std::move(state));
      for (uint64_t step = steps; step < 9; ++step)
        EXPECT_EQ(step_rows(*model, work, batch, {5, token_of(11, step)})[1], alone[step]) << "step " << step;
    }
  }
}

TEST(SavedState, ATokenToReadNextIsKept) {
  Work work(1);
  const auto model = random_model(small_config(mechanism_named("memsizer")));
  const DecoderState state = start_rows(*model, work, {11});
  const Bytes bytes = save_state(*model, state, 0, 5);
  EXPECT_EQ(load_row(*model, bytes, "s").next, 5);
  EXPECT_EQ(load_row(*model, save_state(*model, state, 0), "s").next, std::nullopt);
  EXPECT_TRUE(testing::has_text(refusal(*model, bytes), "has a token to read next"));
  Forgery forgery(bytes);
  forgery.metadata("next_token") = std::to_string(model->vocab());
  EXPECT_TRUE(testing::has_text(refusal(*model, forgery.bytes()), "has next_token"));
}

TEST(SavedState, ItsSizeIsThatOfTheFields) {
  for (const SmallModel& small : small_models()) {
    const auto model = random_model(small.config);
    Work work(1);
    const Bytes bytes = saved_row(*model, work, 10, 6);
    size_t size = 0;
    for (const NamedTensor& tensor : named_tensors(parse_safetensors(bytes, "s"))) size += tensor.data.size();
    // A source named 10 has 3 tokens.
    EXPECT_EQ(static_cast<int64_t>(size), decoder_state_size(small.config).at(6, 3)) << small.name;
  }
}

TEST(SavedState, OfAnotherModelIsRefused) {
  Work work(1);
  const auto model = random_model(small_config(mechanism_named("memsizer")));
  ModelConfig wider = small_config(mechanism_named("memsizer"));
  wider.options<MemsizerOptions>().slots.causal = 8;
  ModelConfig generator = small_config(mechanism_named("memsizer"));
  generator.architecture = Architecture::LanguageModel;
  generator.embedding.tie = Tying::Decoder;
  for (const ModelConfig& config : {wider, small_config(mechanism_named("ssru")), generator}) {
    const std::string message = refusal(*model, saved_row(*random_model(config), work, 11, 3));
    EXPECT_TRUE(testing::has_text(message, "state 's' is of another model"));
  }
}

TEST(SavedState, DamageIsFound) {
  Work work(1);
  for (const Mechanism mechanism : {mechanism_named("memsizer"), mechanism_named("softmax")}) {
    const auto model = random_model(small_config(mechanism));
    const Bytes bytes = saved_row(*model, work, 11, 2);
    EXPECT_EQ(refusal(*model, bytes), "no error");
    for (size_t size = 0; size < bytes.size(); size += 1 + size / 8)
      EXPECT_NE(refusal(*model, {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)}),
                "no error");
    for (size_t i = 0; i < bytes.size(); i += 37) {
      Bytes flipped = bytes;
      flipped[i] ^= std::byte{1};
      const std::string message = refusal(*model, flipped);
      EXPECT_NE(message, "no error") << "byte " << i;
      EXPECT_EQ(message.find('\n'), std::string::npos);
    }
  }
}

TEST(SavedState, ForgeriesAreRefused) {
  Work work(1);
  const auto model = random_model(small_config(mechanism_named("memsizer")));
  const auto softmax = random_model(small_config(mechanism_named("softmax")));
  const Bytes bytes = saved_row(*model, work, 11, 3);
  const Bytes cached = saved_row(*softmax, work, 11, 3);
  ASSERT_EQ(refusal(*model, Forgery(bytes).bytes()), "no error");
  const auto expect = [](const Model& of, Forgery& forgery, const std::string& words) {
    const std::string message = refusal(of, forgery.bytes());
    EXPECT_TRUE(testing::has_text(message, words));
    EXPECT_EQ(message.find('\n'), std::string::npos);
  };
  for (const auto& [key, value, words] : std::vector<std::tuple<std::string, std::string, std::string>>{
           {"format", "memsizer", "is no saved state"},
           {"version", "3", "is of version 3, expected 1 or 2"},
           {"version", "2", "has next_token '', expected a number"},
           {"model", "00", "is of another model, 00"},
           {"tokens", "-1", "has tokens '-1'"},
           {"tokens", "3x", "has tokens '3x'"},
           {"tokens", "99999999999999999999", "has tokens"},
           {"tokens", "4", "has read 4 tokens, but 'layers.0.self.count' says 3"},
           {"source_tokens", "0", "has source_tokens '0'"},
           {"source_tokens", "", "has source_tokens ''"}}) {
    Forgery forgery(bytes);
    forgery.metadata(key) = value;
    expect(*model, forgery, words);
  }
  // Tokens that the data do not have.
  for (const std::string key : {"tokens", "source_tokens"}) {
    Forgery forgery(cached);
    forgery.metadata(key) = "4000000000000000";
    expect(*softmax, forgery, "expected F32 [4000000000000000, 3, 16]");
  }
  for (const float number :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    for (const std::string name : {"layers.1.self.memory", "layers.0.cross.memory"}) {
      Forgery forgery(bytes);
      std::memcpy(forgery.data(name).data() + 40, &number, sizeof(number));
      expect(*model, forgery, "that is not finite");
    }
  }
  Forgery missing(bytes);
  missing.tensors().pop_back();
  expect(*model, missing, "has no tensor 'layers.");
  Forgery renamed(bytes);
  renamed.tensors().push_back({"layers.9.self.memory", DType::F32, {0}, {}});
  expect(*model, renamed, "tensors, expected");
  Forgery reshaped(bytes);
  std::swap(reshaped.tensor("layers.0.self.memory").shape[0],
            reshaped.tensor("layers.0.self.memory").shape[1]);
  expect(*model, reshaped, "expected F32 [4, 48]");
  Forgery retyped(bytes);
  retyped.tensor("layers.0.self.memory").dtype = DType::I32;
  expect(*model, retyped, "of I32 [4, 48], expected F32 [4, 48]");
}

}  // namespace
}  // namespace memsizer::runtime
