#include "app/controllers/details_text.h"

#include <algorithm>
#include <limits>

#include "app/engine/decode.h"
#include "core/base/ids.h"
#include "views/base/format.h"
#include "views/base/text.h"

namespace jitterscope::app {
namespace {

using views::Text;

using nlohmann::json;

// Values that are missing, 0 or "none", and columns shown elsewhere, are omitted to keep the card short.
bool worth_a_line(const json& field) {
  static const QStringList kShownElsewhere = {
      "start",         "duration", "end",     "name",   "short_name",       "kernel",
      "configuration", "trace",    "row",     "grid_x", "grid_y",           "grid_z",
      "block_x",       "block_y",  "block_z", "blocks", "threads_per_block"};
  if (kShownElsewhere.contains(QString::fromStdString(field.at("name").get<std::string>()))) return false;
  if (field.at("value").is_null()) return false;
  return field.contains("text") ? field.at("text") != "none" : field.at("value").get<double>() != 0;
}

double field_value(const json& launch, const char* name) {
  for (const auto& field : launch.at("fields"))
    if (field.at("name") == name && !field.at("value").is_null()) return field.at("value").get<double>();
  return 0;
}

QString shape(const json& launch, const char* what) {
  const std::string prefix(what);
  return QString("%1 × %2 × %3")
      .arg(field_value(launch, (prefix + "_x").c_str()))
      .arg(field_value(launch, (prefix + "_y").c_str()))
      .arg(field_value(launch, (prefix + "_z").c_str()));
}

QString place_label(const json& launch) {
  return axis_of(launch) == views::AxisUnit::Time ? Text::tr("start") : Text::tr("launch");
}
QString place_text(const json& launch) {
  const Nanoseconds start{launch.at("start_ns").get<std::int64_t>()};
  if (axis_of(launch) == views::AxisUnit::Time) return views::formatTime(start, {100});
  return views::formatFixed(static_cast<double>(start.count), 0);
}

constexpr int kMaxFields = 24; // maximum for a hover card; the details of a launch contain all

} // namespace

QString field_label(const json& field) {
  auto name = field.at("name").get<std::string>();
  if (name.size() > 3 && name.compare(name.size() - 3, 3, "_ns") == 0) name.resize(name.size() - 3);
  return QString::fromStdString(name).replace('_', ' ');
}

QString field_text(const json& field) {
  if (field.contains("text")) return QString::fromStdString(field.at("text").get<std::string>());
  const double value = field.at("value").get<double>();
  const QString unit = QString::fromStdString(field.at("unit").get<std::string>());
  return unit.isEmpty() && value == static_cast<double>(static_cast<std::int64_t>(value))
             ? QString::number(static_cast<qlonglong>(value))
             : views::formatValue(value, unit);
}

QString launch_card(const json& launch, bool all_columns) {
  const auto name = QString::fromStdString(launch.at("name").get<std::string>());
  QString text = (name.size() > 90 && !all_columns ? name.left(88) + "…" : name) + "\n";
  const bool timed = !launch.at("duration_ns").is_null();
  if (timed)
    text += Text::tr("duration\t") + views::formatDuration(launch.at("duration_ns").get<double>()) + "\n";
  if (timed && launch.at("configuration_launches").get<std::int64_t>() > 1)
    text += Text::tr("mean of its configuration (%1)\t%2\n")
                .arg(launch.at("configuration_launches").get<std::int64_t>())
                .arg(views::formatDuration(launch.at("configuration_mean_ns").get<double>()));
  text += place_label(launch) + "\t" + place_text(launch) + "\n";
  if (field_value(launch, "grid_x") > 0)
    text +=
        Text::tr("grid\t") + shape(launch, "grid") + Text::tr("\nblock\t") + shape(launch, "block") + "\n";
  if (const auto variant = launch.value("variant", std::string()); !variant.empty())
    text += Text::tr("variant\t") + QString::fromStdString(variant).left(90) + "\n";
  int left = all_columns ? std::numeric_limits<int>::max() : kMaxFields;
  for (const auto& field : launch.at("fields"))
    if (worth_a_line(field) && --left >= 0) text += field_label(field) + "\t" + field_text(field) + "\n";
  if (left < 0) text += Text::tr("and\t%1 more columns\n").arg(-left);
  return text.trimmed();
}

QString launch_summary(const json& launch) {
  const auto name = QString::fromStdString(launch.at("short_name").get<std::string>());
  if (launch.at("duration_ns").is_null())
    return name + " · " + place_label(launch) + " " + place_text(launch);
  return Text::tr("%1 · %2 at %3")
      .arg(name, views::formatDuration(launch.at("duration_ns").get<double>()),
           axis_of(launch) == views::AxisUnit::Time ? place_text(launch)
                                                    : Text::tr("launch %1").arg(place_text(launch)));
}

LaunchChoice choice_of(const json& launch) {
  const Nanoseconds start{launch.value("start_ns", std::int64_t{0})};
  const auto length = launch.contains("duration_ns") && launch.at("duration_ns").is_number() &&
                              axis_of(launch) == views::AxisUnit::Time
                          ? launch.at("duration_ns").get<std::int64_t>()
                          : 1;
  return {launch.value("track", std::uint32_t{0}),
          launch.value("row", std::uint64_t{0}),
          {start, start + Nanoseconds{std::max<std::int64_t>(length, 1)}}};
}

views::ParallelLine launch_line(const json& launch, const CategoryCodes& codes) {
  views::ParallelLine line;
  line.label = QString::fromStdString(launch.at("short_name").get<std::string>());
  for (const auto& field : launch.at("fields"))
    if (!field.at("value").is_null()) {
      const auto name = QString::fromStdString(field.at("name").get<std::string>());
      double value = field.at("value").get<double>();
      if (const auto found = codes.find(name); found != codes.end())
        value = static_cast<double>(std::find(found->second.codes.begin(), found->second.codes.end(), value) -
                                    found->second.codes.begin());
      line.values[name] = value;
    }
  return line;
}

QString event_text(const views::TimelineModel& model, std::uint32_t track, std::uint64_t row) {
  const auto* content = model.content(track);
  if (!content) return {};
  for (const auto& bar : content->bars)
    if (bar.row == row)
      return model.axis == views::AxisUnit::Launches
                 ? QString("%1\n%2").arg(model.name(bar.nameId),
                                         views::formatPlace(bar.begin, {1}, model.axis))
                 : Text::tr("%1\nduration\t%2\nstart\t%3")
                       .arg(model.name(bar.nameId), views::formatDuration(bar.end - bar.begin),
                            views::formatTime(bar.begin, {100}));
  return {};
}

} // namespace jitterscope::app
