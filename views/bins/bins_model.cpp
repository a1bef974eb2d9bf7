#include "views/bins/bins_model.h"
#include "views/table_parts/row_count.h"
#include "views/table_parts/tsv.h"

#include <QStringList>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "views/base/format.h"
#include "views/base/painting.h"
#include "views/base/text.h"

namespace jitterscope::views {

namespace {

// Sorts by cause and, among bins with the same cause, by its share, largest first; then bins without a
// cause, then bins with unknown reason.
bool byReason(const BinRow& x, const BinRow& y) {
  const auto place = [](const BinRow& bin) { return !bin.reason ? 2 : bin.reason->cause.isEmpty() ? 1 : 0; };
  if (place(x) != place(y)) return place(x) < place(y);
  if (place(x) == 2) return x.why < y.why;
  if (x.reason->cause != y.reason->cause) return x.reason->cause < y.reason->cause;
  const auto share = [](const BinRow& bin) {
    return std::isnan(bin.reason->percent) ? -1e9 : bin.reason->percent;
  };
  return share(x) > share(y);
}

QString reasonWords(const BinReason& reason) {
  if (reason.cause.isEmpty() || std::isnan(reason.percent)) return reason.text;
  return (reason.less ? Text::tr("less time than elsewhere: %1 (%2 of the difference)")
                      : Text::tr("%1 (%2 of the excess)"))
      .arg(reason.text, formatPercent(reason.percent / 100, 0));
}

} // namespace

void BinsModel::setData(BinsData data) {
  beginResetModel();
  data_ = std::move(data);
  shownCause_.clear();
  greatest_ = 0;
  kept_ = 0;
  for (const BinRow& bin : data_.bins) {
    if (std::isfinite(bin.value)) greatest_ = std::max(greatest_, bin.value);
    kept_ += bin.kept ? 1 : 0;
  }
  orderRows();
  endResetModel();
}

double BinsModel::threshold() const {
  return kept_ > 0 ? data_.bins[kept_ - 1].value : std::nan("");
}

std::size_t BinsModel::countFrom(double value) const {
  const auto below = std::partition_point(data_.bins.begin(), data_.bins.end(),
                                          [&](const BinRow& bin) { return bin.value >= value; });
  return std::max<std::size_t>(static_cast<std::size_t>(below - data_.bins.begin()), 1);
}

void BinsModel::setReasons(const std::vector<std::pair<std::uint32_t, BinReason>>& reasons) {
  std::unordered_map<std::uint32_t, std::size_t> places;
  for (std::size_t i = 0; i < data_.bins.size(); ++i) places.emplace(data_.bins[i].index, i);
  for (const auto& [bin, reason] : reasons)
    if (const auto found = places.find(bin); found != places.end())
      data_.bins[found->second].reason = std::make_shared<const BinReason>(
          BinReason{reason.cause, namesInQuotes(reason.text), reason.percent, reason.less});
  if (!shownCause_.isEmpty()) { // the number of rows may change
    beginResetModel();
    orderRows();
    endResetModel();
  } else if (sortColumn_ == Why) {
    changeRows();
  }
  if (rowCount() > 0) emit dataChanged(index(0, Why), index(rowCount() - 1, Why));
}

std::vector<std::pair<std::uint32_t, BinReason>> BinsModel::reasons() const {
  std::vector<std::pair<std::uint32_t, BinReason>> known;
  for (const BinRow& bin : data_.bins)
    if (bin.reason) known.emplace_back(bin.index, *bin.reason);
  return known;
}

bool BinsModel::hasReasons() const {
  return std::any_of(data_.bins.begin(), data_.bins.end(),
                     [](const BinRow& bin) { return bin.reason != nullptr; });
}

QString BinsModel::reasonText(int row) const {
  const BinRow& bin = binAt(row);
  QStringList lines;
  if (bin.reason) lines << reasonWords(*bin.reason);
  if (!bin.why.isEmpty()) lines << bin.why;
  return lines.join(QLatin1Char('\n'));
}

void BinsModel::showCause(const QString& cause) {
  if (cause == shownCause_) return;
  beginResetModel(); // the number of rows changes
  shownCause_ = cause;
  orderRows();
  endResetModel();
}

std::vector<const BinRow*> BinsModel::binsOf(const QString& cause) const {
  std::vector<const BinRow*> found;
  for (const BinRow& bin : data_.bins)
    if (bin.reason && bin.reason->cause == cause && !cause.isEmpty()) found.push_back(&bin);
  return found;
}

void BinsModel::setKeptCount(std::size_t count) {
  kept_ = std::min(count, data_.bins.size());
  for (std::size_t i = 0; i < data_.bins.size(); ++i) data_.bins[i].kept = i < kept_;
  data_.top = tr("top %1").arg(formatCount(kept_));
  if (rowCount() > 0) emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

void BinsModel::orderRows() {
  order_.resize(data_.bins.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  if (!shownCause_.isEmpty())
    std::erase_if(order_, [this](std::size_t at) {
      return !data_.bins[at].reason || data_.bins[at].reason->cause != shownCause_;
    });
  const auto before = [this](std::size_t a, std::size_t b) {
    const BinRow& x = data_.bins[a];
    const BinRow& y = data_.bins[b];
    switch (sortColumn_) {
    case Start:
      return x.start < y.start;
    case Launches:
      return x.n < y.n;
    case Value:
      return x.value < y.value;
    case Why:
      return byReason(x, y);
    default:
      return a < b;
    }
  };
  if (sortOrder_ == Qt::AscendingOrder) {
    if (sortColumn_ != Rank) std::stable_sort(order_.begin(), order_.end(), before);
  } else {
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::size_t a, std::size_t b) { return before(b, a); });
  }
  rowByIndex_.clear();
  rowByIndex_.reserve(order_.size());
  for (std::size_t row = 0; row < order_.size(); ++row) {
    rowByIndex_[data_.bins[order_[row]].index] = static_cast<int>(row);
  }
}

void BinsModel::sort(int column, Qt::SortOrder order) {
  if (column == sortColumn_ && order == sortOrder_) return;
  sortColumn_ = column;
  sortOrder_ = order;
  changeRows();
}

void BinsModel::changeRows() {
  emit layoutAboutToBeChanged({}, QAbstractItemModel::VerticalSortHint);
  const QModelIndexList before = persistentIndexList();
  std::vector<std::uint32_t> bins;
  for (const QModelIndex& index : before) bins.push_back(binAt(index.row()).index);
  orderRows();
  QModelIndexList after;
  for (std::size_t i = 0; i < bins.size(); ++i) {
    const auto row = rowOf(bins[i]);
    after << (row ? index(*row, before[static_cast<int>(i)].column()) : QModelIndex());
  }
  changePersistentIndexList(before, after);
  emit layoutChanged({}, QAbstractItemModel::VerticalSortHint);
}

std::optional<int> BinsModel::rowOf(std::uint32_t binIndex) const {
  const auto found = rowByIndex_.find(binIndex);
  if (found == rowByIndex_.end()) return {};
  return found->second;
}

Interval BinsModel::intervalOf(int row) const {
  const Nanoseconds start = binAt(row).start;
  return {start, start + data_.width};
}

QString BinsModel::headline() const {
  if (data_.bins.empty()) return {};
  QString text = tr("%1, %2 per bin · bins of %3")
                     .arg(data_.metric, data_.statistic, formatLength(data_.width, data_.axis));
  text += QStringLiteral(" · ") + (data_.top.isEmpty() ? tr("kept") : data_.top) + QStringLiteral(": ") +
          tr("%1 of %2 non-empty bins").arg(formatCount(kept_), formatCount(data_.bins.size()));
  if (!shownCause_.isEmpty())
    text += QStringLiteral(" · ") + tr("%1 of them shown: %2").arg(formatCount(order_.size()), shownCause_);
  const QString launches = launchCount(data_.launches);
  return text + QStringLiteral(" · ") +
         (data_.missing > 0 ? tr("%1, %2 of them without a value").arg(launches, formatCount(data_.missing))
                            : launches);
}

int BinsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(order_.size());
}

int BinsModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QString BinsModel::text(int row, int column) const {
  const BinRow& bin = binAt(row);
  switch (column) {
  case Rank:
    return formatCount(order_[static_cast<std::size_t>(row)] + 1);
  case Start:
    return formatPlace(bin.start, {std::max<std::int64_t>(1, data_.width.count / 10)}, data_.axis);
  case Launches:
    return formatCount(bin.n);
  case Value:
    return formatValue(bin.value, data_.unit);
  case Why:
    return bin.reason ? bin.reason->text : QString();
  default:
    return {};
  }
}

QString BinsModel::csv(int row, int column) const {
  const BinRow& bin = binAt(row);
  switch (column) {
  case Rank:
    return QString::number(order_[static_cast<std::size_t>(row)] + 1);
  case Start:
    return QString::number(bin.start.count);
  case Launches:
    return QString::number(bin.n);
  case Value:
    return std::isfinite(bin.value) ? exactNumber(bin.value) : QString();
  default:
    return bin.reason ? bin.reason->text : QString();
  }
}

QString BinsModel::toolTip(int row) const {
  const BinRow& bin = binAt(row);
  const Interval interval = intervalOf(row);
  const Nanoseconds grain{std::max<std::int64_t>(1, data_.width.count / 100)};
  QStringList lines;
  lines << (bin.kept ? tr("Bin %1, rank %2 of %3") : tr("Bin %1, rank %2 of %3 (not kept)"))
               .arg(formatCount(bin.index), formatCount(order_[static_cast<std::size_t>(row)] + 1),
                    formatCount(data_.bins.size()));
  lines << formatPlace(interval.begin, grain, data_.axis) + QStringLiteral(" – ") +
               formatPlace(interval.end, grain, data_.axis);
  QString value = tr("%1, %2: %3").arg(data_.metric, data_.statistic, formatValue(bin.value, data_.unit));
  if (bin.share >= 0) value = tr("%1 (%2 of the whole run)").arg(value, formatPercent(bin.share));
  lines << value
        << (bin.n == 1 ? tr("n = 1 launch that starts in it")
                       : tr("n = %1 launches that start in it").arg(formatCount(bin.n)));
  if (const QString reason = reasonText(row); !reason.isEmpty()) lines << reason;
  const auto neighbour = [&](std::uint32_t at, const QString& name) {
    const auto adjacent = rowOf(at);
    if (adjacent) lines << name + QStringLiteral(": ") + formatValue(binAt(*adjacent).value, data_.unit);
  };
  if (bin.index > 0) neighbour(bin.index - 1, tr("the previous bin"));
  neighbour(bin.index + 1, tr("the next bin"));
  return lines.join(QLatin1Char('\n'));
}

