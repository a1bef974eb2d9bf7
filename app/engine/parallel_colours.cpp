#include "app/engine/parallel_colours.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/engine/messages/statistics_answers.h"
#include "views/base/format.h"
#include "views/base/text.h"

namespace jitterscope::app {

using views::Text;

std::vector<analysis::ColourPart> colour_parts(const views::ParallelModel& model, int position,
                                               const views::AxisBrushes& brushes) {
  const views::ParallelAxis& axis = model.axis(position);
  analysis::ParallelAxis counted;
  counted.minimum = axis.minimum;
  counted.maximum = axis.maximum;
  for (const auto& name : axis.categories) counted.categories.push_back(name.toStdString());
  if (axis.categories.isEmpty())
    for (int edge = 0; edge <= axis.bins(); ++edge) // the axis' edges if known, else equal steps
      counted.edges.push_back(
          static_cast<int>(axis.edges.size()) == axis.bins() + 1
              ? axis.edges[static_cast<std::size_t>(edge)]
              : views::ParallelModel::valueAt(axis, static_cast<double>(edge) / axis.bins()));
  const auto& counts = axis.selected.size() == axis.all.size() ? axis.selected : axis.all;
  counted.selected.assign(counts.begin(), counts.end());
  std::vector<std::pair<double, double>> ranges;
  if (const auto own = brushes.find(axis.key); own != brushes.end())
    for (const auto& each : own->second)
      if (!each.isMissing()) ranges.emplace_back(each.low, each.high);
  return analysis::colour_parts(counted, ranges);
}

QString label_of(const analysis::ColourPart& part, const QString& category, const QString& unit) {
  if (!category.isEmpty()) return category;
  const double whole =
      part.closed ? std::floor(part.high + 1e-9) : std::ceil(part.high) - 1; // largest integer in the part
  const bool counted = unit.isEmpty() && whole >= part.low - 1e-9 && whole - 1 < part.low;
  if (counted) return views::formatValue(whole, unit);
  if (part.low == part.high) return views::formatValue(part.low, unit, 3);
  return views::formatValue(part.low, unit, 3) + " – " + views::formatValue(part.high, unit, 3);
}

QString class_label(const engine::answers::ParallelClassAnswer& read) {
  if (read.rest) return read.missing ? Text::tr("no value") : Text::tr("other");
  if (!read.of) return {};
  const analysis::ColourPart part{-1, read.of->low, read.of->high, read.of->closed, 0};
  return label_of(part, QString::fromStdString(read.of->category), QString::fromStdString(read.of->unit));
}

void choose_colours(std::vector<views::ParallelClass>& classes,
                    const std::vector<views::ParallelClass>& before) {
  std::set<int> free;
  for (int colour = 0; colour <= kMaxColours; ++colour) free.insert(colour);
  for (auto& each : classes) {
    each.colour = -1;
    if (each.rest) each.colour = kMaxColours, free.erase(kMaxColours);
  }
  for (auto& each : classes)
    for (const auto& old : before)
      if (each.colour < 0 && !old.label.isEmpty() && old.label == each.label && free.erase(old.colour) > 0)
        each.colour = old.colour;
  for (auto& each : classes) {
    if (each.colour >= 0) continue;
    each.colour = free.empty() ? kMaxColours : *free.begin();
    free.erase(each.colour);
  }
}

} // namespace jitterscope::app
