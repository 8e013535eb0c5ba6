#include "engine/batch_worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/error.h"
#include "decode/limits.h"
#include "runtime/joined_tokens.h"

namespace memsizer::engine {
namespace {

using runtime::JoinedTokens;

// Tokens of prompts read at once, over all rows: enough to fill the matrix products.
constexpr int64_t kPieceTokens = 2048;

bool is_cancelled(const std::shared_ptr<Job>& job) {
  return job->cancelled;
}

bool has_state(const Job& job) {
  return std::holds_alternative<SavedState>(job.request.input);
}

// What a user should know of the best output.
std::string shortfall_of(const Job& job, const decode::Hypothesis& best) {
  if (best.finish == decode::Finish::NoTokens) return "the model gave no token any probability";
  if (best.finish != decode::Finish::Length || job.positions_end == 0) return "";
  return fmt::format("stopped after {} tokens, where the model's {} positions end", best.tokens.size(),
                     job.positions_end);
}

int64_t tokens_of(const Job& job) {
  return static_cast<int64_t>(job.tokens.size());
}

}  // namespace

BatchWorker::BatchWorker(const TextModel& model, std::unique_ptr<runtime::Work> work, int64_t batch_jobs,
                         int64_t batch_tokens, JobQueue& queue)
    : model_(model),
      work_(std::move(work)),
      batch_jobs_(batch_jobs),
      batch_tokens_(batch_tokens),
      queue_(queue),
      step_model_(model.model(), *work_, model.model().empty_state()),
      loop_(step_model_) {}

void BatchWorker::run() {
  for (;;) {
    try {
      take_jobs();
      if (queue_.closed()) {
        for (const JobPtr& job : running_) job->cancelled = true;
        for (const Group& group : groups_) {
          for (const JobPtr& job : group.jobs) job->finish_stopped();
        }
        groups_.clear();
        if (running_.empty()) return;
      }
      if (!groups_.empty()) read_piece();
      if (!running_.empty()) step();
    } catch (...) {
      fail_all(std::current_exception());
    }
  }
}

void BatchWorker::take_jobs() {
  JobQueue::Room room = {.jobs = batch_jobs_,
                         .tokens = batch_tokens_,
                         .worthwhile = std::max<int64_t>(1, batch_jobs_ / 4),
                         .idle = running_.empty() && groups_.empty()};
  const auto occupy = [&](const std::vector<JobPtr>& jobs) {
    room.jobs -= static_cast<int64_t>(jobs.size());
    for (const JobPtr& job : jobs) room.tokens -= tokens_of(*job);
  };
  occupy(running_);
  for (const Group& group : groups_) occupy(group.jobs);
  std::vector<JobPtr> taken;
  try {
    taken = queue_.take(room);
  } catch (...) {
    // Whoever waits is told, rather than asked to wait for memory.
    if (const JobPtr job = queue_.take_first()) job->fail(std::current_exception());
    return;
  }
  Group together;
  for (const JobPtr& job : taken) {
    if (!begin(*job)) continue;
    // Those beside a long prompt would have to wait for it.
    const bool long_prompt = model_.is_language_model() && tokens_of(*job) > kPieceTokens;
    try {
      if (has_state(*job) || long_prompt || job->request.read_only) {
        groups_.push_back(group_of(job));
      } else {
        together.jobs.push_back(job);
      }
    } catch (...) {
      job->fail(std::current_exception());
    }
  }
  if (together.jobs.empty()) return;
  try {
    groups_.push_back(std::move(together));
  } catch (...) {
    for (const JobPtr& job : together.jobs) job->fail(std::current_exception());
  }
}

BatchWorker::Group BatchWorker::group_of(const JobPtr& job) {
  Group group;
  group.jobs.push_back(job);
  return group;
}

bool BatchWorker::begin(Job& job) {
  if (job.cancelled) {
    job.finish_stopped();
    return false;
  }
  try {
    const runtime::Model& model = model_.model();
    decode::Request request;
    request.source_length = job.result.tokens_read;
    request.stream = job.request.stream;
    request.among = job.among;
    request.alternatives = job.request.alternatives;
    int64_t positions = model.longest_target();
    if (has_state(job) || model_.is_language_model()) {
      request.start_token = job.tokens.back();
      const int64_t before =
          tokens_of(job) - 1 + (has_state(job) ? std::get<SavedState>(job.request.input).state.seen()[0] : 0);
      if (positions > 0 && before >= positions) {
        throw UserError("the prompt has {} tokens; this model has positions for {}: give a shorter one",
                        before, positions - 1);
      }
      if (positions > 0) positions -= before;
    }
    if (job.request.read_only) return true;
    const GenerationOptions& options = job.request.options;
    const auto longest = [&](int64_t within) {
      return decode::longest_output(options.max_length_ratio, options.max_length, request.source_length,
                                    within);
    };
    if (longest(positions) < longest(0)) job.positions_end = model.longest_target();
    job.generation =
        decode::start_generation(std::move(request), job.request.options, model.vocab(), positions);
    if (job.request.on_text) job.detokenizer.emplace(model_.tokenizer());
    if (!job.generation->done()) return true;
    finish(job);
  } catch (...) {
    job.fail(std::current_exception());
  }
  return false;
}

void BatchWorker::start(Group& group) {
  const runtime::Model& model = model_.model();
  if (has_state(*group.jobs.front())) {
    // A copy, so that it can be tried again.
    group.state = std::get<SavedState>(group.jobs.front()->request.input).state;
  } else if (model_.is_language_model()) {
    group.state = model.start(static_cast<int64_t>(group.jobs.size()));
  } else {
    JoinedTokens sources;
    for (const JobPtr& job : group.jobs) sources.add(job->tokens);
    group.state = model.start(*work_, sources.ragged(), sources.tokens);
  }
  group.started = true;
}

void BatchWorker::read_piece() {
  Group& group = groups_.front();
  if (std::ranges::all_of(group.jobs, is_cancelled)) {
    for (const JobPtr& job : group.jobs) job->finish_stopped();
    groups_.pop_front();
    return;
  }
  try {
    if (!group.started) start(group);
    // Sources have been read; prompts are but for the last token, which the first step reads.
    const bool has_prompts = has_state(*group.jobs.front()) || model_.is_language_model();
    const auto rows = static_cast<int64_t>(group.jobs.size());
    const auto piece = static_cast<size_t>(std::max<int64_t>(1, kPieceTokens / rows));
    JoinedTokens next;
    bool more = false;
    for (const JobPtr& job : group.jobs) {
      const size_t last = has_prompts ? job->tokens.size() - 1 : 0;
      const size_t begin = std::min(group.read, last);
      const size_t end = std::min(group.read + piece, last);
      next.add(std::span(job->tokens).subspan(begin, end - begin));
      more = more || end < last;
    }
    if (!next.tokens.empty()) model_.model().read(*work_, next.ragged(), next.tokens, group.state);
    group.read += piece;
    if (!more && group.jobs.front()->request.read_only) {
      hand_over_state(group);
    } else if (!more) {
      join(group);
    }
    // Groups take turns.
    if (more) groups_.push_back(std::move(group));
    groups_.pop_front();
  } catch (...) {
    fail_group(std::current_exception());
  }
}

void BatchWorker::hand_over_state(Group& group) {
  Job& job = *group.jobs.front();
  job.result.state = SavedState{std::move(group.state), {job.tokens.back()}};
  job.finish();
}

void BatchWorker::join(Group& group) {
  const int64_t before = step_model_.state().rows();
  running_.reserve(running_.size() + group.jobs.size());
  try {
    step_model_.append(std::move(group.state));
    for (const JobPtr& job : group.jobs) loop_.join(*job->generation);
  } catch (...) {
    if (step_model_.state().rows() != before) fail_all(std::current_exception());
    throw;
  }
  std::ranges::move(group.jobs, std::back_inserter(running_));
}

void BatchWorker::step() {
  loop_.step();
  for (const JobPtr& job : running_) {
    if (job->detokenizer) tell(*job);
    if (job->cancelled) job->generation->stop();
  }
  loop_.drop_done();
  std::erase_if(running_, [&](const JobPtr& job) {
    if (!job->generation->done()) return false;
    finish(*job);
    return true;
  });
  if (!loop_.empty()) return;
  step_model_.restart(model_.model().empty_state());
  loop_.restart();
}

void BatchWorker::tell(Job& job) {
  try {
    const auto settled = job.generation->settled();
    std::string piece;
    for (; job.told < settled.size(); ++job.told) piece += job.detokenizer->push(settled[job.told]);
    if (!piece.empty() && !job.request.on_text(piece)) {
      job.result.stopped = true;
      job.generation->stop();
    }
    if (!job.request.keep_text) {
      job.generation->forget_settled();
      job.told = 0;
    }
  } catch (...) {
    job.generation->fail(std::current_exception());
  }
}

void BatchWorker::finish(Job& job) {
  try {
    if (job.generation->error()) std::rethrow_exception(job.generation->error());
    for (decode::Hypothesis& found : job.generation->take()) {
      if (job.result.outputs.empty()) job.result.shortfall = shortfall_of(job, found);
      job.result.stopped = job.result.stopped || found.finish == decode::Finish::Stopped;
      job.result.outputs.push_back({model_.decode(found.tokens), found.score, std::move(found.tokens),
                                    std::move(found.token_scores), std::move(found.alternatives),
                                    found.finish, found.forgotten});
    }
    job.result.stopped = job.result.stopped || job.cancelled;
    if (job.detokenizer && !job.result.stopped && !job.result.outputs.empty()) {
      const std::vector<int32_t>& tokens = job.result.outputs.front().tokens;
      std::string rest;
      for (; job.told < tokens.size(); ++job.told) rest += job.detokenizer->push(tokens[job.told]);
      rest += job.detokenizer->finish();
      if (!rest.empty()) job.request.on_text(rest);
    }
    job.generation.reset();
    job.finish();
  } catch (...) {
    job.fail(std::current_exception());
  }
}

void BatchWorker::fail_group(const std::exception_ptr& error) {
  Group group = std::move(groups_.front());
  groups_.pop_front();
  if (group.jobs.size() == 1) return group.jobs.front()->fail(error);
  // Whose fault it was shows when each is read alone.
  for (auto job = group.jobs.rbegin(); job != group.jobs.rend(); ++job) {
    try {
      groups_.push_front(group_of(*job));
    } catch (...) {
      (*job)->fail(error);
    }
  }
}

void BatchWorker::fail_all(const std::exception_ptr& error) {
  for (const JobPtr& job : running_) job->fail(error);
  running_.clear();
  loop_.restart();
  // Without a row and without memory: this must not fail.
  step_model_.restart({});
}

}  // namespace memsizer::engine
