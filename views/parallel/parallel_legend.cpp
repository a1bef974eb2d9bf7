#include "views/parallel/parallel_legend.h"

#include <algorithm>

#include "views/base/format.h"
#include "views/base/text_cache.h"
#include "views/table_parts/distinct_names.h"

namespace jitterscope::views::parallel {

namespace {

constexpr double kSwatch = 16; // width of a swatch with the gap after it
constexpr double kGap = 16;    // distance between entries

QStringList textsOf(const ParallelData& data, const QFont& font, double room) {
  QStringList names, texts;
  for (const ParallelClass& each : data.classes) names << each.label;
  const QStringList shown = distinctNames(names, font, room);
  for (int i = 0; i < shown.size(); ++i)
    texts << QStringLiteral("%1 (%2)").arg(shown[i],
                                           formatCount(data.classes[static_cast<std::size_t>(i)].rows));
  return texts;
}

/// Places the entries and returns the number of rows.
int place(std::vector<LegendEntry>& entries, const ParallelData& data, const QStringList& texts,
          const QFont& font, double width) {
  const double first = textWidth(font, data.colouredBy) + 12;
  double x = first;
  int row = 0;
  entries.clear();
  for (int i = 0; i < texts.size(); ++i) {
    const double preferred = kSwatch + textWidth(font, texts[i]);
    if (x > first && x + preferred > width) x = first, ++row;
    entries.push_back({data.classes[static_cast<std::size_t>(i)].colour, texts[i], x, row});
    x += preferred + kGap;
  }
  return row + 1;
}

} // namespace

std::vector<LegendEntry> legendOf(const ParallelData& data, double width, const ViewStyle& style) {
  const QFont font = style.font(FontRole::Small);
  constexpr double kFullWidth = 420, kMin = 40;
  std::vector<LegendEntry> entries;
  if (data.classes.empty()) return entries;
  if (place(entries, data, textsOf(data, font, kFullWidth), font, width) <= 2) return entries;
  const auto isNumber = [](const ParallelClass& each) { // a truncated number is wrong: prefer more rows
    return !each.label.isEmpty() &&
           (each.label[0].isDigit() || each.label[0] == QChar(0x2212) || each.label[0] == QLatin1Char('-'));
  };
  if (std::any_of(data.classes.begin(), data.classes.end(), isNumber)) return entries;
  for (int less = 20; kFullWidth - less > kMin; less += 10)
    if (place(entries, data, textsOf(data, font, kFullWidth - less), font, width) <= 2) return entries;
  return entries; // very narrow: more than two rows, but complete
}

int legendRows(const ParallelModel& model, const ViewStyle& style) {
  const auto entries = legendOf(model.data(), model.size().width() - 20, style);
  if (entries.empty()) return model.data().colouredBy.isEmpty() ? 0 : 1; // states that no row has a colour
  return entries.back().row + 1;
}

int legendRoom(const ParallelModel& model, const ViewStyle& style) {
  return model.data().colouredBy.isEmpty() ? legendRows(model, style) : std::max(2, legendRows(model, style));
}

} // namespace jitterscope::views::parallel
