#pragma once

#include <atomic>
#include <future>
#include <memory>
#include <optional>
#include <vector>

#include "decode/generation.h"
#include "engine/generation.h"
#include "text/detokenizer.h"

namespace memsizer::engine {

// A request inside the generator, from its submission to its result.
struct Job {
  Request request;
  std::vector<int32_t> tokens;  // of the source; or what is read before the text, the last being its start
  decode::TokenList among;      // of its shortlist, if it uses one
  Result result;
  std::promise<Result> promise;
  std::atomic<bool> cancelled{false};

  // Of the worker that has it.
  std::unique_ptr<decode::Generation> generation;
  int64_t positions_end = 0;  // the model's positions that end the text before its options do; 0: they do not
  std::optional<text::Detokenizer> detokenizer;
  size_t told = 0;  // tokens whose text was handed over

  void finish() {
    promise.set_value(std::move(result));
    if (request.on_done) request.on_done();
  }
  void finish_stopped() {
    result.stopped = true;
    finish();
  }
  void fail(const std::exception_ptr& error) {
    promise.set_exception(error);
    if (request.on_done) request.on_done();
  }
};

}  // namespace memsizer::engine
