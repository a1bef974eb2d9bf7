#pragma once

#include <QtGlobal>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

namespace jitterscope::app {

/// Puts questions about parallel coordinates so that a brush that moves is followed as often as the engine
/// can answer: one question at a time, then the newest that came meanwhile. Of many rows a sample is asked
/// about first, and all of them once nothing newer waits; that answer is given up when something newer comes.
class PacedParallel {
public:
  using Ended = std::function<void()>;
  /// Sends a question; `ended` must be called once it is over, from the event loop. Returns its number; 0: it
  /// was not sent.
  using Ask = std::function<quint64(nlohmann::json options, Ended ended)>;
  using Cancel = std::function<void(quint64 number)>;

  /// All rows of the same axes are answered at once up to this number …
  static constexpr std::int64_t kManyRows = 12'000'000;
  /// … and of axes that were not asked for before up to this one, two million for a core of a desktop.
  static constexpr std::int64_t kManyNewRows = 4'000'000;
  static constexpr std::int64_t kSample = 500'000; ///< rows of a first picture

  PacedParallel(Ask ask, Cancel cancel) : ask_(std::move(ask)), cancel_(std::move(cancel)) {}

  void ask(nlohmann::json options, std::int64_t rows);
  /// The user does not want to wait: what is asked now is cancelled by the caller, and nothing follows it.
  void stop();
  quint64 number() const { return busy_ ? number_ : 0; } ///< of the question that is being answered; 0: none
  /// The axes of an answer. First pictures are then drawn on the ranges of all rows, so that axes stay where
  /// they are.
  void show(const nlohmann::json& answer);
  /// Another session: its axes are new.
  void forget() { known_axes_ = {}, ranges_ = nlohmann::json::object(); }

private:
  void start();
  void ended(bool sample);

  Ask ask_;
  Cancel cancel_;
  std::optional<nlohmann::json> waiting_;
  std::int64_t rows_ = 0;
  nlohmann::json question_;                          ///< that is being answered
  nlohmann::json known_axes_;                        ///< of the last answer about all rows
  nlohmann::json ranges_ = nlohmann::json::object(); ///< by column, of answers about all rows
  bool busy_ = false, whole_ = false, given_up_ = false,
       stopped_ = false; ///< whole: what runs is about many rows, all of them
  quint64 number_ = 0;
};

} // namespace jitterscope::app
