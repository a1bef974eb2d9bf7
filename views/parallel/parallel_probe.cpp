#include "views/parallel/parallel_probe.h"

#include <algorithm>
#include <cmath>

#include "views/base/format.h"
#include "views/base/text.h"

namespace jitterscope::views {
namespace {

constexpr double kReach = 2; // distance above and below the pointer in which lines count as near [px]

} // namespace

double placeOf(const ParallelModel& model, int position, double value) {
  const bool missing = std::isnan(value);
  if (missing && !model.axis(position).hasMissing) return value;
  const QRectF values = model.valueRect();
  return (values.bottom() - model.yAt(position, value)) / values.height();
}

std::optional<ParallelProbe> probeAt(const ParallelModel& model, QPointF point) {
  const ParallelHit hit = model.hitTest(point);
  if (hit.area != ParallelArea::Axis && hit.area != ParallelArea::Between) return std::nullopt;
  const QRectF values = model.valueRect();
  ParallelProbe probe;
  probe.at = (values.bottom() - point.y()) / values.height();
  probe.within = kReach / values.height();
  if (hit.area == ParallelArea::Axis) {
    probe.left = hit.axis;
    probe.at = hit.missing ? placeOf(model, hit.axis, std::nan("")) : std::clamp(probe.at, 0.0, 1.0);
    return probe;
  }
  for (int left = 0; left + 1 < model.order().size(); ++left) {
    const double a = model.axisX(left), b = model.axisX(left + 1);
    if (point.x() < a || point.x() > b) continue;
    probe.left = left;
    probe.right = left + 1;
    probe.across = (point.x() - a) / (b - a);
    return probe;
  }
  return std::nullopt;
}

QString valueText(const ParallelAxis& axis, double value) {
  if (!std::isfinite(value)) return Text::tr("missing");
  if (axis.categories.isEmpty()) return formatValue(value, axis.unit);
  return axis.categories[std::clamp<int>(static_cast<int>(std::lround(value)), 0,
                                         static_cast<int>(axis.categories.size()) - 1)];
}

QString rowsText(const ParallelModel& model, const std::vector<ParallelLine>& lines, std::uint64_t near) {
  if (lines.empty()) return {};
  constexpr int kLongest = 60; // maximum number of characters, so that the card stays small
  const auto shortened = [](const QString& text) {
    return text.size() > kLongest ? text.left(kLongest - 1) + QStringLiteral("…") : text;
  };
  const ParallelLine& nearest = lines.front();
  QString text = shortened(nearest.label);
  if (!nearest.place.isEmpty()) text += QLatin1Char('\n') + nearest.place;
  constexpr int kMaxValues = 9;
  QStringList values;
  for (const QString& key : model.order()) {
    const ParallelAxis& axis = model.axis(model.position(key));
    const auto found = nearest.values.find(key);
    if (found == nearest.values.end() || !std::isfinite(found->second))
      continue; // the line shows that the value is missing
    const QString words = valueText(axis, found->second);
    if (words == nearest.label || axis.time) continue; // already shown above
    values << QLatin1Char('\n') + axis.title + QLatin1Char('\t') + shortened(words);
  }
  const bool all = values.size() <= kMaxValues;
  text += (all ? values : values.mid(0, kMaxValues - 1)).join(QString());
  if (!all) text += Text::tr("\nand %1 more values").arg(values.size() - kMaxValues + 1);
  const QString rows = model.data().rowsName;
  if (near > 1)
    text += near > lines.size()
                ? Text::tr("\nNearest of %1 %2 here; a click selects the %3 that are drawn")
                      .arg(formatCount(near), rows, formatCount(lines.size()))
                : Text::tr("\nNearest of %1 %2 here; a click selects them").arg(formatCount(near), rows);
  else
    text += Text::tr("\nA click selects this row");
  return text;
}

} // namespace jitterscope::views
