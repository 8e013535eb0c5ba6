#include "train/optimizer.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "support/golden.h"
#include "support/messages.h"
#include "train/schedule.h"

namespace memsizer::train {
namespace {

using at::Tensor;
using memsizer::testing::golden_directory;
using memsizer::testing::has_text;
using memsizer::testing::message_of;
using nlohmann::json;

json fixture() {
  std::ifstream file(golden_directory() / "optim.json");
  return json::parse(file);
}

Tensor parameter_of(const json& values) {
  return at::tensor(values.get<std::vector<float>>()).requires_grad_(true);
}

void set_gradient(const Tensor& parameter, const Tensor& gradient) {
  parameter.mutable_grad() = gradient.clone();
}

OptimizerOptions options_of(const json& one) {
  const json& config = one.at("config");
  OptimizerOptions options;
  options.weight_decay = config.at("weight_decay").get<double>();
  if (one.at("kind") == "nag") {
    options.kind = OptimizerKind::Nag;
    options.momentum = config.at("momentum").get<double>();
    return options;
  }
  EXPECT_EQ(one.at("kind"), "adam");
  options.beta1 = config.at("betas")[0].get<double>();
  options.beta2 = config.at("betas")[1].get<double>();
  options.eps = config.at("eps").get<double>();
  return options;
}

TEST(Optimizer, FollowsTheReferenceStepByStep) {
  const json cases = fixture().at("optimizers");
  ASSERT_GE(cases.size(), 1U);
  for (const json& one : cases) {
    const Tensor parameter = parameter_of(one.at("init"));
    Optimizer optimizer({{"p", parameter}}, options_of(one));
    for (size_t t = 0; t < one.at("lrs").size(); ++t) {
      const Tensor gradient = at::tensor(one.at("grads")[t].get<std::vector<float>>());
      set_gradient(parameter, gradient);
      optimizer.step(one.at("lrs")[t].get<double>(), 1.0, 0.0);
      const Tensor expected = at::tensor(one.at("params_after_each_step")[t].get<std::vector<float>>());
      const double error = (parameter.detach() - expected).abs().max().item<double>();
      EXPECT_LE(error, 2e-6 * std::max(1.0, expected.abs().max().item<double>()))
          << one.at("kind") << " " << one.at("config") << " step " << t;
    }
  }
}

// The vectorised loops against LibTorch's operations, which take every parameter they cannot.
TEST(Optimizer, LoopsAgreeWithTensorOperations) {
  for (const OptimizerKind kind : {OptimizerKind::Adam, OptimizerKind::Nag}) {
    OptimizerOptions options;
    options.kind = kind;
    options.weight_decay = 0.01;
    options.clip_norm = 0.5;
    const Tensor start = at::randn({301, 173});
    const Tensor fast = start.clone().requires_grad_(true);
    const Tensor exact = start.to(at::kDouble).requires_grad_(true);
    Optimizer fast_optimizer({{"p", fast}}, options);
    Optimizer exact_optimizer({{"p", exact}}, options);
    for (int t = 0; t < 5; ++t) {
      const Tensor gradient = at::randn({301, 173});
      set_gradient(fast, gradient);
      set_gradient(exact, gradient.to(at::kDouble));
      const double rate = 1e-3 * (t + 1);
      fast_optimizer.step(rate, 0.1, fast_optimizer.gradient_norm(0.1));
      exact_optimizer.step(rate, 0.1, exact_optimizer.gradient_norm(0.1));
    }
    EXPECT_LE((fast.to(at::kDouble) - exact).abs().max().item<double>(), 2e-6);
  }
}

TEST(Optimizer, ClipsAsTheReference) {
  const json cases = fixture().at("clip");
  ASSERT_GE(cases.size(), 1U);
  for (const json& one : cases) {
    const auto tensor = [](const json& values) {
      std::vector<float> flat;
      for (const json& item : values.flatten()) flat.push_back(item.get<float>());
      return at::tensor(flat);
    };
    // Momentum 0, no decay: one step moves a parameter by exactly the clipped gradient.
    OptimizerOptions options;
    options.kind = OptimizerKind::Nag;
    options.momentum = 0.0;
    options.clip_norm = one.at("max_norm").get<double>();
    NamedParameters parameters;
    for (const json& gradient : one.at("grads")) {
      const Tensor values = tensor(gradient);
      const Tensor parameter = at::zeros_like(values).requires_grad_(true);
      set_gradient(parameter, values);
      parameters.emplace_back(std::to_string(parameters.size()), parameter);
    }
    parameters.emplace_back("without gradient", at::ones({3}).requires_grad_(true));
    Optimizer optimizer(parameters, options);
    const double norm = optimizer.gradient_norm(1.0);
    EXPECT_NEAR(norm, one.at("total_norm").get<double>(), 1e-6);
    optimizer.step(1.0, 1.0, norm);
    for (size_t i = 0; i < one.at("clipped").size(); ++i) {
      const Tensor moved = -parameters[i].second.detach();
      EXPECT_LE((moved - tensor(one.at("clipped")[i])).abs().max().item<double>(), 1e-7);
    }
    EXPECT_TRUE(parameters.back().second.equal(at::ones({3})));
  }
}

TEST(Optimizer, GoesOnFromItsState) {
  for (const OptimizerKind kind : {OptimizerKind::Adam, OptimizerKind::Nag}) {
    OptimizerOptions options;
    options.kind = kind;
    const Tensor a = at::ones({7}).requires_grad_(true);
    Optimizer first({{"p", a}}, options);
    const auto step = [](Optimizer& optimizer, const Tensor& p, int t) {
      set_gradient(p, at::full({7}, 0.3 * t));
      optimizer.step(1e-2 / t, 1.0, 0.0);
    };
    for (int t = 1; t < 4; ++t) step(first, a, t);
    const Tensor b = a.detach().clone().requires_grad_(true);
    Optimizer second({{"p", b}}, options);
    second.load(first.state());
    for (int t = 4; t < 8; ++t) {
      step(first, a, t);
      step(second, b, t);
      EXPECT_TRUE(a.equal(b));
    }
    Optimizer other({{"q", at::ones({7}).requires_grad_(true)}}, options);
    EXPECT_TRUE(has_text(message_of([&] { other.load(first.state()); }), "another model"));
  }
}

TEST(Schedule, FollowsTheReference) {
  const json cases = fixture().at("schedules");
  ASSERT_GE(cases.size(), 1U);
  for (const json& one : cases) {
    const json& config = one.contains("config") ? one.at("config") : one;
    ScheduleOptions schedule;
    OptimizerOptions optimizer;
    const json& rate = config.at("lr");
    optimizer.lr = rate.is_array() ? rate[0].get<double>() : rate.get<double>();
    schedule.warmup = config.at("warmup_updates").get<int64_t>();
    const std::string kind = one.at("kind");
    if (kind == "inverse_sqrt") {
      schedule.kind = ScheduleKind::InverseSqrt;
      schedule.initial_lr = config.at("warmup_init_lr").get<double>();
    } else if (kind == "cosine") {
      schedule.kind = ScheduleKind::Cosine;
      schedule.initial_lr = config.at("warmup_init_lr").get<double>();
      schedule.max_lr = config.at("max_lr").get<double>();
      schedule.period = config.at("lr_period_updates").get<int64_t>();
      schedule.period_factor = config.at("t_mult").get<double>();
      schedule.shrink = config.at("lr_shrink").get<double>();
    } else {
      ASSERT_EQ(kind, "polynomial_decay");
      schedule.kind = ScheduleKind::Polynomial;
      schedule.end_lr = config.at("end_learning_rate").get<double>();
      schedule.power = config.at("power").get<double>();
      schedule.total_updates = config.at("total_num_update").get<int64_t>();
    }
    for (const json& value : one.at("values")) {
      const double expected = value[1].get<double>();
      EXPECT_NEAR(learning_rate(schedule, optimizer, value[0].get<int64_t>()), expected,
                  1e-9 * std::max(expected, 1e-3))
          << kind << " at " << value[0];
    }
  }
}

TEST(Schedule, ConstantWarmsUpAndStays) {
  ScheduleOptions schedule;
  schedule.kind = ScheduleKind::Constant;
  schedule.warmup = 10;
  schedule.initial_lr = 0.0;
  OptimizerOptions optimizer;
  optimizer.lr = 1.0;
  EXPECT_DOUBLE_EQ(learning_rate(schedule, optimizer, 5), 0.5);
  EXPECT_DOUBLE_EQ(learning_rate(schedule, optimizer, 10), 1.0);
  EXPECT_DOUBLE_EQ(learning_rate(schedule, optimizer, 99999), 1.0);
}

}  // namespace
}  // namespace memsizer::train
