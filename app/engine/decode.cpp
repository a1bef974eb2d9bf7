#include "app/engine/decode.h"

#include "app/engine/group_filter.h"
#include "app/engine/json_text.h"
#include "app/engine/parallel_colours.h"
#include "app/engine/row_texts.h"

#include <QLocale>
#include <algorithm>
#include <cmath>

#include "core/causal/base/wording.h"
#include "core/engine/messages/statistics_options.h"
#include "core/engine/messages/texts.h"
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

std::vector<views::TimelineCell> cells_of(const engine::Answer& answer, const std::string& prefix) {
  const auto& counts = answer.get<std::uint32_t>(prefix + "count");
  const auto& names = answer.get<std::uint32_t>(prefix + "name");
  const auto& busy = answer.get<float>(prefix + "busy");
  const auto& selected = answer.get<float>(prefix + "selected");
  const auto& values = answer.get<float>(prefix + "value"); // only if values were requested
  const auto size = std::min({counts.size(), names.size(), busy.size(), selected.size()});
  std::vector<views::TimelineCell> cells(size);
  for (std::size_t i = 0; i < size; ++i)
    cells[i] = {counts[i], busy[i], names[i], selected[i], i < values.size() ? values[i] : views::kNoNumber};
  return cells;
}

std::vector<views::TimelineBar> bars_of(const engine::Answer& answer, const std::string& prefix) {
  const auto& begins = answer.get<std::int64_t>(prefix + "begin");
  const auto& ends = answer.get<std::int64_t>(prefix + "end");
  const auto& rows = answer.get<std::int64_t>(prefix + "row");
  const auto& names = answer.get<std::uint32_t>(prefix + "bar_name");
  const auto& levels = answer.get<std::uint8_t>(prefix + "level");
  const auto& dimmed = answer.get<std::uint8_t>(prefix + "dimmed");
  const auto size =
      std::min({begins.size(), ends.size(), rows.size(), names.size(), levels.size(), dimmed.size()});
  const auto& values = answer.get<float>(prefix + "bar_value");
  std::vector<views::TimelineBar> bars(size);
  for (std::size_t i = 0; i < size; ++i)
    bars[i] = {{begins[i]},
               {ends[i]},
               names[i],
               static_cast<std::uint64_t>(rows[i]),
               levels[i],
               dimmed[i] != 0,
               i < values.size() ? values[i] : views::kNoNumber};
  return bars;
}

std::vector<views::TimelineMessage> messages_of(const engine::Answer& answer) {
  const auto& from = answer.get<std::uint32_t>("message/from");
  const auto& to = answer.get<std::uint32_t>("message/to");
  const auto& sent = answer.get<std::int64_t>("message/begin");
  const auto& received = answer.get<std::int64_t>("message/end");
  const auto& bytes = answer.get<std::int64_t>("message/bytes");
  const auto size = std::min({from.size(), to.size(), sent.size(), received.size(), bytes.size()});
  std::vector<views::TimelineMessage> messages(size);
  for (std::size_t i = 0; i < size; ++i) messages[i] = {from[i], to[i], {sent[i]}, {received[i]}, bytes[i]};
  return messages;
}

QString group_label(const json& group) {
  if (group.at("rest").get<bool>()) return QStringLiteral("all others");
  const auto& label = group.at("label");
  if (label.is_null()) return QStringLiteral("without a value");
  return label.is_string() ? QString::fromStdString(label.get<std::string>())
                           : QString::fromStdString(label.dump());
}

// Texts are compared as texts, everything else as numbers.
QString group_filter(const json& group, const std::string& column) {
  if (column.empty() || group.at("code").is_null()) return {};
  const QString name = QString::fromStdString(column);
  const auto& label = group.at("label");
  if (label.is_string() && column != "kernel" && column != "configuration")
    return group_condition(name, QString::fromStdString(label.get<std::string>()));
  return group_condition(name, group.at("code").get<double>());
}

