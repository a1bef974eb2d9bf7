#include "app/engine/decode.h"

#include "app/engine/group_filter.h"
#include "app/engine/json_text.h"
#include "app/engine/parallel_colours.h"
#include "app/engine/row_texts.h"
#include "app/engine/typed_answers.h"

#include <QLocale>
#include <algorithm>
#include <cmath>

#include "core/causal/base/wording.h"
#include "core/engine/messages/causal_answers.h"
#include "core/engine/messages/statistics_answers.h"
#include "core/engine/messages/statistics_options.h"
#include "core/engine/messages/timeline_answers.h"
#include "views/base/format.h"
#include "views/base/text.h"

namespace jitterscope::app {
namespace {

using nlohmann::json;

// null represents NaN.
double number(const json& j, const char* key) {
  const auto& value = j.at(key);
  return value.is_null() ? std::nan("") : value.get<double>();
}

template <class F>
auto guarded(F&& decode) -> Expected<decltype(decode())> {
  try {
    return decode();
  } catch (const std::exception& problem) {
    return failure(ErrorKind::Internal,
                   std::string("an answer of the engine cannot be read: ") + problem.what());
  }
}

std::vector<views::TimelineCell> cells_of(const std::vector<engine::answers::Cell>& cells) {
  std::vector<views::TimelineCell> out;
  out.reserve(cells.size());
  for (const auto& cell : cells)
    out.push_back({cell.count(), cell.busy(), cell.name(), cell.selected(), cell.value()});
  return out;
}

views::TrackContent content_of(const engine::answers::TrackContentAnswer& track) {
  views::TrackContent content;
  content.trackId = track.track;
  content.dyadic = track.dyadic;
  content.binOrigin = {track.bin_origin_ns};
  content.counterMinimum = track.counter_minimum;
  content.counterMaximum = track.counter_maximum;
  content.cells = cells_of(track.cells);
  for (const auto& bar : track.bars)
    content.bars.push_back({{bar.begin_ns()},
                            {bar.end_ns()},
                            bar.name(),
                            static_cast<std::uint64_t>(bar.row()),
                            bar.level(),
                            bar.dimmed(),
                            bar.value()});
  for (const auto& column : track.counter)
    content.counter.push_back(
        {column.minimum(), column.mean(), column.maximum(), !std::isnan(column.minimum())});
  return content;
}

QString group_label(const engine::answers::GroupAnswer& group) {
  if (group.rest) return QStringLiteral("all others");
  const bool named = !std::isnan(group.code) && (group.text || !group.label.empty());
  return named ? QString::fromStdString(group.label) : QStringLiteral("without a value");
}

// Texts are compared as texts, everything else as numbers.
QString group_filter(const engine::answers::GroupAnswer& group, const std::string& column) {
  if (column.empty() || std::isnan(group.code)) return {};
  const QString name = QString::fromStdString(column);
  if (group.text && column != "kernel" && column != "configuration")
    return group_condition(name, QString::fromStdString(group.label));
  return group_condition(name, group.code);
}

template <class T>
std::vector<std::uint64_t> unsigned_counts(const std::vector<T>& counts) {
  return {counts.begin(), counts.end()};
}

// Rows in rank order, best first.
std::vector<views::BinRow> bin_rows(const engine::Answer& answer, const std::string& statistic,
                                    Nanoseconds width) {
  const auto& indices = answer.get<std::int64_t>("index");
  const auto& starts = answer.get<std::int64_t>("start_ns");
  const auto& launches = answer.get<std::int64_t>("launches");
  const auto& ranks = answer.get<std::int64_t>("rank");
  const auto& counts = answer.get<std::int64_t>("n");
  const auto& kept = answer.get<std::uint8_t>("kept");
  const auto& values = answer.get<double>(statistic);
  const auto size = std::min({indices.size(), starts.size(), launches.size(), ranks.size(), counts.size(),
                              kept.size(), values.size()});
  std::vector<views::BinRow> rows(size);
  for (std::size_t i = 0; i < size; ++i) {
    const auto place = static_cast<std::size_t>(ranks[i] - 1);
    if (place >= size) continue;
    auto& row = rows[place];
    row.index = indices[i];
    row.start = {starts[i]};
    row.lastEnd = row.start + width;
    row.n = static_cast<std::uint64_t>(launches[i]);
    // A bin has no value if none of its launches has one (their configurations ran once).
    row.value = counts[i] > 0 ? values[i] : std::nan("");
    row.kept = kept[i] != 0;
  }
  return rows;
}

QString why_ranked(const json& bin, const QString& unit) {
  QString why;
  if (!bin.at("top_kernel").is_null())
    why = views::Text::tr("largest part: %1").arg(text_of(bin, "top_kernel")) + " " +
          QString::fromStdString(causal::share_in_words(100 * bin.at("top_kernel_share").get<double>()));
  const double maximum = number(bin, "max");
  if (!std::isnan(maximum))
    why += QString("%1max %2").arg(why.isEmpty() ? "" : " · ", views::formatValue(maximum, unit));
  return why;
}

} // namespace

views::AxisUnit axis_of(const nlohmann::json& document) {
  return document.value("axis", std::string()) == "launch-order" ? views::AxisUnit::Launches
                                                                 : views::AxisUnit::Time;
}

Expected<TrackList> decode_tracks(const engine::Answer& answer) {
  return engine::table_of<engine::answers::TracksAnswer>(answer).map(
      [](const engine::answers::TracksAnswer& read) {
        TrackList list;
        for (const auto& each : read.tracks) {
          views::TimelineTrack track;
          track.id = each.id;
          track.parent = each.parent;
          track.kind = static_cast<views::TrackKind>(std::min<int>(each.kind, views::kTrackKinds - 1));
          track.label = QString::fromStdString(each.label);
          track.details = QString::fromStdString(each.details);
          track.unit = QString::fromStdString(each.unit);
          track.depth = each.depth, track.levels = each.levels;
          list.tracks.push_back(std::move(track));
        }
        list.names = list_of_texts(read.names);
        list.span = read.span;
        list.launch_span = read.launch_span;
        list.axis = read.launch_order ? views::AxisUnit::Launches : views::AxisUnit::Time;
        return list;
      });
}

Expected<views::TimelineData> decode_timeline(const engine::Answer& answer) {
  return engine::table_of<engine::answers::TimelineAnswer>(answer).map(
      [](const engine::answers::TimelineAnswer& read) {
        views::TimelineData data;
        data.window = read.window;
        data.columns = read.columns;
        data.valuesSampled = read.values == engine::answers::Exactness::Sampled;
        data.dimmingSampled = read.dimming == engine::answers::Exactness::Sampled;
        data.value = QString::fromStdString(read.value);
        data.messageCount = read.message_count;
        for (const auto& message : read.messages)
          data.messages.push_back({message.from_track(),
                                   message.to_track(),
                                   {message.sent_ns()},
                                   {message.received_ns()},
                                   message.bytes()});
        for (const auto& track : read.tracks) data.tracks.push_back(content_of(track));
        return data;
      });
}

Expected<std::vector<std::pair<std::uint32_t, views::BinReason>>>
decode_reasons(const engine::Answer& answer, const std::vector<std::uint32_t>& bins) {
  const auto read = engine::table_of<engine::answers::ReasonsAnswer>(answer);
  if (!read) return forward(read.error());
  std::vector<std::pair<std::uint32_t, views::BinReason>> found;
  for (std::size_t i = 0; i < std::min(bins.size(), read->reasons.size()); ++i) {
    const auto& moment = read->reasons[i];
    views::BinReason reason;
    reason.percent = std::nan("");
    reason.less = moment.excess_percent < 0;
    if (moment.reason) {
      reason.cause = QString::fromStdString(moment.reason->label);
      reason.text = QString::fromStdString(moment.reason->text);
      reason.percent = moment.reason->excess_percent;
    } else {
      reason.text = QString::fromStdString(moment.reason_note);
      if (moment.differs_only_here)
        reason.cause = "differs only here: " + QString::fromStdString(moment.differs_only_here->label);
      else if (moment.associated)
        reason.cause = "associated: " + QString::fromStdString(moment.associated->label);
    }
    found.emplace_back(bins[i], std::move(reason));
  }
  return found;
}

engine::DistributionOptions colour_scale_question(const QString& column) {
  return {.column = column.toStdString(), .bins = 16};
}

Expected<views::TimelineColour> decode_colour_scale(const engine::Answer& answer, const QString& column) {
  const auto read = engine::table_of<engine::answers::DistributionAnswer>(answer);
  if (!read) return forward(read.error());
  if (read->edges.size() < 2)
    return failure(ErrorKind::BadInput,
                   row_text("no launch has a value of \"" + column.toStdString() + "\""));
  views::TimelineColour colour;
  colour.by = views::ColourBy::Column;
  colour.column = column;
  colour.title = words(column.toStdString());
  colour.unit = QString::fromStdString(read->unit);
  if (colour.unit == "ns" && colour.title.endsWith(" ns")) colour.title.chop(3);
  colour.low = read->edges.front();
  colour.high = read->edges.back();
  colour.logarithmic = colour.low > 0 && colour.high / colour.low > 100;
  return colour;
}

Expected<views::WhyData> decode_causes_along(const engine::Answer& answer) {
  const auto read = engine::table_of<engine::answers::CausesAlongAnswer>(answer);
  if (!read) return forward(read.error());
  views::WhyData data;
  data.window = read->window;
  const auto& excess = read->excess;
  if (read->kinds.size() != data.kinds.size() || excess.size() % data.kinds.size() != 0 || excess.empty() ||
      data.window.empty())
    return failure(ErrorKind::Internal,
                   "an answer of the engine has an unexpected number of causes over time");
  for (std::size_t i = 0; i < data.kinds.size(); ++i)
    data.kinds[i] = {QString::fromStdString(read->kinds[i].column), read->kinds[i].least_ns};
  data.columns.resize(excess.size() / data.kinds.size());
  for (std::size_t i = 0; i < excess.size(); ++i)
    data.columns[i / data.kinds.size()][i % data.kinds.size()] = excess[i];
  return data;
}

Expected<views::MergedCells> decode_merged(const engine::Answer& answer, const views::MergedQuery& query) {
  return engine::table_of<engine::answers::MergedTimelineAnswer>(answer).map(
      [&](engine::answers::MergedTimelineAnswer read) {
        views::MergedCells cells;
        cells.query = query;
        cells.names = std::move(read.names);
        cells.shares = std::move(read.shares);
        cells.dyadic = std::move(read.dyadic);
        cells.selected = std::move(read.selected);
        cells.values = std::move(read.values);
        return cells;
      });
}

Expected<views::TimelineOverview> decode_overview(const engine::Answer& answer) {
  return engine::table_of<engine::answers::OverviewAnswer>(answer).map(
      [](const engine::answers::OverviewAnswer& read) {
        views::TimelineOverview overview;
        overview.span = read.span;
        overview.cells = cells_of(read.cells);
        return overview;
      });
}

Expected<views::BinsData> decode_bins(const engine::Answer& answer, Interval span) {
  return guarded([&] {
    const auto& document = answer.document;
    views::BinsData data;
    data.axis = axis_of(document);
    data.origin = {document.at("origin_ns").get<std::int64_t>()};
    data.width = {document.at("width_ns").get<std::int64_t>()};
    data.span = span;
    data.metric = words(document.at("metric").get<std::string>());
    const auto statistic = document.at("rank_by").get<std::string>();
    data.statistic = statistic == "cv" ? "CV" : QString::fromStdString(statistic);
    const QString unit = text_of(document, "unit");
    data.unit = statistic == "cv"                            ? QString()
                : statistic == "variance" && !unit.isEmpty() ? unit + "²"
                                                             : unit;
    const double total = document.at("total");
    data.bins = bin_rows(answer, statistic, data.width);
    for (const auto& row : data.bins) data.launches += row.n;
    data.missing = document.value("missing", std::uint64_t{0});
    std::size_t place = 0; // rows and kept bins are both in rank order
    for (const auto& bin : document.at("kept_bins")) {
      if (place == data.bins.size()) break;
      auto& row = data.bins[place++];
      row.lastEnd = {bin.at("last_end_ns").get<std::int64_t>()};
      row.why = why_ranked(bin, unit);
    }
    for (auto& row : data.bins) row.share = statistic == "sum" && total > 0 ? row.value / total : -1;
    const auto count = document.at("top_count").get<std::int64_t>();
    data.top = count > 0 ? QString("top %1").arg(count)
                         : QString("top %1 %").arg(document.at("top_share").get<double>() * 100, 0, 'g', 3);
    constexpr double kMin = 20; // BinOptions::min_top
    if (count == 0 && document.at("top_share").get<double>() * static_cast<double>(data.bins.size()) < kMin)
      data.top += " (at least 20)";
    return data;
  });
}

views::KernelsData kernels_data(const engine::answers::KernelsAnswer& answer, const QString& range) {
  views::KernelsData data;
  data.range = range;
  double total = 0;
  for (const auto& kernel : answer.kernels)
    if (!std::isnan(kernel.variability_sum)) total += kernel.variability_sum;
  for (const auto& kernel : answer.kernels) {
    views::KernelRow row;
    row.id = kernel.kernel;
    row.name = QString::fromStdString(kernel.name);
    row.shortName = QString::fromStdString(kernel.short_name);
    row.count = static_cast<std::uint64_t>(kernel.launches);
    row.total = kernel.sum, row.mean = kernel.mean, row.cv = kernel.cv;
    row.p50 = kernel.median, row.p75 = kernel.p75, row.p90 = kernel.p90, row.p99 = kernel.p99;
    row.p999 = kernel.p99_9, row.maximum = kernel.max;
    row.variability = kernel.variability_sum;
    row.share = total > 0 ? row.variability / total : 0;
    data.rows.push_back(std::move(row));
  }
  return data;
}

namespace {

views::ParallelAxis axis_of(engine::answers::ParallelAxisAnswer& read, std::uint64_t rows) {
  views::ParallelAxis axis;
  axis.key = QString::fromStdString(read.column);
  axis.title = words(read.column);
  axis.unit = QString::fromStdString(read.unit);
  if (axis.unit == "ns" && axis.title.endsWith(" ns")) axis.title.chop(3);
  axis.minimum = read.minimum;
  axis.maximum = read.maximum;
  axis.scale = read.scale == engine::answers::AxisScale::Log            ? views::AxisScale::Log
               : read.scale == engine::answers::AxisScale::Quantile     ? views::AxisScale::Quantile
               : read.scale == engine::answers::AxisScale::Rank         ? views::AxisScale::Rank
               : read.scale == engine::answers::AxisScale::SymmetricLog ? views::AxisScale::SymmetricLog
                                                                        : views::AxisScale::Linear;
  axis.edges = std::move(read.edges);
  axis.straightBelow = read.straight_below;
  axis.hasMissing = read.missing > 0;
  axis.details = QString::fromStdString(read.description);
  axis.time = axis.key == "start" || axis.key == "end";
  axis.categories = list_of_texts(read.categories);
  axis.missingShare = rows > 0 ? static_cast<double>(read.missing) / static_cast<double>(rows) : 0;
  axis.all = unsigned_counts(read.all);
  axis.selected = unsigned_counts(read.selected);
  return axis;
}

} // namespace

views::ParallelData parallel_data(engine::answers::ParallelAnswer read) {
  views::ParallelData data;
  data.rows = static_cast<std::uint64_t>(read.rows);
  data.selectedRows = static_cast<std::uint64_t>(read.selected_rows);
  data.allRows = static_cast<std::uint64_t>(read.all_rows);
  data.examined = static_cast<std::uint64_t>(read.examined_rows);
  for (auto& axis : read.axes) data.axes.push_back(axis_of(axis, data.rows));
  for (auto& pair : read.pairs)
    data.pairs.push_back({QString::fromStdString(pair.left), QString::fromStdString(pair.right),
                          pair.left_bins, pair.right_bins, std::move(pair.all), std::move(pair.selected)});
  for (auto& each : read.classes) {
    auto& made = data.classes.emplace_back();
    made.rows = static_cast<std::uint64_t>(each.rows);
    made.label = class_label(each);
    made.rest = each.rest;
    for (auto& pair : each.pairs) made.pairs.push_back(std::move(pair.counts));
  }
  choose_colours(data.classes);
  return data;
}

Expected<views::ParallelData> decode_parallel(const engine::Answer& answer) {
  return engine::table_of<engine::answers::ParallelAnswer>(answer).map(parallel_data);
}

Expected<views::DistributionData> decode_distribution(const engine::Answer& answer, const QString& title) {
  return engine::table_of<engine::answers::DistributionAnswer>(answer).map(
      [&](const engine::answers::DistributionAnswer& read) {
        const auto& selected = read.selected;
        views::DistributionData data;
        data.title = title.isNull() ? words(read.column) : title;
        data.unit = QString::fromStdString(read.unit);
        data.logScale = read.log;
        data.n = static_cast<std::uint64_t>(read.rows);
        data.selectedN = static_cast<std::uint64_t>(selected.n());
        data.edges = read.edges;
        data.all = unsigned_counts(read.all_counts);
        data.missing = static_cast<std::uint64_t>(read.missing);
        data.outside = static_cast<std::uint64_t>(read.outside);
        const bool some = data.selectedN < data.n;
        if (some) data.selected = unsigned_counts(read.selected_counts);
        data.allTime = unsigned_counts(read.all_ns);
        if (!data.allTime.empty()) {
          data.time = true;
          if (some) data.selectedTime = unsigned_counts(read.selected_ns);
        }
        if (data.selectedN > 0) {
          data.mean = selected.mean();
          data.median = selected.median();
          data.q1 = selected.q1();
          data.q3 = selected.q3();
          data.minimum = selected.min();
          data.maximum = selected.max();
          if (data.selectedN > 1) {
            data.std = selected.std();
            if (*data.mean != 0) data.cv = selected.cv();
          }
        }
        for (const auto& each : read.percentiles) data.percentiles.push_back({each.percent(), each.value()});
        for (const auto& mode : read.modes)
          data.modes.push_back(
              {mode.bin(), mode.first_bin(), mode.last_bin(), static_cast<std::uint64_t>(mode.n())});
        for (const auto& each : read.groups) {
          auto& group = data.groups.emplace_back();
          group.label = group_label(each);
          group.n = each.n;
          group.rest = each.rest;
          group.counts = unsigned_counts(each.counts);
          group.filter = group_filter(each, read.group_by);
          if (group.n > 0 && data.unit == "ns") group.mean = each.sum_ns / static_cast<double>(group.n);
        }
        return data;
      });
}

Expected<causal::CausalResult> decode_causal(const engine::Answer& answer) {
  const auto read = engine::table_of<engine::answers::CausalAnswer>(answer);
  if (!read) return forward(read.error());
  return causal::decode_result(read->result);
}

std::vector<views::OverviewMark> marks_of(const views::BinsData& bins) {
  std::vector<views::OverviewMark> marks;
  for (const auto& bin : bins.bins)
    if (bin.kept) marks.push_back({{bin.start, bin.start + bins.width}, bin.index, true});
  return marks;
}

} // namespace jitterscope::app
