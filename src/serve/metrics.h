#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace memsizer::serve {

// What the server counts, as Prometheus reads it.
class Metrics {
 public:
  void count_request(const std::string& route, int status, double seconds);
  // Texts of a model that are complete: tokens read and generated, and the seconds until the first text.
  void count_tokens(const std::string& model, int64_t read, int64_t generated);
  void observe_first_text(const std::string& model, double seconds);
  void count_refused(const std::string& model);

  // A value that is asked for when the metrics are.
  struct Gauge {
    std::string name;
    std::string help;
    std::string labels;  // such as model="a"; empty: none
    std::function<double()> value;
  };
  void add_gauge(Gauge gauge);

  std::string text() const;

 private:
  static constexpr std::array<double, 14> kBounds = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
                                                     0.25,  0.5,    1.0,   2.5,  5.0,   10.0, 60.0};
  struct Histogram {
    std::array<int64_t, kBounds.size()> counts{};
    int64_t count = 0;
    double sum = 0.0;

    void observe(double value);
  };
  using Labels = std::string;

  static void write_counters(std::string& text, const std::string& name, const std::string& help,
                             const std::map<Labels, int64_t>& counters);
  static void write_histograms(std::string& text, const std::string& name, const std::string& help,
                               const std::map<Labels, Histogram>& histograms);

  mutable std::mutex mutex_;
  std::map<Labels, int64_t> requests_;
  std::map<Labels, int64_t> refused_;
  std::map<Labels, int64_t> tokens_read_;
  std::map<Labels, int64_t> tokens_generated_;
  std::map<Labels, Histogram> seconds_;
  std::map<Labels, Histogram> first_text_;
  std::vector<Gauge> gauges_;
};

}  // namespace memsizer::serve