std::vector<views::CounterColumn> bands_of(const std::vector<float>& values) {
  std::vector<views::CounterColumn> columns(values.size() / 3);
  for (std::size_t i = 0; i < columns.size(); ++i)
    columns[i] = {values[3 * i], values[3 * i + 1], values[3 * i + 2], !std::isnan(values[3 * i])};
  return columns;
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
  if (engine::texts_of(answer, "label").size() != answer.get<std::uint32_t>("id").size())
    return failure(ErrorKind::Internal,
                   "an answer of the engine cannot be read: the names of tracks are damaged");
  return guarded([&] {
    TrackList list;
    const auto& ids = answer.get<std::uint32_t>("id");
    const auto& parents = answer.get<std::int64_t>("parent");
    const auto& kinds = answer.get<std::uint8_t>("kind");
    const auto& depths = answer.get<std::uint32_t>("depth");
    const auto& levels = answer.get<std::uint32_t>("levels");
    const auto labels = engine::texts_of(answer, "label"), details = engine::texts_of(answer, "details"),
               units = engine::texts_of(answer, "unit");
    const std::size_t count = std::min({ids.size(), parents.size(), kinds.size(), depths.size(),
                                        levels.size(), labels.size(), details.size(), units.size()});
    const auto text_of = [](std::string_view text) {
      return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
    };
    for (std::size_t k = 0; k < count; ++k) {
      views::TimelineTrack track;
      track.id = ids[k];
      track.parent = static_cast<int>(parents[k]);
      track.kind = static_cast<views::TrackKind>(std::min<int>(kinds[k], views::kTrackKinds - 1));
      track.label = text_of(labels[k]), track.details = text_of(details[k]), track.unit = text_of(units[k]);
      track.depth = static_cast<int>(depths[k]), track.levels = static_cast<int>(levels[k]);
      list.tracks.push_back(std::move(track));
    }
    for (const auto& name : answer.document.at("names"))
      list.names << QString::fromStdString(name.get<std::string>());
    const auto interval = [&](const char* key) {
      const auto& span = answer.document.at(key);
      return Interval{{span.at(0).get<std::int64_t>()}, {span.at(1).get<std::int64_t>()}};
    };
    list.span = interval("span");
    list.launch_span = interval("launch_span");
    list.axis = axis_of(answer.document);
    return list;
  });
}

Expected<views::TimelineData> decode_timeline(const engine::Answer& answer) {
  return guarded([&] {
    views::TimelineData data;
    data.window = {{answer.document.at("begin_ns").get<std::int64_t>()},
                   {answer.document.at("end_ns").get<std::int64_t>()}};
    data.columns = answer.document.at("columns");
    data.valuesSampled = answer.document.value("values", std::string()) == "sampled";
    data.dimmingSampled = answer.document.value("dimming", std::string()) == "sampled";
    data.value = QString::fromStdString(answer.document.value("value", std::string()));
    data.messageCount = answer.document.value("messages", std::int64_t{0});
    data.messages = messages_of(answer);
    std::size_t i = 0;
    for (const auto& item : answer.document.at("tracks")) {
      const std::string prefix = std::to_string(i++) + "/";
      views::TrackContent content;
      content.trackId = item.at("track");
      content.dyadic = item.value("dyadic", std::vector<std::uint8_t>());
      content.binOrigin = {item.value("bin_origin_ns", std::int64_t{0})};
      content.counterMinimum = item.at("counter_minimum");
      content.counterMaximum = item.at("counter_maximum");
      content.cells = cells_of(answer, prefix);
      content.bars = bars_of(answer, prefix);
      content.counter = bands_of(answer.get<float>(prefix + "counter"));
      data.tracks.push_back(std::move(content));
    }
    return data;
  });
}

Expected<std::vector<std::pair<std::uint32_t, views::BinReason>>>
decode_reasons(const engine::Answer& answer, const std::vector<std::uint32_t>& bins) {
  return guarded([&] {
    std::vector<std::pair<std::uint32_t, views::BinReason>> found;
    const auto& reasons = answer.document.at("reasons");
    for (std::size_t i = 0; i < bins.size(); ++i) {
      const auto& entry = reasons.at(i);
      views::BinReason reason;
      reason.percent = std::nan("");
      const auto& excess = entry.at("excess_percent");
      reason.less = excess.is_number() && excess.get<double>() < 0;
      if (const auto& reported = entry.at("reason"); reported.is_null()) {
        reason.text = text_of(entry, "reason_note");
        if (entry.contains("differs_only_here"))
          reason.cause = "differs only here: " + text_of(entry.at("differs_only_here"), "label");
        else if (entry.contains("associated"))
          reason.cause = "associated: " + text_of(entry.at("associated"), "label");
      } else {
        reason.cause = text_of(reported, "label");
        reason.text = text_of(reported, "text");
        if (const auto& part = reported.at("excess_percent"); part.is_number())
          reason.percent = part.get<double>();
      }
      found.emplace_back(bins[i], std::move(reason));
    }
    return found;
  });
}

engine::DistributionOptions colour_scale_question(const QString& column) {
  return {.column = column.toStdString(), .bins = 16};
}

Expected<views::TimelineColour> decode_colour_scale(const engine::Answer& answer, const QString& column) {
  auto decoded = guarded([&] {
    views::TimelineColour colour;
    colour.by = views::ColourBy::Column;
    colour.column = column;
    colour.title = words(column.toStdString());
    colour.unit = QString::fromStdString(answer.document.value("unit", std::string()));
    if (colour.unit == "ns" && colour.title.endsWith(" ns")) colour.title.chop(3);
    if (const auto& edges = answer.get<double>("edges"); edges.size() >= 2) {
      colour.low = edges.front();
      colour.high = edges.back();
      colour.logarithmic = colour.low > 0 && colour.high / colour.low > 100;
    } else {
      colour.by = views::ColourBy::Kernel;
    }
    return colour;
  });
  if (decoded && decoded->by != views::ColourBy::Column)
    return failure(ErrorKind::BadInput,
                   row_text("no launch has a value of \"" + column.toStdString() + "\""));
  return decoded;
}

