#include <cstdint>
#include <mutex>
#include <new>
#include <utility>

#include "core/error.h"
#include "core/safetensors.h"
#include "engine/line_pipeline.h"
#include "engine/text_stream.h"
#include "engine/work_pool.h"
#include "kernels/thread_count.h"
#include "memsizer/memsizer.hpp"
#include "runtime/saved_state.h"

namespace memsizer {
namespace {

// Inside, a user's mistake is a UserError; outside, there is one type to catch.
template <typename Call>
decltype(auto) translated(const Call& call) {
  try {
    return call();
  } catch (const UserError& error) {
    throw Error(printable_name(error.what(), SIZE_MAX));
  } catch (const std::bad_alloc&) {
    throw Error("not enough memory; end other programs, raise the limit, or ask for less");
  }
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
  Inside(const std::string& path, const LoadOptions& options)
      : threads(kernels::thread_count(options.threads, options.workers)),
        generator_options{.threads = options.threads,
                          .workers = options.workers,
                          .batch_tokens = options.batch_tokens,
                          .batch_rows = options.batch_rows},
        model(engine::TextModel::load(path)),
        sessions(threads) {
    generator_options.validate();
  }

  // Its threads start with the first call: sessions alone need none of them.
  engine::Generator& generator() {
    const std::scoped_lock lock(starting);
    if (!started) started = std::make_unique<engine::Generator>(*model, generator_options);
    return *started;
  }

  int threads;
  engine::GeneratorOptions generator_options;
  std::unique_ptr<engine::TextModel> model;
  engine::WorkPool sessions;
  std::mutex starting;
  std::unique_ptr<engine::Generator> started;
};

Model::Model(const std::string& path, const LoadOptions& options)
    : inside_(translated([&] { return std::make_shared<Inside>(path, options); })) {}

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

GenerationOptions Model::default_options() const {
  return engine::default_options(inside_->model->description());
}

std::vector<Result> Model::generate(std::span<const std::string> lines,
                                    const GenerationOptions& options) const {
  return translated([&] {
    std::vector<Result> results;
    for (engine::Result& result : engine::generate_lines(inside_->generator(), lines, options))
      results.push_back(result_of(std::move(result)));
    return results;
  });
}

void Model::stream(std::string_view line, const GenerationOptions& options,
                   const std::function<bool(std::string_view piece)>& on_text) const {
  translated([&] {
    engine::Request request;
    request.input = std::string(line);
    request.options = options;
    request.options.sample = true;
    engine::stream_text(inside_->generator(), std::move(request), on_text);
  });
}

struct Session::Inside {
  std::shared_ptr<Model::Inside> model;
  runtime::DecoderState state;
  std::vector<float> scores;
  bool lost = false;  // memory failed in the middle of a step

  void require_state() const {
    if (lost)
      throw UserError("the session was lost when memory ran out; start it again, or load a saved one");
  }
};

Session Model::start(std::string_view source) const {
  return translated([&] {
    auto session = std::make_unique<Session::Inside>();
    session->model = inside_;
    const runtime::Model& model = inside_->model->model();
    if (is_language_model()) {
      if (!source.empty())
        throw UserError("a language model has no source; read the prompt's tokens instead");
      session->state = model.start(1);
    } else {
      const std::vector<int32_t> tokens = inside_->model->encode(source);
      const std::vector<int64_t> offsets = {0, static_cast<int64_t>(tokens.size())};
      session->state = model.start(*inside_->sessions.borrow(), runtime::Ragged{offsets}, tokens);
    }
    return Session(std::move(session));
  });
}

Session Model::load_session(std::span<const std::byte> bytes) const {
  return translated([&] {
    auto session = std::make_unique<Session::Inside>();
    session->model = inside_;
    runtime::SavedRow row = runtime::load_row(inside_->model->model(), bytes, "the saved state");
    session->state = std::move(row.state);
    Session loaded(std::move(session));
    if (row.next) loaded.read({*row.next});
    return loaded;
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
    const std::vector<int64_t> offsets = {0, static_cast<int64_t>(tokens.size())};
    // The scores stay what they were if this fails.
    std::vector<float> scores(static_cast<size_t>(model.vocab()));
    engine::WorkPool::Loan work = inside_->model->sessions.borrow();
    inside_->require_state();
    try {
      model.advance(*work, runtime::Ragged{offsets}, tokens, inside_->state,
                    runtime::Model::Scores::LastToken, scores.data());
    } catch (const std::bad_alloc&) {
      inside_->lost = true;
      throw;
    }
    inside_->scores = std::move(scores);
  });
}

std::vector<std::byte> Session::save() const {
  return translated([&] {
    inside_->require_state();
    return runtime::save_state(inside_->model->model->model(), inside_->state, 0);
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
