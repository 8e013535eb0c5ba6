// From starting the program to its first token, with a model of the preset `base` in int8 and a vocabulary of
// 32768 pieces, random weights, file in the page cache; and the program's memory before it loads anything.
//   bench_startup [MEMSIZER] (default: the one beside this program)
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <string>
#include <vector>

#include "core/atomic_file.h"
#include "core/random.h"
#include "model/model_file.h"
#include "model/presets.h"
#include "model/quantize.h"
#include "model/tensor_list.h"
#include "runtime/tensor_source.h"
#include "text/tokenizer.h"

namespace memsizer::bench {
namespace {

namespace fs = std::filesystem;

constexpr int kRuns = 15;

// Words of syllables, common ones more often, as many as the vocabulary needs.
std::string vocabulary(int64_t pieces) {
  text::TokenizerOptions options;
  options.type = text::TokenizerType::Bpe;
  options.vocab = pieces;
  Random random = Random::of(1);
  const auto one_of = [&](std::string_view letters) { return letters[random.below(letters.size())]; };
  std::vector<std::string> words(60000);
  for (std::string& word : words) {
    for (uint64_t syllables = 1 + random.below(4); syllables > 0; --syllables) {
      word += one_of("bcdfghjklmnprstvwz");
      word += one_of("aeiou");
      if (random.below(2) == 0) word += one_of("lmnrst");
    }
  }
  int64_t lines = 40000;
  const auto tokenizer = text::train_tokenizer(options, [&](std::string& line) {
    line.clear();
    for (int i = 0; i < 10; ++i) {
      const double skewed = random.uniform() * random.uniform();
      line += words[static_cast<size_t>(skewed * static_cast<double>(words.size()))] + " ";
    }
    return lines-- > 0;
  });
  return tokenizer->serialized();
}

void write_random_model(const fs::path& path) {
  ModelDescription description;
  description.config = preset_config("base");
  description.tokenizer = vocabulary(description.config.vocab);
  const auto source = runtime::random_source(description.config, WeightType::F32, 1);
  std::deque<std::vector<float>> numbers;
  std::vector<NamedTensor> tensors;
  for (const TensorSpec& spec : tensor_list(description.config)) {
    numbers.push_back(source->floats(spec.name));
    tensors.push_back({spec.name, DType::F32, spec.shape, std::as_bytes(std::span(numbers.back()))});
  }
  for (const NamedTensor& tensor : tokenizer_tensors(description)) tensors.push_back(tensor);
  const fs::path large = path.parent_path() / "fp32.safetensors";
  write_model(large, tensors, model_metadata(description));
  quantize_model(large, WeightType::I8, path);
  fs::remove(large);
}

struct Run {
  double first_output_seconds = 0.0;
  int64_t peak_bytes = 0;
};

// Runs a program with `input` as its input, until its end.
Run run(const std::vector<std::string>& command, const fs::path& input) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  int ends[2];
  if (::pipe(ends) != 0) std::exit(1);
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = ::vfork();
  if (child == 0) {
    const int in = ::open(input.c_str(), O_RDONLY);
    ::dup2(in, 0);
    ::dup2(ends[1], 1);
    ::close(ends[0]);
    ::execv(arguments[0], arguments.data());
    ::_exit(127);
  }
  ::close(ends[1]);
  Run result;
  char buffer[4096];
  const bool any = ::read(ends[0], buffer, sizeof buffer) > 0;
  result.first_output_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  while (::read(ends[0], buffer, sizeof buffer) > 0) {
  }
  ::close(ends[0]);
  int status = 0;
  rusage usage{};
  ::wait4(child, &status, 0, &usage);
  if (!any || status != 0) {
    fmt::print(stderr, "bench_startup: {} failed\n", fmt::join(command, " "));
    std::exit(1);
  }
  result.peak_bytes = usage.ru_maxrss * 1024;
  return result;
}

int measure(const fs::path& program) {
  // First of all: a child is born with the size of its parent.
  const Run empty = run({program, "--version"}, "/dev/null");
  char name[] = "/tmp/bench_startup.XXXXXX";
  if (::mkdtemp(name) == nullptr) return 1;
  const fs::path folder = name;
  const fs::path model = folder / "base-int8.safetensors";
  write_random_model(model);
  const fs::path line = folder / "line.txt";
  AtomicFile text(line);
  text.write("bakar tonis melu\n");
  text.commit();
  std::vector<double> seconds;
  for (int i = 0; i < kRuns + 1; ++i) {
    const Run one = run({program, "translate", "--model", model, "--beam", "1", "--max-length", "1"}, line);
    if (i > 0) seconds.push_back(one.first_output_seconds);  // the first one reads the file
  }
  std::ranges::sort(seconds);
  fmt::print(
      "int8 base model of {} MB, start to first token: median {:.1f} ms, best {:.1f}, worst {:.1f} of {}\n"
      "memsizer without a model: {:.1f} MB resident\n",
      fs::file_size(model) / 1000000, 1e3 * seconds[seconds.size() / 2], 1e3 * seconds.front(),
      1e3 * seconds.back(), seconds.size(), static_cast<double>(empty.peak_bytes) / 1e6);
  fs::remove_all(folder);
  return 0;
}

}  // namespace
}  // namespace memsizer::bench

int main(int argc, char** argv) {
  const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe");
  return memsizer::bench::measure(argc > 1 ? argv[1] : own.parent_path() / "memsizer");
}
