#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/safetensors.h"
#include "kernels/packed_matrix.h"
#include "model/model_config.h"

namespace memsizer::runtime {

// Where a model's weights come from.
class TensorSource {
 public:
  virtual ~TensorSource() = default;

  virtual bool contains(const std::string& name) const = 0;
  virtual std::vector<int64_t> shape(const std::string& name) const = 0;
  virtual WeightType type(const std::string& name) const = 0;

  // Where the matrices made of it are kept.
  const std::shared_ptr<kernels::Arena>& arena() const { return arena_; }

  // All numbers of a tensor.
  virtual std::vector<float> floats(const std::string& name) const = 0;

  // Copies a matrix's rows into `matrix` from its row `first` on.
  virtual void pack(const std::string& name, kernels::PackedMatrix& matrix, int64_t first) const = 0;

 private:
  std::shared_ptr<kernels::Arena> arena_ = std::make_shared<kernels::Arena>();
};

// The tensors of a model file, which must outlive the source; `prefix` stands before each name in the file.
std::unique_ptr<TensorSource> file_source(const SafetensorsFile& file, const std::string& prefix = "");

// Random weights of a configuration, for measurements. Matrices say they are of `type`.
std::unique_ptr<TensorSource> random_source(const ModelConfig& config, WeightType type, uint64_t seed);

// A place in the hierarchy of tensor names: "decoder.layers.3.".
class Weights {
 public:
  Weights(const TensorSource& source, std::string prefix) : source_(source), prefix_(std::move(prefix)) {}

  Weights in(const std::string& name) const { return {source_, prefix_ + name + "."}; }

  bool contains(const std::string& name) const { return source_.contains(prefix_ + name); }
  std::vector<int64_t> shape(const std::string& name) const { return source_.shape(prefix_ + name); }

  std::vector<float> floats(const std::string& name) const { return source_.floats(prefix_ + name); }
  // Empty if it is not there.
  std::vector<float> floats_if_any(const std::string& name) const {
    return contains(name) ? floats(name) : std::vector<float>();
  }

  // The matrices stacked into one: a product with it is one pass over the input.
  kernels::PackedMatrix matrix(std::span<const std::string> names) const;

 private:
  const TensorSource& source_;
  std::string prefix_;
};

}  // namespace memsizer::runtime
