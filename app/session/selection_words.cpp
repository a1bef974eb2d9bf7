#include "app/session/selection_words.h"

#include <QStringList>
#include <algorithm>

#include "app/engine/decode.h"
#include "app/session/bin_coordinates.h"
#include "views/base/format.h"
#include "views/base/text.h"

namespace jitterscope::app {
namespace {

using views::Text;

QString shortened(const QString& name) {
  constexpr qsizetype kLongest = 60, kEnd = 20;
  return name.size() <= kLongest ? name : name.left(kLongest - kEnd - 1) + QChar(0x2026) + name.right(kEnd);
}

QString kernel_words(const std::vector<std::uint32_t>& kernels, const SelectionNames& names) {
  constexpr std::size_t kNamed = 2;
  if (kernels.size() > kNamed || !names.kernel)
    return (kernels.size() == 1 ? Text::tr("%1 kernel") : Text::tr("%1 kernels"))
        .arg(views::formatCount(kernels.size()));
  QStringList named;
  for (const auto kernel : kernels) named << shortened(names.kernel(kernel));
  return (kernels.size() == 1 ? Text::tr("kernel %1") : Text::tr("kernels %1")).arg(named.join(", "));
}

QString category_words(const QString& title, const std::vector<views::ValueRange>& ranges,
                       const Categories& categories) {
  QStringList chosen;
  for (std::size_t i = 0; i < categories.codes.size(); ++i)
    if (std::any_of(ranges.begin(), ranges.end(), [&](const views::ValueRange& range) {
          return range.low <= static_cast<double>(i) && static_cast<double>(i) <= range.high;
        }))
      chosen << shortened(categories.texts.isEmpty() ? QString::number(categories.codes[i], 'g', 10)
                                                     : categories.texts.value(static_cast<qsizetype>(i)));
  if (chosen.isEmpty()) return Text::tr("%1: none").arg(title);
  constexpr qsizetype kNamed = 4;
  return title + " " +
         (chosen.size() > kNamed ? Text::tr("%1 of %2").arg(chosen.size()).arg(categories.codes.size())
                                 : chosen.join(", "));
}

QString brush_words(const QString& column, const std::vector<views::ValueRange>& ranges,
                    const SelectionNames& names) {
  const QString unit = names.unit ? names.unit(column) : QString();
  QString title = words(column.toStdString());
  if (title.endsWith(" ns")) title.chop(3); // the unit is shown with the values
  std::vector<views::ValueRange> present;
  QStringList parts;
  for (const auto& range : ranges) {
    if (range.isMissing()) {
      parts << Text::tr("%1 is missing").arg(title);
      continue;
    }
    present.push_back(range);
  }
  if (present.empty()) return parts.join(Text::tr(" or "));
  if (const auto found = names.codes.find(column); found != names.codes.end()) {
    parts.prepend(category_words(title, present, found->second));
    return parts.join(Text::tr(" or "));
  }
  const auto value = [&](double v) { return views::formatValue(v, unit, 4); };
  constexpr std::size_t kMaxListed = 3;
  if (present.size() > kMaxListed)
    return Text::tr("%1 in %2 ranges").arg(title, QString::number(present.size()));
  for (const auto& range : present)
    parts << (range.low == range.high
                  ? title + " = " + value(range.low)
                  : Text::tr("%1 between %2 and %3").arg(title, value(range.low), value(range.high)));
  return parts.join(Text::tr(" or "));
}

} // namespace

QString filter_words(const SelectionState& state, const SelectionNames& names) {
  QStringList parts, brushed;
  if (!state.where.trimmed().isEmpty()) parts << state.where.trimmed();
  if (!state.kernels.empty()) parts << kernel_words(state.kernels, names);
  for (const auto& [column, ranges] : state.brushes)
    if (!ranges.empty() && !BinCoordinates::names_axis(column)) brushed << brush_words(column, ranges, names);
  if (!brushed.isEmpty()) {
    const QString text = brushed.join(state.brush_logic.any ? Text::tr(" or ") : Text::tr(" and "));
    parts << (state.brush_logic.inverted ? Text::tr("not (%1)").arg(text) : text);
  }
  return parts.join(" · ");
}

QString selection_words(const SelectionState& state, const SelectionNames& names) {
  QStringList parts;
  if (state.bin) parts << Text::tr("bin %1").arg(views::formatCount(state.bin->index));
  if (state.reason) {
    const auto count = state.reason->times.size();
    parts << (state.reason->moments ? (count == 1 ? Text::tr("%1 moment: %2") : Text::tr("%1 moments: %2"))
                                    : (count == 1 ? Text::tr("%1 bin: %2") : Text::tr("%1 bins: %2")))
                 .arg(views::formatCount(count), state.reason->cause);
  }
  if (state.brush)
    parts << (names.axis == views::AxisUnit::Time ? Text::tr("time range of %1")
                                                  : Text::tr("row range of %1"))
                 .arg(views::formatLength(state.brush->length(), names.axis));
  QStringList of_bins;
  for (const auto& [column, ranges] : state.brushes)
    if (BinCoordinates::names_axis(column) && !ranges.empty()) of_bins << BinCoordinates::title(column);
  if (!of_bins.isEmpty()) parts << Text::tr("bins by %1").arg(of_bins.join(", "));
  if (const QString filter = filter_words(state, names); !filter.isEmpty()) parts << filter;
  return parts.join(" · ");
}

} // namespace jitterscope::app
