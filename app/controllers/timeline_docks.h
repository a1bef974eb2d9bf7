#pragma once

#include <QObject>

class QTableWidget;

namespace jitterscope::views {
class AreaWidget;
class TimelineWidget;
} // namespace jitterscope::views

namespace jitterscope::app {

class TimelineLink;

/// Flags and named ranges of the timeline as a list: names can be edited, Delete removes, Enter and double
/// click go there.
class MarksPanel : public QObject {
  Q_OBJECT

public:
  MarksPanel(views::TimelineWidget& timeline, QWidget* parent);

  QTableWidget* table() { return table_; }
  void refresh();
  void remove_selected();
  void go_to(int row);

private:
  void renamed(int row, const QString& name);

  views::TimelineWidget& timeline_;
  QTableWidget* table_ = nullptr;
  bool quiet_ = false;
};

/// Content of the docks associated with the timeline: statistics of the area, and the marks.
class TimelineDocks : public QObject {
  Q_OBJECT

public:
  TimelineDocks(views::TimelineWidget& timeline, QWidget* window);

  views::AreaWidget* area() { return area_; }
  MarksPanel* marks() { return marks_; }
  /// Connects the area panel to the link.
  void listen(TimelineLink& link);

private:
  views::AreaWidget* area_ = nullptr;
  MarksPanel* marks_ = nullptr;
};

} // namespace jitterscope::app
