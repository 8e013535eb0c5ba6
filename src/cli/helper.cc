#include "cli/helper.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "core/blas_kernels.h"
#include "core/child_process.h"
#include "core/error.h"

namespace memsizer::cli {
namespace {

// memsizer itself never loads LibTorch; its helper lies beside it, and takes over this process.
[[noreturn]] void run_helper(std::vector<std::string> words) {
  const std::string helper = sibling_program("memsizer-train");
  words.insert(words.begin(), helper);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  // All are read when the program is loaded, so only its parent can set them. Threads that wait spin shortly
  // and then sleep: where another program is busy on a core, spinning for it costs a hundred times the work.
  // Huge pages save the page faults of large tensors.
  setenv("GOMP_SPINCOUNT", "20000", /*overwrite=*/0);
  setenv("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1", /*overwrite=*/0);
  choose_blas_kernels();
  std::fflush(stdout);
  execv(helper.c_str(), arguments.data());
  throw UserError("cannot run {}: {}; build with -DMEMSIZER_TRAINING=ON, which needs LibTorch", helper,
                  std::strerror(errno));
}

}  // namespace

void add_helper_commands(CLI::App& app) {
  const auto add = [&app](const std::string& name, const std::string& description) {
    CLI::App* command = app.add_subcommand(name, description);
    command->prefix_command();
    // --help and every other option of it are the helper's own.
    command->set_help_flag();
    command->callback([command, name] {
      std::vector<std::string> words = command->remaining();
      words.insert(words.begin(), name);
      run_helper(words);
    });
  };
  add("compare", "Train a recipe with several mechanisms under one budget; quality, speed, memory and size");
  add("quickstart", "Train a small English-German translator on generated sentences and try it");
  add("train", "Train a model from text, as a recipe says");
}

}  // namespace memsizer::cli
