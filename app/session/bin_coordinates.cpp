#include "app/session/bin_coordinates.h"

#include <algorithm>
#include <cmath>

#include "app/engine/decode.h"
#include "core/analysis/statistics/symmetric_log.h"
#include "views/base/text.h"

namespace jitterscope::app {
namespace {

using views::Text;

constexpr int kCells = 128;

/// Statistics that the engine returns for each bin, in display order.
struct Statistic {
  const char* name;
  const char* title; ///< title of the axis
  bool of_metric;    ///< has the unit of the metric, and is missing in bins without a value
};
constexpr Statistic kStatistics[] = {
    {"start_ns", QT_TRANSLATE_NOOP("BinCoordinates", "start"), false},
    {"launches", QT_TRANSLATE_NOOP("BinCoordinates", "launches"), false},
    {"n", QT_TRANSLATE_NOOP("BinCoordinates", "launches with a value"), false},
    {"mean", QT_TRANSLATE_NOOP("BinCoordinates", "mean"), true},
    {"median", QT_TRANSLATE_NOOP("BinCoordinates", "median"), true},
    {"q1", QT_TRANSLATE_NOOP("BinCoordinates", "lower quartile"), true},
    {"q3", QT_TRANSLATE_NOOP("BinCoordinates", "upper quartile"), true},
    {"iqr", QT_TRANSLATE_NOOP("BinCoordinates", "IQR"), true},
    {"std", QT_TRANSLATE_NOOP("BinCoordinates", "standard deviation"), true},
    {"cv", QT_TRANSLATE_NOOP("BinCoordinates", "CV"), true},
    {"min", QT_TRANSLATE_NOOP("BinCoordinates", "minimum"), true},
    {"max", QT_TRANSLATE_NOOP("BinCoordinates", "maximum"), true},
    {"sum", QT_TRANSLATE_NOOP("BinCoordinates", "sum"), true},
    {"rank", QT_TRANSLATE_NOOP("BinCoordinates", "rank"), false},
    {"kept", QT_TRANSLATE_NOOP("BinCoordinates", "kept"), false}};

QString key_of(const char* name) {
  return QStringLiteral("bin ") + QLatin1String(name);
}

const Statistic& statistic_of(const QString& key) {
  for (const auto& each : kStatistics)
    if (key == key_of(each.name)) return each;
  return kStatistics[0];
}

std::vector<double> numbers(const engine::Answer& answer, const char* name) {
  for (const auto& array : answer.arrays)
    if (array.name == name)
      return std::visit([](const auto& values) { return std::vector<double>(values.begin(), values.end()); },
                        array.values);
  return {};
}

/// Edges with equal numbers of values between them; for quartiles, with equal steps inside each quartile.
std::vector<double> edges_by_rows(std::vector<double> sorted, bool quartiles) {
  std::vector<double> corners = {sorted.front()};
  const std::size_t parts = quartiles ? 4 : kCells;
  for (std::size_t part = 1; part < parts; ++part)
    if (const double at = sorted[sorted.size() * part / parts]; at > corners.back() && at < sorted.back())
      corners.push_back(at);
  corners.push_back(sorted.back());
  if (!quartiles) return corners;
  std::vector<double> edges;
  const std::size_t each = kCells / (corners.size() - 1);
  for (std::size_t c = 0; c + 1 < corners.size(); ++c)
    for (std::size_t step = 0; step < each; ++step)
      edges.push_back(corners[c] +
                      (corners[c + 1] - corners[c]) * static_cast<double>(step) / static_cast<double>(each));
  edges.push_back(corners.back());
  return edges;
}

std::vector<double> even_edges(double low, double high, bool log) {
  std::vector<double> edges;
  const double a = log ? std::log(low) : low, b = log ? std::log(high) : high;
  for (int edge = 0; edge <= kCells; ++edge) {
    const double at = a + (b - a) * edge / kCells;
    edges.push_back(log ? std::exp(at) : at);
  }
  return edges;
}

} // namespace

QString BinCoordinates::start_key() {
  return key_of("start_ns");
}

QStringList BinCoordinates::default_axes() {
  QStringList axes;
  for (const char* name : {"start_ns", "launches", "median", "iqr", "max", "cv", "sum", "kept"})
    axes << key_of(name);
  return axes;
}

Expected<BinCoordinates> BinCoordinates::of(const engine::Answer& bins) {
  BinCoordinates made;
  made.starts_ = bins.get<std::int64_t>("start_ns");
  for (const double number : numbers(bins, "index"))
    made.numbers_.push_back(static_cast<std::int64_t>(number));
  const auto n = numbers(bins, "n");
  try {
    made.width_ = {bins.document.at("width_ns").get<std::int64_t>()};
    made.metric_ = words(bins.document.at("metric").get<std::string>());
    made.time_unit_ =
        bins.document.value("axis", std::string()) == "launch-order" ? QString() : QStringLiteral("ns");
    made.unit_ = QString::fromStdString(bins.document.value("unit", std::string()));
  } catch (const nlohmann::json::exception& problem) {
    return failure(ErrorKind::Internal,
                   std::string("the answer about bins cannot be read: ") + problem.what());
  }
  for (const auto& statistic : kStatistics) {
    auto values = numbers(bins, statistic.name);
    if (values.size() != made.starts_.size() || n.size() != values.size())
      return failure(ErrorKind::Internal,
                     "the answer about bins lacks \"" + std::string(statistic.name) + "\"");
    if (statistic.of_metric)
      for (std::size_t i = 0; i < values.size(); ++i)
        if (!(n[i] > 0) || std::isinf(values[i])) values[i] = std::nan("");
    made.keys_ << key_of(statistic.name);
    made.values_.push_back(std::move(values));
  }
  return made;
}

QString BinCoordinates::title(const QString& key) {
  const auto& statistic = statistic_of(key);
  return Text::tr(statistic.title);
}

std::vector<std::uint8_t> BinCoordinates::passing(const views::AxisBrushes& brushes,
                                                  views::BrushLogic logic) const {
  std::vector<std::uint8_t> passes(bins(), 1);
  bool first = true;
  for (const auto& [key, ranges] : brushes) {
    const auto at = keys_.indexOf(key);
    if (at < 0 || ranges.empty()) continue;
    const auto& values = values_[static_cast<std::size_t>(at)];
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool in = std::any_of(ranges.begin(), ranges.end(), [&](const views::ValueRange& range) {
        return range.isMissing() ? std::isnan(values[i]) : values[i] >= range.low && values[i] <= range.high;
      });
      passes[i] = first ? in : logic.any ? passes[i] | in : passes[i] & in;
    }
    first = false;
  }
  if (logic.inverted && !first)
    for (auto& each : passes) each = !each;
  return passes;
}

