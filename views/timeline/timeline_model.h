#pragma once

#include <QPointF>
#include <QRectF>
#include <QSizeF>
#include <optional>
#include <set>
#include <unordered_map>

#include "views/base/format.h"
#include "views/timeline/timeline_data.h"
#include "views/timeline/viewport.h"

namespace jitterscope::views {

/// Where things are, in logical pixels from the view's upper left corner.
struct TimelineGeometry {
  double headerWidth = 200;
  double overviewHeight = 34;
  double axisHeight = 26;
  double top() const { return overviewHeight + axisHeight; }
};

/// A visible track: its place below the axis, before scrolling.
struct TrackRow {
  int track = 0; ///< index into tracks()
  double y = 0;
  double height = 0;
  double levelHeight = 0;
};

enum class TimelineArea { None, Overview, Axis, Header, Toggle, Lane };

struct TimelineHit {
  TimelineArea area = TimelineArea::None;
  int track = -1;
  int level = 0;
  Nanoseconds time;
  const TimelineBar* bar = nullptr;   ///< the bar under the point
  const TimelineCell* cell = nullptr; ///< the folded column under the point, count > 0
  Interval cellInterval;              ///< of `cell`
};

/// All that the timeline shows and the arithmetic on it, without a screen.
class TimelineModel {
public:
  TimelineGeometry geometry;
  AxisUnit axis = AxisUnit::Time;
  Viewport viewport;
  NameLookup names;
  std::optional<Interval> brush;
  std::optional<Interval> selectedBin;
  std::optional<std::uint64_t> selectedRow; ///< bar that is outlined
  std::optional<Interval> selectedInterval; ///< what F goes to
  std::uint32_t selectedTrack = kNoName;    ///< track id of selectedInterval
  std::optional<Nanoseconds> cursor;
  std::vector<TimelineArrow> arrows;
  std::vector<TimelineFlag> flags;

  void setTracks(std::vector<TimelineTrack> tracks);
  const std::vector<TimelineTrack>& tracks() const { return tracks_; }
  void setData(TimelineData data);
  const TimelineData& data() const { return data_; }
  void setOverview(TimelineOverview overview) { overview_ = std::move(overview); }
  const TimelineOverview& overview() const { return overview_; }
  bool empty() const { return tracks_.empty(); }

  const TrackContent* content(std::uint32_t trackId) const;
  int trackIndex(std::uint32_t trackId) const; ///< −1 when unknown

  bool hasChildren(int track) const;
  bool collapsed(std::uint32_t trackId) const { return collapsed_.count(trackId) > 0; }
  void setCollapsed(std::uint32_t trackId, bool collapsed);

  const std::vector<TrackRow>& rows() const { return rows_; }
  double contentHeight() const;
  /// What a picture of all rows needs; see timeline::paint.
  double fullHeight() const { return geometry.top() + contentHeight(); }
  void setSize(QSizeF size);
  QSizeF size() const { return size_; }
  double scroll() const { return scroll_; }
  void setScroll(double y); ///< clamped

  QRectF overviewRect() const;
  QRectF axisRect() const;
  QRectF lanesRect() const;
  QRectF headerRect() const;
  QRectF rowRect(const TrackRow& row) const; ///< lane part, scrolled
  double xAt(Nanoseconds time) const;
  Nanoseconds timeAtX(double x) const;
  Nanoseconds overviewTimeAt(double x) const;

  TimelineHit hitTest(QPointF point) const;
  QString name(std::uint32_t id) const;

private:
  void layoutRows();

  std::vector<TimelineTrack> tracks_;
  TimelineData data_;
  TimelineOverview overview_;
  std::unordered_map<std::uint32_t, std::size_t> contentByTrack_;
  std::set<std::uint32_t> collapsed_;
  std::vector<TrackRow> rows_;
  QSizeF size_{800, 400};
  double scroll_ = 0;
};

} // namespace jitterscope::views
