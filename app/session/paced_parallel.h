#pragma once

#include <QtGlobal>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "core/engine/messages/statistics_answers.h"
#include "core/engine/messages/statistics_options.h"

namespace jitterscope::app {

/// Paces requests for parallel coordinates so that a moving brush is followed as fast as the engine can
/// answer: one request at a time, then the newest pending one. With many rows, a sample is requested first,
/// and all rows once nothing newer is pending; a newer request cancels the one about all rows.
class PacedParallel {
public:
  using Ended = std::function<void()>;
  /// Sends a request; `ended` must be called once it is over, from the event loop. Returns its number; 0: it
  /// was not sent.
  using Ask = std::function<quint64(const engine::ParallelOptions& options, Ended ended)>;
  using Cancel = std::function<void(quint64 number)>;

  /// Maximum rows answered without a sample, for axes of the previous answer.
  static constexpr std::int64_t kManyRows = 12'000'000;
  /// Maximum rows answered without a sample, for other axes.
  static constexpr std::int64_t kManyNewRows = 4'000'000;
  static constexpr std::int64_t kSample = 500'000; ///< number of rows in a sample

  PacedParallel(Ask ask, Cancel cancel) : ask_(std::move(ask)), cancel_(std::move(cancel)) {}

  void ask(engine::ParallelOptions options, std::int64_t rows);
  /// To be called when the user cancels: no further request follows; the caller cancels the running one.
  void stop();
  /// Whether a request for other axes waits: the answer to the running one must not be shown, because the
  /// view would then request its axes again, in place of the waiting ones.
  bool superseded() const;
  quint64 number() const { return busy_ ? number_ : 0; } ///< number of the running request; 0: none
  /// Stores the ranges of the axes if the answer is about all rows. Samples are then drawn with these ranges,
  /// so that axes do not change.
  void show(const engine::answers::ParallelAnswer& answer);
  /// Forgets the known axes, when another session is opened.
  void forget() { known_axes_.reset(), ranges_.clear(); }

private:
  void start();
  void ended(bool sample);

  Ask ask_;
  Cancel cancel_;
  std::optional<engine::ParallelOptions> waiting_;
  std::int64_t rows_ = 0;
  engine::ParallelOptions question_;                  ///< options of the running request, or of the last one
  std::optional<engine::ParallelOptions> known_axes_; ///< axes of the last answer about all rows
  std::map<std::string, engine::KnownRangeOptions> ranges_; ///< by column, from answers about all rows
  bool busy_ = false, complete_ = false, given_up_ = false,
       stopped_ = false; ///< `complete_`: the running request is about all rows, after a sample
  quint64 number_ = 0;
};

} // namespace jitterscope::app
