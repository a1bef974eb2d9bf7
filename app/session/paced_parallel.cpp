#include "app/session/paced_parallel.h"

#include <utility>

namespace jitterscope::app {

using nlohmann::json;

namespace {

/// Parts of a question that determine whether the engine already has the axes.
json axes_of(const json& question) {
  return {question.value("axes", json::array()), question.value("scales", json::object()),
          question.value("within", std::string())};
}

} // namespace

void PacedParallel::ask(json options, std::int64_t rows) {
  waiting_ = std::move(options);
  rows_ = rows;
  if (!busy_)
    start();
  else if (complete_ && !std::exchange(given_up_, true))
    cancel_(number_); // the next request starts when it ends
}

bool PacedParallel::superseded() const {
  return waiting_ && waiting_->value("axes", json::array()) != question_.value("axes", json::array());
}

void PacedParallel::show(const json& answer) {
  const bool all_rows =
      answer.value("looked_at_rows", std::int64_t{0}) == answer.value("all_rows", std::int64_t{-1});
  if (!all_rows || !question_.value("within", std::string()).empty()) return;
  for (const auto& axis : answer.value("axes", json::array()))
    ranges_[axis.at("column").get<std::string>()] = {
        {"minimum", axis.at("minimum")}, {"maximum", axis.at("maximum")}, {"codes", axis.at("codes")}};
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
  json options = question_;
  if (sample) options["look_at"] = kSample;
  if (sample && !ranges_.empty()) options["ranges"] = ranges_;
  number_ = ask_(std::move(options), [this, sample] { ended(sample); });
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
