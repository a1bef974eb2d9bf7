#include "app/parallel_colours.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "views/base/format.h"

namespace jitterscope::app {
namespace {

constexpr int kParts = 5; // of a numeric column

std::vector<ColourPart> of_categories(const views::ParallelAxis& axis) {
  std::vector<std::size_t> order(static_cast<std::size_t>(axis.categories.size()));
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return axis.all[a] > axis.all[b]; });
  std::vector<ColourPart> parts;
  for (std::size_t i = 0; i < order.size() && i < kMostColours; ++i)
    parts.push_back({axis.categories[static_cast<int>(order[i])], static_cast<double>(order[i]), static_cast<double>(order[i])});
  return parts;
}

/// Each bin of the histogram that holds rows, where these are few: sizes of grids, numbers of threads.
std::vector<ColourPart> of_few_values(const views::ParallelAxis& axis) {
  std::vector<ColourPart> parts;
  const auto edge = [&](int at) { // as rows were counted by, where it is known
    return static_cast<int>(axis.edges.size()) == axis.bins() + 1 ? axis.edges[static_cast<std::size_t>(at)]
                                                                  : views::ParallelModel::valueAt(axis, static_cast<double>(at) / axis.bins());
  };
  for (int bin = 0; bin < axis.bins(); ++bin) {
    if (axis.all[static_cast<std::size_t>(bin)] == 0) continue;
    if (parts.size() == kMostColours) return {};
    const double low = edge(bin), high = edge(bin + 1);
    const bool last = bin + 1 == axis.bins();
    const double whole = last ? std::floor(high + 1e-9) : std::ceil(high) - 1; // the whole number in it, if there is one
    const bool counted = axis.unit.isEmpty() && whole >= low - 1e-9 && whole - 1 < low;
    parts.push_back({counted ? views::formatValue(whole, axis.unit) : views::formatValue(low, axis.unit, 3) + " – " + views::formatValue(high, axis.unit, 3),
                     low, last ? axis.maximum : high, last});
  }
  return parts;
}

} // namespace

std::vector<ColourPart> colour_parts(const views::ParallelModel& model, int position, const views::AxisBrushes& brushes) {
  const views::ParallelAxis& axis = model.axis(position);
  if (!axis.categories.isEmpty()) return of_categories(axis);
  std::vector<ColourPart> parts;
  const auto add = [&](double low, double high, bool closed) {
    parts.push_back({views::formatValue(low, axis.unit, 3) + " – " + views::formatValue(high, axis.unit, 3), low, high, closed});
  };
  if (const auto own = brushes.find(axis.key); own != brushes.end() && own->second.size() > 1) {
    for (const auto& each : own->second)
      if (!each.isMissing() && parts.size() < kMostColours) add(each.low, each.high, true);
    return parts;
  }
  if (auto single = of_few_values(axis); !single.empty()) return single;
  std::vector<double> edges = {axis.minimum};
  for (int part = 1; part < kParts; ++part) {
    const double at = model.quantile(position, static_cast<double>(part) / kParts);
    if (at > edges.back() && at < axis.maximum) edges.push_back(at);
  }
  edges.push_back(axis.maximum);
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) add(edges[i], edges[i + 1], i + 2 == edges.size());
  return parts;
}

QString filter_of(const ColourPart& part, const views::ParallelAxis& axis, const CategoryCodes& codes) {
  const auto digits = [](double value) { return QString::number(value, 'g', 17); }; // the very number that was meant
  if (const auto own = codes.find(axis.key); own != codes.end() && !axis.categories.isEmpty())
    return QString("%1 = %2").arg(axis.key, own->second.literal(static_cast<std::size_t>(part.low)));
  return QString("%1 >= %2 and %1 %3 %4").arg(axis.key, digits(part.low), part.closed ? "<=" : "<", digits(part.high));
}

} // namespace jitterscope::app
