#pragma once

#include <cmath>
#include <cstdint>

namespace memsizer::metrics {

// How surprised a model is by text, summed up token by token.
class Perplexity {
 public:
  void add(double log_probability, int64_t tokens = 1) {
    nll_ -= log_probability;
    tokens_ += tokens;
  }

  int64_t tokens() const { return tokens_; }
  // A token, in nats; 0 if there was none.
  double nll() const { return tokens_ == 0 ? 0.0 : nll_ / static_cast<double>(tokens_); }
  double value() const { return std::exp(nll()); }

 private:
  double nll_ = 0.0;
  int64_t tokens_ = 0;
};

}  // namespace memsizer::metrics
