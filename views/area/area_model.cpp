#include "views/area/area_model.h"
#include "views/base/format.h"
#include "views/table_parts/tsv.h"

#include <QColor>
#include <QStringList>
#include <algorithm>
#include <cmath>
#include <limits>

#include "views/base/colour_maps.h"

namespace jitterscope::views {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

QVariant alignment(bool left) {
  return QVariant((left ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
}

} // namespace

double AreaKernelsModel::value(const KernelRow& row, int column) {
  switch (column) {
  case Count:
    return static_cast<double>(row.count);
  case Total:
    return row.total;
  case Mean:
    return row.mean;
  case Cv:
    return row.cv;
  case P50:
    return row.p50;
  case P75:
    return row.p75;
  case P90:
    return row.p90;
  case P99:
    return row.p99;
  case P999:
    return row.p999;
  default:
    return kNone;
  }
}

void AreaKernelsModel::setData(const AreaData& data) {
  beginResetModel();
  rows_ = data.rows;
  total_ = data.whole;
  totalById_.clear();
  for (std::size_t i = 0; i < total_.size(); ++i) totalById_[total_[i].id] = i;
  endResetModel();
}

void AreaKernelsModel::setTheme(Theme theme) {
  if (theme == theme_) return;
  theme_ = theme;
  if (!rows_.empty()) emit dataChanged(index(0, 0), index(rowCount() - 1, 0), {Qt::DecorationRole});
}

const KernelRow* AreaKernelsModel::whole(int row) const {
  const auto found = totalById_.find(rows_[static_cast<std::size_t>(row)].id);
  return found == totalById_.end() ? nullptr : &total_[found->second];
}

double AreaKernelsModel::ratio(int row, int column) const {
  const KernelRow* all = whole(row);
  if (all == nullptr || column == Name) return kNone;
  const double of = value(*all, column);
  return of > 0 ? value(rows_[static_cast<std::size_t>(row)], column) / of : kNone;
}

int AreaKernelsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int AreaKernelsModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QString AreaKernelsModel::text(int row, int column) const {
  const KernelRow& of = rows_[static_cast<std::size_t>(row)];
  if (column == Name) return of.name;
  const double v = value(of, column);
  if (!std::isfinite(v)) return QStringLiteral("–");
  QString text = column == Count ? formatCount(of.count)
                 : column == Cv  ? formatFixed(v, v < 10 ? 3 : 1)
                                 : formatDuration(v, 4);
  const double r = ratio(row, column);
  if (!std::isfinite(r)) return text;
  if (column == Count || column == Total)
    return text + QStringLiteral("  ") + formatPercent(r, r < 0.1 ? 2 : 1);
  return text + QStringLiteral("  ×") + formatFixed(r, r < 10 ? 2 : 1);
}

QString AreaKernelsModel::tip(int row, int column) const {
  const KernelRow& of = rows_[static_cast<std::size_t>(row)];
  if (column == Name) return of.name;
  const QString name = headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
  const auto one = [&](const KernelRow& r) {
    const double v = value(r, column);
    const QString number = column == Count ? formatCount(r.count)
                           : column == Cv  ? formatFixed(v, 4)
                                           : formatDuration(v, 6);
    return tr("%1 (n = %2)").arg(std::isfinite(v) ? number : QStringLiteral("–"), formatCount(r.count));
  };
  QString text = name + QStringLiteral("\n") + tr("area: %1").arg(one(of));
  if (const KernelRow* all = whole(row)) text += QStringLiteral("\n") + tr("whole run: %1").arg(one(*all));
  return text;
}

QVariant AreaKernelsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const int row = index.row(), column = index.column();
  const KernelRow& of = rows_[static_cast<std::size_t>(row)];
  switch (role) {
  case Qt::DisplayRole:
    return text(row, column);
  case Qt::DecorationRole:
    return column == Name ? QVariant(categoryColour(of.id, theme_)) : QVariant();
  case Qt::ToolTipRole:
    return tip(row, column);
  case Qt::TextAlignmentRole:
    return alignment(column == Name);
  case SortRole:
    return column == Name ? QVariant(of.name) : QVariant(value(of, column));
  case RatioRole:
    return column == Name ? QVariant(of.name) : QVariant(ratio(row, column));
  default:
    return {};
  }
}

QVariant AreaKernelsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) return {};
  const QStringList names = {tr("Kernel"), tr("Launches"), tr("Total"), tr("Mean"), tr("CV"),
                             tr("P50"),    tr("P75"),      tr("P90"),   tr("P99"),  tr("P99.9")};
  const QStringList explained = {
      tr("Kernel"),
      tr("Number of launches that start in the area, and their share of the kernel's launches in the whole "
         "run"),
      tr("Sum of the durations of these launches, and its share of the sum in the whole run"),
      tr("Mean duration, and its ratio to that in the whole run"),
      tr("Coefficient of variation of the duration: standard deviation / mean, and its ratio to that in the "
         "whole run"),
      tr("Median duration, and its ratio to that in the whole run"),
      tr("75 % of the launches take at most this long; ratio to the whole run"),
      tr("90 % of the launches take at most this long; ratio to the whole run"),
      tr("99 % of the launches take at most this long; ratio to the whole run"),
      tr("99.9 % of the launches take at most this long; ratio to the whole run")};
  if (role == Qt::DisplayRole) return names[section];
  if (role == Qt::ToolTipRole) return explained[section];
  if (role == Qt::InitialSortOrderRole)
    return QVariant::fromValue(section == Name ? Qt::AscendingOrder : Qt::DescendingOrder);
  return role == Qt::TextAlignmentRole ? alignment(section == Name) : QVariant();
}

