#pragma once

#include <torch/torch.h>

#include <string>

#include "nn/modules.h"

namespace memsizer::nn {

// The four projections of multi-head attention, which the softmax and kernel mechanisms share.
class Projections {
 public:
  // Registers q_proj, k_proj, v_proj and out_proj in `owner`, their names after the prefix.
  Projections(torch::nn::Module& owner, int64_t dim, int64_t heads, bool input_biases = true,
              const std::string& prefix = "");

  // [time, batch, dim] -> [time, batch, heads, head_dim]
  at::Tensor query(const at::Tensor& x) const { return split(q->forward(x)); }
  at::Tensor key(const at::Tensor& x) const { return split(k->forward(x)); }
  at::Tensor value(const at::Tensor& x) const { return split(v->forward(x)); }

  // [time, batch, heads, head_dim] (or any shape of that size) -> [time, batch, dim]
  at::Tensor output(const at::Tensor& x, int64_t time, int64_t batch) const;

  // fairseq's: q, k, v Xavier with gain 1/sqrt(2) and default biases, out Xavier with zero bias.
  void initialise(at::Generator& generator);

  // Every weight Xavier with this gain, out's bias zero.
  void initialise(double gain, at::Generator& generator);

  Linear q{nullptr};
  Linear k{nullptr};
  Linear v{nullptr};
  Linear out{nullptr};

 private:
  at::Tensor split(const at::Tensor& x) const;

  int64_t heads_;
};

}  // namespace memsizer::nn
