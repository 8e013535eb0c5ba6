#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace memsizer::serve {

// What a load generator sends: `requests` from `clients` at once, each with a connection that it keeps.
struct Load {
  std::string host = "127.0.0.1";
  int64_t port = 8080;
  std::string key;
  std::string path = "/v1/completions";
  std::string body;
  int64_t clients = 1;
  int64_t requests = 100;
  // Streams beside them, which go on until the others are done.
  int64_t endless = 0;
  std::string endless_path = "/v1/completions";
  std::string endless_body;
};

struct LoadResult {
  int64_t answered = 0;  // with 200
  int64_t refused = 0;   // with 503
  int64_t failed = 0;    // any other way
  int64_t tokens = 0;    // of outputs
  double seconds = 0.0;
  std::vector<double> latencies;  // seconds of those answered, rising
  int64_t resident_bytes = 0;     // of the server, afterwards
  int64_t ceiling_bytes = 0;

  // The time within which this share of the requests was answered.
  double percentile(double share) const;
};

// Throws UserError if the server cannot be reached.
LoadResult run_load(const Load& load);

}  // namespace memsizer::serve
