#include "views/table/kernels_model.h"
#include "views/base/format.h"
#include "views/table_parts/tsv.h"

#include <QPainter>
#include <QPixmap>
#include <QRegularExpression>
#include <QStringList>
#include <algorithm>
#include <cmath>
#include <limits>

#include "views/base/colour_maps.h"

namespace jitterscope::views {

namespace {

bool isTime(int column) {
  return column == KernelsModel::Total || column == KernelsModel::Mean ||
         (column >= KernelsModel::P50 && column <= KernelsModel::Variability);
}

// Columns of one family share a unit, so that they can be compared by eye.
int family(int column) {
  const bool duration =
      column == KernelsModel::Mean || (column >= KernelsModel::P50 && column <= KernelsModel::Maximum);
  return duration ? KernelsModel::P50 : column;
}

QPixmap swatch(const QColor& colour) {
  QPixmap pixmap(20, 20);
  pixmap.setDevicePixelRatio(2);
  pixmap.fill(Qt::transparent);
  QPainter painter(&pixmap);
  painter.fillRect(QRectF(0, 0, 10, 10), colour);
  return pixmap;
}

int decimalsOf(double scaled) {
  const double a = std::abs(scaled);
  return a >= 1000 ? 0 : a >= 100 ? 1 : a >= 10 ? 2 : 3;
}

} // namespace

double KernelsModel::value(const KernelRow& row, int column) {
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
  case Maximum:
    return row.maximum;
  case Variability:
    return row.variability;
  case Share:
    return row.share;
  default:
    return std::numeric_limits<double>::quiet_NaN();
  }
}

void KernelsModel::setData(KernelsData data) {
  beginResetModel();
  data_ = std::move(data);
  std::array<double, ColumnCount> typical{};
  for (int c = 0; c < ColumnCount; ++c) {
    if (!isTime(c)) continue;
    // Uses the median of the family's central column: a single outlier must not turn every µs into 0.000 s.
    std::vector<double> values;
    for (const KernelRow& row : data_.rows) {
      if (const double v = value(row, family(c)); std::isfinite(v)) values.push_back(v);
    }
    if (values.empty()) continue;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    typical[static_cast<std::size_t>(c)] = *middle;
  }
  for (std::size_t c = 0; c < ColumnCount; ++c) units_[c] = timeUnitFor(typical[c]);
  endResetModel();
}

void KernelsModel::setTheme(Theme theme) {
  if (theme == theme_) return;
  theme_ = theme;
  if (!data_.rows.empty()) emit dataChanged(index(0, 0), index(rowCount() - 1, 0), {Qt::DecorationRole});
}

int KernelsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(data_.rows.size());
}

int KernelsModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QString KernelsModel::text(const KernelRow& row, int column) const {
  if (column == Name) return row.name;
  if (column == Count) return formatCount(row.count);
  const double v = value(row, column);
  if (!std::isfinite(v)) return QStringLiteral("–");
  if (column == Cv) return formatFixed(v, v < 10 ? 3 : 1);
  if (column == Share) return formatFixed(v * 100, 1);
  const double unit = units_[static_cast<std::size_t>(column)].nanoseconds;
  return formatFixed(v / unit, unit == 1 ? 0 : decimalsOf(v / unit));
}

QVariant KernelsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const KernelRow& row = data_.rows[static_cast<std::size_t>(index.row())];
  const int column = index.column();
  switch (role) {
  case Qt::DisplayRole:
    return text(row, column);
  case Qt::DecorationRole:
    if (column == Name) return swatch(categoryColour(row.id, theme_));
    return {};
  case Qt::ToolTipRole:
    if (column == Name) return row.name;
    if (isTime(column)) {
      return tr("%1 (n = %2)").arg(formatDuration(value(row, column), 6), formatCount(row.count));
    }
    return tr("%1 (n = %2)").arg(text(row, column), formatCount(row.count));
  case Qt::TextAlignmentRole:
    return QVariant((column == Name ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
  case SortRole:
    return column == Name ? QVariant(row.name) : QVariant(value(row, column));
  case IdRole:
    return row.id;
  case kCsvRole: {
    if (column == Name) return row.name;
    const double number = value(row, column) * (column == Share ? 100 : 1);
    return std::isfinite(number) ? exactNumber(number) : QString();
  }
  case ShortRole:
    return column == Name ? row.shortName : QString();
  default:
    return {};
  }
}

QVariant KernelsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) return {};
  // The greatest values are of interest: the first click sorts them to the top.
  if (role == Qt::InitialSortOrderRole)
    return QVariant::fromValue(section == Name ? Qt::AscendingOrder : Qt::DescendingOrder);
  if (role == Qt::TextAlignmentRole) {
    return QVariant((section == Name ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
  }
  if (role == Qt::ToolTipRole) {
    const QStringList explained = {tr("Kernel"),
                                   tr("Launches"),
                                   tr("Sum of the durations"),
                                   tr("Mean duration"),
                                   tr("Coefficient of variation of the duration: standard deviation / mean"),
                                   tr("Median duration"),
                                   tr("75 % of the launches take at most this long"),
                                   tr("90 % of the launches take at most this long"),
                                   tr("99 % of the launches take at most this long"),
                                   tr("99.9 % of the launches take at most this long"),
                                   tr("Longest launch"),
                                   tr("Σ |duration − mean of its configuration|"),
                                   tr("Share of the summed variability of all kernels")};
    return explained[section];
  }
  if (role != Qt::DisplayRole && role != kCsvRole) return {};
  static const QStringList names = {tr("Kernel"), tr("Count"),        tr("Total"),    tr("Mean"), tr("CV"),
                                    tr("P50"),    tr("P75"),          tr("P90"),      tr("P99"),  tr("P99.9"),
                                    tr("Max"),    tr("Σ |d − mean|"), tr("Share [%]")};
  if (!isTime(section)) return names[section];
  if (role == kCsvRole) return tr("%1 [ns]").arg(names[section]);
  return tr("%1 [%2]").arg(names[section], QString::fromUtf8(units_[static_cast<std::size_t>(section)].name));
}

KernelsProxy::KernelsProxy(QObject* parent) : QSortFilterProxyModel(parent) {
  setFilterKeyColumn(KernelsModel::Name);
  setSortRole(KernelsModel::SortRole);
}

void KernelsProxy::setNameFilter(const QString& text) {
  QRegularExpression expression(text, QRegularExpression::CaseInsensitiveOption);
  if (!expression.isValid()) {
    expression =
        QRegularExpression(QRegularExpression::escape(text), QRegularExpression::CaseInsensitiveOption);
  }
  setFilterRegularExpression(expression);
}

bool KernelsProxy::lessThan(const QModelIndex& left, const QModelIndex& right) const {
  if (left.column() == KernelsModel::Name) {
    return QString::localeAwareCompare(left.data(KernelsModel::SortRole).toString(),
                                       right.data(KernelsModel::SortRole).toString()) < 0;
  }
  const double a = left.data(KernelsModel::SortRole).toDouble();
  const double b = right.data(KernelsModel::SortRole).toDouble();
  // NaN sorts below everything.
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && !std::isnan(b);
  return a < b;
}

} // namespace jitterscope::views
