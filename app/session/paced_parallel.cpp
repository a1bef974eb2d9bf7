#include "app/session/paced_parallel.h"

#include <utility>

namespace jitterscope::app {

namespace {

/// Parts of a question that determine whether the engine already has the axes.
engine::ParallelOptions axes_of(const engine::ParallelOptions& question) {
  engine::ParallelOptions axes;
  axes.axes = question.axes;
  axes.scales = question.scales;
  axes.within = question.within;
  return axes;
}

} // namespace

void PacedParallel::ask(engine::ParallelOptions options, std::int64_t rows) {
  waiting_ = std::move(options);
  rows_ = rows;
  if (!busy_)
    start();
  else if (complete_ && !std::exchange(given_up_, true))
    cancel_(number_); // the next request starts when it ends
}

bool PacedParallel::superseded() const {
  return waiting_ && waiting_->axes != question_.axes;
}

void PacedParallel::show(const engine::answers::ParallelAnswer& answer) {
  if (answer.examined_rows != answer.all_rows || !question_.within.empty()) return;
  for (const auto& axis : answer.axes)
    ranges_[axis.column] = {
        .column = axis.column, .minimum = axis.minimum, .maximum = axis.maximum, .codes = axis.codes};
}

void PacedParallel::stop() {
  waiting_.reset();
  stopped_ = busy_;
}

void PacedParallel::start() {
  question_ = std::move(*waiting_);
  waiting_.reset();
  busy_ = true;
  const bool fresh = known_axes_ != axes_of(question_);
  const bool sample = rows_ > kManyRows || (fresh && rows_ > kManyNewRows);
  complete_ = false;
  auto options = question_;
  if (sample) {
    options.look_at = kSample;
    for (const auto& [column, range] : ranges_) options.ranges.push_back(range);
  }
  number_ = ask_(options, [this, sample] { ended(sample); });
  if (number_ == 0) busy_ = false; // no session is open
}

void PacedParallel::ended(bool sample) {
  busy_ = false;
  if (!sample && !given_up_ && !stopped_) known_axes_ = axes_of(question_);
  complete_ = given_up_ = false;
  const bool stopped = std::exchange(stopped_, false);
  if (waiting_) return start();
  if (!sample || stopped) return;
  busy_ = complete_ = true;
  number_ = ask_(question_, [this] { ended(false); });
  if (number_ == 0) busy_ = complete_ = false;
}

} // namespace jitterscope::app
