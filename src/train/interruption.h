#pragma once

namespace memsizer::train {

// While it lives, the first SIGINT, SIGTERM or SIGHUP only sets a flag, for the work to save and stop at a
// good moment; a second SIGINT or SIGTERM ends the process at once. A SIGHUP that was ignored (nohup) stays
// ignored. At most one at a time, since signals belong to the process.
class Interruption {
 public:
  Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;
  ~Interruption();

  bool requested() const;
};

}  // namespace memsizer::train