QVariant BinsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const BinRow& bin = binAt(index.row());
  switch (role) {
  case Qt::DisplayRole:
    return text(index.row(), index.column());
  case Qt::ToolTipRole:
    return index.column() == Why && bin.reason ? reasonText(index.row()) : toolTip(index.row());
  case Qt::TextAlignmentRole:
    return QVariant((index.column() == Why ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
  case BarRole:
    return greatest_ > 0 && std::isfinite(bin.value) ? std::max(0.0, bin.value / greatest_) : 0.0;
  case KeptRole:
    return bin.kept;
  case IndexRole:
    return bin.index;
  case kCsvRole:
    return csv(index.row(), index.column());
  default:
    return {};
  }
}

void BinsModel::setShortTitles(bool rank, bool value) {
  if (rank == shortRank_ && value == shortValue_) return;
  shortRank_ = rank;
  shortValue_ = value;
  emit headerDataChanged(Qt::Horizontal, Rank, Value);
}

QVariant BinsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole) {
    return QVariant((section == Why ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
  }
  const auto with_unit = [](const QString& title, const QString& unit) {
    return unit.isEmpty() ? title : QStringLiteral("%1 [%2]").arg(title, unit);
  };
  if (role == kCsvRole && section == Rank) return tr("Rank");
  if (role == kCsvRole && section == Start)
    return with_unit(tr("Start"), data_.axis == AxisUnit::Time ? QStringLiteral("ns") : QString());
  if (role == kCsvRole && section == Value)
    return with_unit(tr("%1 (%2)").arg(data_.metric, data_.statistic), data_.unit);
  if (role != Qt::DisplayRole && role != Qt::ToolTipRole) return {};
  switch (section) {
  case Rank:
    return shortRank_ && role == Qt::DisplayRole ? QStringLiteral("#") : tr("Rank");
  case Start:
    return tr("Start");
  case Launches:
    return tr("Launches");
  case Value:
    if (data_.metric.isEmpty()) return tr("Value");
    if (role == Qt::ToolTipRole) return tr("%1, %2 per bin").arg(data_.metric, data_.statistic);
    return shortValue_ ? data_.statistic : tr("%1 (%2)").arg(data_.metric, data_.statistic);
  case Why:
    return tr("Why");
  default:
    return {};
  }
}

std::vector<StripColumn> stripColumns(const BinsData& data, int columns) {
  std::vector<StripColumn> strip(static_cast<std::size_t>(std::max(columns, 0)));
  if (strip.empty() || data.span.empty()) return strip;
  double greatest = 0;
  for (const BinRow& bin : data.bins)
    greatest = std::max(greatest, std::isfinite(bin.value) ? bin.value : 0.0);
  const double perNs = columns / static_cast<double>(data.span.length().count);
  for (const BinRow& bin : data.bins) {
    const double from = static_cast<double>((bin.start - data.span.begin).count) * perNs;
    const double to = static_cast<double>((bin.start + data.width - data.span.begin).count) * perNs;
    const int first = std::clamp(static_cast<int>(std::floor(from + 1e-9)), 0, columns - 1);
    const int last = std::clamp(static_cast<int>(std::ceil(to - 1e-9)) - 1, first, columns - 1);
    const double value = greatest > 0 && std::isfinite(bin.value) ? std::max(0.0, bin.value / greatest) : 0;
    for (int x = first; x <= last; ++x) {
      StripColumn& column = strip[static_cast<std::size_t>(x)];
      const bool wins =
          !column.present || (bin.kept && !column.kept) || (bin.kept == column.kept && value > column.value);
      if (wins) column = {value, true, bin.kept, bin.index};
    }
  }
  return strip;
}

} // namespace jitterscope::views
