#include "views/model/model_table.h"

#include "views/base/format.h"
#include "views/model/model_chart.h"
#include "views/table_parts/tsv.h"

namespace jitterscope::views {
namespace {

QString fixed(double value, int decimals) {
  return std::isfinite(value) ? formatFixed(value, decimals) : QStringLiteral("–");
}

} // namespace

void ModelTable::setData(const ModelData& data, Rows rows) {
  beginResetModel();
  rows_ = rows;
  columns_.clear(), cells_.clear();
  if (rows == Rows::Kernels) addKernels(data);
  if (rows == Rows::Messages) addMessages(data);
  if (rows == Rows::Runs) addRuns(data);
  endResetModel();
}

void ModelTable::addKernels(const ModelData& data) {
  const bool asked = !data.asked.isEmpty();
  columns_ = {{tr("kernel"), tr("kernel and configuration"), {}, true},
              {tr("measured"), tr("mean measured time of a launch"), "ns"}};
  if (asked) {
    columns_.push_back({tr("what if"), tr("mean analytical time, %1").arg(data.asked), "ns"});
    columns_.push_back(
        {tr("speedup"),
         tr("analytical time of the recorded configuration, divided by that of the what-if question"),
         {}});
    columns_.push_back({tr("as recorded"), tr("mean analytical time of the recorded configuration"), "ns"});
  } else {
    columns_.push_back(
        {tr("predicted"), tr("mean predicted time; corrected where the correction is applied"), "ns"});
    columns_.push_back({tr("error"), tr("predicted / measured − 1"), {}});
    columns_.push_back({tr("analytical"), tr("mean time of the analytical model, without correction"), "ns"});
  }
  columns_.push_back(
      {tr("bottleneck"),
       tr("limit of the time: compute, latency, dispatch (starting the blocks), or the memory level whose "
          "bandwidth is the limit"),
       {},
       true});
  columns_.push_back({tr("MWP"), tr("memory warp parallelism: warps whose memory instructions overlap"), {}});
  columns_.push_back(
      {tr("CWP"), tr("computation warp parallelism: warps that compute during one warp's memory time"), {}});
  columns_.push_back({tr("launches"), tr("number of launches of the configuration"), {}});
  columns_.push_back({tr("configuration"), tr("grid and block"), {}, true});
  QStringList levels;
  for (const auto& device : data.devices)
    for (const auto& level : device.levels)
      if (!levels.contains(level)) levels << level;
  for (const auto& level : levels)
    columns_.push_back(
        {tr("%1 bytes").arg(level), tr("bytes that arrive at %1 in one launch").arg(level), "B"});
  for (const auto& k : data.kernels) {
    const Cell error =
        asked ? Cell{fixed(k.before / k.predicted, 2) + QStringLiteral(" ×"), k.before / k.predicted}
              : Cell{model::signedPercent(k.error()), k.error()};
    const double other = asked ? k.before : k.analytical;
    std::vector<Cell> row = {
        {briefName(k.name)},
        {formatValue(k.measured, "ns"), k.measured},
        {formatValue(k.predicted, "ns"), k.predicted},
        error,
        {formatValue(other, "ns"), other},
        {k.bottleneck},
        {fixed(k.mwp, 1), k.mwp},
        {fixed(k.cwp, 1), k.cwp},
        {formatCount(static_cast<std::uint64_t>(k.launches)), static_cast<double>(k.launches)},
        {k.configuration}};
    for (const auto& level : levels) {
      const auto& own = k.device < data.devices.size() ? data.devices[k.device].levels : QStringList();
      const auto at = own.indexOf(level);
      const double bytes = at >= 0 && at < static_cast<qsizetype>(k.bytes.size())
                               ? k.bytes[static_cast<std::size_t>(at)]
                               : NAN;
      row.push_back({formatValue(bytes, "B"), bytes});
    }
    cells_.push_back(std::move(row));
  }
}

void ModelTable::addMessages(const ModelData& data) {
  columns_ = {
      {tr("operation"), tr("MPI operation"), {}, true},
      {tr("between"), tr("distance of the ranks: intra-socket, inter-socket or inter-node"), {}, true},
      {tr("messages"), tr("number of messages of this size"), {}},
      {tr("size"), tr("mean size of a message"), "B"},
      {tr("k"), tr("mean number of messages of this class that leave the node at the same time"), {}},
      {tr("measured"), tr("mean measured time"), "ns"},
      {tr("predicted"), tr("mean predicted time; corrected where the correction is applied"), "ns"},
      {tr("analytical"), tr("mean time of the analytical model, without correction"), "ns"},
      {tr("error"), tr("predicted / measured − 1"), {}}};
  for (const auto& m : data.messages)
    cells_.push_back({{m.operation, NAN},
                      {m.distance, NAN},
                      {formatCount(static_cast<std::uint64_t>(m.count)), static_cast<double>(m.count)},
                      {formatValue(m.bytes, "B"), m.bytes},
                      {fixed(m.concurrency, 2), m.concurrency},
                      {formatValue(m.measured, "ns"), m.measured},
                      {formatValue(m.predicted, "ns"), m.predicted},
                      {formatValue(m.analytical, "ns"), m.analytical},
                      {model::signedPercent(m.error()), m.error()}});
}

void ModelTable::addRuns(const ModelData& data) {
  columns_ = {{tr("run"), tr("the measured run, then predicted runs"), {}, true},
              {tr("time"), tr("time of the run"), "ns"},
              {tr("speedup"), tr("time of the measured run divided by this time"), {}}};
  const auto parts = data.shownRunParts();
  for (const auto part : parts) columns_.push_back({runPart(part).name, runPart(part).tip, "ns"});
  for (const auto& run : data.runs) {
    const double speedup = data.runs.front().total() / run.total();
    std::vector<Cell> row = {{run.title, NAN},
                             {formatValue(run.total(), "ns"), run.total()},
                             {fixed(speedup, 2) + QStringLiteral(" ×"), speedup}};
    for (const auto part : parts) row.push_back({formatValue(run.parts[part], "ns"), run.parts[part]});
    cells_.push_back(std::move(row));
  }
}

int ModelTable::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(cells_.size());
}

int ModelTable::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(columns_.size());
}

QVariant ModelTable::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const auto& cell = cells_[static_cast<std::size_t>(index.row())][static_cast<std::size_t>(index.column())];
  const bool text = columns_[static_cast<std::size_t>(index.column())].text;
  if (role == Qt::DisplayRole) return cell.text;
  if (role == Qt::ToolTipRole) return text ? QVariant(cell.text) : QVariant();
  if (role == SortRole) return text ? QVariant(cell.text) : QVariant(cell.value);
  if (role == kCsvRole && !text) return std::isfinite(cell.value) ? exactNumber(cell.value) : QString();
  if (role == Qt::TextAlignmentRole)
    return QVariant((text ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
  return {};
}

QVariant ModelTable::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
  const auto& column = columns_[static_cast<std::size_t>(section)];
  if (role == Qt::DisplayRole) return column.title;
  if (role == Qt::ToolTipRole) return column.tip;
  if (role == kCsvRole && !column.unit.isEmpty())
    return QStringLiteral("%1 [%2]").arg(column.title, column.unit);
  if (role == Qt::TextAlignmentRole)
    return QVariant((column.text ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
  return {};
}

} // namespace jitterscope::views