Expected<views::WhyData> decode_causes_along(const engine::Answer& answer) {
  return guarded([&] {
    const auto& document = answer.document;
    views::WhyData data;
    data.window = {{document.at("begin_ns").get<std::int64_t>()},
                   {document.at("end_ns").get<std::int64_t>()}};
    const auto& kinds = document.at("kinds");
    const auto& excess = answer.get<float>("excess");
    if (kinds.size() != data.kinds.size() || excess.size() % data.kinds.size() != 0 || excess.empty() ||
        data.window.empty())
      throw std::runtime_error("it has an unexpected number of causes over time");
    for (std::size_t i = 0; i < kinds.size(); ++i)
      data.kinds[i] = {text_of(kinds[i], "column"), kinds[i].at("least_ns").get<double>()};
    data.columns.resize(excess.size() / data.kinds.size());
    for (std::size_t i = 0; i < excess.size(); ++i)
      data.columns[i / data.kinds.size()][i % data.kinds.size()] = excess[i];
    return data;
  });
}

Expected<views::MergedCells> decode_merged(const engine::Answer& answer, const views::MergedQuery& query) {
  return guarded([&] {
    views::MergedCells cells;
    cells.query = query;
    cells.names = answer.get<std::uint32_t>("name");
    cells.shares = answer.get<std::uint8_t>("share");
    cells.dyadic = answer.get<std::uint8_t>("dyadic");
    cells.selected = answer.get<std::uint8_t>("selected");
    cells.values = answer.get<float>("value");
    return cells;
  });
}

