#include "core/analysis/parallel/parallel_colours.h"

#include <algorithm>
#include <numeric>

#include <fmt/core.h>

#include "core/analysis/filter/filter_tokens.h"

namespace jitterscope::analysis {
namespace {

constexpr int kFifths = 5;

std::vector<ColourPart> of_categories(const ParallelAxis& axis) {
  std::vector<std::size_t> order;
  for (std::size_t c = 0; c < axis.categories.size(); ++c)
    if (axis.selected[c] > 0) order.push_back(c);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return axis.selected[a] > axis.selected[b]; });
  if (order.size() > kMaxColours + 1) order.resize(kMaxColours);
  std::vector<ColourPart> parts;
  for (const auto c : order)
    parts.push_back(
        {static_cast<int>(c), static_cast<double>(c), static_cast<double>(c), true, axis.selected[c]});
  return parts;
}

/// One part per cell with rows, if there are few: for example sizes of grids or numbers of threads.
std::vector<ColourPart> of_few_values(const ParallelAxis& axis) {
  std::vector<ColourPart> parts;
  for (std::size_t cell = 0; cell + 1 < axis.edges.size(); ++cell) {
    if (axis.selected[cell] == 0) continue;
    if (parts.size() == kMaxColours + 1) return {};
    const bool last = cell + 2 == axis.edges.size();
    parts.push_back({-1, axis.edges[cell], axis.edges[cell + 1], last, axis.selected[cell]});
  }
  return parts;
}

/// Quantile of the selected rows, linear within a cell.
double quantile(const ParallelAxis& axis, double share) {
  const std::size_t cells = axis.edges.size() - 1;
  const double all = static_cast<double>(std::accumulate(
      axis.selected.begin(), axis.selected.begin() + static_cast<std::ptrdiff_t>(cells), std::int64_t{0}));
  double below = 0;
  for (std::size_t cell = 0; cell < cells; ++cell) {
    const auto count = static_cast<double>(axis.selected[cell]);
    if (count > 0 && below + count >= share * all)
      return axis.edges[cell] +
             (axis.edges[cell + 1] - axis.edges[cell]) * std::clamp((share * all - below) / count, 0.0, 1.0);
    below += count;
  }
  return axis.edges.back();
}

std::vector<ColourPart> of_fifths(const ParallelAxis& axis) {
  std::vector<double> edges = {axis.minimum};
  for (int part = 1; part < kFifths; ++part) {
    const double at = quantile(axis, static_cast<double>(part) / kFifths);
    if (at > edges.back() && at < axis.maximum) edges.push_back(at);
  }
  edges.push_back(axis.maximum);
  std::vector<ColourPart> parts;
  for (std::size_t i = 0; i + 1 < edges.size(); ++i)
    parts.push_back({-1, edges[i], edges[i + 1], i + 2 == edges.size(), 0});
  return parts;
}

} // namespace

std::vector<ColourPart> colour_parts(const ParallelAxis& counted,
                                     const std::vector<std::pair<double, double>>& ranges) {
  if (!counted.categories.empty()) return of_categories(counted);
  std::vector<ColourPart> parts;
  if (ranges.size() > 1) {
    for (const auto& [low, high] : ranges)
      if (parts.size() < kMaxColours) parts.push_back({-1, low, high, true, 0});
    return parts;
  }
  if (counted.edges.size() < 2) // every row has the same value
    return counted.selected.empty() || counted.selected.front() == 0
               ? parts
               : std::vector<ColourPart>{
                     {-1, counted.minimum, counted.maximum, true, counted.selected.front()}};
  if (auto single = of_few_values(counted); !single.empty()) return single;
  if (std::all_of(counted.selected.begin(),
                  counted.selected.begin() + static_cast<std::ptrdiff_t>(counted.edges.size() - 1),
                  [](auto count) { return count == 0; }))
    return parts;
  return of_fifths(counted);
}

std::string filter_of(const ColourPart& part, const ParallelAxis& axis) {
  if (part.category < 0) // shortest text that round-trips
    return fmt::format("{0} >= {1} and {0} {2} {3}", axis.column, part.low, part.closed ? "<=" : "<",
                       part.high);
  const auto place = static_cast<std::size_t>(part.category);
  if (!axis.texts) return fmt::format("{} = {}", axis.column, axis.codes[place]);
  return fmt::format("{} = {}", axis.column, quoted_text(axis.categories[place]));
}

ParallelClass rest_of(const ParallelCounts& counts) {
  ParallelClass rest{counts.selected_rows, {}, {}};
  for (const auto& axis : counts.axes) rest.axes.push_back(axis.selected);
  for (const auto& pair : counts.pairs) rest.pairs.push_back(pair.selected);
  const auto subtract = [](std::vector<std::int64_t>& from, const std::vector<std::int64_t>& counted) {
    for (std::size_t i = 0; i < from.size(); ++i) from[i] -= counted[i];
  };
  for (const auto& own : counts.classes) {
    rest.rows -= own.rows;
    for (std::size_t a = 0; a < rest.axes.size(); ++a) subtract(rest.axes[a], own.axes[a]);
    for (std::size_t p = 0; p < rest.pairs.size(); ++p) subtract(rest.pairs[p], own.pairs[p]);
  }
  return rest;
}

} // namespace jitterscope::analysis
