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
#include "views/base/format.h"
#include "views/parallel/parallel_data.h"

namespace jitterscope::app {

/// A bin of the ranking.
struct BinChoice {
  std::uint32_t index = 0;
  Interval interval;
  bool operator==(const BinChoice&) const = default;
};

/// All bins of the ranking with the same reason.
struct ReasonChoice {
  QString cause;
  std::vector<Interval> times; ///< of the bins, sorted by begin
  bool operator==(const ReasonChoice&) const = default;
};

/// One launch.
struct LaunchChoice {
  std::uint32_t track = 0;
  std::uint64_t row = 0; ///< session row
  Interval interval;
  bool operator==(const LaunchChoice&) const = default;
};

/// Categories of an axis: the column's value of each and, where the column holds texts, these: filters name
/// them, since nobody knows the numbers behind texts.
struct Categories {
  std::vector<double> codes;
  QStringList texts; ///< empty for columns of numbers
  Categories() = default;
  Categories(std::initializer_list<double> values) : codes(values) {}
  /// How a filter names a category; a value that no row has for places outside.
  QString literal(std::size_t place) const;
};

/// Of axes of categories, by column name. Brushes on such axes are in numbers of categories.
using CategoryCodes = std::map<QString, Categories>;
/// What an answer about parallel coordinates tells of its axes of categories.
void add_categories(const nlohmann::json& answer, CategoryCodes& codes);

/// A filter joined with a condition on a column; takes the place of the one that such a call appended last.
QString with_condition(const QString& filter, const QString& column, const QString& condition);

/// Whether an axis shows a statistic of bins: the names of such axes begin with "bin ", as no launch column
/// does.
inline bool is_of_bins(const QString& axis) {
  return axis.startsWith(QLatin1String("bin "));
}

/// What the user looks at and has chosen; the same for all views.
struct SelectionState {
  std::optional<Interval> window; ///< visible time; none: the whole run
  std::optional<Interval> brush;  ///< brushed time range
  std::optional<BinChoice> bin;
  std::optional<ReasonChoice> reason;
  std::vector<std::uint32_t> kernels; ///< session kernels, sorted; empty: all
  views::AxisBrushes brushes; ///< on parallel coordinates and distributions, by column; "bin …": of bins
  std::vector<Interval>
      bin_times; ///< of the bins that pass the brushes on statistics of bins; empty: no such brush
  views::BrushLogic brush_logic; ///< how they are joined
  QString where;                 ///< filter text typed by the user
  std::optional<LaunchChoice> launch;

  bool operator==(const SelectionState&) const = default;

  /// Everything but time as one filter text, what the engine gets: (where) and kernel in (…) and column ….
  QString filter(const CategoryCodes& codes = {}) const;
  /// The brushes' part of it; empty without brushes.
  QString brush_filter(const CategoryCodes& codes = {}) const;
  /// Brush, bin, bins of a reason and the times of brushed bins, intersected when several are set; empty
  /// list: all time. An empty intersection is one empty interval.
  std::vector<Interval> intervals() const;
  /// Whether any launch is filtered out.
  bool selects() const;
};

/// The one place where selections change. Views publish intents; the hub keeps the history.
class SelectionHub : public QObject {
  Q_OBJECT

public:
  explicit SelectionHub(QObject* parent = nullptr) : QObject(parent) {}

  const SelectionState& state() const { return states_[at_]; }
  /// Forgets everything: a new session.
  void reset();
  /// Changes the state as one step of the history. Changes with the same non-empty `merge` that follow each
  /// other make one step (dragging a brush).
  void apply(const SelectionState& state, const QString& merge = {});
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
  QString merge_;
};

} // namespace jitterscope::app
