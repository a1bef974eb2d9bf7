#include "views/table/launches_model.h"

#include <algorithm>
#include <cmath>

#include "views/base/format.h"

namespace jitterscope::views {

void LaunchesModel::forget() {
  beginResetModel();
  parts_.clear();
  recent_.clear();
  total_.reset();
  top_ = 0;
  endResetModel();
}

void LaunchesModel::setColumns(std::vector<LaunchesColumn> columns) {
  beginResetModel();
  parts_.clear();
  recent_.clear();
  columns_ = std::move(columns);
  endResetModel();
}

int LaunchesModel::columnOf(const QString& name) const {
  const auto found =
      std::find_if(columns_.begin(), columns_.end(), [&](const auto& c) { return c.name == name; });
  return found == columns_.end() ? -1 : static_cast<int>(found - columns_.begin());
}

QString LaunchesModel::text(const LaunchesPage& page, std::size_t column, std::size_t row) {
  const double value = page.values[column][row];
  if (std::isnan(value)) return QStringLiteral("–");
  switch (page.columns[column].kind) {
  case LaunchesColumn::Kind::Text:
    return page.texts[column].value(static_cast<int>(value));
  case LaunchesColumn::Kind::Category:
    return QString::number(value, 'g', 15);
  case LaunchesColumn::Kind::Number:
    break;
  }
  if (page.columns[column].name == QLatin1String("start") ||
      page.columns[column].name == QLatin1String("end"))
    return page.columns[column].unit == QLatin1String("ns")
               ? formatTime({static_cast<std::int64_t>(value)}, Nanoseconds{1})
               : formatCount(static_cast<std::uint64_t>(value));
  if (page.columns[column].name == QLatin1String("duration") &&
      page.columns[column].unit == QLatin1String("ns") && value == std::floor(value))
    return formatTime({static_cast<std::int64_t>(value)}, Nanoseconds{1}); // recorded to the nanosecond
  return formatValue(value, page.columns[column].unit, 4);
}

void LaunchesModel::addPage(const LaunchesPage& page) {
  const auto rows = static_cast<qint64>(page.numbers.size());
  const bool resized = total_ != page.total;
  if (resized) beginResetModel();
  total_ = page.total;
  for (qint64 at = 0; at < rows;) {
    const qint64 row = page.first + at, number = row / kPartRows;
    const qint64 end = std::min(rows, (number + 1) * kPartRows - page.first);
    // Only complete parts are cached; the last part of a table is complete when it reaches the end.
    if (row % kPartRows == 0 && (end - at == kPartRows || page.first + end == page.total)) {
      Part part;
      part.cells.resize(page.columns.size());
      for (qint64 i = at; i < end; ++i) {
        part.numbers.push_back(page.numbers[static_cast<std::size_t>(i)]);
        for (std::size_t c = 0; c < page.columns.size(); ++c)
          part.cells[c] << text(page, c, static_cast<std::size_t>(i));
      }
      part.times = times(page, at, end);
      parts_[number] = std::move(part);
      recent_.remove(number);
      recent_.push_front(number);
    }
    at = end;
  }
  while (recent_.size() > kParts) {
    parts_.erase(recent_.back());
    recent_.pop_back();
  }
  if (resized) {
    top_ = std::clamp<qint64>(top_, 0, std::max<qint64>(page.total - shown_, 0));
    endResetModel();
  } else if (rowCount() > 0 && columnCount() > 0) {
    emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
  }
}

void LaunchesModel::setView(qint64 top, int rows) {
  const qint64 last = std::max<qint64>(total_.value_or(0) - rows, 0);
  top = std::clamp<qint64>(top, 0, last);
  if (rows != shown_) {
    beginResetModel();
    top_ = top;
    shown_ = rows;
    endResetModel();
  } else if (top != top_) {
    top_ = top;
    if (rowCount() > 0 && columnCount() > 0)
      emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
  }
}

const LaunchesModel::Part* LaunchesModel::part(qint64 row) const {
  const auto found = parts_.find(row / kPartRows);
  return found == parts_.end() ? nullptr : &found->second;
}

std::pair<qint64, qint64> LaunchesModel::missing(qint64 rows) const {
  if (!total_) return {0, kPartRows};
  for (qint64 row = top_ / kPartRows * kPartRows; row < std::min(top_ + rows, *total_); row += kPartRows)
    if (!part(row)) return {row, std::min<qint64>(2 * kPartRows, *total_ - row)};
  return {0, 0};
}

std::optional<std::uint64_t> LaunchesModel::numberAt(qint64 row) const {
  const auto* found = row >= 0 ? part(row) : nullptr;
  const auto place = static_cast<std::size_t>(row % kPartRows);
  if (!found || place >= found->numbers.size()) return std::nullopt;
  return found->numbers[place];
}

std::vector<Interval> LaunchesModel::times(const LaunchesPage& page, qint64 first, qint64 last) {
  const auto values_of = [&](const char* name) -> const std::vector<double>* {
    for (std::size_t c = 0; c < page.columns.size(); ++c)
      if (page.columns[c].name == QLatin1String(name)) return &page.values[c];
    return nullptr;
  };
  const auto* starts = values_of("start");
  const auto* durations = values_of("duration");
  std::vector<Interval> found;
  for (qint64 i = first; starts && i < last; ++i) {
    const double start = (*starts)[static_cast<std::size_t>(i)];
    const double duration = durations ? (*durations)[static_cast<std::size_t>(i)] : 0;
    constexpr double kFarthest = 4e18; // limit of doubles that fit into int64 nanoseconds
    const auto count = [&](double value) {
      return std::isnan(value) ? 0 : static_cast<std::int64_t>(std::clamp(value, -kFarthest, kFarthest));
    };
    const Nanoseconds begin{count(start)};
    found.push_back({begin, begin + Nanoseconds{std::max<std::int64_t>(count(duration), 1)}});
  }
  return found;
}

std::optional<Interval> LaunchesModel::intervalAt(qint64 row) const {
  const auto* found = row >= 0 ? part(row) : nullptr;
  const auto place = static_cast<std::size_t>(row % kPartRows);
  if (!found || place >= found->times.size()) return std::nullopt;
  return found->times[place];
}

bool LaunchesModel::atCursor(qint64 row) const {
  const auto interval = cursor_ ? intervalAt(row) : std::nullopt;
  return interval && interval->begin <= *cursor_ && *cursor_ < interval->end;
}

// Signals a change only if the set of running launches has changed.
void LaunchesModel::setCursorTime(std::optional<Nanoseconds> time) {
  if (time == cursor_) return;
  const auto before = cursor_;
  for (int r = 0; r < rowCount() && columnCount() > 0; ++r) {
    cursor_ = before;
    const bool was = atCursor(top_ + r);
    cursor_ = time;
    if (atCursor(top_ + r) != was) emit dataChanged(index(r, 0), index(r, columnCount() - 1), {AtCursorRole});
  }
  cursor_ = time;
}

int LaunchesModel::rowCount(const QModelIndex& parent) const {
  if (parent.isValid() || !total_) return 0;
  return static_cast<int>(std::min<qint64>(shown_, *total_ - top_));
}

int LaunchesModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(columns_.size());
}

