#include "quadratic_memsizer.h"

#include "nn/tensor_io.h"

namespace memsizer::bench {

using at::Tensor;

Tensor quadratic_memsizer(const nn::Mixer& mixer, const Tensor& x) {
  const auto weights = nn::named_tensors(mixer);
  const auto linear = [&](const std::string& name) {
    return at::linear(x, weights.at(name + ".weight"), weights.at(name + ".bias"));
  };
  const auto normalised = [&](const std::string& projection, const std::string& norm) {
    const Tensor& weight = weights.at(norm + ".weight");
    return at::layer_norm(linear(projection), {weight.size(0)}, weight, weights.at(norm + ".bias"));
  };
  const int64_t time = x.size(0);
  const int64_t batch = x.size(1);
  const Tensor l = normalised("k_proj", "k_layer_norm");
  const Tensor v = normalised("v_proj", "v_layer_norm");
  const Tensor a = linear("q_proj").view({time, batch, -1, l.size(2)}).softmax(-1).mean(2);

  // Contracted as the published code contracts them, einsum by einsum.
  const Tensor outer = at::einsum("sbk,sbd->sbkd", {l, v});
  const Tensor scale = at::arange(1, time + 1, x.options().requires_grad(false)).rsqrt().unsqueeze(1);
  const Tensor mask = at::ones({time, time}, scale.options()).tril() * scale;
  const Tensor sums = at::einsum("ts,sbkd->tbkd", {mask, outer});
  return at::einsum("tbk,tbkd->tbd", {a, sums});
}

}  // namespace memsizer::bench
