#pragma once

#include <memory>
#include <string>
#include <vector>

#include "serve/memory_plan.h"
#include "serve/serve_options.h"

namespace memsizer::serve {

// Models behind HTTP: loads them, listens, and answers until it is stopped.
class Server {
 public:
  // Throws UserError.
  explicit Server(const ServeOptions& options);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server();

  int port() const;
  const MemoryPlan& plan() const;
  // What it says of itself when it starts.
  std::vector<std::string> introduction() const;

  // Returns after stop() or a signal, when what ran has come to its end.
  void run();
  void stop();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace memsizer::serve
