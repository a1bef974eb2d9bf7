#pragma once

#include <QAbstractTableModel>
#include <list>
#include <map>
#include <optional>

#include "core/base/time.h"
#include "views/table/launches_data.h"

namespace jitterscope::views {

/// Window of a table of any length: rows [top, top + rowCount()). Caches the most recently requested
/// parts; cells show "…" until their part arrives.
class LaunchesModel : public QAbstractTableModel {
  Q_OBJECT

public:
  static constexpr qint64 kPartRows = 256; ///< number of rows in a part
  static constexpr std::size_t kParts = 64;
  enum Role { NumberRole = Qt::UserRole, AtCursorRole };

  using QAbstractTableModel::QAbstractTableModel;

  /// Clears all rows because the table changed (selection, order); columns are kept.
  void forget();
  void setColumns(std::vector<LaunchesColumn> columns);
  const std::vector<LaunchesColumn>& columns() const { return columns_; }
  int columnOf(const QString& name) const; ///< index of a column; −1 if it is not shown
  /// Adds an answer; its rows may span several parts and start at any row.
  void addPage(const LaunchesPage& page);
  /// Number of rows of the table; nullopt until the first answer.
  std::optional<qint64> total() const { return total_; }

  /// Shows rows [top, top + rows), clamped to the table.
  void setView(qint64 top, int rows);
  qint64 top() const { return top_; }
  /// First missing part of the view as [first, first + count); count 0 when nothing is missing.
  std::pair<qint64, qint64> missing() const { return missing(shown_); }
  /// First missing part of the `rows` rows from the first visible row.
  std::pair<qint64, qint64> missing(qint64 rows) const;
  /// Same as data(), but indexed by the table row, which may be outside the view.
  QVariant cell(qint64 row, int column, int role) const;
  std::optional<std::uint64_t> numberAt(qint64 row) const; ///< session row; `row` is the table row
  /// Interval from start to start + duration, if these columns are shown; without a duration it is 1 ns
  /// long.
  std::optional<Interval> intervalAt(qint64 row) const;
  /// Launches that run at this time have the role AtCursorRole.
  void setCursorTime(std::optional<Nanoseconds> time);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
  struct Part {
    std::vector<std::uint64_t> numbers;
    std::vector<QStringList> cells; ///< displayed texts, by column
    std::vector<Interval> times;    ///< intervals of the launches; empty unless the start is shown
  };
  const Part* part(qint64 row) const;
  static QString text(const LaunchesPage& page, std::size_t column, std::size_t row);
  static std::vector<Interval> times(const LaunchesPage& page, qint64 first, qint64 last);
  bool atCursor(qint64 row) const;

  std::vector<LaunchesColumn> columns_;
  std::optional<qint64> total_;
  std::map<qint64, Part> parts_; ///< cached parts by part number
  std::list<qint64> recent_;     ///< numbers of the cached parts, the most recently received first
  qint64 top_ = 0;
  int shown_ = 0;
  std::optional<Nanoseconds> cursor_;
};

} // namespace jitterscope::views
