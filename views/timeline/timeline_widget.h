#pragma once

#include <QImage>
#include <QPointF>
#include <QTimer>
#include <span>

#include "views/base/raster_view.h"
#include "views/timeline/timeline_model.h"

class QLineEdit;
class QMenu;
class QScrollBar;
class QToolButton;

namespace jitterscope::views {

/// A launch column that can colour the timeline.
struct ColourColumn {
  QString name, title, unit;
};

/// Criterion for the next launch when stepping.
enum class StepBy { Kernel, Stream };

/// Timeline of all tracks. Changes its own window and track arrangement; all other changes are requested by
/// signals.
class TimelineWidget : public RasterView {
  Q_OBJECT

public:
  explicit TimelineWidget(QWidget* parent = nullptr);

  const TimelineModel& model() const { return model_; }
  QSize sizeHint() const override { return {1000, 420}; }
  QSize minimumSizeHint() const override { return {360, 160}; }
  /// Keys (Qt::Key) that zoom, pan, step, measure and name a range; a window may forward them from any
  /// focused widget.
  static std::span<const int> travelKeys();
  int pixelColumns() const; ///< width of the lanes in device pixels, to be used in requests
  QLineEdit* filterBox() { return filterBox_; }

  /// Arrangement of tracks, colours and marks: stored with a session and restored once its tracks are
  /// set.
  TimelineState state() const;
  void setState(const TimelineState& state);
  void setColourColumns(std::vector<ColourColumn> columns) { colourColumns_ = std::move(columns); }

