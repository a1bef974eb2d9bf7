#pragma once

#include <QString>
#include <QStringList>
#include <cstdint>
#include <vector>

namespace jitterscope::views {

/// A column of the table of launches.
struct LaunchesColumn {
  QString name;        ///< as in filters
  QString title;       ///< "kernel variability"
  QString unit;        ///< "ns" is shown as durations
  QString description; ///< tooltip of the header
  enum class Kind { Number, Category, Text } kind = Kind::Number;
};

/// Consecutive rows of a table that is as long as there are selected launches.
struct LaunchesPage {
  qint64 total = 0;                   ///< rows of the whole table
  qint64 first = 0;                   ///< place of numbers[0]
  std::vector<std::uint64_t> numbers; ///< session rows
  std::vector<LaunchesColumn> columns;
  std::vector<std::vector<double>> values; ///< per column; of text columns places in `texts`
  std::vector<QStringList> texts;          ///< per column, empty unless it is one of texts
};

/// How the table is ordered and what it shows.
struct LaunchesOrder {
  QString column = QStringLiteral("start");
  bool descending = false;
  bool operator==(const LaunchesOrder&) const = default;
};

} // namespace jitterscope::views