std::vector<Interval> BinCoordinates::times(const views::AxisBrushes& brushes,
                                            views::BrushLogic logic) const {
  const auto passes = passing(brushes, logic);
  std::vector<std::int64_t> starts;
  for (std::size_t i = 0; i < passes.size(); ++i)
    if (passes[i]) starts.push_back(starts_[i]);
  std::sort(starts.begin(), starts.end());
  std::vector<Interval> times;
  for (const auto start : starts) {
    if (!times.empty() && times.back().end.count == start)
      times.back().end = {start + width_.count};
    else
      times.push_back({{start}, {start + width_.count}});
  }
  if (times.empty()) times.push_back({{0}, {0}});
  return times;
}

views::ParallelAxis BinCoordinates::axis_of(const QString& key, const QString& scale) const {
  const auto& values = values_[static_cast<std::size_t>(keys_.indexOf(key))];
  const auto& statistic = statistic_of(key);
  views::ParallelAxis axis;
  axis.key = key;
  axis.title = title(key);
  axis.time = key == start_key();
  const bool time = key == key_of("start_ns");
  axis.unit = time                                                         ? time_unit_
              : statistic.of_metric && std::string(statistic.name) != "cv" ? unit_
                                                                           : QString();
  axis.details = statistic.of_metric
                     ? Text::tr("%1 of %2 over the launches of the bin").arg(axis.title, metric_)
                     : Text::tr("%1 of the bin").arg(axis.title);
  if (key == key_of("kept")) {
    axis.categories = {Text::tr("discarded"), Text::tr("kept")};
    return axis;
  }
  std::vector<double> sorted;
  for (const double value : values)
    if (!std::isnan(value)) sorted.push_back(value);
  std::sort(sorted.begin(), sorted.end());
  axis.hasMissing = sorted.size() < values.size();
  axis.missingShare =
      values.empty() ? 0 : 1 - static_cast<double>(sorted.size()) / static_cast<double>(values.size());
  axis.minimum = sorted.empty() ? 0 : sorted.front();
  axis.maximum = sorted.empty() ? 1 : sorted.back();
  if (!(axis.minimum < axis.maximum)) return axis;
  const bool wide = !time && axis.minimum > 0 && axis.maximum / axis.minimum > 100;
  const bool skewed = !time && axis.minimum <= 0 && analysis::SymmetricLog::skewed(sorted);
  axis.scale = scale == "log" || (scale.isEmpty() && wide)        ? views::AxisScale::Log
               : scale == "rank"                                  ? views::AxisScale::Rank
               : scale == "quantile"                              ? views::AxisScale::Quantile
               : scale == "symlog" || (scale.isEmpty() && skewed) ? views::AxisScale::SymmetricLog
                                                                  : views::AxisScale::Linear;
  if (axis.scale == views::AxisScale::Log && axis.minimum <= 0) axis.scale = views::AxisScale::SymmetricLog;
  if (axis.scale == views::AxisScale::SymmetricLog) {
    axis.straightBelow = analysis::SymmetricLog::straight_below(
        sorted); // not all are 0, because there are several different values
    axis.edges = analysis::SymmetricLog(axis.straightBelow).edges(axis.minimum, axis.maximum, kCells);
    return axis;
  }
  const bool by_rows = axis.scale == views::AxisScale::Rank || axis.scale == views::AxisScale::Quantile;
  axis.edges = by_rows ? edges_by_rows(std::move(sorted), axis.scale == views::AxisScale::Quantile)
                       : even_edges(axis.minimum, axis.maximum, axis.scale == views::AxisScale::Log);
  return axis;
}

