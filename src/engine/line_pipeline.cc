#include "engine/line_pipeline.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "core/error.h"
#include "engine/batching.h"
#include "text/white_space.h"

namespace memsizer::engine {
namespace {

// Lines on their way from the reader to the workers.
class LineQueue {
 public:
  explicit LineQueue(size_t capacity) : capacity_(capacity) {}

  // Waits for room. False if nobody takes lines any more.
  bool push(std::string line) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return lines_.size() < capacity_ || closed_; });
    if (closed_) return false;
    lines_.push_back(std::move(line));
    changed_.notify_all();
    return true;
  }

  void close(std::exception_ptr error = nullptr) {
    const std::scoped_lock lock(mutex_);
    closed_ = true;
    if (error) error_ = error;
    changed_.notify_all();
  }

  // All lines that are there; waits for at least one, and gives none at the end.
  std::vector<std::string> take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !lines_.empty() || closed_; });
    std::vector<std::string> taken;
    std::swap(taken, lines_);
    changed_.notify_all();
    if (taken.empty() && error_) std::rethrow_exception(error_);
    return taken;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> lines_;
  size_t capacity_;
  bool closed_ = false;
  std::exception_ptr error_;
};

}  // namespace

void PipelineSettings::validate() const {
  generation.validate();
  const auto require = [](const char* name, int64_t value, int64_t low, int64_t high) {
    if (value < low || value > high) throw UserError("{} is {}; it must be {} to {}", name, value, low, high);
  };
  require("threads", threads, 0, 1024);
  require("workers", workers, 1, 1024);
  require("batch_tokens", batch_tokens, 1, int64_t{1} << 30);
  require("batch_rows", batch_rows, 1, 1 << 20);
  require("read_ahead", read_ahead, 1, 1 << 24);
}

LinePipeline::LinePipeline(const TextModel& model, const PipelineSettings& settings)
    : model_(model), settings_(settings) {
  settings_.validate();
  const int threads =
      settings_.threads > 0 ? settings_.threads : std::max(1, kernels::physical_cores() / settings_.workers);
  for (int i = 0; i < settings_.workers; ++i) works_.push_back(std::make_unique<runtime::Work>(threads));
}

std::vector<Result> LinePipeline::compute(std::span<const std::string> lines, uint64_t first_line) {
  std::vector<Result> results(lines.size());
  std::vector<size_t> line_of_input;
  std::vector<Input> inputs;
  std::vector<size_t> lengths;
  for (size_t i = 0; i < lines.size(); ++i) {
    // Nothing to translate gives nothing; a language model can begin from nothing.
    if (!model_.is_language_model() && text::is_blank(lines[i])) {
      results[i].outputs.emplace_back();
      continue;
    }
    Input input{model_.encode(lines[i]), first_line + i};
    results[i].source_tokens = static_cast<int64_t>(input.tokens.size());
    if (!model_.is_language_model())
      input.tokens = cut_source(model_, settings_.generation, std::move(input.tokens));
    results[i].tokens_read = static_cast<int64_t>(input.tokens.size());
    line_of_input.push_back(i);
    lengths.push_back(input.tokens.size());
    inputs.push_back(std::move(input));
  }

  const auto batches = batches_by_length(lengths, settings_.batch_tokens, settings_.batch_rows);
  std::atomic<size_t> next_batch{0};
  std::mutex failing;
  std::exception_ptr failure;
  const auto work = [&](runtime::Work& own) {
    for (;;) {
      const size_t batch = next_batch.fetch_add(1);
      if (batch >= batches.size()) return;
      try {
        std::vector<Input> some;
        for (const size_t i : batches[batch]) some.push_back(std::move(inputs[i]));
        std::vector<Result> found = engine::generate(model_, own, some, settings_.generation);
        for (size_t i = 0; i < found.size(); ++i)
          results[line_of_input[batches[batch][i]]].outputs = std::move(found[i].outputs);
      } catch (...) {
        const std::scoped_lock lock(failing);
        if (!failure) failure = std::current_exception();
        next_batch.store(batches.size());
      }
    }
  };
  std::vector<std::thread> threads;
  const size_t busy = std::min(works_.size(), batches.size());
  for (size_t i = 1; i < busy; ++i) threads.emplace_back([&, i] { work(*works_[i]); });
  work(*works_.front());
  for (std::thread& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
  return results;
}

void LinePipeline::run(const ReadLine& read, const WriteResult& write) {
  LineQueue queue(static_cast<size_t>(settings_.read_ahead));
  std::thread reader([&] {
    try {
      std::string line;
      while (read(line) && queue.push(std::move(line))) line.clear();
      queue.close();
    } catch (...) {
      queue.close(std::current_exception());
    }
  });
  uint64_t line = 0;
  try {
    for (;;) {
      const std::vector<std::string> lines = queue.take();
      if (lines.empty()) break;
      const std::vector<Result> results = compute(lines, line);
      for (size_t i = 0; i < lines.size(); ++i) write(line++, lines[i], results[i]);
    }
  } catch (...) {
    queue.close();
    reader.join();
    throw;
  }
  reader.join();
}

}  // namespace memsizer::engine
