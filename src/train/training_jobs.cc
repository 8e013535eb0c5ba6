#include "train/training_jobs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>

#include "core/child_process.h"
#include "core/error.h"
#include "report/progress.h"
#include "train/interruption.h"
#include "train/process.h"

namespace memsizer::train {
namespace {

namespace fs = std::filesystem;

// Each run counts so many steps of progress; a plain line a tenth of a run.
constexpr int64_t kRunSteps = 100;
constexpr auto kLook = std::chrono::milliseconds(500);

struct Job {
  size_t run;
  pid_t process;
};

// The last line of a file that has text; "" without one.
std::string last_line(const fs::path& path) {
  constexpr int64_t kTail = 4096;
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return "";
  const int64_t size = file.tellg();
  file.seekg(std::max<int64_t>(0, size - kTail));
  std::string line;
  std::string last;
  while (std::getline(file, line)) {
    if (!line.empty()) last = line;
  }
  return last;
}

// "training: 43%  430/1000 ..." is 43.
int64_t percent_in(const std::string& line) {
  const size_t sign = line.find('%');
  if (!line.starts_with("training: ") || sign == std::string::npos) return 0;
  return std::clamp<int64_t>(std::atoll(line.c_str() + std::strlen("training: ")), 0, 100);
}

// Starts `memsizer-train train ...`, which is this program.
pid_t start(const fs::path& recipe, const ComparisonRun& run, int threads) {
  std::error_code error;
  fs::create_directories(run.folder.parent_path(), error);
  if (error) throw UserError("cannot create {}: {}", run.folder.parent_path().string(), error.message());
  std::vector<std::string> words = {
      sibling_program("memsizer-train"), "train", recipe.string(), "--out", run.folder.string(), "--resume"};
  const auto set = [&](const std::string& setting) {
    words.emplace_back("--set");
    words.push_back(setting);
  };
  for (const std::string& setting : run.settings) set(setting);
  if (run.recipe.training.threads == 0) set(fmt::format("training.threads={}", threads));
  const int log = open(run.log().c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (log < 0) throw UserError("cannot write {}: {}", run.log().string(), std::strerror(errno));
  const pid_t process = start_process(std::move(words), log, ErrorOutput::AsOutput);
  close(log);
  return process;
}

// The trainings that run; however this ends, they are told to save and waited for.
class Running {
 public:
  Running() = default;
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running() { stop(); }

  std::vector<Job>& jobs() { return jobs_; }

  void stop() {
    for (const Job& job : jobs_) kill(job.process, SIGTERM);
    for (const Job& job : jobs_) wait_for(job.process);
    jobs_.clear();
  }

 private:
  std::vector<Job> jobs_;
};

}  // namespace

TrainingJobs::TrainingJobs(fs::path recipe, std::vector<ComparisonRun> runs, int jobs)
    : recipe_(std::move(recipe)), runs_(std::move(runs)), jobs_(jobs) {}

bool TrainingJobs::run(const std::function<void()>& on_finished) {
  const Interruption interruption;
  std::vector<size_t> waiting;
  for (size_t i = 0; i < runs_.size(); ++i) {
    if (!runs_[i].finished()) waiting.push_back(i);
  }
  if (waiting.empty()) return true;
  int64_t finished = static_cast<int64_t>(runs_.size() - waiting.size());
  const int threads = std::max(1, available_cores() / jobs_);
  report::Progress progress("comparing", kRunSteps * static_cast<int64_t>(runs_.size()), kRunSteps * finished,
                            kRunSteps / 10);
  std::ranges::reverse(waiting);
  Running trainings;
  std::vector<Job>& running = trainings.jobs();
  while (!waiting.empty() || !running.empty()) {
    while (!waiting.empty() && static_cast<int>(running.size()) < jobs_) {
      const size_t next = waiting.back();
      waiting.pop_back();
      running.push_back({next, start(recipe_, runs_[next], threads)});
    }
    std::this_thread::sleep_for(kLook);
    if (interruption.requested()) {
      progress.note("saving checkpoints ...");
      trainings.stop();
      progress.finish();
      return false;
    }
    int64_t done = kRunSteps * finished;
    std::string detail = fmt::format("{} of {} runs done", finished, runs_.size());
    for (auto job = running.begin(); job != running.end();) {
      const ComparisonRun& run = runs_[job->run];
      int status = 0;
      if (waitpid(job->process, &status, WNOHANG) == 0) {
        const std::string line = last_line(run.log());
        done += percent_in(line) * (kRunSteps - 1) / 100;
        detail += fmt::format("; {} seed {}: {}", run.variant.name(), run.seed, line);
        ++job;
        continue;
      }
      job = running.erase(job);
      if (!run.finished()) {
        trainings.stop();
        progress.finish();
        throw UserError("{} with seed {} failed: {}; see {}", run.variant.name(), run.seed,
                        last_line(run.log()), run.log().string());
      }
      ++finished;
      done += kRunSteps;
      progress.note(fmt::format("{} with seed {} is trained, {} of {}", run.variant.name(), run.seed,
                                finished, runs_.size()));
      on_finished();
    }
    progress.update(done, detail);
  }
  progress.finish();
  return true;
}

}  // namespace memsizer::train
