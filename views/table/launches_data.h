#pragma once

#include <QString>
#include <QStringList>
#include <cstdint>
#include <vector>

namespace jitterscope::views {

/// A column of the table of launches.
struct LaunchesColumn {
  QString name;        ///< name as in filters
  QString title;       ///< "kernel variability"
  QString unit;        ///< "ns" is shown as durations
  QString description; ///< tooltip of the header
  enum class Kind { Number, Category, Text } kind = Kind::Number;
};

/// Consecutive rows of a table with one row per selected launch.
struct LaunchesPage {
  qint64 total = 0;                   ///< rows of the whole table
  qint64 first = 0;                   ///< table row of numbers[0]
  std::vector<std::uint64_t> numbers; ///< row numbers in the session
  std::vector<LaunchesColumn> columns;
  std::vector<std::vector<double>> values; ///< values per column; for text columns, indices into `texts`
  std::vector<QStringList> texts;          ///< texts per column; empty for numeric columns
};

/// Sort order and visible columns of the table.
struct LaunchesOrder {
  QString column = QStringLiteral("start");
  bool descending = false;
  bool operator==(const LaunchesOrder&) const = default;
};

/// Columns of the table, by name, and its order.
struct LaunchesChoice {
  QStringList columns;
  LaunchesOrder order;
};

} // namespace jitterscope::views