  /// Creates the menu of a track, or of the view only (−1). The caller owns it.
  QMenu* makeMenu(int track);
  /// Number of paint operations since the start: of the view or parts of it, and of the lanes.
  struct Paints {
    int views = 0;
    int lanes = 0;
    qint64 pixels = 0; ///< logical pixels painted by these operations
  };
  const Paints& paints() const { return paints_; }

public slots:
  /// Replaces the tracks on the same axis. Keeps the window, content, selection, marks and the user's
  /// arrangement.
  void replaceTracks(std::vector<jitterscope::views::TimelineTrack> tracks);
  /// Starts a new run: shows the whole span and emits windowChanged.
  void setTracks(std::vector<jitterscope::views::TimelineTrack> tracks, jitterscope::Interval span,
                 jitterscope::views::AxisUnit axis = jitterscope::views::AxisUnit::Time);
  void setNames(jitterscope::views::NameLookup names);
  void setData(jitterscope::views::TimelineData data);
  /// Answers to mergedRequested and mapRequested.
  void setMerged(jitterscope::views::MergedCells cells);
  void setMap(jitterscope::views::MergedCells cells);
  void setOverview(jitterscope::views::TimelineOverview overview);
  /// Sets the causes over time below the axis; nullopt: no strip.
  void setWhy(std::optional<jitterscope::views::WhyData> why);
  void setArrows(std::vector<jitterscope::views::TimelineArrow> arrows);
  void setFlags(std::vector<jitterscope::views::TimelineFlag> flags);
  void setRanges(std::vector<jitterscope::views::NamedRange> ranges);
  void setColour(const jitterscope::views::TimelineColour& colour);
  /// Moves the window on behalf of the hub (undo, a bin): requests data, does not emit windowSettled.
  void setWindow(jitterscope::Interval window);
  void setBrush(std::optional<jitterscope::Interval> brush);
  /// Sets the tracks that the brush covers, by id; empty: all. Call after setBrush, which clears them.
  void setBrushTracks(const std::vector<std::uint32_t>& tracks);
  void setSelectedBin(std::optional<jitterscope::Interval> bin);
  void setMoments(std::vector<jitterscope::Interval> moments); ///< selected times, sorted
  void setSelection(std::uint32_t trackId, std::uint64_t row, jitterscope::Interval interval);
  void clearSelection();
  void setTrackCollapsed(std::uint32_t trackId, bool collapsed);
  /// Sets the cursor time of another view; emits no signal.
  void setCursorTime(std::optional<jitterscope::Nanoseconds> time);
  /// The answer to hoverDetailsRequested; ignored if the pointer has moved to another launch.
  void setHoverDetails(std::uint32_t trackId, std::uint64_t row, const QString& text);
  void zoomIn();
  void zoomOut();
  void focusSelection();
  void showAll();
  /// Moves the window to contain the interval and scrolls its track into view; keeps the zoom if it fits.
  void reveal(std::uint32_t trackId, jitterscope::Interval interval);
  /// Scrolls to the track if no part of its row is visible; expands the folded groups that contain it.
  void showTrack(std::uint32_t trackId);
  void setMeasuring(bool on);
  void setHeights(const jitterscope::views::TrackHeights& heights);
  void scaleHeights(double factor, double y); ///< the track at vertical position `y` stays in place
  void fitAllTracks();
  /// True if the content of every track has been loaded in at least this number of columns, as a picture on
  /// paper needs it; else requests it.
  bool holdsAllTracks(int columns = 0);
  /// Creates a named range from the brush, else from the selected launch or bin.
  void nameRange();
  /// Goes to the mark with this number; see numberedMarks().
  void goToMark(int number);
  /// Centres a flag (empty interval), or zooms to a named range.
  void showMark(jitterscope::Interval mark);

signals:
  /// The visible window changed. Emitted at most once every 30 ms.
  void windowChanged(jitterscope::Interval window, int pixelColumns);
  /// Window, visible tracks or colours changed: requests TimelineData. Coalesced like windowChanged.
  void contentRequested(const jitterscope::views::TimelineQuery& query);
  /// Requests MergedCells for tracks that share rows of pixels; not emitted if no tracks do.
  void mergedRequested(const jitterscope::views::MergedQuery& query);
  /// Requests the overview of all tracks; emitted when its tracks, colours or size change.
  void mapRequested(const jitterscope::views::MergedQuery& query);
  /// setMerged() and setMap() changed the model.
  void mergedArrived();
  void mapArrived();
  /// The user stopped moving the window (for undo history); not emitted for setWindow.
  void windowSettled(jitterscope::Interval window);
  void brushed(jitterscope::Interval range);
  void brushCleared();
  /// Emitted with brushed: the tracks that the brush covers; empty: all.
  void areaChosen(jitterscope::Interval range, const std::vector<std::uint32_t>& tracks);
  void launchClicked(std::uint32_t trackId, std::uint64_t row, jitterscope::Interval interval);
  /// Click on a folded column.
  void foldClicked(std::uint32_t trackId, jitterscope::Interval column);
  /// Click on a counter.
  void sampleClicked(std::uint32_t trackId, jitterscope::Nanoseconds time);
  /// Click on a part of the strip of causes: requests launches with more than `minimum` [ns] in `column`.
  void causeClicked(const QString& column, double minimum);
  /// Right click on an event, instead of the menu of its track.
  void eventMenuRequested(std::uint32_t trackId, std::uint64_t row, jitterscope::Interval interval,
                          QPoint global);
  void backgroundClicked();
  /// `row`: kNoRow over a folded column or empty lane.
  void hoverDetailsRequested(std::uint32_t trackId, jitterscope::Nanoseconds time, std::uint64_t row);
  void trackToggled(std::uint32_t trackId, bool collapsed);
  void flagRequested(jitterscope::Nanoseconds time); ///< key M
  void marksChanged();                               ///< flags or ranges changed by the user
  void arrangementChanged();                         ///< tracks, heights or colours changed by the user
  /// Request for the value range of the column; answered by setColour.
  void colourColumnChosen(const QString& column);
  void cursorMoved(std::optional<jitterscope::Nanoseconds> time);
  void stepRequested(jitterscope::views::StepBy by, int direction);
  void measuringChanged(bool on);

protected:
  void styleChanged() override;
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void leaveEvent(QEvent* event) override;

private:
  enum class Drag { None, Pan, Brush, Overview, Measure, Height, Order, Names, Map };

