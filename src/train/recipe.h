#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/generation_options.h"
#include "core/task.h"
#include "metrics/metric.h"
#include "model/model_config.h"
#include "text/data_options.h"

namespace memsizer::train {

enum class OptimizerKind { Adam, Nag };
enum class ScheduleKind { InverseSqrt, Cosine, Polynomial, Constant };
enum class Precision { Fp32, Bf16, Fp16 };

}  // namespace memsizer::train

namespace memsizer {

template <>
std::span<const std::pair<train::OptimizerKind, std::string_view>> enum_names<train::OptimizerKind>();
template <>
std::span<const std::pair<train::ScheduleKind, std::string_view>> enum_names<train::ScheduleKind>();
template <>
std::span<const std::pair<train::Precision, std::string_view>> enum_names<train::Precision>();

}  // namespace memsizer

namespace memsizer::train {

struct TaskOptions {
  Task kind = Task::Translation;
  std::string name;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("kind", self.kind, "translation, summarization or language-model");
    visit("name", self.name, "name shown in reports");
  }
};

struct OptimizerOptions {
  OptimizerKind kind = OptimizerKind::Adam;
  double lr = 5e-4;
  double beta1 = 0.9;
  double beta2 = 0.98;
  double eps = 1e-8;
  double momentum = 0.99;
  double weight_decay = 0.0;
  double clip_norm = 0.0;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("kind", self.kind, "adam, or nag: Nesterov's accelerated gradient");
    visit("lr", self.lr, "learning rate: the peak, or the minimum of a cosine schedule");
    visit("beta1", self.beta1, "adam: decay of the gradient's mean");
    visit("beta2", self.beta2, "adam: decay of the gradient's square");
    visit("eps", self.eps, "adam: added to the root of the square's mean");
    visit("momentum", self.momentum, "nag: momentum");
    visit("weight_decay", self.weight_decay, "decoupled weight decay, on every parameter");
    visit("clip_norm", self.clip_norm, "largest L2 norm of the gradient; 0 clips nothing");
  }
};

struct ScheduleOptions {
  ScheduleKind kind = ScheduleKind::InverseSqrt;
  int64_t warmup = 4000;
  double initial_lr = 1e-7;
  double max_lr = 0.0;
  int64_t period = 0;
  double period_factor = 1.0;
  double shrink = 1.0;
  double end_lr = 0.0;
  double power = 1.0;
  int64_t total_updates = 0;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("kind", self.kind, "inverse-sqrt, cosine, polynomial or constant");
    visit("warmup", self.warmup, "updates of linear warm-up");
    visit("initial_lr", self.initial_lr, "learning rate at the start of the warm-up");
    visit("max_lr", self.max_lr, "cosine: the peak");
    visit("period", self.period, "cosine: updates of the first period; 0: all after the warm-up");
    visit("period_factor", self.period_factor, "cosine: each period is longer by this");
    visit("shrink", self.shrink, "cosine: minimum and peak shrink by this from period to period");
    visit("end_lr", self.end_lr, "polynomial: learning rate at the end");
    visit("power", self.power, "polynomial: 1 is a straight line");
    visit("total_updates", self.total_updates, "polynomial: updates to the end; 0: training.max_updates");
  }
};

