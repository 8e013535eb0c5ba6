#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memsizer {

enum class TensorRole {
  Trained,
  Frozen,  // a parameter that counts as one but is never updated
  Buffer,  // fixed numbers, such as random projections, that do not count as parameters
};

struct TensorSpec {
  std::string name;
  std::vector<int64_t> shape;
  TensorRole role = TensorRole::Trained;
  std::string part;  // "decoder self-attention": the line it belongs to in a table of parts
  // Whether it is one of the matrices that a weight type is about: those that activations are multiplied
  // with, token embeddings included, since most models use them as the output layer. Feature maps, random
  // projections and compressions are small, and errors in them go through exponentials.
  bool quantized = false;
  bool reads_source = false;  // used once per source, not once per step

  int64_t elements() const {
    int64_t product = 1;
    for (const int64_t size : shape) product *= size;
    return product;
  }
};

// Collects tensors under a common name prefix and part.
class TensorCollector {
 public:
  TensorCollector(std::vector<TensorSpec>& into, std::string prefix, std::string part)
      : into_(into), prefix_(std::move(prefix)), part_(std::move(part)) {}

  // The tensor itself is returned, for what is special about it.
  TensorSpec& add(std::string_view name, std::vector<int64_t> shape, TensorRole role = TensorRole::Trained) {
    into_.push_back({prefix_ + std::string(name), std::move(shape), role, part_});
    return into_.back();
  }

  // A matrix that activations are multiplied with.
  TensorSpec& matrix(std::string_view name, int64_t out, int64_t in, TensorRole role = TensorRole::Trained) {
    TensorSpec& tensor = add(name, {out, in}, role);
    tensor.quantized = true;
    return tensor;
  }

  // How a linear layer is used, where that is special.
  struct Use {
    bool bias = true;
    TensorRole role = TensorRole::Trained;
    bool reads_source = false;
  };
  void linear(const std::string& name, int64_t out, int64_t in) { linear(name, out, in, Use()); }
  void linear(const std::string& name, int64_t out, int64_t in, const Use& use) {
    matrix(name + ".weight", out, in, use.role).reads_source = use.reads_source;
    if (use.bias) add(name + ".bias", {out}, use.role).reads_source = use.reads_source;
  }

  void layer_norm(const std::string& name, int64_t width) {
    add(name + ".weight", {width});
    add(name + ".bias", {width});
  }

 private:
  std::vector<TensorSpec>& into_;
  std::string prefix_;
  std::string part_;
};

}  // namespace memsizer
