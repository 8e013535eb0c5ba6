#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <span>

namespace memsizer::train {

// The processes that train one model together. Each of them calls the same operations in the same order; an
// operation returns once all of them have called it. What every process must decide alike (when to stop,
// which validation was the best) goes through here.
class Group {
 public:
  Group() = default;
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  virtual ~Group() = default;

  virtual int64_t rank() const = 0;
  virtual int64_t size() const = 0;

  // Each tensor becomes its sum over the processes, the same bits on all of them. Of any type and device,
  // with the same shapes everywhere.
  virtual void all_reduce_sum(std::span<at::Tensor> tensors) = 0;

  // Each tensor becomes that of rank 0.
  virtual void broadcast(std::span<at::Tensor> tensors) = 0;

  virtual void barrier() = 0;

  // Called before the last backward pass of an update, if the process has one: a group that sums gradients
  // while they are computed starts here. sum_gradients() follows in any case.
  virtual void expect_gradients(std::span<const at::Tensor> /*parameters*/) {}

  // Each parameter's gradient becomes its sum over the processes. One that was computed by some of them only
  // (LayerDrop skips layers, an update may have fewer batches than processes) counts as zero elsewhere; one
  // that none computed stays undefined.
  virtual void sum_gradients(std::span<const at::Tensor> parameters);

  // Rank 0 writes files and prints; the others do not.
  bool is_writer() const { return rank() == 0; }

  void all_reduce_sum(std::span<double> numbers);
  void all_reduce_sum(std::span<int64_t> numbers);

  // Whether any process says so.
  bool any(bool mine);
  // What rank 0 says.
  double from_writer(double mine);
  bool writer_says(bool mine) { return any(is_writer() && mine); }

  // `work` on rank 0, then on the others, which find the files that rank 0 has written.
  template <typename Work>
  auto writer_first(const Work& work) {
    if (!is_writer()) barrier();
    auto result = work();
    if (is_writer()) barrier();
    return result;
  }
};

// The group of one process: nothing to do.
class SingleProcess : public Group {
 public:
  using Group::all_reduce_sum;

  int64_t rank() const override { return 0; }
  int64_t size() const override { return 1; }
  void all_reduce_sum(std::span<at::Tensor> /*tensors*/) override {}
  void broadcast(std::span<at::Tensor> /*tensors*/) override {}
  void barrier() override {}
};

}  // namespace memsizer::train
