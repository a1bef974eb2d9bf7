#include "app/controllers/parallel/parallel_lines.h"

#include <algorithm>
#include <cmath>

#include "views/base/text.h"

namespace jitterscope::app {

using views::Text;

Expected<std::vector<views::ParallelLine>> lines_of(const engine::answers::LaunchesAnswer& launches,
                                                    const std::vector<views::ParallelAxis>& axes,
                                                    const CategoryCodes& codes) {
  const auto& rows = launches.numbers;
  const auto& columns = launches.columns;
  if (columns.size() != axes.size())
    return failure(ErrorKind::Internal, "the answer about launches does not have the requested columns");
  std::vector<views::ParallelLine> lines(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    lines[i].label = Text::tr("launch %1").arg(rows[i]);
    lines[i].row = rows[i];
    lines[i].faint = true;
  }
  for (std::size_t a = 0; a < axes.size(); ++a) {
    const auto& values = columns[a].values;
    if (values.size() != rows.size())
      return failure(ErrorKind::Internal, "the answer about launches lacks values");
    const auto& axis = axes[a];
    const auto& texts = columns[a].texts;
    const auto own = codes.find(axis.key);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      double value = values[i];
      if (std::isnan(value)) continue;
      if (!axis.categories.isEmpty() && !texts.empty()) { // indices into the answer's own list of texts
        const auto place = static_cast<std::size_t>(value);
        value = place < texts.size()
                    ? static_cast<double>(axis.categories.indexOf(QString::fromStdString(texts[place])))
                    : -1;
      } else if (!axis.categories.isEmpty() && own != codes.end()) {
        const auto& values_of = own->second.codes;
        const auto at = std::find(values_of.begin(), values_of.end(), value);
        value = at == values_of.end() ? -1 : static_cast<double>(at - values_of.begin());
      }
      if (axis.categories.isEmpty() || value >= 0) lines[i].values[axis.key] = value;
    }
  }
  return lines;
}

} // namespace jitterscope::app
