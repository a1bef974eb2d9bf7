#include "app/controllers/details_text.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/ids.h"
#include "views/base/format.h"
#include "views/base/text.h"

namespace jitterscope::app {
namespace {

using views::Text;

using engine::answers::FieldAnswer;
using engine::answers::LaunchAnswer;

// Values that are missing, 0 or "none", and columns shown elsewhere, are omitted to keep the card short.
bool worth_a_line(const FieldAnswer& field) {
  static const QStringList kShownElsewhere = {
      "start",         "duration", "end",     "name",   "short_name",       "kernel",
      "configuration", "trace",    "row",     "grid_x", "grid_y",           "grid_z",
      "block_x",       "block_y",  "block_z", "blocks", "threads_per_block"};
  if (kShownElsewhere.contains(QString::fromStdString(field.name))) return false;
  if (std::isnan(field.value)) return false;
  return field.is_text ? field.text != "none" : field.value != 0;
}

double field_value(const LaunchAnswer& launch, const std::string& name) {
  for (const auto& field : launch.fields)
    if (field.name == name && !std::isnan(field.value)) return field.value;
  return 0;
}

QString shape(const LaunchAnswer& launch, const std::string& what) {
  return QString("%1 × %2 × %3")
      .arg(field_value(launch, what + "_x"))
      .arg(field_value(launch, what + "_y"))
      .arg(field_value(launch, what + "_z"));
}

QString place_label(const LaunchAnswer& launch) {
  return launch.launch_order ? Text::tr("launch") : Text::tr("start");
}
QString place_text(const LaunchAnswer& launch) {
  const Nanoseconds start{launch.start_ns};
  if (!launch.launch_order) return views::formatTime(start, {100});
  return views::formatFixed(static_cast<double>(start.count), 0);
}

constexpr int kMaxFields = 24; // maximum for a hover card; the details of a launch contain all

} // namespace

QString field_label(const FieldAnswer& field) {
  auto name = field.name;
  if (name.size() > 3 && name.compare(name.size() - 3, 3, "_ns") == 0) name.resize(name.size() - 3);
  return QString::fromStdString(name).replace('_', ' ');
}

QString field_text(const FieldAnswer& field) {
  if (field.is_text) return QString::fromStdString(field.text);
  const double value = field.value;
  const QString unit = QString::fromStdString(field.unit);
  return unit.isEmpty() && value == static_cast<double>(static_cast<std::int64_t>(value))
             ? QString::number(static_cast<qlonglong>(value))
             : views::formatValue(value, unit);
}

QString launch_card(const LaunchAnswer& launch, bool all_columns) {
  const auto name = QString::fromStdString(launch.name);
  QString text = (name.size() > 90 && !all_columns ? name.left(88) + "…" : name) + "\n";
  const auto& duration = launch.duration_ns;
  if (duration) text += Text::tr("duration\t") + views::formatDuration(Nanoseconds{*duration}) + "\n";
  if (duration && launch.configuration_launches > 1)
    text += Text::tr("mean of its configuration (%1)\t%2\n")
                .arg(launch.configuration_launches)
                .arg(views::formatDuration(launch.configuration_mean_ns));
  text += place_label(launch) + "\t" + place_text(launch) + "\n";
  if (field_value(launch, "grid_x") > 0)
    text +=
        Text::tr("grid\t") + shape(launch, "grid") + Text::tr("\nblock\t") + shape(launch, "block") + "\n";
  if (!launch.variant.empty())
    text += Text::tr("variant\t") + QString::fromStdString(launch.variant).left(90) + "\n";
  int left = all_columns ? std::numeric_limits<int>::max() : kMaxFields;
  for (const auto& field : launch.fields)
    if (worth_a_line(field) && --left >= 0) text += field_label(field) + "\t" + field_text(field) + "\n";
  if (left < 0) text += Text::tr("and\t%1 more columns\n").arg(-left);
  return text.trimmed();
}

QString launch_summary(const LaunchAnswer& launch) {
  const auto name = QString::fromStdString(launch.short_name);
  if (!launch.duration_ns) return name + " · " + place_label(launch) + " " + place_text(launch);
  return Text::tr("%1 · %2 at %3")
      .arg(name, views::formatDuration(Nanoseconds{*launch.duration_ns}),
           launch.launch_order ? Text::tr("launch %1").arg(place_text(launch)) : place_text(launch));
}

LaunchChoice choice_of(const LaunchAnswer& launch) {
  const Nanoseconds start{launch.start_ns};
  const auto length = launch.launch_order ? 1 : launch.duration_ns.value_or(1);
  return {launch.track,
          static_cast<std::uint64_t>(launch.row),
          {start, start + Nanoseconds{std::max<std::int64_t>(length, 1)}}};
}

views::ParallelLine launch_line(const LaunchAnswer& launch, const CategoryCodes& codes) {
  views::ParallelLine line;
  line.label = QString::fromStdString(launch.short_name);
  for (const auto& field : launch.fields)
    if (!std::isnan(field.value)) {
      const auto name = QString::fromStdString(field.name);
      double value = field.value;
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