  // timeline_widget.cpp
  void windowMoved(bool byUser);
  void contentChanged();
  void ensureContent();
  void paintLanes(QPainter& painter);
  void askContent();
  bool mergedIsComplete() const;
  void updateScrollBar();
  void moveCursor(std::optional<Nanoseconds> time, bool emitted);
  QRect cursorStrip() const;
  QRect axisStrip() const;
  // timeline_input.cpp
  void hover(QPointF position);
  void followPointer(); ///< moves the cursor to the time at the pointer
  void click(QPointF position);
  void moveOverview(double x);
  void zoomAtPointer(double factor);
  void moveMap(double y);
  void hoverMerged(const TimelineHit& hit, QPointF position);
  void beginDrag(const TimelineHit& hit, Qt::KeyboardModifiers modifiers);
  void continueDrag(QPointF position);
  void finishBrush();
  void measureTo(QPointF position);
  // timeline_keys.cpp
  bool trackKey(QKeyEvent* event);
  bool markKey(QKeyEvent* event);
  bool measureKey(QKeyEvent* event);
  void step(StepBy by, int direction);
  bool plainKey(QKeyEvent* event);
  bool escape();
  void moveTrackCursor(int rows);
  int cursorTrack() const; ///< index of the track; −1 if there is none
  // timeline_arrange.cpp
  template <class Change>
  void arrange(Change&& change);
  void placeFilterBox();
  bool onNamesEdge(QPointF position) const; ///< true at the right border of the tracks' names
  void setHeaderWidth(double width);        ///< 0: derived from the width of the view
  void placeHeader();
  void dragHeight(double y);
  void dragOrder(double y);
  void dropOrder();
  void toggle(int track);
  // timeline_menu.cpp
  void addTrackActions(QMenu* menu, int track);
  void addColourActions(QMenu* menu);
  void addHeightActions(QMenu* menu);
  void chooseColour(ColourBy by, const QString& column = {});
  void setFlagNumber(int number);

  TimelineModel model_;
  QImage lanes_;          ///< lanes of model_.data() for the visible rows
  double lanesRatio_ = 0; ///< device pixels per pixel of lanes_
  bool lanesStale_ = true;
  QImage merged_, map_; ///< pictures of model_.merged() and model_.map()
  bool mergedStale_ = true, mapStale_ = true;
  MergedQuery askedMap_;
  QScrollBar* scrollBar_ = nullptr;
  QLineEdit* filterBox_ = nullptr;
  QToolButton* menuButton_ = nullptr;
  QTimer requestTimer_;
  QTimer settleTimer_;
  bool allAsked_ = false; ///< true once the content of every track was requested
  bool windowWasMoved_ = false;
  Drag drag_ = Drag::None;
  bool moved_ = false;
  QPointF pressed_;
  QPointF last_;
  Nanoseconds brushAnchor_;
  int dragTrack_ = -1;      ///< track whose height or position is dragged
  double dragHeight_ = 0;   ///< height of the dragged track's row before the drag
  bool dragPinned_ = false; ///< true if the track's pinned copy is dragged
  int dropBefore_ = -2;     ///< sibling to drop before; −1: after the last, −2: none
  double dropLine_ = 0;     ///< y position of the drop indicator
  double headerWidth_ = 0;  ///< width of the tracks' names set by the user; 0: derived from the view's width
  std::optional<QPointF> pointer_; ///< nullopt: outside the view
  std::uint32_t hoverTrack_ = kNoName;
  std::uint64_t hoverRow_ = kNoRow;
  std::vector<ColourColumn> colourColumns_;
  Paints paints_;
};

} // namespace jitterscope::views
