#include "app/engine/decode_launches.h"

#include <algorithm>

#include "app/engine/decode.h"
#include "app/engine/json_text.h"
#include "app/engine/typed_answers.h"
#include "core/engine/messages/table_answers.h"

namespace jitterscope::app {
namespace {

using nlohmann::json;

Error unreadable(const std::string& why) {
  return {ErrorKind::Internal, "an answer of the engine cannot be read: " + why, {}, {}, {}};
}

} // namespace

views::LaunchesColumn launches_column(const json& column) {
  views::LaunchesColumn made;
  made.name = text_of(column, "name");
  made.title = words(column.at("name").get<std::string>());
  made.unit = text_of(column, "unit");
  made.description = text_of(column, "description");
  const auto kind = column.at("kind").get<std::string>();
  made.kind = kind == "text"       ? views::LaunchesColumn::Kind::Text
              : kind == "category" ? views::LaunchesColumn::Kind::Category
                                   : views::LaunchesColumn::Kind::Number;
  return made;
}

namespace {

views::LaunchesColumn column_of(const engine::answers::ColumnAnswer& read) {
  views::LaunchesColumn column;
  column.name = QString::fromStdString(read.name);
  column.title = words(read.name);
  column.unit = QString::fromStdString(read.unit);
  column.description = QString::fromStdString(read.description);
  column.kind = read.kind == engine::answers::ColumnKind::Text       ? views::LaunchesColumn::Kind::Text
                : read.kind == engine::answers::ColumnKind::Category ? views::LaunchesColumn::Kind::Category
                                                                     : views::LaunchesColumn::Kind::Number;
  return column;
}

} // namespace

Expected<views::LaunchesPage> decode_launches(const engine::Answer& answer) {
  auto read = engine::table_of<engine::answers::LaunchesAnswer>(answer);
  if (!read) return forward(read.error());
  views::LaunchesPage page;
  page.total = read->rows;
  page.first = read->first;
  page.numbers.assign(read->numbers.begin(), read->numbers.end());
  for (auto& column : read->columns) {
    if (column.values.size() != page.numbers.size()) return forward(unreadable("columns of unequal length"));
    page.columns.push_back(column_of(column));
    page.values.push_back(std::move(column.values));
    page.texts.push_back(list_of_texts(column.texts));
  }
  return page;
}

Expected<views::HeatMapData> decode_heat_map(const engine::Answer& answer, const QString& title,
                                             views::AxisUnit axis) {
  auto read = engine::table_of<engine::answers::HeatMapAnswer>(answer);
  if (!read) return forward(read.error());
  views::HeatMapData data;
  data.title = title.isNull() ? words(read->column) : title;
  data.axis = axis;
  data.unit = QString::fromStdString(read->unit);
  data.logScale = read->log;
  data.window = read->window;
  data.columns = read->columns;
  data.n = static_cast<std::uint64_t>(read->n);
  data.outside = static_cast<std::uint64_t>(read->outside);
  data.edges = std::move(read->edges);
  data.counts.assign(read->counts.begin(), read->counts.end());
  if (data.counts.size() != static_cast<std::size_t>(data.rows()) * static_cast<std::size_t>(data.columns) &&
      !data.edges.empty())
    return forward(unreadable("a heat map of the wrong size"));
  return data;
}

} // namespace jitterscope::app