QVariant LaunchesModel::data(const QModelIndex& index, int role) const {
  return index.isValid() ? cell(top_ + index.row(), index.column(), role) : QVariant();
}

QVariant LaunchesModel::cell(qint64 row, int of, int role) const {
  const auto column = static_cast<std::size_t>(of);
  if (role == NumberRole) {
    const auto number = numberAt(row);
    return number ? QVariant(static_cast<qulonglong>(*number)) : QVariant();
  }
  if (role == AtCursorRole) return atCursor(row);
  if (role == Qt::TextAlignmentRole)
    return int((columns_[column].kind == LaunchesColumn::Kind::Text ? Qt::AlignLeft : Qt::AlignRight) |
               Qt::AlignVCenter);
  if (role != Qt::DisplayRole && role != Qt::ToolTipRole) return {};
  const auto* found = part(row);
  const auto place = static_cast<int>(row % kPartRows);
  if (!found || column >= found->cells.size() || place >= found->cells[column].size())
    return QStringLiteral("…");
  return found->cells[column][place];
}

QVariant LaunchesModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
  const auto& column = columns_[static_cast<std::size_t>(section)];
  if (role == Qt::DisplayRole) return column.title;
  if (role == Qt::ToolTipRole) return column.description;
  if (role == Qt::TextAlignmentRole)
    return int((column.kind == LaunchesColumn::Kind::Text ? Qt::AlignLeft : Qt::AlignRight) |
               Qt::AlignVCenter);
  return {};
}

} // namespace jitterscope::views
