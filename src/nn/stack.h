#pragma once

#include <torch/torch.h>

#include <memory>
#include <vector>

#include "model/model_config.h"
#include "nn/layer.h"
#include "nn/modules.h"
#include "nn/positions.h"

namespace memsizer::nn {

// What encoder and decoder share: what happens between token embeddings and the first layer, the layers, and
// the norm after the last one. The owner looks tokens up, since it knows which embeddings are shared.
class StackImpl : public torch::nn::Module {
 public:
  StackImpl(const ModelConfig& config, const std::vector<std::shared_ptr<LayerImpl>>& layers,
            double layer_drop, bool final_norm);

  // Embeddings [batch, time, dim] of tokens [batch, time] -> layer input [time, batch, dim]: scale,
  // positions, norm, dropout.
  at::Tensor enter(const at::Tensor& embedded, const at::Tensor& tokens, const at::Tensor& seen,
                   const Pass& pass);

  // Through the layers, skipping some if LayerDrop says so.
  at::Tensor forward(const at::Tensor& x, const at::Tensor& padding, const at::Tensor& source,
                     const at::Tensor& source_padding, const Pass& pass);

  at::Tensor leave(const at::Tensor& x) const { return final_norm_ ? final_norm_->forward(x) : x; }

  const std::vector<std::shared_ptr<LayerImpl>>& layers() const { return layers_; }

  void initialise(at::Generator& generator);
  void redraw(at::Generator& generator);

 private:
  std::vector<std::shared_ptr<LayerImpl>> layers_;
  Positions positions_{nullptr};
  LayerNorm embedding_norm_{nullptr};
  LayerNorm final_norm_{nullptr};
  double embedding_scale_;
  double dropout_;
  double layer_drop_;
};

}  // namespace memsizer::nn
