#include "nn/linear_attention.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "support/gradients.h"

namespace memsizer::nn {
namespace {

using at::Tensor;
using testing::gradcheck_error;
using testing::largest_difference;

using Form = std::function<LinearAttentionOutput(const LinearAttentionInput&)>;

struct NamedForm {
  std::string name;
  Form form;
};

std::vector<NamedForm> forms() {
  std::vector<NamedForm> list = {{"parallel", linear_attention_parallel},
                                 {"recurrent", linear_attention_recurrent},
                                 {"dispatched", linear_attention}};
  for (const int64_t chunk : {1, 7, 16, 64}) {
    list.push_back({"chunkwise " + std::to_string(chunk),
                    [chunk](const auto& input) { return linear_attention_chunkwise(input, chunk); }});
    list.push_back({"blocks " + std::to_string(chunk),
                    [chunk](const auto& input) { return linear_attention_blocks(input, chunk); }});
  }
  return list;
}

struct Shape {
  int64_t time;
  int64_t groups = 3;
  int64_t slots = 5;
  int64_t dim = 11;
};

struct Setting {
  bool with_norm;
  bool with_initial;
  bool with_state;
  bool decays;
};

LinearAttentionInput make_input(const Shape& shape, const Setting& setting, at::ScalarType type) {
  const auto generator = at::detail::createCPUGenerator(shape.time);
  const auto random = [&](at::IntArrayRef sizes) {
    return at::randn(sizes, generator, at::TensorOptions(at::kDouble)).to(type).requires_grad_();
  };
  LinearAttentionInput input;
  input.queries = random({shape.time, shape.groups, shape.slots});
  input.keys = random({shape.time, shape.groups, shape.slots});
  input.values = random({shape.time, shape.groups, shape.dim});
  if (setting.with_initial) input.memory = random({shape.groups, shape.slots, shape.dim});
  if (setting.with_initial && setting.with_norm) input.normaliser = random({shape.groups, shape.slots});
  if (setting.decays) {
    // From nearly none to nearly all forgotten at once.
    const Tensor logits = random({shape.time, shape.groups}).detach() * 4.0;
    input.log_decay = at::log_sigmoid(logits).requires_grad_();
  }
  input.with_norm = setting.with_norm;
  input.with_state = setting.with_state;
  return input;
}

std::vector<Tensor> leaves(const LinearAttentionInput& input) {
  std::vector<Tensor> list;
  for (const Tensor& tensor :
       {input.queries, input.keys, input.values, input.memory, input.normaliser, input.log_decay}) {
    if (tensor.defined()) list.push_back(tensor);
  }
  return list;
}

std::vector<Tensor> results(const LinearAttentionOutput& output) {
  std::vector<Tensor> list;
  for (const Tensor& tensor : {output.out, output.norm, output.memory, output.normaliser}) {
    if (tensor.defined()) list.push_back(tensor);
  }
  return list;
}

// A fixed weighted sum of everything a form returns, so that every output sends a gradient back.
Tensor weighted_sum(const std::vector<Tensor>& outputs) {
  const auto generator = at::detail::createCPUGenerator(99);
  Tensor sum = at::zeros({}, outputs[0].options().requires_grad(false));
  for (const Tensor& output : outputs) {
    sum =
        sum + (output *
               at::randn(output.sizes(), generator, at::TensorOptions(at::kDouble)).to(output.scalar_type()))
                  .sum();
  }
  return sum;
}

struct Answer {
  std::vector<Tensor> outputs;
  std::vector<Tensor> gradients;
};

Answer answer(const Form& form, const LinearAttentionInput& input) {
  const std::vector<Tensor> outputs = results(form(input));
  return {outputs, torch::autograd::grad({weighted_sum(outputs)}, leaves(input))};
}

class FormsAgree : public ::testing::TestWithParam<std::tuple<int64_t, int>> {};

TEST_P(FormsAgree, InOutputsStatesAndGradients) {
  const auto [time, bits] = GetParam();
  const Setting setting{.with_norm = (bits & 1) != 0,
                        .with_initial = (bits & 2) != 0,
                        .with_state = (bits & 4) != 0,
                        .decays = (bits & 8) != 0};
  for (const auto& [type, tolerance] : {std::pair{at::kDouble, 1e-10}, std::pair{at::kFloat, 1e-5}}) {
    // The exact answer: the plain form in double, on the very numbers that the form under test gets.
    LinearAttentionInput input = make_input({.time = time}, setting, type);
    LinearAttentionInput exact = input;
    for (Tensor* tensor :
         {&exact.queries, &exact.keys, &exact.values, &exact.memory, &exact.normaliser, &exact.log_decay}) {
      if (tensor->defined()) *tensor = tensor->detach().to(at::kDouble).requires_grad_();
    }
    const Answer expected = answer(linear_attention_parallel, exact);
    for (const auto& [name, form] : forms()) {
      const Answer actual = answer(form, input);
      EXPECT_LE(largest_difference(actual.outputs, expected.outputs), tolerance) << name << ", outputs";
      // The first decay of an empty state has no effect, so its gradient has no scale of its own.
      const auto difference = setting.decays ? testing::gradient_difference : largest_difference;
      EXPECT_LE(difference(actual.gradients, expected.gradients), tolerance) << name << ", gradients";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Lengths, FormsAgree,
                         ::testing::Combine(::testing::Values(1, 2, 63, 64, 65, 257),
                                            ::testing::Range(0, 16)));

TEST(Chunkwise, GradientIsTheDerivative) {
  for (const Shape shape : {Shape{7, 2, 3, 4}, Shape{9, 1, 4, 5}, Shape{8, 2, 2, 3}, Shape{5, 1, 3, 2}}) {
    for (const int64_t chunk : {1, 3, 4, 8}) {
      const LinearAttentionInput input = make_input(shape, {true, true, true, true}, at::kDouble);
      const auto function = [&](const std::vector<Tensor>& x) {
        LinearAttentionInput moved = input;
        moved.queries = x[0];
        moved.keys = x[1];
        moved.values = x[2];
        moved.memory = x[3];
        moved.normaliser = x[4];
        moved.log_decay = x[5];
        return weighted_sum(results(linear_attention_chunkwise(moved, chunk)));
      };
      EXPECT_LE(gradcheck_error(function, leaves(input)), 1e-7)
          << "time " << shape.time << ", chunk " << chunk;
    }
  }
}

TEST(Chunkwise, OutputsThatNobodyUsesNeedNoGradient) {
  const LinearAttentionInput input = make_input({.time = 9}, {true, true, true, true}, at::kDouble);
  const auto only_state = [&](const Form& form) {
    return torch::autograd::grad({form(input).memory.square().sum()},
                                 {input.keys, input.values, input.memory, input.log_decay});
  };
  EXPECT_LE(largest_difference(only_state([](const auto& in) { return linear_attention_chunkwise(in, 4); }),
                               only_state(linear_attention_parallel)),
            1e-10);
}

TEST(Chunkwise, TakesStridedInputs) {
  LinearAttentionInput input = make_input({.time = 10}, {false, false, true, false}, at::kDouble);
  const Tensor expected = linear_attention_parallel(input).out;
  input.values = input.values.transpose(0, 1).contiguous().transpose(0, 1);
  EXPECT_LE(largest_difference({linear_attention_chunkwise(input, 4).out}, {expected}), 1e-12);
}

TEST(Chunkwise, HalfPrecisionAccumulatesInFloat) {
  LinearAttentionInput input = make_input({.time = 300}, {true, false, true, false}, at::kFloat);
  const auto rounded = [](const Tensor& x) { return x.detach().to(at::kBFloat16); };
  LinearAttentionInput half = input;
  half.queries = rounded(input.queries);
  half.keys = rounded(input.keys);
  half.values = rounded(input.values);
  LinearAttentionInput exact = half;
  exact.queries = half.queries.to(at::kDouble);
  exact.keys = half.keys.to(at::kDouble);
  exact.values = half.values.to(at::kDouble);
  const LinearAttentionOutput actual = linear_attention(half);
  EXPECT_EQ(actual.memory.scalar_type(), at::kFloat);
  EXPECT_LE(largest_difference({actual.memory}, {linear_attention_parallel(exact).memory}), 1e-5);
}

TEST(Chunkwise, ContinuesFromItsOwnState) {
  const LinearAttentionInput whole = make_input({.time = 130}, {true, false, true, true}, at::kDouble);
  const LinearAttentionOutput expected = linear_attention_chunkwise(whole, 64);
  LinearAttentionInput part = whole;
  std::vector<Tensor> out;
  int64_t begin = 0;
  for (const int64_t end : {1, 50, 130}) {
    part.queries = whole.queries.slice(0, begin, end);
    part.keys = whole.keys.slice(0, begin, end);
    part.values = whole.values.slice(0, begin, end);
    part.log_decay = whole.log_decay.slice(0, begin, end);
    const LinearAttentionOutput output = linear_attention_chunkwise(part, 16);
    out.push_back(output.out);
    part.memory = output.memory;
    part.normaliser = output.normaliser;
    begin = end;
  }
  EXPECT_LE(largest_difference({at::cat(out), part.memory}, {expected.out, expected.memory}), 1e-10);
}

}  // namespace
}  // namespace memsizer::nn