Expected<views::TimelineOverview> decode_overview(const engine::Answer& answer) {
  return guarded([&] {
    views::TimelineOverview overview;
    overview.span = {{answer.document.at("begin_ns").get<std::int64_t>()},
                     {answer.document.at("end_ns").get<std::int64_t>()}};
    overview.cells = cells_of(answer, "");
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

Expected<views::KernelsData> decode_kernels(const engine::Answer& answer, const QString& range) {
  return guarded([&] {
    views::KernelsData data;
    data.range = range;
    double total = 0;
    for (const auto& item : answer.document.at("kernels"))
      if (const auto& sum = item.at("variability_sum_ns"); !sum.is_null()) total += sum.get<double>();
    for (const auto& item : answer.document.at("kernels")) {
      views::KernelRow row;
      row.id = item.at("kernel");
      row.name = text_of(item, "name");
      row.shortName = text_of(item, "short_name");
      row.count = item.at("launches");
      row.total = number(item, "sum");
      row.mean = number(item, "mean");
      row.cv = number(item, "cv");
      row.p50 = number(item, "median");
      row.p75 = number(item, "p75");
      row.p90 = number(item, "p90");
      row.p99 = number(item, "p99");
      row.p999 = number(item, "p99_9");
      row.maximum = number(item, "max");
      row.variability = number(item, "variability_sum_ns");
      row.share = total > 0 ? row.variability / total : 0;
      data.rows.push_back(std::move(row));
    }
    return data;
  });
}

Expected<views::ParallelData> decode_parallel(const engine::Answer& answer) {
  return guarded([&] {
    views::ParallelData data;
    data.rows = answer.document.at("rows").get<std::uint64_t>();
    data.selectedRows = answer.document.at("selected_rows").get<std::uint64_t>();
    std::size_t i = 0;
    for (const auto& item : answer.document.at("axes")) {
      const std::string prefix = "axis/" + std::to_string(i++) + "/";
      views::ParallelAxis axis;
      axis.key = text_of(item, "column");
      axis.title = words(item.at("column").get<std::string>());
      axis.unit = text_of(item, "unit");
      if (axis.unit == "ns" && axis.title.endsWith(" ns")) axis.title.chop(3);
      axis.minimum = item.at("minimum");
      axis.maximum = item.at("maximum");
      const std::string scale = item.at("scale");
      axis.scale = scale == "log"        ? views::AxisScale::Log
                   : scale == "quantile" ? views::AxisScale::Quantile
                   : scale == "rank"     ? views::AxisScale::Rank
                   : scale == "symlog"   ? views::AxisScale::SymmetricLog
                                         : views::AxisScale::Linear;
      axis.edges = item.at("edges").get<std::vector<double>>();
      axis.straightBelow = item.value("straight_below", 0.0);
      axis.hasMissing = item.at("missing").get<std::int64_t>() > 0;
      axis.details = text_of(item, "description");
      axis.time = axis.key == "start" || axis.key == "end";
      for (const auto& category : item.at("categories"))
        axis.categories << QString::fromStdString(category.get<std::string>());
      axis.missingShare =
          data.rows > 0 ? item.at("missing").get<double>() / static_cast<double>(data.rows) : 0;
      axis.all = unsigned_counts(answer.get<std::int64_t>(prefix + "all"));
      axis.selected = unsigned_counts(answer.get<std::int64_t>(prefix + "selected"));
      data.axes.push_back(std::move(axis));
    }
    i = 0;
    for (const auto& item : answer.document.at("pairs")) {
      const std::string prefix = "pair/" + std::to_string(i++) + "/";
      data.pairs.push_back({text_of(item, "left"), text_of(item, "right"), item.at("left_bins"),
                            item.at("right_bins"), answer.get<std::uint32_t>(prefix + "all"),
                            answer.get<std::uint32_t>(prefix + "selected")});
    }
    data.allRows = answer.document.at("all_rows").get<std::uint64_t>();
    data.examined = answer.document.value("looked_at_rows", data.rows);
    i = 0;
    for (const auto& item : answer.document.value("classes", json::array())) {
      views::ParallelClass made;
      made.rows = item.at("rows").get<std::uint64_t>();
      made.label = class_label(item);
      made.rest = item.value("rest", false);
      for (std::size_t p = 0; p < data.pairs.size(); ++p)
        made.pairs.push_back(
            answer.get<std::uint32_t>("class/" + std::to_string(i) + "/pair/" + std::to_string(p)));
      data.classes.push_back(std::move(made));
      ++i;
    }
    choose_colours(data.classes);
    return data;
  });
}

Expected<views::DistributionData> decode_distribution(const engine::Answer& answer, const QString& title) {
  return guarded([&] {
    const auto& document = answer.document;
    const auto& selected = document.at("selected");
    views::DistributionData data;
    data.title = title;
    data.unit = text_of(document, "unit");
    data.logScale = document.at("log");
    data.n = document.at("rows").get<std::uint64_t>();
    data.selectedN = selected.at("n").get<std::uint64_t>();
    data.edges = answer.get<double>("edges");
    data.all = unsigned_counts(answer.get<std::int64_t>("all"));
    data.missing = document.value("missing", std::uint64_t{0});
    data.outside = document.value("outside", std::uint64_t{0});
    const bool some = data.selectedN < data.n;
    if (some) data.selected = unsigned_counts(answer.get<std::int64_t>("selected"));
    data.allTime = unsigned_counts(answer.get<std::int64_t>("all_ns"));
    if (!data.allTime.empty()) {
      data.time = true;
      if (some) data.selectedTime = unsigned_counts(answer.get<std::int64_t>("selected_ns"));
    }
    if (data.selectedN > 0) {
      data.mean = number(selected, "mean");
      data.median = number(selected, "median");
      data.q1 = number(selected, "q1");
      data.q3 = number(selected, "q3");
      data.minimum = number(selected, "min");
      data.maximum = number(selected, "max");
      if (data.selectedN > 1) {
        data.std = number(selected, "std");
        if (*data.mean != 0) data.cv = number(selected, "cv");
      }
    }
    for (const auto& each : document.value("percentiles", nlohmann::json::array()))
      data.percentiles.push_back({each.at("percent"), each.at("value")});
    for (const auto& mode : document.value("modes", nlohmann::json::array()))
      data.modes.push_back({mode.at("bin"), mode.at("first_bin"), mode.at("last_bin"), mode.at("n")});
    const auto groups = document.value("groups", nlohmann::json::array());
    for (std::size_t g = 0; g < groups.size(); ++g) {
      auto& group = data.groups.emplace_back();
      group.label = group_label(groups[g]);
      group.n = groups[g].at("n");
      group.rest = groups[g].at("rest");
      group.counts = unsigned_counts(answer.get<std::int64_t>("group/" + std::to_string(g)));
      group.filter = group_filter(groups[g], document.value("group_by", std::string()));
      const auto sum = groups[g].value("sum_ns", 0.0);
      if (group.n > 0 && data.unit == "ns") group.mean = sum / static_cast<double>(group.n);
    }
    return data;
  });
}

Expected<causal::CausalResult> decode_causal(const engine::Answer& answer) {
  return causal::result_from_json(answer.document);
}

std::vector<views::OverviewMark> marks_of(const views::BinsData& bins) {
  std::vector<views::OverviewMark> marks;
  for (const auto& bin : bins.bins)
    if (bin.kept) marks.push_back({{bin.start, bin.start + bins.width}, bin.index, true});
  return marks;
}

} // namespace jitterscope::app
