#pragma once

#include <barrier>
#include <cstdint>
#include <exception>
#include <functional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "train/group.h"

namespace memsizer::testing {

// Several processes inside one: each rank is a thread. Sums are taken in the order of the ranks.
class ThreadGroup {
 public:
  explicit ThreadGroup(int64_t size) : size_(size), barrier_(size), offered_(static_cast<size_t>(size)) {}

  // work(group) once per rank, at the same time. Throws what a rank has thrown.
  void run(const std::function<void(train::Group&)>& work) {
    std::vector<std::thread> threads;
    std::vector<std::exception_ptr> failures(static_cast<size_t>(size_));
    for (int64_t rank = 0; rank < size_; ++rank) {
      threads.emplace_back([&, rank] {
        try {
          at::set_num_threads(1);  // the ranks are the threads
          Member member(*this, rank);
          work(member);
        } catch (...) {
          failures[static_cast<size_t>(rank)] = std::current_exception();
          offered_[static_cast<size_t>(rank)] = {};
          barrier_.arrive_and_drop();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const std::exception_ptr& failure : failures) {
      if (failure) std::rethrow_exception(failure);
    }
  }

 private:
  class Member : public train::Group {
   public:
    using Group::all_reduce_sum;

    Member(ThreadGroup& all, int64_t rank) : all_(all), rank_(rank) {}

    int64_t rank() const override { return rank_; }
    int64_t size() const override { return all_.size_; }
    void barrier() override { all_.barrier_.arrive_and_wait(); }

    void all_reduce_sum(std::span<at::Tensor> tensors) override {
      exchange(tensors, [&](size_t i) {
        at::Tensor sum = all_.offered_.front()[i].clone();
        for (size_t rank = 1; rank < all_.offered_.size(); ++rank) sum += all_.offered_[rank][i];
        return sum;
      });
    }

    void broadcast(std::span<at::Tensor> tensors) override {
      exchange(tensors, [&](size_t i) { return all_.offered_.front()[i].clone(); });
    }

   private:
    template <typename Result>
    void exchange(std::span<at::Tensor> tensors, const Result& result) {
      const torch::NoGradGuard no_grad;
      all_.offered_[static_cast<size_t>(rank_)] = tensors;
      barrier();
      for (const std::span<at::Tensor> offer : all_.offered_) {
        if (offer.size() != tensors.size())
          throw std::logic_error("another rank has failed or does something else");
      }
      std::vector<at::Tensor> results;
      for (size_t i = 0; i < tensors.size(); ++i) results.push_back(result(i));
      barrier();
      for (size_t i = 0; i < tensors.size(); ++i) tensors[i].copy_(results[i]);
    }

    ThreadGroup& all_;
    int64_t rank_;
  };

  int64_t size_;
  std::barrier<> barrier_;
  std::vector<std::span<at::Tensor>> offered_;  // by rank, during one operation
};

}  // namespace memsizer::testing
