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

/// A column of launches that the timeline can be coloured by.
struct ColourColumn {
  QString name, title, unit;
};

/// Which launch comes next.
enum class StepBy { Kernel, Stream };

/// Timeline of all tracks. Moves its own window and arranges its own tracks; everything else it only asks
/// for.
class TimelineWidget : public RasterView {
  Q_OBJECT

public:
  explicit TimelineWidget(QWidget* parent = nullptr);

  const TimelineModel& model() const { return model_; }
  QSize sizeHint() const override { return {1000, 420}; }
  QSize minimumSizeHint() const override { return {360, 160}; }
  /// Keys (Qt::Key) that zoom, pan and step: a window may hand them on from wherever the keyboard is.
  static std::span<const int> travelKeys();
  int pixelColumns() const; ///< device pixels of the lanes, what a request should ask for
  QLineEdit* filterBox() { return filterBox_; }

  /// Arrangement of tracks, colours and marks: to be kept with a session, and given back once its tracks are
  /// set.
  TimelineState state() const;
  void setState(const TimelineState& state);
  void setColourColumns(std::vector<ColourColumn> columns) { colourColumns_ = std::move(columns); }

  /// The menu of a track, −1: of no track. The caller owns it.
  QMenu* makeMenu(int track);
  /// Pictures that were made since the start: of the view or parts of it, and of the lanes in it.
  struct Paints {
    int views = 0;
    int lanes = 0;
    qint64 pixels = 0; ///< logical ones, of all views
  };
  const Paints& paints() const { return paints_; }

public slots:
  /// Other tracks on the same axis: all else stays as it is, and so does how the user arranged them.
  void replaceTracks(std::vector<jitterscope::views::TimelineTrack> tracks);
  /// New run: shows the whole span and emits windowChanged.
  void setTracks(std::vector<jitterscope::views::TimelineTrack> tracks, jitterscope::Interval span,
                 jitterscope::views::AxisUnit axis = jitterscope::views::AxisUnit::Time);
  void setNames(jitterscope::views::NameLookup names);
  void setData(jitterscope::views::TimelineData data);
  /// The answers to mergedWanted and mapWanted.
  void setMerged(jitterscope::views::MergedCells cells);
  void setMap(jitterscope::views::MergedCells cells);
  void setOverview(jitterscope::views::TimelineOverview overview);
  /// Causes along time below the axis; none: no strip.
  void setWhy(std::optional<jitterscope::views::WhyData> why);
  void setArrows(std::vector<jitterscope::views::TimelineArrow> arrows);
  void setFlags(std::vector<jitterscope::views::TimelineFlag> flags);
  void setRanges(std::vector<jitterscope::views::NamedRange> ranges);
  void setColour(const jitterscope::views::TimelineColour& colour);
  /// Moves the window as told by the hub (undo, a bin): asks for data, does not emit windowSettled.
  void setWindow(jitterscope::Interval window);
  void setBrush(std::optional<jitterscope::Interval> brush);
  /// Ids of the tracks that the brush was drawn over; empty: all. After setBrush, which forgets them.
  void setBrushTracks(const std::vector<std::uint32_t>& tracks);
  void setSelectedBin(std::optional<jitterscope::Interval> bin);
  void setSelection(std::uint32_t trackId, std::uint64_t row, jitterscope::Interval interval);
  void clearSelection();
  void setTrackCollapsed(std::uint32_t trackId, bool collapsed);
  /// The pointer's time in another view; nothing is emitted for it.
  void setCursorTime(std::optional<jitterscope::Nanoseconds> time);
  /// The answer to hoverDetailsRequested; ignored when the pointer has moved on to another launch.
  void setHoverDetails(std::uint32_t trackId, std::uint64_t row, const QString& text);
  void zoomIn();
  void zoomOut();
  void focusSelection();
  void showAll();
  /// Moves the window so that the interval is in it, and its track in sight; keeps the zoom where it fits.
  void reveal(std::uint32_t trackId, jitterscope::Interval interval);
  /// Scrolls to the track where nothing of its row is in sight; opens the folded groups that it is in.
  void showTrack(std::uint32_t trackId);
  void setMeasuring(bool on);
  /// How high tracks are drawn, all of them together.
  void setHeights(const jitterscope::views::TrackHeights& heights);
  void scaleHeights(double factor, double y); ///< the track at this height of the view stays there
  void fitAllTracks();
  /// Whether there is content for every track, as a picture on paper shows it; else it is asked for.
  bool holdsAllTracks();
  /// Names the brushed range, else the selected bin or launch.
  void nameRange();
  /// The marks in order of time: flags and named ranges; digit 1 is the first.
  void goToMark(int number);

signals:
  /// The visible window changed: coalesced, at most one every 30 ms.
  void windowChanged(jitterscope::Interval window, int pixelColumns);
  /// Window, visible tracks or colours changed: wants TimelineData. Coalesced in the same way.
  void contentWanted(const jitterscope::views::TimelineQuery& query);
  /// The same for tracks that share rows of pixels; not emitted where there are none.
  void mergedWanted(const jitterscope::views::MergedQuery& query);
  /// Tracks or size of the overview of all tracks changed.
  void mapWanted(const jitterscope::views::MergedQuery& query);
  /// The user stopped moving it (for undo history); not emitted for setWindow.
  void windowSettled(jitterscope::Interval window);
  void brushed(jitterscope::Interval range);
  void brushCleared();
  /// With brushed: the tracks that were drawn over; empty: all.
  void areaChosen(jitterscope::Interval range, const std::vector<std::uint32_t>& tracks);
  void launchClicked(std::uint32_t trackId, std::uint64_t row, jitterscope::Interval interval);
  /// Click on a folded column.
  void foldClicked(std::uint32_t trackId, jitterscope::Interval column);
  /// Click on a counter.
  void sampleClicked(std::uint32_t trackId, jitterscope::Nanoseconds time);
  /// On a part of the strip of causes: launches with more than `least` in the column [ns] are meant.
  void causeClicked(const QString& column, double least);
  /// A right click on an event, in place of the menu of its track.
  void eventMenuWanted(std::uint32_t trackId, std::uint64_t row, jitterscope::Interval interval,
                       QPoint global);
  void backgroundClicked();
  /// row is kNoRow over a folded column or empty lane.
  void hoverDetailsRequested(std::uint32_t trackId, jitterscope::Nanoseconds time, std::uint64_t row);
  void trackToggled(std::uint32_t trackId, bool collapsed);
  void flagRequested(jitterscope::Nanoseconds time); ///< M
  void marksChanged();                               ///< flags or ranges, by the user
  void arrangementChanged();                         ///< of tracks or colours, by the user
  /// The range of the column's scale is wanted; answered by setColour.
  void colourColumnChosen(const QString& column);
  void cursorMoved(std::optional<jitterscope::Nanoseconds> time);
  void stepWanted(jitterscope::views::StepBy by, int direction);
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
  int cursorTrack() const; ///< index, −1 without one
  // timeline_arrange.cpp
  template <class Change>
  void arrange(Change&& change);
  void placeFilterBox();
  bool onNamesEdge(QPointF position) const; ///< the right border of the tracks' names
  void setHeaderWidth(double width);        ///< 0: by the width of the view
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
  QImage lanes_; ///< of model_.data(), the visible rows
  bool lanesStale_ = true;
  QImage merged_, map_; ///< of model_.merged() and model_.map()
  bool mergedStale_ = true, mapStale_ = true;
  MergedQuery askedMap_;
  QScrollBar* scrollBar_ = nullptr;
  QLineEdit* filterBox_ = nullptr;
  QToolButton* menuButton_ = nullptr;
  QTimer requestTimer_;
  QTimer settleTimer_;
  bool allAsked_ = false; ///< content of every track
  bool windowWasMoved_ = false;
  Drag drag_ = Drag::None;
  bool moved_ = false;
  QPointF pressed_;
  QPointF last_;
  Nanoseconds brushAnchor_;
  int dragTrack_ = -1;      ///< whose height or place is dragged
  double dragHeight_ = 0;   ///< of its row before
  bool dragPinned_ = false; ///< its copy above
  int dropBefore_ = -2;     ///< −1: behind the last, −2: nowhere
  double dropLine_ = 0;     ///< where it would go
  double headerWidth_ = 0;  ///< wanted; 0: by the width of the view
  std::uint32_t hoverTrack_ = kNoName;
  std::uint64_t hoverRow_ = kNoRow;
  std::vector<ColourColumn> colourColumns_;
  Paints paints_;
};

} // namespace jitterscope::views
