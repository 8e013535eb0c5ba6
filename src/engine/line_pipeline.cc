#include "engine/line_pipeline.h"

#include <atomic>
#include <exception>
#include <thread>

#include "core/error.h"
#include "engine/channel.h"
#include "engine/work_pool.h"

namespace memsizer::engine {
namespace {

struct Submitted {
  std::string line;
  Ticket ticket;
};

const PipelineSettings& checked(const TextModel& model, const PipelineSettings& settings) {
  settings.validate();
  check_options(model, settings.generation);
  return settings;
}

// A line's random numbers come from its number.
std::vector<Request> requests_of(std::span<const std::string> lines, uint64_t first_line,
                                 const GenerationOptions& options) {
  std::vector<Request> requests(lines.size());
  for (size_t i = 0; i < lines.size(); ++i) {
    requests[i].input = lines[i];
    requests[i].options = options;
    requests[i].stream = first_line + i;
  }
  return requests;
}

// A line that cannot be done costs its own output, not that of the others.
Result result_of(Ticket& ticket) {
  try {
    return ticket.get();
  } catch (const UserError& error) {
    Result result;
    result.outputs.emplace_back();
    result.shortfall = error.what();
    return result;
  }
}

}  // namespace

std::vector<Result> generate_lines(Generator& generator, std::span<const std::string> lines,
                                   const GenerationOptions& options) {
  return generator.generate(requests_of(lines, 0, options));
}

void PipelineSettings::validate() const {
  memsizer::validate(generation, "generation");
  generator.validate();
  constexpr int64_t kMost = 1 << 24;
  if (read_ahead < 1 || read_ahead > kMost)
    throw UserError("read_ahead is {}; it must be from 1 to {}", read_ahead, kMost);
}

LinePipeline::LinePipeline(const TextModel& model, const PipelineSettings& settings)
    : settings_(checked(model, settings)), generator_(model, settings.generator) {}

void LinePipeline::run(const ReadLine& read, const WriteResult& write, uint64_t first,
                       const std::function<void()>& stop_reading) {
  const auto capacity = static_cast<size_t>(settings_.read_ahead);
  Channel<std::string> lines(capacity);
  Channel<Submitted> submitted(capacity);
  std::atomic<bool> failed{false};
  const auto stop = [&] {
    failed = true;
    lines.close();
    submitted.close();
    stop_reading();
  };
  std::thread reader = start_thread([&] {
    try {
      std::string line;
      while (read(line) && lines.push(line)) line.clear();
      lines.close();
    } catch (...) {
      lines.close(std::current_exception());
    }
  });
  const auto submit_lines = [&] {
    try {
      uint64_t count = first;
      for (;;) {
        std::vector<std::string> some = lines.take_all();
        if (some.empty()) break;
        std::vector<Ticket> tickets =
            generator_.submit(requests_of(some, count, settings_.generation), [&] { return !failed; });
        count += some.size();
        for (size_t i = 0; i < some.size(); ++i) {
          Submitted next{std::move(some[i]), std::move(tickets[i])};
          if (!submitted.push(next)) next.ticket.cancel();
        }
      }
      submitted.close();
    } catch (...) {
      submitted.close(std::current_exception());
    }
  };
  std::thread submitter;
  try {
    submitter = start_thread(submit_lines);
  } catch (...) {
    stop();
    reader.join();
    throw;
  }
  std::exception_ptr failure;
  uint64_t line = first;
  while (!failure) {
    std::vector<Submitted> some;
    try {
      some = submitted.take_all();
      if (some.empty()) break;
      for (Submitted& next : some) write(line++, next.line, result_of(next.ticket));
    } catch (...) {
      failure = std::current_exception();
      stop();
      for (Submitted& next : some) next.ticket.cancel();
    }
  }
  reader.join();
  submitter.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace memsizer::engine
