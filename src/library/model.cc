#include <mutex>
#include <utility>

#include "core/error.h"
#include "engine/line_pipeline.h"
#include "engine/text_stream.h"
#include "memsizer/memsizer.hpp"

namespace memsizer {
namespace {

// Inside, a user's mistake is a UserError; outside, there is one type to catch.
template <typename Call>
decltype(auto) translated(const Call& call) {
  try {
    return call();
  } catch (const UserError& error) {
    throw Error(error.what());
  }
}

engine::GenerationSettings settings_of(const Options& options) {
  engine::GenerationSettings settings;
  settings.sample = options.sample;
  settings.max_source_tokens = options.max_source_tokens;
  settings.search.beam = options.beam;
  settings.search.n_best = options.n_best;
  settings.search.length_penalty = options.length_penalty;
  settings.sampling.temperature = options.temperature;
  settings.sampling.top_k = options.top_k;
  settings.sampling.top_p = options.top_p;
  settings.sampling.repetition_penalty = options.repetition_penalty;
  settings.sampling.seed = options.seed;
  const auto common = [&](auto& of) {
    of.max_length_ratio = options.max_length_ratio;
    of.max_length = options.max_length;
    of.min_length = options.min_length;
    of.no_repeat_ngram = options.no_repeat_ngram;
  };
  common(settings.search);
  common(settings.sampling);
  return settings;
}

Options options_of(const engine::GenerationSettings& settings) {
  Options options;
  options.sample = settings.sample;
  options.beam = settings.search.beam;
  options.length_penalty = settings.search.length_penalty;
  options.max_length_ratio = settings.search.max_length_ratio;
  options.max_length = settings.search.max_length;
  options.min_length = settings.search.min_length;
  options.no_repeat_ngram = settings.search.no_repeat_ngram;
  options.max_source_tokens = settings.max_source_tokens;
  return options;
}

Result result_of(engine::Result&& from) {
  Result result;
  result.source_tokens = from.source_tokens;
  for (engine::Output& output : from.outputs) {
    result.outputs.push_back(
        {std::move(output.text), output.score, std::move(output.tokens), std::move(output.token_scores)});
  }
  return result;
}

}  // namespace

struct Model::Inside {
  std::unique_ptr<engine::TextModel> model;
  LoadOptions options;

  int threads() const {
    return options.threads > 0 ? options.threads
                               : std::max(1, kernels::physical_cores() / std::max(1, options.workers));
  }
};

Model::Model(const std::string& path, const LoadOptions& options) : inside_(std::make_shared<Inside>()) {
  translated([&] { inside_->model = engine::TextModel::load(path); });
  inside_->options = options;
}

Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&&) noexcept = default;
Model::~Model() = default;

bool Model::is_language_model() const {
  return inside_->model->is_language_model();
}

int64_t Model::vocab() const {
  return inside_->model->model().vocab();
}

std::vector<int32_t> Model::encode(std::string_view text) const {
  return translated([&] { return inside_->model->encode(text); });
}

std::string Model::decode(std::span<const int32_t> tokens) const {
  return translated([&] { return inside_->model->decode(tokens); });
}

Options Model::default_options() const {
  return translated(
      [&] { return options_of(engine::GenerationSettings::of(inside_->model->description())); });
}

std::vector<Result> Model::generate(std::span<const std::string> lines, const Options& options) const {
  return translated([&] {
    engine::PipelineSettings settings;
    settings.generation = settings_of(options);
    settings.threads = inside_->options.threads;
    settings.workers = inside_->options.workers;
    settings.batch_tokens = options.batch_tokens;
    engine::LinePipeline pipeline(*inside_->model, settings);
    std::vector<Result> results;
    for (engine::Result& result : pipeline.generate(lines)) results.push_back(result_of(std::move(result)));
    return results;
  });
}

void Model::stream(std::string_view line, const Options& options,
                   const std::function<bool(std::string_view piece)>& on_text) const {
  translated([&] {
    engine::GenerationSettings settings = settings_of(options);
    settings.validate();
    runtime::Work work(inside_->threads());
    engine::stream_text(*inside_->model, work, settings, line, 0, on_text);
  });
}

struct Session::Inside {
  std::shared_ptr<Model::Inside> model;
  // Threads are shared by a session and its forks, which one thread uses.
  std::shared_ptr<runtime::Work> work;
  runtime::DecoderState state;
  std::vector<float> scores;
};

Session Model::start(std::string_view source) const {
  return translated([&] {
    auto session = std::make_unique<Session::Inside>();
    session->model = inside_;
    session->work = std::make_shared<runtime::Work>(inside_->threads());
    const runtime::Model& model = inside_->model->model();
    if (is_language_model()) {
      if (!source.empty())
        throw UserError("a language model has no source; read the prompt's tokens instead");
      session->state = model.start(1);
    } else {
      const std::vector<int32_t> tokens = inside_->model->encode(source);
      const std::vector<int64_t> offsets = {0, static_cast<int64_t>(tokens.size())};
      session->state = model.start(*session->work, runtime::Ragged{offsets}, tokens);
    }
    return Session(std::move(session));
  });
}

Session::Session(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}
Session::Session(const Session& other) : inside_(std::make_unique<Inside>(*other.inside_)) {}
Session& Session::operator=(const Session& other) {
  if (this != &other) inside_ = std::make_unique<Inside>(*other.inside_);
  return *this;
}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

void Session::read(std::span<const int32_t> tokens) {
  if (tokens.empty()) return;
  translated([&] {
    const runtime::Model& model = inside_->model->model->model();
    inside_->scores.resize(static_cast<size_t>(model.vocab()));
    const std::vector<int64_t> offsets = {0, static_cast<int64_t>(tokens.size())};
    model.advance(*inside_->work, runtime::Ragged{offsets}, tokens, inside_->state,
                  runtime::Model::Scores::LastToken, inside_->scores.data());
  });
}

std::span<const float> Session::scores() const {
  return inside_->scores;
}

int64_t Session::tokens_read() const {
  return inside_->state.seen().front();
}

size_t Session::state_bytes() const {
  return inside_->state.bytes() + inside_->state.source_bytes();
}

}  // namespace memsizer
