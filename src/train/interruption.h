#pragma once

namespace memsizer::train {

// While it lives, the first SIGINT or SIGTERM only sets a flag, for the work to save and stop at a good
// moment; a second one ends the process at once. At most one at a time, since signals belong to the process.
class Interruption {
 public:
  Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;
  ~Interruption();

  bool requested() const;
};

}  // namespace memsizer::train
