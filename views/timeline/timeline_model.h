#pragma once

#include <QPointF>
#include <QRectF>
#include <QSizeF>
#include <algorithm>
#include <optional>
#include <unordered_map>

#include "views/base/format.h"
#include "views/timeline/merged_data.h"
#include "views/timeline/timeline_data.h"
#include "views/timeline/track_layout.h"
#include "views/timeline/viewport.h"
#include "views/timeline/why_data.h"

namespace jitterscope::views {

/// Geometry in logical pixels from the view's upper left corner.
struct TimelineGeometry {
  double headerWidth = 200;
  double overviewHeight = 34;
  double axisHeight = 26;
  double whyHeight = 0;     ///< height of the strip of causes; 0: none
  double legendHeight = 22; ///< height of the legend at the bottom
  double mapWidth = 0;      ///< width of the overview of all tracks at the right; 0: none
  bool filterBox = false;   ///< the upper left corner is reserved for the filter box
  double top() const { return overviewHeight + axisHeight + whyHeight; }
};

/// Default width of the track names in a view of this width: a fifth, or more in views where a fifth is
/// too narrow to read.
inline double defaultHeaderWidth(double width) {
  constexpr double kReadable = 130;
  return std::clamp(std::max(width * 0.2, std::min(width * 0.4, kReadable)), 90.0, 240.0);
}

enum class TimelineArea { None, Overview, Axis, Why, Header, Toggle, Border, Lane, Legend, Map };

struct TimelineHit {
  TimelineArea area = TimelineArea::None;
  int row = -1;                         ///< index in rows()
  int track = -1;                       ///< index of the row's track
  std::uint32_t contentTrack = kNoName; ///< id of the track whose content is under the point
  int level = 0;
  Nanoseconds time;
  const TimelineBar* bar = nullptr;       ///< the bar under the point
  const TimelineCell* cell = nullptr;     ///< the folded column under the point, count > 0
  const CounterColumn* counter = nullptr; ///< the column of a counter under the point, with a value
  Interval cellInterval;                  ///< interval that `cell`, `counter` or `merged` shows
  Interval columnInterval;                ///< pixel column of `cell`
  /// Pixel under the point, if it represents several tracks or one low track: index of its row in the query
  /// of merged(); else −1.
  int mergedRow = -1;
  std::size_t merged = 0; ///< index of that pixel in the cells of merged()
};

/// A measured interval, which the user may still be changing.
struct Measure {
  Nanoseconds from, to;
  bool fromSnapped = false, toSnapped = false; ///< snapped to the edge of an event
  double y = 0; ///< position of its horizontal line, from the view's upper edge
};

/// A timestamp near the pointer.
struct SnappedTime {
  Nanoseconds time;
  bool snapped = false;
};

/// State of the timeline and computations on it; needs no window.
class TimelineModel {
public:
  TimelineGeometry geometry;
  AxisUnit axis = AxisUnit::Time;
  Viewport viewport;
  NameLookup names;
  TimelineColour colour;
  std::optional<Interval> brush;
  std::vector<std::uint32_t> brushTracks; ///< ids of the tracks of the rows in the brush; empty: all
  std::optional<Interval> selectedBin;
  std::vector<Interval> moments;            ///< selected times, sorted
  std::optional<std::uint64_t> selectedRow; ///< row of the launch or event whose bar is outlined
  std::optional<Interval> selectedInterval; ///< interval that the F key zooms to
  std::uint32_t selectedTrack = kNoName;    ///< id of the track of selectedInterval
  std::optional<Nanoseconds> cursor;
  std::optional<std::uint32_t> trackCursor; ///< id of the track that has the keyboard cursor
  std::vector<TimelineArrow> arrows;
  std::vector<TimelineFlag> flags;
  std::vector<NamedRange> ranges;
  bool measuring = false;
  std::optional<Measure> measure;
  std::optional<WhyData> why; ///< set by setWhy

  /// The nearest edge of an event in the window before (direction < 0) or after a time: on the track with the
  /// keyboard cursor if that shows single events, else on all visible tracks.
  std::optional<Nanoseconds> adjacentEdge(Nanoseconds time, int direction) const;
  /// First launch in the window (direction < 0: last), with its track; searches the tracks of adjacentEdge().
  std::optional<std::pair<std::uint32_t, TimelineBar>> visibleLaunch(int direction) const;

  void setTracks(std::vector<TimelineTrack> tracks);
  const std::vector<TimelineTrack>& tracks() const { return layout_.tracks(); }
  const TrackLayout& layout() const { return layout_; }
  /// Changes the arrangement of the tracks through `change(TrackLayout&)`.
  template <class Change>
  void arrange(Change&& change) {
    change(layout_);
    placeMap();
    setScroll(scroll_);
  }
  void setData(TimelineData data);
  const TimelineData& data() const { return data_; }
  void setOverview(TimelineOverview overview) { overview_ = std::move(overview); }
  const TimelineOverview& overview() const { return overview_; }
  /// Sets the causes over time; nullopt: the strip takes no room.
  void setWhy(std::optional<WhyData> data);
  bool empty() const { return tracks().empty(); }

