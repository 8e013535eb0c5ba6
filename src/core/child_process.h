#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace memsizer {

// A program of ours that lies beside the one that runs.
std::string sibling_program(const std::string& name);

// Starts a program with its arguments (the first word is its path), without input. It gets a process group of
// its own, so that a terminal's Ctrl-C reaches only us. Throws UserError if no process can be started; a
// program that is not there ends with 127.
enum class ErrorOutput { Same, AsOutput };
pid_t start_process(std::vector<std::string> words, int output, ErrorOutput errors);

// Waits for it; its exit code, or -1 if a signal ended it.
int wait_for(pid_t process);

// Runs a program to its end; what it wrote to standard output, or nothing if it did not succeed.
std::optional<std::string> output_of(std::vector<std::string> words);

}  // namespace memsizer
