#include "engine/generator.h"

#include <algorithm>
#include <numeric>

#include "core/error.h"
#include "engine/work_pool.h"
#include "kernels/thread_count.h"
#include "model/shortlist.h"
#include "text/white_space.h"

namespace memsizer::engine {
namespace {

void require_vocabulary(std::span<const int32_t> tokens, int64_t vocab) {
  for (const int32_t token : tokens) {
    if (token >= 0 && token < vocab) continue;
    throw UserError("token {} is outside of the vocabulary; tokens are 0 to {}", token, vocab - 1);
  }
}

// Tokens to read, and how many there were before any truncation.
void read_source(const TextModel& model, std::vector<int32_t> tokens, Job& job) {
  require_vocabulary(tokens, model.model().config().source_vocab_size());
  job.result.source_tokens = static_cast<int64_t>(tokens.size());
  job.tokens = cut_source(model, job.request.options, std::move(tokens));
  job.result.tokens_read = static_cast<int64_t>(job.tokens.size());
  if (job.request.options.shortlist) {
    job.among =
        std::make_shared<const std::vector<int32_t>>(model.description().shortlist->candidates(job.tokens));
  }
}

void read_prompt(const TextModel& model, std::vector<int32_t> tokens, Job& job) {
  require_vocabulary(tokens, model.model().vocab());
  job.result.source_tokens = job.result.tokens_read = static_cast<int64_t>(tokens.size());
  job.tokens = std::move(tokens);
  // Every text begins with the end token.
  job.tokens.insert(job.tokens.begin(), static_cast<int32_t>(kEos));
}

// False if there is nothing to do for it.
bool prepare_job(const TextModel& model, Job& job) {
  check_options(model, job.request.options);
  if (job.request.read_only && !model.is_language_model())
    throw UserError("this model reads a source, not a text to go on from; use a language model");
  auto& input = job.request.input;
  if (auto* saved = std::get_if<SavedState>(&input)) {
    if (job.request.options.shortlist)
      throw UserError("a shortlist comes from the source, which a state no longer has; go without it");
    if (saved->state.rows() != 1)
      throw UserError("a state of {} rows was given to go on from; it must have one", saved->state.rows());
    if (saved->tokens.empty()) throw UserError("no token to read after the state; give one at least");
    require_vocabulary(saved->tokens, model.model().vocab());
    job.tokens = std::move(saved->tokens);
    job.result.source_tokens = job.result.tokens_read = static_cast<int64_t>(job.tokens.size());
    return true;
  }
  auto* text = std::get_if<std::string>(&input);
  if (text && !model.is_language_model() && text::is_blank(*text)) {
    // Nothing to translate gives nothing; a language model can begin from nothing.
    job.result.outputs.emplace_back();
    return false;
  }
  std::vector<int32_t> tokens = text ? model.encode(*text) : std::move(std::get<std::vector<int32_t>>(input));
  if (model.is_language_model()) {
    read_prompt(model, std::move(tokens), job);
  } else {
    read_source(model, std::move(tokens), job);
  }
  return true;
}

}  // namespace

void GeneratorOptions::validate() const {
  kernels::thread_count(threads, workers);
  const auto require = [](const char* name, int64_t value, int64_t high) {
    if (value < 1 || value > high) throw UserError("{} is {}; it must be from 1 to {}", name, value, high);
  };
  require("batch_tokens", batch_tokens, int64_t{1} << 30);
  require("batch_rows", batch_rows, int64_t{1} << 20);
  require("queue", queue, int64_t{1} << 24);
}

void Ticket::cancel() {
  job_->cancelled = true;
  if (queue_->remove(*job_)) job_->finish_stopped();
}

Generator::Generator(const TextModel& model, const GeneratorOptions& options) : model_(model) {
  options.validate();
  queue_ = std::make_shared<JobQueue>(static_cast<size_t>(options.queue));
  const int threads = kernels::thread_count(options.threads, options.workers);
  for (int i = 0; i < options.workers; ++i) {
    workers_.push_back(std::make_unique<BatchWorker>(model_, make_work(threads), options.batch_rows,
                                                     options.batch_tokens, *queue_));
  }
  // A thread that has started must find its place.
  threads_.reserve(workers_.size());
  try {
    for (const auto& worker : workers_)
      threads_.push_back(start_thread([&worker = *worker] { worker.run(); }));
  } catch (...) {
    queue_->close();
    for (std::thread& thread : threads_) thread.join();
    throw;
  }
}

Generator::~Generator() {
  for (const auto& job : queue_->close()) job->finish_stopped();
  for (std::thread& thread : threads_) thread.join();
}

Ticket Generator::submit(Request request) {
  Ticket ticket = prepare(std::move(request));
  start(ticket);
  return ticket;
}

std::vector<Ticket> Generator::submit(std::vector<Request> requests, const std::function<bool()>& wanted) {
  std::vector<Ticket> tickets;
  tickets.reserve(requests.size());
  for (Request& request : requests) tickets.push_back(prepare(std::move(request)));
  std::vector<size_t> order(tickets.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](size_t i) { return tickets[i].tokens(); });
  for (const size_t i : order) {
    if (wanted()) start(tickets[i]);
  }
  return tickets;
}

std::vector<Result> Generator::generate(std::vector<Request> requests) {
  std::vector<Ticket> tickets = submit(std::move(requests), [] { return true; });
  std::vector<Result> results;
  results.reserve(tickets.size());
  try {
    for (Ticket& ticket : tickets) results.push_back(ticket.get());
  } catch (...) {
    for (Ticket& ticket : tickets) ticket.cancel();
    throw;
  }
  return results;
}

Ticket Generator::prepare(Request request) const {
  auto job = std::make_shared<Job>();
  job->request = std::move(request);
  Ticket ticket(job, queue_, job->promise.get_future());
  try {
    ticket.done_ = !prepare_job(model_, *job);
    if (ticket.done_) job->finish();
  } catch (...) {
    ticket.done_ = true;
    job->fail(std::current_exception());
  }
  return ticket;
}

void Generator::start(Ticket& ticket) {
  if (ticket.done_) return;
  ticket.done_ = true;
  if (!queue_->push(ticket.job_)) ticket.job_->finish_stopped();
}

}  // namespace memsizer::engine
