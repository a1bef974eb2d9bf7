#include "app/metrics/metric_content.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/engine/messages/metric_options.h"
#include "core/engine/messages/selection.h"

namespace jitterscope::app {
namespace {

struct MetricText {
  Q_DECLARE_TR_FUNCTIONS(jitterscope::app::MetricTracks)
};

constexpr int kMaxColumns = 20'000;

views::CounterColumn column_of(double minimum, double average, double maximum) {
  if (std::isnan(average)) return {};
  return {static_cast<float>(minimum), static_cast<float>(average), static_cast<float>(maximum), true};
}

/// Merges the counters of several tracks into one row: mean, or maximum.
class MergedRow {
public:
  MergedRow(const std::vector<const views::TrackContent*>& contents, bool maximum)
      : contents_(contents), maximum_(maximum) {
    for (const auto* content : contents) {
      low_ = std::min(low_, content->counterMinimum);
      high_ = std::max(high_, content->counterMaximum);
    }
  }

  std::uint8_t share(std::size_t column) const {
    double sum = 0, count = 0;
    for (const auto* content : contents_) {
      if (column >= content->counter.size() || !content->counter[column].present) continue;
      const auto& of = content->counter[column];
      if (!maximum_)
        sum += static_cast<double>(of.mean);
      else if (count == 0 || static_cast<double>(of.maximum) > sum)
        sum = static_cast<double>(of.maximum);
      count = maximum_ ? 1 : count + 1;
    }
    if (count == 0) return 0;
    const double share = high_ > low_ ? (sum / count - low_) / (high_ - low_) : 0.5;
    return static_cast<std::uint8_t>(std::clamp(std::ceil(share * 255), 1.0, 255.0));
  }

private:
  const std::vector<const views::TrackContent*>& contents_;
  bool maximum_;
  double low_ = std::numeric_limits<double>::infinity(), high_ = -low_;
};

} // namespace

engine::MetricOptions MetricOfTracks::question(std::optional<Interval> window, int columns,
                                               const std::vector<std::uint32_t>& objects) const {
  engine::MetricOptions options{
      .text = text, .level = level, .objects = objects, .columns = std::clamp(columns, 1, kMaxColumns)};
  if (window) set_range(options, *window);
  return options;
}

std::vector<MetricTrack> tracks_of(const MetricOfTracks& metric, const engine::answers::MetricAnswer& answer,
                                   std::uint32_t first, std::uint32_t number) {
  if (!answer.of) return {};
  const auto& of = *answer.of;
  const auto title = QString::fromStdString(of.title);
  std::vector<MetricTrack> tracks;
  const auto count =
      std::min({of.objects.size(), kMaxMetricObjects, answer.minimum.size(), answer.maximum.size()});
  for (std::size_t i = 0; i < count; ++i) {
    auto& track = tracks.emplace_back();
    track.metric = metric;
    track.object = of.objects[i].index;
    track.minimum = std::min(answer.minimum[i], 0.0);
    track.maximum = answer.maximum[i];
    auto& shown = track.shown;
    shown.id = first + static_cast<std::uint32_t>(i);
    shown.kind = views::TrackKind::Counter;
    shown.metric = number;
    const auto name = QString::fromStdString(of.objects[i].name);
    shown.label = (title.isEmpty() ? MetricText::tr("metric") : title) +
                  (name == "application" ? QString() : " · " + name);
    shown.details = shown.label + MetricText::tr("\nmetric per ") + QString::fromStdString(of.level) + "\n" +
                    QString::fromStdString(of.help);
    shown.unit = QString::fromStdString(of.unit);
  }
  return tracks;
}

std::vector<views::TimelineTrack> with_metrics(const std::vector<views::TimelineTrack>& metrics,
                                               std::vector<views::TimelineTrack> tracks) {
  auto all = metrics;
  for (auto& track : tracks) {
    if (track.parent >= 0) track.parent += static_cast<int>(metrics.size());
    all.push_back(std::move(track));
  }
  return all;
}

std::vector<views::TrackContent> contents_of(const std::vector<MetricTrack>& tracks,
                                             const engine::answers::MetricAnswer& answer, int requested) {
  const auto &average = answer.average, &minimum = answer.minimum, &maximum = answer.maximum;
  const auto columns = static_cast<std::size_t>(std::clamp(requested, 1, kMaxColumns));
  if (average.size() != tracks.size() * columns || minimum.size() != average.size() ||
      maximum.size() != average.size())
    return {};
  std::vector<views::TrackContent> contents;
  for (std::size_t i = 0; i < tracks.size(); ++i) {
    const auto& track = tracks[i];
    auto& content = contents.emplace_back();
    content.trackId = track.shown.id;
    content.counterMinimum = track.minimum;
    content.counterMaximum = track.maximum > track.minimum ? track.maximum : track.minimum + 1;
    for (std::size_t c = i * columns; c < (i + 1) * columns; ++c)
      content.counter.push_back(column_of(minimum[c], average[c], maximum[c]));
  }
  return contents;
}

std::vector<std::uint32_t> metrics_in(const views::MergedQuery& query) {
  std::vector<std::uint32_t> metrics;
  for (const auto& block : query.blocks)
    for (const auto& row : block.rows)
      for (const auto id : row)
        if (id >= kFirstMetricTrack) metrics.push_back(id);
  std::ranges::sort(metrics);
  metrics.erase(std::unique(metrics.begin(), metrics.end()), metrics.end());
  return metrics;
}

void add_metrics(views::MergedCells& cells, const std::map<std::uint32_t, views::TrackContent>& contents) {
  const auto columns = static_cast<std::size_t>(std::max(cells.query.columns, 0));
  std::size_t first = 0;
  for (const auto& block : cells.query.blocks)
    for (const auto& row : block.rows) {
      const auto at = first;
      first += columns;
      if (row.empty() || row.front() < kFirstMetricTrack || first > cells.shares.size()) continue;
      std::vector<const views::TrackContent*> of_row;
      for (const auto id : row)
        if (const auto content = contents.find(id); content != contents.end())
          of_row.push_back(&content->second);
      const MergedRow merged(of_row, cells.query.merging == views::Merging::Maximum);
      for (std::size_t c = 0; c < columns; ++c) cells.shares[at + c] = merged.share(c);
    }
}

} // namespace jitterscope::app
