#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <thread>
#include <vector>

#include "engine/batch_worker.h"

namespace memsizer::engine {

struct GeneratorOptions {
  int threads = 0;              // of each worker; 0: the physical cores, shared among the workers
  int workers = 1;              // batches computed at once, on shared weights
  int64_t batch_tokens = 4096;  // of the sources or prompts in a batch
  int64_t batch_rows = 64;      // requests in a batch
  int64_t queue = 256;          // requests that wait for a place in a batch

  void validate() const;
};

// A request that was submitted, or is ready to be.
class Ticket {
 public:
  // Tokens that are to be read before the first step: what a request costs at least.
  size_t tokens() const { return job_->tokens.size(); }

  // Waits for the result; once. What went wrong with this request is thrown.
  Result get() { return result_.get(); }

  // Ends it at the next step; the result has what was generated so far.
  void cancel();

 private:
  friend class Generator;
  Ticket(std::shared_ptr<Job> job, std::shared_ptr<JobQueue> queue, std::future<Result> result)
      : job_(std::move(job)), queue_(std::move(queue)), result_(std::move(result)) {}

  std::shared_ptr<Job> job_;
  std::shared_ptr<JobQueue> queue_;
  std::future<Result> result_;
  bool done_ = false;  // before it was submitted
};

// Generates text for requests that come at any time, from any thread. It owns threads and scratch memory for
// its lifetime; each worker has a running batch, which requests join and leave between any two steps. A
// request's result does not depend on the others, and its failure is its own.
class Generator {
 public:
  // `model` must outlive it. Throws UserError if the threads cannot be had.
  Generator(const TextModel& model, const GeneratorOptions& options);
  Generator(const Generator&) = delete;
  Generator& operator=(const Generator&) = delete;
  // Stops what is not done.
  ~Generator();

  // Waits for room in the queue.
  Ticket submit(Request request);

  // Many at once, the longest first, as long as they are `wanted`; tickets in the order of the requests.
  std::vector<Ticket> submit(std::vector<Request> requests, const std::function<bool()>& wanted);

  // Results of many, in their order. Throws what the first that fails throws, and cancels the others.
  std::vector<Result> generate(std::vector<Request> requests);

  // Submission in two steps: makes tokens, then waits for room.
  Ticket prepare(Request request) const;
  void start(Ticket& ticket);

 private:
  const TextModel& model_;
  std::shared_ptr<JobQueue> queue_;
  std::vector<std::unique_ptr<BatchWorker>> workers_;
  std::vector<std::thread> threads_;
};

}  // namespace memsizer::engine
