#include "runtime/saved_state.h"

#include <fmt/ranges.h>

#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>

#include "core/error.h"
#include "core/safetensors_bytes.h"
#include "model/model_checksum.h"

namespace memsizer::runtime {
namespace {

constexpr auto kFormatKey = "format";
constexpr auto kFormat = "memsizer-state";
constexpr auto kVersionKey = "version";
constexpr auto kVersion = "1";
// Has a token to read next, which readers of version 1 would leave out.
constexpr auto kNextVersion = "2";
constexpr auto kModelKey = "model";
constexpr auto kTokensKey = "tokens";
constexpr auto kNextKey = "next_token";
constexpr auto kSourceTokensKey = "source_tokens";
// Positions are computed with doubles, which are exact up to here; no machine counts further.
constexpr int64_t kMostTokens = int64_t{1} << 53;

// One tensor of a saved state, and where its numbers are among those that its layer keeps.
struct SavedField {
  std::string name;
  StateField field;
  size_t layer;
  bool cross;
  int64_t offset;  // from the first number of a sequence, or of each token

  std::vector<int64_t> shape(int64_t tokens) const {
    std::vector<int64_t> shape = field.shape;
    if (field.growth != Growth::Fixed) shape.insert(shape.begin(), tokens);
    return shape;
  }
};

std::vector<SavedField> saved_fields(const ModelConfig& config) {
  std::vector<SavedField> saved;
  for (int64_t i = 0; i < config.decoder.layers; ++i) {
    for (const Position position : {Position::CausalSelf, Position::Cross}) {
      const bool cross = position == Position::Cross;
      if (cross && !config.has_encoder()) continue;
      int64_t fixed = 0;
      int64_t per_token = 0;
      for (const StateField& field : mixer_config(config, position, i).state()) {
        int64_t& offset = field.growth == Growth::Fixed ? fixed : per_token;
        saved.push_back({fmt::format("layers.{}.{}.{}", i, cross ? "cross" : "self", field.name), field,
                         static_cast<size_t>(i), cross, offset});
        if (!field.counts_tokens()) offset += field.elements();
      }
    }
  }
  return saved;
}

// The numbers of a layer: of the sequence, and of its tokens one after the other or as `order` has them.
template <typename Float>
struct LayerNumbers {
  Float* fixed = nullptr;
  Float* per_token = nullptr;
  int64_t width = 0;
  int64_t tokens = 0;
  const int32_t* order = nullptr;
};

template <typename Float, typename Cache>
LayerNumbers<Float> row_numbers(Float* fixed, Cache& cache, size_t layer, int64_t row) {
  LayerNumbers<Float> numbers{.fixed = fixed};
  if (!cache.used()) return numbers;
  const std::span<const int32_t> kept = cache.tokens(row);
  numbers.per_token = cache.layer(layer);
  numbers.width = cache.width(layer);
  numbers.tokens = static_cast<int64_t>(kept.size());
  numbers.order = kept.data();
  return numbers;
}

// Calls visit(first, count) for each run of numbers that a field has side by side in memory.
template <typename Float, typename Visit>
void visit_runs(const SavedField& saved, const LayerNumbers<Float>& numbers, const Visit& visit) {
  const int64_t count = saved.field.elements();
  if (saved.field.growth == Growth::Fixed) {
    visit(numbers.fixed + saved.offset, count);
    return;
  }
  for (int64_t t = 0; t < numbers.tokens; ++t) {
    const int64_t token = numbers.order ? numbers.order[t] : t;
    visit(numbers.per_token + token * numbers.width + saved.offset, count);
  }
}

// What a state was saved with, beside its tensors.
class SavedDocument {
 public:
  SavedDocument(std::span<const std::byte> bytes, const std::string& name)
      : name_(name), content_(parse_safetensors(bytes, name)) {}

