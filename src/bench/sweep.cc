#include "bench/sweep.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#include "core/error.h"
#include "core/program_signals.h"
#include "kernels/thread_count.h"
#include "model/shortlist.h"

namespace memsizer::bench {
namespace {

void require_range(const char* name, int64_t value, int64_t most) {
  if (value < 1 || value > most) throw UserError("{} is {}; it must be 1 to {}", name, value, most);
}

void check(const SweepPoint& at) {
  require_range("length", at.point.length, 1 << 24);
  require_range("batch", at.point.batch, 1 << 16);
  require_range("threads", at.point.threads, kernels::kMostThreads);
  require_range("beam", at.point.beam, 1024);
  if (at.point.shortlist != 0) {
    require_range("shortlist", at.point.shortlist, at.point.config.vocab);
    require_shortlist_fits(at.point.config, "the model to measure");
  }
  if (at.point.source_length != 0) require_range("source length", at.point.source_length, 1 << 24);
}

// Bytes through a pipe, whatever pieces they come in.
bool write_all(int file, const void* data, size_t size) {
  const char* bytes = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t done = write(file, bytes, size);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    bytes += done;
    size -= static_cast<size_t>(done);
  }
  return true;
}

bool read_all(int file, void* data, size_t size) {
  char* bytes = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t done = read(file, bytes, size);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    bytes += done;
    size -= static_cast<size_t>(done);
  }
  return true;
}

}  // namespace

WeightType precision_of(const std::string& name) {
  if (name == "fp32") return WeightType::F32;
  if (name == "bf16") return WeightType::BF16;
  if (name == "int8") return WeightType::I8;
  throw UserError("precision '{}' is not known; it must be fp32, bf16 or int8", name);
}

std::vector<SweepPoint> sweep_points(const SweepLists& lists, const GenerationPoint& like) {
  std::vector<SweepPoint> points;
  std::vector<ModelConfig> configs;
  for (const Variant& variant : lists.variants) configs.push_back(variant.applied_to(like.config));
  for (const std::string& precision : lists.precisions) {
    for (const int threads : lists.threads) {
      for (const int64_t batch : lists.batches) {
        for (const int64_t beam : lists.beams) {
          for (const int64_t length : lists.lengths) {
            for (const int64_t shortlist : lists.shortlists) {
              for (size_t i = 0; i < lists.variants.size(); ++i) {
                SweepPoint at{lists.variants[i], precision, like};
                at.point.config = configs[i];
                at.point.type = precision_of(precision);
                at.point.threads = threads;
                at.point.batch = batch;
                at.point.beam = beam;
                at.point.length = length;
                at.point.shortlist = shortlist;
                check(at);
                points.push_back(at);
              }
            }
          }
        }
      }
    }
  }
  return points;
}

std::optional<GenerationResult> measure_apart(const GenerationPoint& point) {
  static_assert(std::is_trivially_copyable_v<GenerationResult>);
  int ends[2];
  if (pipe(ends) != 0) throw UserError("cannot make a pipe: {}", std::strerror(errno));
  // What is still in the buffers would be written by both.
  std::fflush(nullptr);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) throw UserError("cannot start a process: {}", std::strerror(errno));
  if (child == 0) {
    close(ends[0]);
    reset_program_signals();
    // It ends with its parent, however that ends.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    int code = 1;
    try {
      const GenerationResult result = measure_generation(point);
      if (write_all(ends[1], &result, sizeof result)) code = 0;
    } catch (const std::bad_alloc&) {
      // The parent tells.
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
    _exit(code);
  }
  close(ends[1]);
  GenerationResult result;
  const bool complete = read_all(ends[0], &result, sizeof result);
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!complete || !WIFEXITED(status) || WEXITSTATUS(status) != 0) return std::nullopt;
  return result;
}

}  // namespace memsizer::bench