double AreaTracksModel::value(const AreaTrackRow& row, int column) const {
  switch (column) {
  case Events:
    return static_cast<double>(row.events);
  case Busy:
    return row.busy;
  case Share:
    return row.covered / length_;
  case Mean:
    return row.busy / length_;
  default:
    return kNone;
  }
}

void AreaTracksModel::setData(const AreaData& data) {
  beginResetModel();
  rows_ = data.tracks;
  length_ = std::max(static_cast<double>(data.range.length().count), 1.0);
  endResetModel();
}

int AreaTracksModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int AreaTracksModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QVariant AreaTracksModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const AreaTrackRow& row = rows_[static_cast<std::size_t>(index.row())];
  const int column = index.column();
  const double v = value(row, column);
  switch (role) {
  case Qt::DisplayRole:
    if (column == Label) return row.unfiltered ? tr("%1 · without the filter").arg(row.label) : row.label;
    if (!std::isfinite(v)) return QStringLiteral("–");
    if (column == Events) return formatCount(row.events);
    if (column == Busy) return formatDuration(v, 4);
    return column == Share ? formatPercent(v, 1) : formatFixed(v, 3);
  case Qt::ToolTipRole:
    if (column == Share && !std::isfinite(v))
      return tr("The busy share is unknown: launches of this stream overlap, and the store has no union of "
                "their times.");
    if (column != Label) return index.data().toString();
    return row.unfiltered ? row.path + QStringLiteral("\n") +
                                tr("The filter applies to launches only: all other events are counted.")
                          : row.path;
  case Qt::TextAlignmentRole:
    return alignment(column == Label);
  case SortRole:
    return column == Label ? QVariant(row.path) : QVariant(v);
  case kCsvRole:
    if (column == Label) return row.unfiltered ? tr("%1 · without the filter").arg(row.path) : row.path;
    return std::isfinite(v) ? exactNumber(v * (column == Share ? 100 : 1)) : QString();
  default:
    return {};
  }
}

QVariant AreaTracksModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) return {};
  static const QStringList names = {tr("Track"), tr("Events"), tr("Time"), tr("Busy"), tr("Mean active")};
  const QStringList explained = {
      tr("Track"), tr("Number of events that start in the area; launches count only if they pass the filter"),
      tr("Sum of the lengths of all events, clipped to the area"),
      tr("Share of the area's time in which any event of the track runs: length of their union / length of "
         "the area"),
      tr("Mean number of events that run at once: sum of their lengths / length of the area")};
  if (role == Qt::DisplayRole) return names[section];
  if (role == kCsvRole)
    return section == Busy ? tr("Time [ns]") : section == Share ? tr("Busy [%]") : names[section];
  if (role == Qt::ToolTipRole) return explained[section];
  if (role == Qt::InitialSortOrderRole)
    return QVariant::fromValue(section == Label ? Qt::AscendingOrder : Qt::DescendingOrder);
  return role == Qt::TextAlignmentRole ? alignment(section == Label) : QVariant();
}

} // namespace jitterscope::views