views::ParallelData BinCoordinates::picture(const QStringList& axes, const views::AxisBrushes& brushes,
                                            views::BrushLogic logic, const QMap<QString, QString>& scales,
                                            const std::vector<Class>& classes, bool classes_over_all) const {
  views::ParallelData data;
  data.rowsName = Text::tr("bins");
  data.rows = data.allRows = bins();
  const auto passes = passing(brushes, logic);
  data.selectedRows = static_cast<std::uint64_t>(std::count(passes.begin(), passes.end(), 1));
  std::vector<std::vector<std::size_t>> cells; // cell of each bin on each axis
  for (const auto& key : axes) {
    const auto at = keys_.indexOf(key);
    if (at < 0) continue;
    const auto& values = values_[static_cast<std::size_t>(at)];
    views::ParallelAxis axis = axis_of(key, scales.value(key));
    const std::size_t whole = !axis.categories.isEmpty() ? static_cast<std::size_t>(axis.categories.size())
                              : axis.edges.empty()       ? 1
                                                         : axis.edges.size() - 1;
    axis.all.assign(whole + (axis.hasMissing ? 1 : 0), 0);
    axis.selected = axis.all;
    auto& own = cells.emplace_back(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (std::isnan(values[i]))
        own[i] = whole;
      else if (!axis.categories.isEmpty())
        own[i] = values[i] != 0;
      else if (!axis.edges.empty())
        own[i] =
            std::clamp<std::size_t>(
                static_cast<std::size_t>(std::upper_bound(axis.edges.begin(), axis.edges.end(), values[i]) -
                                         axis.edges.begin()),
                1, whole) -
            1;
      ++axis.all[own[i]];
      axis.selected[own[i]] += passes[i];
    }
    data.axes.push_back(std::move(axis));
  }
  for (std::size_t a = 0; a + 1 < data.axes.size(); ++a) {
    const auto right = data.axes[a + 1].all.size();
    views::PairHistogram pair{data.axes[a].key,
                              data.axes[a + 1].key,
                              static_cast<int>(data.axes[a].all.size()),
                              static_cast<int>(right),
                              {},
                              {}};
    pair.all.assign(data.axes[a].all.size() * right, 0);
    pair.selected = pair.all;
    for (std::size_t i = 0; i < passes.size(); ++i) {
      const std::size_t cell = cells[a][i] * right + cells[a + 1][i];
      ++pair.all[cell];
      pair.selected[cell] += passes[i];
    }
    data.pairs.push_back(std::move(pair));
  }
  for (const auto& own : classes) {
    views::ParallelClass counted;
    counted.label = own.label;
    counted.rest = own.rest;
    const auto counts = [&](std::size_t i) {
      return own.passing[i] != 0 && (classes_over_all || passes[i] != 0);
    };
    for (std::size_t i = 0; i < passes.size(); ++i) counted.rows += counts(i);
    if (own.rest && counted.rows == 0) continue;
    for (std::size_t a = 0; a + 1 < data.axes.size(); ++a) {
      const auto right = data.axes[a + 1].all.size();
      auto& pair = counted.pairs.emplace_back(data.axes[a].all.size() * right, 0);
      for (std::size_t i = 0; i < passes.size(); ++i)
        pair[cells[a][i] * right + cells[a + 1][i]] += counts(i);
    }
    data.classes.push_back(std::move(counted));
  }
  return data;
}

} // namespace jitterscope::app