struct TrainingOptions {
  int64_t max_updates = 10000;
  int64_t max_epochs = 0;
  double max_minutes = 0.0;
  int64_t max_tokens = 4096;
  int64_t update_tokens = 0;
  int64_t block_tokens = 512;
  double label_smoothing = 0.1;
  double ema_decay = 0.0;
  int64_t sort_window = 0;
  int64_t seed = 1;
  int64_t threads = 0;
  std::string device = "cpu";
  Precision precision = Precision::Fp32;
  int64_t log_every = 50;
  int64_t checkpoint_every = 500;
  double checkpoint_minutes = 0.0;
  int64_t keep_last = 5;
  int64_t average_last = 0;
  std::string init_from;
  int64_t init_fit_updates = 0;
  std::string teacher;
  double teacher_weight = 0.7;
  double teacher_temperature = 1.0;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("max_updates", self.max_updates, "updates to train for");
    visit("max_epochs", self.max_epochs, "passes over the data to train for at most; 0: no limit");
    visit("max_minutes", self.max_minutes, "minutes of training at most, resumptions added up; 0: no limit");
    visit("max_tokens", self.max_tokens, "padded tokens of the larger side of one batch");
    visit("update_tokens", self.update_tokens, "target tokens gathered for one update; 0: one batch");
    visit("block_tokens", self.block_tokens, "length of a language model's training sequences");
    visit("label_smoothing", self.label_smoothing, "share of the probability spread over all tokens");
    visit("ema_decay", self.ema_decay, "decay of a running average of the weights, then used; 0: none");
    visit("sort_window", self.sort_window, "examples sorted by length together; 0: the whole corpus");
    visit("seed", self.seed, "seed of weights, order and dropout");
    visit("threads", self.threads, "threads on the CPU; 0: all cores");
    visit("device", self.device, "cpu or cuda:N");
    visit("precision", self.precision, "fp32, or bf16 or fp16 arithmetic where the device has it");
    visit("log_every", self.log_every, "updates between lines of the log");
    visit("checkpoint_every", self.checkpoint_every, "updates between checkpoints");
    visit("checkpoint_minutes", self.checkpoint_minutes, "minutes between checkpoints; 0: by updates only");
    visit("keep_last", self.keep_last, "checkpoints kept, beside the best");
    visit("average_last", self.average_last,
          "the final model is the mean of this many last checkpoints; 0: the best");
    visit("init_from", self.init_from,
          "a trained model to start from: every tensor that fits is taken; empty: from scratch");
    visit("init_fit_updates", self.init_fit_updates,
          "updates that fit each new mixer to the one of init_from, before the training; 0: none");
    visit("teacher", self.teacher, "a trained model whose distributions are learned too; empty: none");
    visit("teacher_weight", self.teacher_weight, "share of the teacher in the loss");
    visit("teacher_temperature", self.teacher_temperature,
          "both sides' logits are divided by this before they are compared; above 1: softer");
  }
};

struct ValidationOptions {
  int64_t every = 500;
  metrics::Metric metric = metrics::Metric::Loss;
  metrics::BleuTokenizer tokenizer = metrics::BleuTokenizer::V13a;
  int64_t max_sentences = 0;
  int64_t beam = 1;
  int64_t samples = 3;
  int64_t patience = 0;
  int64_t window = 512;
  int64_t context = 256;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("every", self.every, "updates between validations");
    visit("metric", self.metric, "what chooses the best checkpoint: loss, bleu, chrf or rouge");
    visit("tokenizer", self.tokenizer, "tokenizer of BLEU: 13a, zh, none, char or intl");
    visit("max_sentences", self.max_sentences, "sentences generated for the metric; 0: all");
    visit("beam", self.beam, "beam of these; the test set at the end has generation.beam");
    visit("samples", self.samples, "outputs shown at each validation");
    visit("patience", self.patience, "stop after this many validations without a better one; 0: never");
    visit("window", self.window, "language models: tokens of an evaluation window");
    visit("context", self.context, "language models: tokens of it that are context only");
  }
};

// One experiment, from text to scores. A TOML file with a section for each member.
struct Recipe {
  TaskOptions task;
  text::DataOptions data;
  std::string preset = "small";  // model.preset: what the model's options start from
  ModelConfig model;
  OptimizerOptions optimizer;
  ScheduleOptions schedule;
  TrainingOptions training;
  ValidationOptions validation;
  GenerationOptions generation;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("task", self.task, "");
    visit("data", self.data, "");
    visit("model", self.model, "");
    visit("optimizer", self.optimizer, "");
    visit("schedule", self.schedule, "");
    visit("training", self.training, "");
    visit("validation", self.validation, "");
    visit("generation", self.generation, "");
  }

  bool is_language_model() const { return task.kind == Task::LanguageModel; }

  // Throws UserError naming the first option that does not fit. The model's vocabulary is not known yet and
  // is checked once the tokenizer is there.
  void validate() const;

  // The recipe with every option written out, as TOML; reading it back gives the same recipe.
  std::string to_toml() const;
};

// Reads a recipe, then applies `settings` ("key=value") in order. Anything that does not fit is a UserError
// with the file and line where it has one.
Recipe load_recipe(const std::filesystem::path& path, const std::vector<std::string>& settings);

// The same from text; `name` opens the messages.
Recipe parse_recipe(const std::string& toml, const std::string& name,
                    const std::vector<std::string>& settings);

}  // namespace memsizer::train
