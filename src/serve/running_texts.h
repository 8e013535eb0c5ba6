#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "serve/http.h"
#include "serve/metrics.h"
#include "serve/served_model.h"
#include "serve/stop_text.h"

namespace memsizer::serve {

// The texts of one HTTP request, from their submission to the last result. The engine's threads only leave
// what they have; threads of the server format it. A client that goes away, a deadline and the end of the
// server cancel what is not done.
class RunningTexts : public std::enable_shared_from_this<RunningTexts> {
 public:
  struct Piece {
    size_t text = 0;
    std::string piece;
  };
  struct Callbacks {
    // New text, up to what stops it; only if it is wanted. More comes when the client has taken it.
    std::function<void(const std::vector<Piece>& pieces)> on_pieces;
    // All are done; once, after the last pieces.
    std::function<void(RunningTexts& texts)> on_done;
  };

  // Throws HttpError if there is no place for them. `deadline` is in seconds.
  static std::shared_ptr<RunningTexts> start(ServedModel& model, Metrics& metrics,
                                             const std::shared_ptr<Exchange>& exchange,
                                             std::vector<engine::Request> requests,
                                             std::vector<std::string> stops, double deadline,
                                             Callbacks callbacks);

  struct Done {
    engine::Result result;
    std::string text;      // up to what stopped it
    bool stopped = false;  // by one of the stops
  };
  // The results in the order of the requests, once. Throws what the first that failed throws, and HttpError
  // if the deadline or the end of the server came first.
  std::vector<Done> take();

  ServedModel& model() { return model_; }
  double seconds() const;
  // From the start to the first text; 0 if there was none.
  double first_text_seconds() const { return first_text_; }

 private:
  RunningTexts(ServedModel& model, Metrics& metrics, std::shared_ptr<Exchange> exchange,
               std::unique_ptr<Admission::Place> place, Callbacks callbacks);

  struct Text {
    StopText filter;
    std::string whole;  // kept only if pieces are not wanted
  };

  bool add_text(size_t text, std::string_view piece);
  void add_done();
  void lose(Lost why);
  void cancel();
  // Calls pump() in a thread of the server, when the client can take more, unless that is under way; with the
  // lock held.
  void schedule();
  void pump();

  ServedModel& model_;
  Metrics& metrics_;
  std::shared_ptr<Exchange> exchange_;
  std::unique_ptr<Admission::Place> place_;
  Callbacks callbacks_;
  double started_;

  std::mutex mutex_;
  std::vector<Text> texts_;
  std::vector<Piece> pieces_;
  std::shared_ptr<std::vector<engine::Ticket>> tickets_;
  size_t left_ = 0;
  bool pumping_ = false;
  int64_t piece_bytes_ = 0;
  double first_text_ = 0.0;
  std::optional<Lost> lost_;
};

}  // namespace memsizer::serve