  template <typename... Args>
  [[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args) const {
    throw UserError("state '{}' {}", printable_name(name_), fmt::format(format, std::forward<Args>(args)...));
  }

  void check_origin(const Model& model) const {
    if (text(kFormatKey) != kFormat) refuse("is no saved state: save one with this program");
    if (text(kVersionKey) != kVersion && !has_next()) {
      refuse("is of version {}, expected {} or {}: use the program that saved it", printable(kVersionKey),
             kVersion, kNextVersion);
    }
    if (text(kModelKey) != model.hash()) {
      refuse("is of another model, {}: this one is {}; load the model it was saved with",
             printable(kModelKey), model.hash());
    }
    const std::string checksum = model_checksum(content_);
    if (text(kChecksumKey) != checksum) {
      refuse("is damaged: its checksum is {}, expected {}; save it again", checksum, printable(kChecksumKey));
    }
  }

  bool has_next() const { return text(kVersionKey) == kNextVersion; }

  int64_t number(const char* key, int64_t least, int64_t most) const {
    const std::string found = text(key);
    int64_t value = 0;
    const auto [end, error] = std::from_chars(found.data(), found.data() + found.size(), value);
    if (error != std::errc() || end != found.data() + found.size() || value < least || value > most)
      refuse("has {} '{}', expected a number from {} to {}; save it again", key, printable(key), least, most);
    return value;
  }

  // Every tensor has its place, and no other is there.
  void check_tensors(const std::vector<SavedField>& fields, int64_t tokens, int64_t source_tokens) const {
    for (const SavedField& saved : fields) {
      const auto found = content_.tensors.find(saved.name);
      if (found == content_.tensors.end()) refuse("has no tensor '{}'; save it again", saved.name);
      const std::vector<int64_t> shape = saved.shape(saved.cross ? source_tokens : tokens);
      const TensorView& view = found->second;
      if (view.dtype == saved.field.type && view.shape == shape) continue;
      refuse("has tensor '{}' of {} [{}], expected {} [{}]; save it again", saved.name,
             dtype_name(view.dtype), fmt::join(view.shape, ", "), dtype_name(saved.field.type),
             fmt::join(shape, ", "));
    }
    if (content_.tensors.size() != fields.size())
      refuse("has {} tensors, expected {}; save it again", content_.tensors.size(), fields.size());
  }

  // Copies a tensor's numbers to where the layer keeps them.
  void restore(const SavedField& saved, const LayerNumbers<float>& numbers, int64_t tokens) const {
    const std::byte* from = content_.tensors.find(saved.name)->second.data.data();
    if (saved.field.counts_tokens()) {
      int64_t count = 0;
      std::memcpy(&count, from, sizeof(count));
      if (count != tokens)
        refuse("has read {} tokens, but '{}' says {}; save it again", tokens, saved.name, count);
      return;
    }
    visit_runs(saved, numbers, [&](float* run, int64_t count) {
      std::memcpy(run, from, static_cast<size_t>(count) * sizeof(float));
      from += static_cast<size_t>(count) * sizeof(float);
      for (int64_t i = 0; i < count; ++i) {
        if (!std::isfinite(run[i]))
          refuse("has a number in '{}' that is not finite; save it again", saved.name);
      }
    });
  }

 private:
  std::string text(const char* key) const {
    const auto found = content_.metadata.find(key);
    return found == content_.metadata.end() ? "" : found->second;
  }
  std::string printable(const char* key) const { return printable_name(text(key)); }

  std::string name_;
  SafetensorsContent content_;
};

}  // namespace

std::vector<std::byte> save_state(const Model& model, const DecoderState& state, int64_t row,
                                  std::optional<int32_t> next) {
  if (row < 0 || row >= state.rows()) throw std::logic_error("a row is saved that the state does not have");
  const int64_t tokens = state.seen()[row];
  const bool has_source = model.config().has_encoder();
  const SourceMemory* source = has_source ? state.sources()[row].get() : nullptr;
  const std::vector<SavedField> fields = saved_fields(model.config());
  std::vector<std::vector<std::byte>> data(fields.size());
  std::vector<NamedTensor> tensors;
  for (size_t i = 0; i < fields.size(); ++i) {
    const SavedField& saved = fields[i];
    const auto add = [&](const void* first, size_t bytes) {
      const auto* from = static_cast<const std::byte*>(first);
      data[i].insert(data[i].end(), from, from + bytes);
    };
    LayerNumbers<const float> numbers;
    if (saved.cross) {
      const ConstSourceState kept = source->layer(saved.layer);
      numbers = {kept.fixed, kept.per_token, model.layout()->cross(saved.layer).per_token, kept.tokens};
    } else {
      numbers = row_numbers(state.numbers(saved.layer, row), state.cache(), saved.layer, row);
    }
    if (saved.field.counts_tokens()) {
      add(&tokens, sizeof(tokens));
    } else {
      visit_runs(saved, numbers, [&](const float* run, int64_t count) {
        add(run, static_cast<size_t>(count) * sizeof(float));
      });
    }
    tensors.push_back(
        {saved.name, saved.field.type, saved.shape(saved.cross ? source->tokens() : tokens), data[i]});
  }
  std::map<std::string, std::string> metadata = {{kFormatKey, kFormat},
                                                 {kVersionKey, next ? kNextVersion : kVersion},
                                                 {kModelKey, model.hash()},
                                                 {kTokensKey, std::to_string(tokens)}};
  if (next) metadata[kNextKey] = std::to_string(*next);
  if (source) metadata[kSourceTokensKey] = std::to_string(source->tokens());
  metadata[kChecksumKey] = model_checksum(tensors, metadata);
  return safetensors_bytes(tensors, metadata);
}

SavedRow load_row(const Model& model, std::span<const std::byte> bytes, const std::string& name) {
  const SavedDocument document(bytes, name);
  document.check_origin(model);
  const int64_t longest = model.longest_target();
  const int64_t tokens = document.number(kTokensKey, 0, longest > 0 ? longest : kMostTokens);
  const bool has_source = model.config().has_encoder();
  const int64_t source_tokens = has_source ? document.number(kSourceTokensKey, 1, kMostTokens) : 0;
  std::optional<int32_t> next;
  if (document.has_next()) next = static_cast<int32_t>(document.number(kNextKey, 0, model.vocab() - 1));
  const std::vector<SavedField> fields = saved_fields(model.config());
  // Memory is taken only after this: a field of tokens has as many as there are bytes of it.
  document.check_tensors(fields, tokens, source_tokens);

  const auto source = has_source ? std::make_shared<SourceMemory>(model.layout(), source_tokens) : nullptr;
  DecoderState state =
      source ? DecoderState(model.layout(), DecoderState::Sources{source}) : DecoderState(model.layout(), 1);
  state.pretend_to_read(tokens);
  for (const SavedField& saved : fields) {
    LayerNumbers<float> numbers;
    if (saved.cross) {
      const SourceState kept = source->layer(saved.layer);
      numbers = {kept.fixed, kept.per_token, model.layout()->cross(saved.layer).per_token, kept.tokens};
    } else {
      const RowStates states = state.layer(saved.layer);
      numbers = row_numbers(states.row(0), *states.cache, saved.layer, 0);
    }
    document.restore(saved, numbers, tokens);
  }
  return {std::move(state), next};
}

DecoderState load_state(const Model& model, std::span<const std::byte> bytes, const std::string& name) {
  SavedRow row = load_row(model, bytes, name);
  if (row.next)
    throw UserError("state '{}' has a token to read next; load it with its token", printable_name(name));
  return std::move(row.state);
}

}  // namespace memsizer::runtime
