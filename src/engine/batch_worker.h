#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "decode/row_loop.h"
#include "engine/job_queue.h"
#include "runtime/step_model.h"
#include "runtime/work.h"

namespace memsizer::engine {

// One running batch. Jobs join it between any two steps, in groups that read their sources or prompts
// together, and leave it when they are done.
class BatchWorker {
 public:
  // `model` and `queue` must outlive it.
  BatchWorker(const TextModel& model, std::unique_ptr<runtime::Work> work, int64_t batch_jobs,
              int64_t batch_tokens, JobQueue& queue);

  // Returns when the queue is closed; what is running then is stopped.
  void run();

 private:
  using JobPtr = std::shared_ptr<Job>;

  // Jobs that read their sources or prompts together.
  struct Group {
    std::vector<JobPtr> jobs;
    runtime::DecoderState state;
    bool started = false;
    size_t read = 0;  // tokens of each prompt
  };

  // Puts what the queue has for this batch into groups: those that are read together, and each long prompt
  // for itself. Waits if there is nothing else to do.
  void take_jobs();
  static Group group_of(const JobPtr& job);
  // False if the job is done for, and has been told so.
  bool begin(Job& job);
  // Reads the first group's sources, or a piece of its prompts, so that the running rows do not wait for all
  // of them; the group joins when all are read.
  void read_piece();
  void start(Group& group);
  void hand_over_state(Group& group);
  void join(Group& group);
  void step();

  // Hands over the text that has become certain.
  void tell(Job& job);
  void finish(Job& job);
  void fail_group(const std::exception_ptr& error);
  void fail_all(const std::exception_ptr& error);

  const TextModel& model_;
  std::unique_ptr<runtime::Work> work_;
  int64_t batch_jobs_;
  int64_t batch_tokens_;
  JobQueue& queue_;
  runtime::RuntimeStepModel step_model_;
  decode::RowLoop loop_;
  std::deque<Group> groups_;
  std::vector<JobPtr> running_;
};

}  // namespace memsizer::engine
