#include "serve/running_texts.h"

#include "core/clock.h"
#include "serve/http_error.h"

namespace memsizer::serve {
namespace {

// Text that waits for a client to take what was sent before.
constexpr int64_t kMostPieceBytes = 256 << 10;
// Pieces that are not joined: each is a token, which a page shows one by one.
constexpr size_t kSmallPieces = 64;

int64_t prompt_tokens(const engine::Request& request) {
  if (const auto* tokens = std::get_if<std::vector<int32_t>>(&request.input)) return std::ssize(*tokens);
  if (const auto* saved = std::get_if<engine::SavedState>(&request.input))
    return saved->state.seen().front() + std::ssize(saved->tokens);
  return 0;
}

// Texts that may take long take at most half of the batch.
Admission::Length length_of(const ServedModel& model, const std::vector<engine::Request>& requests) {
  Admission::Length length = Admission::Length::Short;
  for (const engine::Request& request : requests) {
    const int64_t before = prompt_tokens(request);
    const int64_t after = request.read_only ? 0 : request.options.max_length;
    if (model.text().is_language_model() && model.grows() && before + after > model.limits().max_context) {
      throw HttpError(400,
                      fmt::format("the text would have up to {} tokens; this model keeps all of them, and "
                                  "the server allows {}: send less, or ask for less",
                                  before + after, model.limits().max_context));
    }
    const auto* saved = std::get_if<engine::SavedState>(&request.input);
    const int64_t work = (saved ? std::ssize(saved->tokens) : before) + after;
    if (work > model.limits().long_tokens) length = Admission::Length::Long;
  }
  return length;
}

}  // namespace

RunningTexts::RunningTexts(ServedModel& model, Metrics& metrics, std::shared_ptr<Exchange> exchange,
                           std::unique_ptr<Admission::Place> place, Callbacks callbacks)
    : model_(model),
      metrics_(metrics),
      exchange_(std::move(exchange)),
      place_(std::move(place)),
      callbacks_(std::move(callbacks)),
      started_(steady_seconds()) {}

std::shared_ptr<RunningTexts> RunningTexts::start(ServedModel& model, Metrics& metrics,
                                                  const std::shared_ptr<Exchange>& exchange,
                                                  std::vector<engine::Request> requests,
                                                  std::vector<std::string> stops, double deadline,
                                                  Callbacks callbacks) {
  const Admission::Length length = length_of(model, requests);
  const int64_t most = model.admission().most(length);
  if (std::ssize(requests) > most) {
    throw HttpError(
        400, fmt::format("the request asks for {} texts at once; this server takes {}{}: send fewer",
                         requests.size(), most, length == Admission::Length::Long ? " long ones" : ""));
  }
  auto place = model.admission().enter(std::ssize(requests), length);
  if (!place) {
    metrics.count_refused(model.name());
    throw HttpError(503, "the queue is full; try again in a second");
  }
  const std::shared_ptr<RunningTexts> texts(
      new RunningTexts(model, metrics, exchange, std::move(place), std::move(callbacks)));
  auto tickets = std::make_shared<std::vector<engine::Ticket>>();
  texts->left_ = requests.size() + 1;  // one more until all are started
  for (size_t i = 0; i < requests.size(); ++i) texts->texts_.push_back({StopText(stops), ""});
  for (size_t i = 0; i < requests.size(); ++i) {
    if (!requests[i].read_only)
      requests[i].on_text = [texts, i](std::string_view piece) { return texts->add_text(i, piece); };
    requests[i].on_done = [texts] { texts->add_done(); };
    tickets->push_back(model.generator().prepare(std::move(requests[i])));
  }
  {
    const std::scoped_lock lock(texts->mutex_);
    texts->tickets_ = tickets;
  }
  for (engine::Ticket& ticket : *tickets) model.generator().start(ticket);
  exchange->set_deadline(deadline);
  exchange->when_lost([texts](Lost why) { texts->lose(why); });
  texts->add_done();
  return texts;
}

bool RunningTexts::add_text(size_t text, std::string_view piece) {
  const std::scoped_lock lock(mutex_);
  if (lost_) return false;
  if (first_text_ == 0.0) first_text_ = seconds();
  Text& to = texts_[text];
  std::string certain = to.filter.push(piece);
  if (!certain.empty()) {
    if (callbacks_.on_pieces) {
      piece_bytes_ += std::ssize(certain);
      if (piece_bytes_ > kMostPieceBytes) {
        // It would not read an error either.
        exchange_->drop();
        return false;
      }
      // What a slow client gets late, it gets in larger pieces.
      if (pieces_.size() > kSmallPieces && pieces_.back().text == text) {
        pieces_.back().piece += certain;
      } else {
        pieces_.push_back({text, std::move(certain)});
      }
      schedule();
    } else {
      to.whole += certain;
    }
  }
  return !to.filter.stopped();
}

void RunningTexts::add_done() {
  const std::scoped_lock lock(mutex_);
  if (--left_ == 0) schedule();
}

void RunningTexts::schedule() {
  if (pumping_) return;
  pumping_ = true;
  const auto run = [self = shared_from_this()] { self->exchange_->run_later([self] { self->pump(); }); };
  callbacks_.on_pieces ? exchange_->when_taken(run) : run();
}

void RunningTexts::pump() {
  std::vector<Piece> pieces;
  bool done = false;
  {
    const std::scoped_lock lock(mutex_);
    done = left_ == 0;
    if (done && callbacks_.on_pieces && !lost_) {
      for (size_t i = 0; i < texts_.size(); ++i) {
        std::string rest = texts_[i].filter.finish();
        if (!rest.empty()) pieces_.push_back({i, std::move(rest)});
      }
    }
    pieces.swap(pieces_);
    piece_bytes_ = 0;
  }
  if (!pieces.empty()) callbacks_.on_pieces(pieces);
  if (done) callbacks_.on_done(*this);
  const std::scoped_lock lock(mutex_);
  if (done) {
    // Jobs hold this object, and this object holds them.
    tickets_.reset();
    return;
  }
  pumping_ = false;
  if (left_ == 0 || !pieces_.empty()) schedule();
}

void RunningTexts::lose(Lost why) {
  {
    const std::scoped_lock lock(mutex_);
    lost_ = why;
  }
  cancel();
}

void RunningTexts::cancel() {
  std::shared_ptr<std::vector<engine::Ticket>> tickets;
  {
    const std::scoped_lock lock(mutex_);
    tickets = tickets_;
  }
  if (!tickets) return;
  for (engine::Ticket& ticket : *tickets) ticket.cancel();
}

double RunningTexts::seconds() const {
  return steady_seconds() - started_;
}

std::vector<RunningTexts::Done> RunningTexts::take() {
  std::vector<Done> done;
  int64_t read = 0;
  int64_t generated = 0;
  for (size_t i = 0; i < texts_.size(); ++i) {
    Text& text = texts_[i];
    engine::Result result = (*tickets_)[i].get();
    read += result.tokens_read;
    for (const engine::Output& output : result.outputs)
      generated += output.forgotten + std::ssize(output.tokens);
    std::string whole = std::move(text.whole) + text.filter.finish();
    done.push_back({std::move(result), std::move(whole), text.filter.stopped()});
  }
  metrics_.count_tokens(model_.name(), read, generated);
  if (first_text_ > 0.0) metrics_.observe_first_text(model_.name(), first_text_);
  const std::scoped_lock lock(mutex_);
  if (lost_ == Lost::Deadline)
    throw HttpError(504,
                    "the request took longer than its deadline; ask for less, or give it a longer 'timeout'");
  if (lost_ == Lost::Shutdown) throw HttpError(503, "the server is shutting down; ask another one");
  return done;
}

}  // namespace memsizer::serve
