// Single bins in parallel coordinates: lines, lines near a point, sort order, colours.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "app/session/bin_coordinates.h"
#include "core/analysis/parallel/related_order.h"
#include "views/base/format.h"
#include "views/base/text.h"

namespace jitterscope::app {

using views::Text;

std::vector<BinCoordinates::Class>
BinCoordinates::classes_of(const QString& key, const std::vector<analysis::ColourPart>& parts) const {
  std::vector<Class> classes;
  const auto at = keys_.indexOf(key);
  if (at < 0) return classes;
  const views::ParallelAxis axis = axis_of(key, {});
  for (const auto& part : parts) {
    auto& made = classes.emplace_back();
    made.label =
        label_of(part, part.category < 0 ? QString() : axis.categories.value(part.category), axis.unit);
    for (const double value : values_[static_cast<std::size_t>(at)])
      made.passing.push_back(part.holds(value));
  }
  Class rest{parts.empty() || parts.front().category < 0 ? Text::tr("no value") : Text::tr("other"),
             std::vector<std::uint8_t>(bins(), 1), true};
  for (const auto& own : classes)
    for (std::size_t i = 0; i < own.passing.size(); ++i)
      if (own.passing[i]) rest.passing[i] = 0;
  classes.push_back(std::move(rest));
  return classes;
}

std::vector<BinCoordinates::Class> BinCoordinates::classes_by(const QString& key,
                                                              const views::AxisBrushes& brushes,
                                                              views::BrushLogic logic,
                                                              const QMap<QString, QString>& scales) const {
  if (!keys_.contains(key)) return {};
  views::ParallelModel model;
  model.setData(picture({key}, brushes, logic, scales));
  return classes_of(key, colour_parts(model, 0, brushes));
}

QStringList BinCoordinates::related_order(const QStringList& axes, const QString& pinned,
                                          bool mutual_information) const {
  QStringList known;
  std::vector<std::vector<double>> values;
  for (const auto& key : axes)
    if (const auto at = keys_.indexOf(key); at >= 0) {
      known << key;
      values.push_back(values_[static_cast<std::size_t>(at)]);
    }
  QStringList order;
  const auto places = analysis::related_order(values, known.indexOf(pinned), mutual_information, {});
  for (const auto axis : *places) order << known[static_cast<int>(axis)];
  return order;
}

QString BinCoordinates::csv(const QStringList& axes, const views::AxisBrushes& brushes,
                            views::BrushLogic logic) const {
  std::vector<std::pair<views::ParallelAxis, const std::vector<double>*>> columns;
  QStringList cells;
  for (const auto& key : axes) {
    const auto at = keys_.indexOf(key);
    if (at < 0) continue;
    columns.emplace_back(axis_of(key, {}), &values_[static_cast<std::size_t>(at)]);
    const auto& axis = columns.back().first;
    cells << views::csvField(axis.unit.isEmpty() ? axis.title
                                                 : QStringLiteral("%1 [%2]").arg(axis.title, axis.unit));
  }
  QString text = cells.join(',') + QStringLiteral("\r\n");
  const auto passes = passing(brushes, logic);
  for (std::size_t bin = 0; bin < bins(); ++bin) {
    if (!passes[bin]) continue;
    cells.clear();
    for (const auto& [axis, values] : columns) {
      const double value = (*values)[bin];
      cells << (std::isnan(value) ? QString()
                : axis.categories.isEmpty()
                    ? views::exactNumber(value)
                    : views::csvField(axis.categories.value(static_cast<int>(value))));
    }
    text += cells.join(',') + QStringLiteral("\r\n");
  }
  return text;
}

views::ParallelLine BinCoordinates::line(std::size_t bin) const {
  views::ParallelLine line;
  const BinChoice own = choice(bin);
  line.label = Text::tr("bin %1 of %2")
                   .arg(own.index)
                   .arg(views::formatLength(width_, time_unit_.isEmpty() ? views::AxisUnit::Launches
                                                                         : views::AxisUnit::Time));
  line.row = static_cast<std::int64_t>(bin);
  line.start = own.interval.begin;
  if (!time_unit_.isEmpty())
    line.place = Text::tr("start\t") + views::formatTime(own.interval.begin, {width_.count / 10});
  for (int key = 0; key < keys_.size(); ++key)
    if (const double value = values_[static_cast<std::size_t>(key)][bin]; !std::isnan(value))
      line.values[keys_[key]] = value;
  return line;
}

BinChoice BinCoordinates::choice(std::size_t bin) const {
  const Nanoseconds start{starts_[bin]};
  return {static_cast<std::uint32_t>(bin < numbers_.size() ? numbers_[bin] : static_cast<std::int64_t>(bin)),
          {start, start + width_}};
}

std::vector<views::ParallelLine> BinCoordinates::lines_near(const views::ParallelModel& model,
                                                            const views::ParallelProbe& probe,
                                                            std::size_t maximum, std::uint64_t& near) const {
  const auto passes = passing(model.brushes(), model.logic());
  const auto values_at = [&](int position) -> const std::vector<double>* {
    const auto at = position < 0 ? -1 : keys_.indexOf(model.order()[position]);
    return at < 0 ? nullptr : &values_[static_cast<std::size_t>(at)];
  };
  const auto* left = values_at(probe.left);
  const auto* right = values_at(probe.right);
  std::vector<std::pair<double, std::size_t>> found;
  for (std::size_t bin = 0; left && bin < passes.size(); ++bin) {
    if (!passes[bin]) continue;
    double at = views::placeOf(model, probe.left, (*left)[bin]);
    if (right) at += probe.across * (views::placeOf(model, probe.right, (*right)[bin]) - at);
    if (const double distance = std::abs(at - probe.at); distance <= probe.within)
      found.emplace_back(distance, bin);
  }
  std::sort(found.begin(), found.end());
  near = found.size();
  std::vector<views::ParallelLine> lines;
  for (std::size_t i = 0; i < std::min(maximum, found.size()); ++i) lines.push_back(line(found[i].second));
  return lines;
}

std::vector<std::size_t> BinCoordinates::order_of(const QString& key, const views::AxisBrushes& brushes,
                                                  views::BrushLogic logic) const {
  const auto at = keys_.indexOf(key);
  if (at < 0) return {};
  const auto& values = values_[static_cast<std::size_t>(at)];
  const auto passes = passing(brushes, logic);
  std::vector<std::size_t> order;
  for (std::size_t bin = 0; bin < passes.size(); ++bin)
    if (passes[bin]) order.push_back(bin);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::isnan(values[b]) ? !std::isnan(values[a]) : values[a] < values[b];
  });
  return order;
}

} // namespace jitterscope::app