  const TrackContent* content(std::uint32_t trackId) const;
  int trackIndex(std::uint32_t trackId) const { return layout_.indexOf(trackId); } ///< −1: unknown

  bool hasChildren(int track) const { return layout_.hasChildren(track); }
  bool collapsed(std::uint32_t trackId) const { return layout_.collapsed(trackIndex(trackId)); }
  void setCollapsed(std::uint32_t trackId, bool collapsed);

  const std::vector<TrackRow>& rows() const { return layout_.rows(); }
  /// The visible rows, the pinned ones first.
  std::vector<const TrackRow*> visibleRows() const;
  /// The visible rows that are drawn individually.
  std::vector<const TrackRow*> drawnRows() const;
  /// The row of the scrolling part (not pinned) at this y; null if there is none.
  const TrackRow* rowAt(double y) const;

  /// Height mode of all tracks. scaleHeights() multiplies the scale and keeps the track at this y in place.
  const TrackHeights& heights() const { return heights_; }
  void setHeights(const TrackHeights& heights);
  void scaleHeights(double factor, double y);
  /// True if the height per track is so small that rows of pixels represent several tracks.
  bool merges() const { return layout_.scale() < kMergeBelow; }
  static constexpr double kMergeBelow = 0.25;
  /// Request for the rows of pixels that are visible or at most half a view above or below; without blocks if
  /// no tracks share pixels.
  MergedQuery mergedQuery(double pixelsPerPoint) const;
  /// Request for the overview of all tracks; without blocks if it is not shown.
  MergedQuery mapQuery(double pixelsPerPoint) const;
  void setMerged(MergedCells cells);
  const MergedCells& merged() const { return merged_; }
  void setMap(MergedCells cells) { map_ = std::move(cells); }
  const MergedCells& map() const { return map_; }
  QRectF mapRect() const;
  QRectF mapFrame() const;    ///< frame of the visible part in the overview
  void scrollMapTo(double y); ///< scrolls so that mapFrame() has its middle at this y
  /// Rectangle of the track, or of the folded group that contains it: its row's lane; empty if not
  /// visible.
  QRectF laneOf(std::uint32_t trackId) const;
  double contentHeight() const { return layout_.pinnedHeight() + layout_.scrolledHeight(); }
  /// Height of a picture of all rows; see timeline::paint.
  double fullHeight() const { return geometry.top() + contentHeight() + geometry.legendHeight; }
  void setSize(QSizeF size);
  QSizeF size() const { return size_; }
  double scroll() const { return scroll_; }
  void setScroll(double y); ///< clamps y to the possible range
  double longestScroll() const;
  void scrollTo(int track); ///< scrolls so that the row of the track is visible

  QRectF overviewRect() const;
  QRectF axisRect() const;
  QRectF whyRect() const;
  QRectF lanesRect() const;
  QRectF scrolledRect() const;              ///< area of the scrolled rows, below the pinned ones
  QRectF areaOf(const TrackRow& row) const; ///< part of the lanes in which the row can be visible
  QRectF headerRect() const;
  QRectF legendRect() const;
  QRectF rowRect(const TrackRow& row) const; ///< rectangle of the row's lane, scrolled
  bool visible(const TrackRow& row) const;
  double xAt(Nanoseconds time) const;
  Nanoseconds timeAtX(double x) const;
  Nanoseconds overviewTimeAt(double x) const;

  /// The tracks whose content is shown by pinned rows and by rows at most `margin` view heights outside the
  /// view.
  std::vector<std::uint32_t> requestedTracks(double margin = 0.5) const;
  /// Ids of the tracks of the visible rows between two y positions; of a folded group, its own id.
  std::vector<std::uint32_t> tracksBetween(double y0, double y1) const;

  TimelineHit hitTest(QPointF point) const;
  /// The nearest start or end of an event within `reach` pixels of the point, in the point's row if possible;
  /// else the time at the point.
  SnappedTime snap(QPointF point, double reach = 7) const;
  QString name(std::uint32_t id) const;

  /// Names with the largest total time, largest first: of launches, else of thread activity.
  std::vector<std::uint32_t> busiestNames(std::size_t limit) const;

private:
  void placeWhy();
  void placeMap();
  std::vector<MergedBlock> sharedRows(double pixelsPerPoint) const;
  void findMerged(QPointF point, TimelineHit& hit) const;
  void hitRow(int index, const QRectF& rect, QPointF point, TimelineHit& hit) const;
  template <class Use>
  void eachBarOfKeys(Use&& use) const;

  TrackLayout layout_;
  TimelineData data_;
  TimelineOverview overview_;
  std::unordered_map<std::uint32_t, std::size_t> contentByTrack_;
  mutable std::vector<std::uint32_t> busiest_; ///< cache for data_
  mutable bool busiestKnown_ = false;
  QSizeF size_{800, 400};
  double scroll_ = 0;
  TrackHeights heights_;
  MergedCells merged_, map_;
};

namespace timeline {
/// The tracks with an extent between two heights at scale 1, in this number of rows of pixels. Each track is
/// in the rows whose middle it covers; if there is none, in the row that contains the track's middle.
MergedBlock mergeRows(const TrackLayout& layout, double top, double bottom, int rows);
} // namespace timeline

} // namespace jitterscope::views
