#include "views/table_parts/tsv.h"

#include "views/base/format.h"

#include <QAbstractItemModel>
#include <QStringList>

namespace jitterscope::views {

QString toTsv(const QAbstractItemModel& model, const std::vector<int>& rows) {
  std::vector<int> chosen = rows;
  if (chosen.empty()) {
    for (int r = 0; r < model.rowCount(); ++r) chosen.push_back(r);
  }
  const auto clean = [](QString text) {
    return text.replace(QLatin1Char('\t'), QLatin1Char(' ')).replace(QLatin1Char('\n'), QLatin1Char(' '));
  };
  QStringList lines;
  QStringList cells;
  for (int c = 0; c < model.columnCount(); ++c)
    cells << clean(model.headerData(c, Qt::Horizontal).toString());
  lines << cells.join(QLatin1Char('\t'));
  for (const int r : chosen) {
    cells.clear();
    for (int c = 0; c < model.columnCount(); ++c) cells << clean(model.index(r, c).data().toString());
    lines << cells.join(QLatin1Char('\t'));
  }
  return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

QString toCsv(const QAbstractItemModel& model) {
  QString text;
  const auto line = [&](auto&& cell) {
    QStringList cells;
    for (int c = 0; c < model.columnCount(); ++c) cells << csvField(cell(c));
    text += cells.join(QLatin1Char(',')) + QLatin1String("\r\n");
  };
  const auto first = [](const QVariant& exact, const QVariant& shown) {
    return (exact.isValid() ? exact : shown).toString();
  };
  line([&](int c) {
    return first(model.headerData(c, Qt::Horizontal, kCsvRole), model.headerData(c, Qt::Horizontal));
  });
  for (int r = 0; r < model.rowCount(); ++r)
    line([&](int c) { return first(model.index(r, c).data(kCsvRole), model.index(r, c).data()); });
  return text;
}

} // namespace jitterscope::views
