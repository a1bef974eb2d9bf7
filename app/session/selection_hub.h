#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/time.h"
#include "core/engine/messages/statistics_answers.h"
#include "views/base/format.h"
#include "views/parallel/parallel_data.h"

namespace jitterscope::app {

/// A selected bin of the ranking.
struct BinChoice {
  std::uint32_t index = 0;
  Interval interval;
  bool operator==(const BinChoice&) const = default;
};

/// Times with something in common as a selection: bins of the ranking with the same reason, or moments at
/// which a metric has a value.
struct ReasonChoice {
  QString cause;
  std::vector<Interval> times; ///< sorted by start
  bool moments = false;        ///< moments of a metric, not bins
  bool operator==(const ReasonChoice&) const = default;
};

/// A selected launch.
struct LaunchChoice {
  std::uint32_t track = 0;
  std::uint64_t row = 0; ///< session row
  Interval interval;
  bool operator==(const LaunchChoice&) const = default;
};

/// Categories of an axis: the column's value of each and, for text columns, the text. Filters use the texts,
/// because the numbers behind them are internal.
struct Categories {
  std::vector<double> codes;
  QStringList texts; ///< empty for columns of numbers
  Categories() = default;
  Categories(std::initializer_list<double> values) : codes(values) {}
  /// Literal of a category in a filter; a non-existent value if `place` is out of range.
  QString literal(std::size_t place) const;
};

/// Categories by column name. Brushes on categorical axes are in category numbers.
using CategoryCodes = std::map<QString, Categories>;
/// Adds the categories of axes of parallel coordinates.
void add_categories(const std::vector<engine::answers::ParallelAxisAnswer>& axes, CategoryCodes& codes);
/// Adds the categories of an array of categories_of_brushes(). Throws nlohmann::json::exception.
void add_categories(const nlohmann::json& axes, CategoryCodes& codes);

/// True if an axis shows a statistic of bins: its name begins with "bin ", unlike launch columns.
inline bool is_of_bins(const QString& axis) {
  return axis.startsWith(QLatin1String("bin "));
}

/// Visible range and selection of the user, shared by all views.
struct SelectionState {
  std::optional<Interval> window; ///< visible time; none: the whole run
  std::optional<Interval> brush;  ///< brushed time range; at most one of `brush`, `bin` and `reason` is set
  std::optional<BinChoice> bin;
  std::optional<ReasonChoice> reason;
  std::vector<std::uint32_t> kernels; ///< session kernels, sorted; empty: all
  views::AxisBrushes brushes;         ///< by column; columns "bin …" are statistics of bins
  std::vector<Interval>
      bin_times; ///< times of the bins that pass the brushes on bins; empty: no brushes on bins
  views::BrushLogic brush_logic; ///< combination of the brushes
  QString where;                 ///< filter text typed by the user
  std::optional<LaunchChoice> launch;

  bool operator==(const SelectionState&) const = default;

  /// The selection except times as one filter for the engine: (where) and kernel in (…) and column ….
  QString filter(const CategoryCodes& codes = {}) const;
  /// The part of the filter that comes from brushes; empty without brushes.
  QString brush_filter(const CategoryCodes& codes = {}) const;
  /// The brush, the bin or the times of a reason, inside the times of brushed bins; an empty list means all
  /// time. An empty intersection is one empty interval.
  std::vector<Interval> intervals() const;
  /// Whether any condition restricts the launches.
  bool selects() const;
};

/// Brushes on an axis of categories if these move along the axis; `place_of`: new place by old place.
/// Categories that are not on the axis any more are not brushed.
std::vector<views::ValueRange> with_moved_categories(const std::vector<views::ValueRange>& ranges,
                                                     const std::vector<std::optional<std::size_t>>& place_of);

/// Meaning of the brushes on axes of categories, which are ranges of places: an array of objects {column,
/// codes, texts, categories}. For session files.
nlohmann::json categories_of_brushes(const SelectionState& state, const CategoryCodes& codes);

/// The single place where the selection changes. Views emit requests; the hub keeps the history.
class SelectionHub : public QObject {
  Q_OBJECT

public:
  explicit SelectionHub(QObject* parent = nullptr) : QObject(parent) {}

  const SelectionState& state() const { return states_[at_]; }
  /// Clears everything for a new session.
  void reset();
  /// Sets the visible range of the first state, to which undo returns; not a step of the history.
  void start_at(Interval window);
  /// Whether the user chose the visible range; false for the range with which the session began.
  bool zoomed() const { return state().window && state().window != start_; }
  /// Changes the state as one step of the history. A new brush, bin or reason replaces the others.
  /// Consecutive changes with the same non-empty `merge` become one step (dragging a brush).
  void apply(SelectionState state, const QString& merge = {});
  /// Brushes on the categories of an axis follow them to other places (with_moved_categories) in every state
  /// of the history. The selection stays the same, so that no step is added and nothing is emitted.
  void move_categories(const QString& column, const std::vector<std::optional<std::size_t>>& place_of);
  bool canUndo() const { return at_ > 0; }
  bool canRedo() const { return at_ + 1 < states_.size(); }

public slots:
  void undo();
  void redo();

signals:
  void changed(const jitterscope::app::SelectionState& now, const jitterscope::app::SelectionState& before);
  void historyChanged();

private:
  void move_to(std::size_t at);

  static constexpr std::size_t kLongestHistory = 500;
  std::vector<SelectionState> states_{SelectionState{}};
  std::size_t at_ = 0;
  std::optional<Interval> start_; ///< visible range of start_at()
  QString merge_;
};

} // namespace jitterscope::app
