#include "views/timeline/timeline_colours.h"

#include <algorithm>
#include <cmath>

#include "core/time_bins/column_bins.h"
#include "views/base/colour_maps.h"
#include "views/base/text.h"
#include "views/timeline/timeline_parts.h"

namespace jitterscope::views {

namespace {

constexpr std::uint32_t kSteps = 255; // number of steps of a colour scale

bool ofLaunches(const TimelineTrack& track) {
  return track.kind == TrackKind::Stream || track.kind == TrackKind::Device;
}

/// Whether the launches are of kernels. Without devices, tracks of launches next to calls or ranges of host
/// threads are their bursts.
bool hasKernels(const TimelineModel& model) {
  const auto device = [](const TimelineTrack& track) { return track.kind == TrackKind::Device; };
  const auto host = [](const TimelineTrack& track) {
    return track.kind == TrackKind::MpiCalls || track.kind == TrackKind::Calls ||
           track.kind == TrackKind::Ranges;
  };
  return std::ranges::any_of(model.tracks(), device) || std::ranges::none_of(model.tracks(), host);
}

QString placeOf(const TimelineModel& model, Interval interval) {
  return Text::tr("%1 at %2")
      .arg(formatLength(interval.length(), model.axis),
           formatPlace(interval.begin, interval.length(), model.axis));
}

TrackColours constant(const QColor& colour) {
  return {[](std::uint32_t, float) { return 0U; }, [colour](std::uint32_t) { return colour; }};
}

} // namespace

double scalePlace(const TimelineColour& colour, double value) {
  if (!(colour.high > colour.low)) return 0.5;
  if (colour.logarithmic && colour.low > 0)
    return std::clamp(std::log(std::max(value, colour.low) / colour.low) / std::log(colour.high / colour.low),
                      0.0, 1.0);
  return std::clamp((value - colour.low) / (colour.high - colour.low), 0.0, 1.0);
}

TrackColours coloursOf(const TimelineModel& model, const TimelineTrack& track, const QString& arrived,
                       const ViewStyle& style) {
  const Theme theme = style.theme;
  const QColor quiet = style.quiet;
  if (track.kind == TrackKind::Idle) return constant(mix(style.background, style.mutedText, 0.45));
  const TimelineColour& by = model.colour;
  if (!ofLaunches(track) || by.by == ColourBy::Kernel)
    return {
        [](std::uint32_t nameId, float) { return nameId; },
        [theme, quiet](std::uint32_t key) { return key == kNoName ? quiet : categoryColour(key, theme); }};
  if (by.by == ColourBy::Stream)
    return constant(track.kind == TrackKind::Stream ? categoryColour(track.id, theme) : quiet);
  if (arrived != by.value()) return constant(quiet); // values have not arrived yet
  if (by.by == ColourBy::RelativeToMean)
    return {[](std::uint32_t, float value) {
              if (std::isnan(value)) return kNoName;
              const double place = std::clamp(value / kDeviationLimit, -1.0, 1.0);
              return static_cast<std::uint32_t>(std::lround((place + 1) / 2 * kSteps));
            },
            [quiet, style](std::uint32_t key) {
              return key == kNoName ? quiet : timeline::deviationColour(2.0 * key / kSteps - 1, style);
            }};
  return {[by](std::uint32_t, float value) {
            if (std::isnan(value)) return kNoName;
            return static_cast<std::uint32_t>(std::lround(scalePlace(by, value) * kSteps));
          },
          [theme, quiet](std::uint32_t key) {
            return key == kNoName ? quiet : sequentialColour(0.12 + 0.88 * key / kSteps, theme);
          }};
}

std::vector<LegendEntry> legendEntries(const TimelineModel& model, const ViewStyle& style,
                                       std::size_t maximum) {
  std::vector<LegendEntry> entries;
  if (model.colour.by == ColourBy::Kernel) {
    for (const auto id : model.busiestNames(maximum))
      entries.push_back({categoryColour(id, style.theme), model.name(id)});
  } else if (model.colour.by == ColourBy::Stream) {
    for (const TrackRow* row : model.drawnRows()) {
      const auto& track = model.tracks()[static_cast<std::size_t>(row->track)];
      if (entries.size() == maximum) break;
      if (track.kind == TrackKind::Stream && !row->pinned)
        entries.push_back({categoryColour(track.id, style.theme), track.label});
    }
  }
  return entries;
}

QString columnText(const TimelineModel& model, const TimelineHit& hit) {
  if (hit.cell == nullptr || hit.track < 0) return {};
  const int track = model.trackIndex(hit.contentTrack);
  const TimelineTrack& of = model.tracks()[static_cast<std::size_t>(track)];
  const TimelineCell& cell = *hit.cell;
  QString text = of.kind == TrackKind::Idle ? of.label : model.name(cell.nameId);
  if (text.size() > 90) text = text.left(88) + QStringLiteral("…");
  if (of.kind != TrackKind::Idle) {
    text +=
        Text::tr("\nlargest time among\t%1 %2")
            .arg(formatCount(cell.count), showsLaunches(of.kind) ? Text::tr("launches") : Text::tr("events"));
    if (hit.contentTrack != model.tracks()[static_cast<std::size_t>(hit.track)].id)
      text += Text::tr("\ntrack\t") + of.label;
  }
  const bool bin = hit.cellInterval != hit.columnInterval;
  if (model.axis == AxisUnit::Time)
    text += (bin ? Text::tr("\n%1\t%2 of the interval") : Text::tr("\n%1\t%2 of the column"))
                .arg(of.kind == TrackKind::Idle ? Text::tr("idle") : Text::tr("covered"),
                     formatPercent(static_cast<double>(cell.busy), 1));
  const auto passes = [&] {
    return (model.data().dimmingSampled ? Text::tr("\npasses the filter\t%1, sampled")
                                        : Text::tr("\npasses the filter\t%1"))
        .arg(formatPercent(static_cast<double>(cell.selected), 1));
  };
  // Values and samples are those of the pixel column, all else is that of the interval which it shows.
  if (cell.selected < 1 && !model.data().dimmingSampled) text += passes();
  if (bin) text += Text::tr("\ninterval\t") + placeOf(model, hit.cellInterval);
  QString ofColumn;
  if (!std::isnan(cell.value)) {
    const auto value = [&](const QString& exact) {
      return model.data().valuesSampled ? Text::tr("%1, sampled").arg(exact) : exact;
    };
    if (model.colour.by == ColourBy::RelativeToMean)
      ofColumn +=
          Text::tr("\nrelative to mean\t%1")
              .arg(value((cell.value > 0 ? QStringLiteral("+") : QString()) +
                         formatFixed(static_cast<double>(cell.value) * 100, 1) + QStringLiteral(" %")));
    else
      ofColumn += Text::tr("\nmean %1\t%2")
                      .arg(model.colour.title,
                           value(formatValue(static_cast<double>(cell.value), model.colour.unit)));
  }
  if (cell.selected < 1 && model.data().dimmingSampled) ofColumn += passes();
  if (!bin || !ofColumn.isEmpty()) ofColumn += Text::tr("\ncolumn\t") + placeOf(model, hit.columnInterval);
  return text + ofColumn;
}

QString counterText(const TimelineModel& model, const TimelineHit& hit) {
  const int track = model.trackIndex(hit.contentTrack);
  const TrackContent* content = model.content(hit.contentTrack);
  if (hit.counter == nullptr || track < 0 || content == nullptr) return {};
  const TimelineTrack& of = model.tracks()[static_cast<std::size_t>(track)];
  const auto value = [&](float number) { return formatValue(static_cast<double>(number), of.unit); };
  QString text = of.label;
  // Bins have only a mean: their launches are not read one by one.
  if (content->dyadic.empty() || content->dyadic.front() == 0)
    text += Text::tr("\nminimum\t%1\nmean\t%2\nmaximum\t%3")
                .arg(value(hit.counter->minimum), value(hit.counter->mean), value(hit.counter->maximum));
  else
    text += Text::tr("\nmean\t") + value(hit.counter->mean);
  return text + Text::tr("\ninterval\t") + placeOf(model, hit.cellInterval);
}

QString mergedText(const TimelineModel& model, const TimelineHit& hit) {
  const MergedCells& merged = model.merged();
  const std::vector<std::uint32_t>* tracks = nullptr;
  auto row = static_cast<std::size_t>(hit.mergedRow);
  for (const MergedBlock& block : merged.query.blocks) {
    if (row < block.rows.size()) {
      tracks = &block.rows[row];
      break;
    }
    row -= block.rows.size();
  }
  if (tracks == nullptr || tracks->empty()) return {};
  const auto labelOf = [&](std::uint32_t id) {
    const int track = model.trackIndex(id);
    if (track < 0) return QString();
    const auto& of = model.tracks()[static_cast<std::size_t>(track)];
    return of.parent < 0
               ? of.label
               : model.tracks()[static_cast<std::size_t>(of.parent)].label + QStringLiteral(" · ") + of.label;
  };
  const auto share = static_cast<double>(merged.shares[hit.merged]) / 255;
  const int first = model.trackIndex(tracks->front());
  const bool counter =
      first >= 0 && model.tracks()[static_cast<std::size_t>(first)].kind == TrackKind::Counter;
  const bool maximum = merged.query.merging == Merging::Maximum;
  const QString name = model.name(merged.names[hit.merged]);
  QString text = share <= 0       ? Text::tr("no activity")
                 : counter        ? labelOf(tracks->front())
                 : name.isEmpty() ? Text::tr("without a name")
                                  : name;
  if (text.size() > 90) text = text.left(88) + QStringLiteral("…");
  if (tracks->size() == 1) {
    text += Text::tr("\ntrack\t") + labelOf(tracks->front());
  } else {
    text += Text::tr("\ntracks\t%1\nfrom\t%2\nto\t%3")
                .arg(formatCount(tracks->size()), labelOf(tracks->front()), labelOf(tracks->back()));
  }
  if (share > 0)
    text += QStringLiteral("\n%1\t%2")
                .arg(counter   ? maximum ? Text::tr("position in the range of values, maximum")
                                         : Text::tr("position in the range of values, mean")
                       : maximum ? Text::tr("covered time, maximum of the tracks")
                               : Text::tr("covered time, mean of the tracks"),
                     formatPercent(share, 0));
  text += Text::tr("\ncolumn\t") + placeOf(model, hit.cellInterval);
  const auto of = static_cast<std::size_t>(hit.mergedRow);
  if (of < merged.dyadic.size() && merged.dyadic[of] != 0) {
    const ColumnBins bins(merged.query.window, merged.query.columns, true);
    text += Text::tr("\nfrom bins\tof up to %1 that overlap the column")
                .arg(formatLength({std::int64_t{2} << std::max(bins.shift(), 0)}, model.axis));
  }
  return text;
}

QString idleText(const TimelineModel& model, const TimelineHit& hit) {
  const Nanoseconds from = hit.bar->begin, to = hit.bar->end;
  const Nanoseconds exact{std::max<std::int64_t>((to - from).count / 1000, 1)};
  return Text::tr("idle: no kernel runs\nduration\t%1\nfrom\t%2\nto\t%3")
      .arg(formatLength(to - from, model.axis), formatPlace(from, exact, model.axis),
           formatPlace(to, exact, model.axis));
}

QString colourTitle(const TimelineModel& model) {
  switch (model.colour.by) {
  case ColourBy::Kernel:
    return hasKernels(model) ? Text::tr("Colour: kernel") : Text::tr("Colour: call, state or range");
  case ColourBy::RelativeToMean:
    return Text::tr("Colour: relative to mean");
  case ColourBy::Stream:
    return Text::tr("Colour: stream");
  case ColourBy::Column:
    return Text::tr("Colour: %1").arg(model.colour.title);
  }
  return {};
}

QString foldedMeaning(const TimelineModel& model) {
  switch (model.colour.by) {
  case ColourBy::Kernel:
    return hasKernels(model)
               ? Text::tr("a folded column has the colour of the kernel with the largest total time")
               : Text::tr("a folded column has the colour of the name with the largest total time");
  case ColourBy::RelativeToMean:
    return model.data().valuesSampled ? Text::tr("folded: Σ duration ÷ Σ mean − 1, of a sample")
                                      : Text::tr("folded: Σ duration ÷ Σ mean − 1");
  case ColourBy::Stream:
    return {};
  case ColourBy::Column:
    return model.data().valuesSampled ? Text::tr("folded: mean of a sample of launches")
                                      : Text::tr("folded: mean of the launches");
  }
  return {};
}

} // namespace jitterscope::views
