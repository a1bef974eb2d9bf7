#pragma once

#include <QTest>

#include "tests/views/base/mouse.h"
#include "tests/views/base/rest.h"
#include "views/area/area_model.h"
#include "views/area/area_widget.h"
#include "views/base/colour_maps.h"
#include "views/timeline/timeline_colours.h"
#include "views/timeline/timeline_widget.h"

namespace jitterscope::views {

/// `processes` ranks with a device each, of `streams` streams; ids are positions.
inline std::vector<TimelineTrack> ranks(int processes, int streams) {
  std::vector<TimelineTrack> tracks;
  const auto add = [&](int parent, TrackKind kind, const QString& label) {
    const int depth = parent < 0 ? 0 : tracks[static_cast<std::size_t>(parent)].depth + 1;
    tracks.push_back({static_cast<std::uint32_t>(tracks.size()), parent, kind, label, {}, depth, 1, {}});
    return static_cast<int>(tracks.size()) - 1;
  };
  const int host = add(-1, TrackKind::Host, "node");
  for (int p = 0; p < processes; ++p) {
    const int process = add(host, TrackKind::Process, QString("rank %1").arg(p));
    const int device = add(process, TrackKind::Device, QString("GPU %1").arg(p));
    for (int s = 0; s < streams; ++s) add(device, TrackKind::Stream, QString("stream %1").arg(s));
  }
  return tracks;
}

struct Scene {
  TimelineWidget widget;

  explicit Scene(std::vector<TimelineTrack> tracks, int height = 400) {
    widget.resize(1000, height);
    widget.show();
    widget.setTracks(std::move(tracks), {{0}, {1'000'000}});
    answer();
  }
  const TimelineModel& model() const { return widget.model(); }
  const TrackLayout& layout() const { return widget.model().layout(); }

  /// Gives every requested track two launches.
  void answer() {
    TimelineData data;
    data.window = model().viewport.window();
    data.columns = widget.pixelColumns();
    data.value = model().colour.value();
    for (const auto id : model().requestedTracks()) {
      TrackContent content;
      content.trackId = id;
      content.bars = {{{100'000}, {300'000}, 1, id * 10 + 1, 0, false, -0.4F},
                      {{500'000}, {900'000}, 2, id * 10 + 2, 0, false, 0.4F}};
      data.tracks.push_back(content);
    }
    widget.setData(data);
    widget.setMessage({});
  }
  QStringList labels() const {
    QStringList shown;
    for (const auto& row : model().rows())
      shown << model().tracks()[static_cast<std::size_t>(row.track)].label;
    return shown;
  }
  const TrackRow& row(const QString& label) const {
    for (const auto& each : model().rows())
      if (model().tracks()[static_cast<std::size_t>(each.track)].label == label) return each;
    qFatal("no such row: %s", qPrintable(label));
  }
  QPoint header(const QString& label) const {
    return QPointF(120, model().rowRect(row(label)).center().y()).toPoint();
  }
  QPoint lane(const QString& label, std::int64_t time) const {
    return QPointF(model().xAt({time}), model().rowRect(row(label)).center().y()).toPoint();
  }
  void put(const QString& label) { QTest::mouseClick(&widget, Qt::LeftButton, {}, header(label)); }
};

} // namespace jitterscope::views
