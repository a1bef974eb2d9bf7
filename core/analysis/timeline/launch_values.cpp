#include "core/analysis/timeline/launch_values.h"

#include <algorithm>
#include <cmath>

#include "core/analysis/timeline/dimming.h"
#include "core/base/stratified_sample.h"

namespace jitterscope::analysis {
namespace {

constexpr int kGroup = 32; // pixel columns whose mean replaces that of a column without sampled launches

} // namespace

LaunchValues::LaunchValues(const Session& session, const LaunchColumns& columns, const Tracks& tracks,
                           const std::string& column, Interval window, int pixel_columns,
                           std::int64_t max_requested, Stop& stop)
    : session_(&session), columns_(&columns), tracks_(&tracks), column_(column),
      relative_to_mean_(column == kRelativeToMean), window_(window), pixel_columns_(pixel_columns) {
  if (column.empty() || (!relative_to_mean_ && !columns.find(column))) return;
  std::vector<Segment> segments = session.launches_in(window);
  std::int64_t rows = 0;
  for (const auto& segment : segments) rows += segment.rows();
  kind_ = rows <= max_requested ? ValueKind::Exact : ValueKind::Sampled;
  means_.resize(tracks.list().size());
  const auto step = kind_ == ValueKind::Exact ? std::int64_t{1} << 17
                                              : std::max(rows / (kSampledLaunches / kSampleRun), kSampleRun);
  const auto run = kind_ == ValueKind::Exact ? step : kSampleRun;
  for (const auto& segment : segments)
    for (const auto place :
         stratified_sample((segment.rows() + run - 1) / run, (segment.rows() + step - 1) / step)) {
      if (stop.requested()) break;
      const auto first = segment.first + place * run;
      add_rows(segment.trace, first, std::min(first + run, segment.last));
    }
  for (std::size_t t = 0; t < session.traces().size(); ++t) { // launches that reach into the window
    const auto* launches = tracks.launches(t);
    if (!launches) continue;
    const auto begin = window.begin.count - session.traces()[t].shift_ns;
    launches->reaching(0, launches->position_of(begin), begin,
                       [&](std::size_t position, const store::Event&) {
                         const auto row = static_cast<std::int64_t>(launches->row(position));
                         add_rows(t, row, row + 1);
                         return true;
                       });
  }
}

double LaunchValues::typical_of(std::size_t trace, std::size_t row) const {
  const Trace& of = session_->traces()[trace];
  const auto& configuration = session_->configurations()[of.configuration[of.configurations()[row]]];
  return configuration.measured > 1 ? configuration.mean_ns() : std::nan("");
}

void LaunchValues::add_rows(std::size_t trace, std::int64_t first, std::int64_t last) {
  if (!relative_to_mean_) {
    const auto values = columns_->read(column_, {trace, first, last});
    for (auto row = first; row < last; ++row)
      add_launch(trace, row, values[static_cast<std::size_t>(row - first)], 1);
    return;
  }
  const auto durations = session_->traces()[trace].durations();
  for (auto row = first; row < last; ++row) {
    const auto r = static_cast<std::size_t>(row);
    if (const auto duration = durations[r]; duration != store::kMissingDuration)
      add_launch(trace, row, static_cast<double>(duration), typical_of(trace, r));
  }
}

int LaunchValues::column_at(std::int64_t time) const {
  const auto share =
      static_cast<double>(time - window_.begin.count) / static_cast<double>(window_.length().count);
  return static_cast<int>(std::floor(share * pixel_columns_));
}

void LaunchValues::add_launch(std::size_t trace, std::int64_t row, double value, double weight) {
  if (std::isnan(value) || std::isnan(weight)) return;
  const Trace& of = session_->traces()[trace];
  const auto r = static_cast<std::size_t>(row);
  const auto begin = of.starts()[r] + of.shift_ns;
  const auto end = begin + std::max<std::int64_t>(of.extent(of.durations()[r]), 1);
  const int first = std::max(column_at(std::max(begin, window_.begin.count)), 0);
  const int last = std::min(column_at(std::min(end - 1, window_.end.count)), pixel_columns_ - 1);
  const auto track = tracks_->track_of_stream(trace, of.store.column<std::uint32_t>("launches", "stream")[r]);
  if (track == kNone || first > last) return;
  add_to(track, first, last, value, weight);
  if (const auto device = tracks_->list()[track].parent; device >= 0)
    add_to(static_cast<std::uint32_t>(device), first, last, value, weight);
}

void LaunchValues::add_to(std::uint32_t track, int first, int last, double value, double weight) {
  auto& means = means_[track];
  const auto groups = static_cast<std::size_t>(pixel_columns_ + kGroup - 1) / kGroup;
  if (means.empty()) means.resize(static_cast<std::size_t>(pixel_columns_) + groups + 1);
  const auto add = [&](std::size_t at) {
    means[at].sum += value;
    means[at].weight += weight;
  };
  for (int c = first; c <= last; ++c) add(static_cast<std::size_t>(c));
  for (int g = first / kGroup; g <= last / kGroup; ++g) add(static_cast<std::size_t>(pixel_columns_ + g));
  add(means.size() - 1);
}

float LaunchValues::Mean::value(bool against_typical) const {
  if (!(weight > 0)) return kNoValue;
  return static_cast<float>(against_typical ? sum / weight - 1 : sum / weight);
}

float LaunchValues::of_column(std::uint32_t track, int pixel_column) const {
  if (kind_ == ValueKind::None) return kNoValue;
  // Derived tracks of a device have no launch values of their own.
  const auto& of = tracks_->list()[track];
  const bool own = of.kind == TrackKind::Stream || of.kind == TrackKind::Device;
  if (!own) return kNoValue;
  const auto& means = means_[track];
  if (means.empty()) return kNoValue;
  const auto& column = means[static_cast<std::size_t>(pixel_column)];
  if (column.weight > 0 || kind_ == ValueKind::Exact) return column.value(relative_to_mean_);
  const auto& group = means[static_cast<std::size_t>(pixel_columns_ + pixel_column / kGroup)];
  return (group.weight > 0 ? group : means.back()).value(relative_to_mean_);
}

float LaunchValues::read(std::size_t trace, std::int64_t row) const {
  return static_cast<float>(columns_->read(column_, {trace, row, row + 1}).front());
}

float LaunchValues::of_launch(std::size_t trace, std::size_t row) const {
  if (kind_ == ValueKind::None) return kNoValue;
  if (!relative_to_mean_) return read(trace, static_cast<std::int64_t>(row));
  const auto duration = session_->traces()[trace].durations()[row];
  if (duration == store::kMissingDuration) return kNoValue;
  const auto typical = typical_of(trace, row);
  return typical > 0 ? static_cast<float>(static_cast<double>(duration) / typical - 1) : kNoValue;
}

} // namespace jitterscope::analysis
