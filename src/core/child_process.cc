#include "core/child_process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "core/error.h"

namespace memsizer {

std::string sibling_program(const std::string& name) {
  return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / name).string();
}

pid_t start_process(std::vector<std::string> words, int output, ErrorOutput errors) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const pid_t process = fork();
  if (process < 0) throw UserError("cannot start a process: {}", std::strerror(errno));
  if (process == 0) {
    setpgid(0, 0);
    dup2(null, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    if (errors == ErrorOutput::AsOutput) dup2(output, STDERR_FILENO);
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  close(null);
  return process;
}

int wait_for(pid_t process) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::optional<std::string> output_of(std::vector<std::string> words) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw UserError("cannot make a pipe: {}", std::strerror(errno));
  const pid_t process = start_process(std::move(words), ends[1], ErrorOutput::Same);
  close(ends[1]);
  std::string text;
  std::array<char, 4096> buffer;
  while (true) {
    const ssize_t count = read(ends[0], buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    text.append(buffer.data(), static_cast<size_t>(count));
  }
  close(ends[0]);
  if (wait_for(process) != 0) return std::nullopt;
  return text;
}

}  // namespace memsizer
