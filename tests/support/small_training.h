#pragma once

#include <torch/torch.h>

#include <algorithm>
#include <vector>

#include "mechanisms/memsizer/description.h"
#include "model/presets.h"
#include "nn/tensor_io.h"
#include "train/learner.h"

// The smallest training that shows something: a recipe, its learner, batches of random tokens.
namespace memsizer::testing {

inline train::Recipe small_recipe() {
  train::Recipe recipe;
  recipe.model = preset_config("tiny");
  recipe.model.dim = 16;
  recipe.model.vocab = 20;
  recipe.model.encoder.heads = recipe.model.decoder.heads = 2;
  recipe.model.encoder.ffn = recipe.model.decoder.ffn = 24;
  recipe.model.dropout = 0.0;
  recipe.model.options<MemsizerOptions>().slots = {.causal = 3, .cross = 4, .encoder = 4};
  recipe.optimizer.clip_norm = 1.0;
  return recipe;
}

inline train::Learner learner_of(const train::Recipe& recipe, train::Group& group) {
  at::set_num_threads(1);  // tensors this small only wait for a second thread
  ModelDescription description;
  description.config = recipe.model;
  return {recipe, std::move(description), at::kCPU, group};
}

inline train::TokenBatch random_batch(int64_t rows, uint64_t seed) {
  const auto generator = at::detail::createCPUGenerator(seed);
  const auto tokens = [&](int64_t length) {
    return at::randint(kUnk + 1, 20, {rows, length}, generator, at::TensorOptions(at::kLong));
  };
  train::TokenBatch batch{tokens(5), tokens(6), tokens(6), rows * 6};
  // Targets of different lengths, so that batches differ in what they count.
  batch.targets[0].slice(0, 4).fill_(kPad);
  batch.target_tokens -= 2;
  return batch;
}

inline std::vector<at::Tensor> weights_of(train::Learner& learner) {
  std::vector<at::Tensor> weights;
  for (const auto& [name, tensor] : nn::named_tensors(learner.model().module()))
    weights.push_back(tensor.detach().clone());
  return weights;
}

inline bool equal(const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(),
                    [](const at::Tensor& x, const at::Tensor& y) { return x.equal(y); });
}

}  // namespace memsizer::testing
