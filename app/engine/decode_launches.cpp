#include "app/engine/decode_launches.h"

#include <algorithm>

#include "app/engine/decode.h"
#include "app/engine/json_text.h"

namespace jitterscope::app {
namespace {

using nlohmann::json;

Error unreadable(const std::string& why) {
  return {ErrorKind::Internal, "an answer of the engine cannot be read: " + why, {}, {}, {}};
}

} // namespace

views::LaunchesColumn launches_column(const json& column) {
  views::LaunchesColumn made;
  const auto name = column.contains("column") ? column.at("column") : column.at("name");
  made.name = QString::fromStdString(name.get<std::string>());
  made.title = words(name.get<std::string>());
  made.unit = text_of(column, "unit");
  made.description = text_of(column, "description");
  const auto kind = column.at("kind").get<std::string>();
  made.kind = kind == "text"       ? views::LaunchesColumn::Kind::Text
              : kind == "category" ? views::LaunchesColumn::Kind::Category
                                   : views::LaunchesColumn::Kind::Number;
  return made;
}

Expected<views::LaunchesPage> decode_launches(const engine::Answer& answer) {
  try {
    views::LaunchesPage page;
    page.total = answer.document.at("rows").get<qint64>();
    page.first = answer.document.at("first").get<qint64>();
    const auto& numbers = answer.get<std::int64_t>("row");
    page.numbers.assign(numbers.begin(), numbers.end());
    for (const auto& column : answer.document.at("columns")) {
      page.columns.push_back(launches_column(column));
      page.values.push_back(answer.get<double>("value/" + std::to_string(page.values.size())));
      if (page.values.back().size() != numbers.size())
        return forward(unreadable("columns of unequal length"));
      QStringList& texts = page.texts.emplace_back();
      for (const auto& each : column.value("texts", json::array()))
        texts << QString::fromStdString(each.get<std::string>());
    }
    return page;
  } catch (const json::exception& problem) {
    return forward(unreadable(problem.what()));
  }
}

Expected<views::HeatMapData> decode_heat_map(const engine::Answer& answer, const QString& title,
                                             views::AxisUnit axis) {
  try {
    views::HeatMapData data;
    data.title = title;
    data.axis = axis;
    data.unit = text_of(answer.document, "unit");
    data.logScale = answer.document.at("log");
    data.window = {{answer.document.at("begin_ns").get<std::int64_t>()},
                   {answer.document.at("end_ns").get<std::int64_t>()}};
    data.columns = answer.document.at("columns");
    data.n = answer.document.at("n").get<std::uint64_t>();
    data.outside = answer.document.at("outside").get<std::uint64_t>();
    data.edges = answer.get<double>("edges");
    const auto& counts = answer.get<std::int64_t>("counts");
    data.counts.assign(counts.begin(), counts.end());
    if (data.counts.size() !=
            static_cast<std::size_t>(data.rows()) * static_cast<std::size_t>(data.columns) &&
        !data.edges.empty())
      return forward(unreadable("a heat map of the wrong size"));
    return data;
  } catch (const json::exception& problem) {
    return forward(unreadable(problem.what()));
  }
}

} // namespace jitterscope::app
