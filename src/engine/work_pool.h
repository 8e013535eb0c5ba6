#pragma once

#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "core/error.h"
#include "runtime/work.h"

namespace memsizer::engine {

// A thread that calls `work`. Throws UserError if the machine does not give one.
template <typename Work>
std::thread start_thread(const Work& work) {
  try {
    return std::thread(work);
  } catch (const std::system_error& error) {
    throw UserError(
        "a thread could not be started ({}); end other programs, or raise the limits (ulimit -u, -v)",
        error.what());
  }
}

// Threads and scratch memory. Throws UserError if the machine does not give so many.
std::unique_ptr<runtime::Work> make_work(int threads);

// Threads and scratch memory for calls from any number of threads: each call borrows what another gave back.
class WorkPool {
 public:
  explicit WorkPool(int threads) : threads_(threads) {}

  class Loan {
   public:
    Loan(WorkPool& pool, std::unique_ptr<runtime::Work> work) : pool_(pool), work_(std::move(work)) {}
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    ~Loan() { pool_.give_back(std::move(work_)); }

    runtime::Work& operator*() { return *work_; }

   private:
    WorkPool& pool_;
    std::unique_ptr<runtime::Work> work_;
  };

  Loan borrow();

 private:
  void give_back(std::unique_ptr<runtime::Work> work);

  int threads_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<runtime::Work>> free_;
};

}  // namespace memsizer::engine
