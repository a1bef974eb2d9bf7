#pragma once

#include <QObject>

#include "app/session/selection_hub.h"

namespace jitterscope::views {
class TimelineWidget;
}

namespace jitterscope::app {

class SessionController;
class StretchBar;

/// Finds the stretches of launches of what was opened and takes the user from one to the next; every step is
/// one of the hub's, so that it can be undone. Where most of the axis is empty, bins are as long as suits the
/// stretches, not the axis.
class StretchGuide : public QObject {
  Q_OBJECT

public:
  StretchGuide(SelectionHub& hub, SessionController& session, views::TimelineWidget& timeline,
               StretchBar& bar, QObject* parent);

public slots:
  void next();
  void previous();

signals:
  /// There is none in that direction, in words.
  void told(const QString& text);
  /// The bins have another length than was asked for.
  void bins_chosen();

private:
  void ask();
  void go_to(const Interval& stretch);
  void suit_bins(Interval span);

  SelectionHub& hub_;
  SessionController& session_;
  views::TimelineWidget& timeline_;
  StretchBar& bar_;
  int round_ = 0;
};

/// A length of bins that divides the stretches in about 2,000 and the span in no more than a million, as a
/// round number.
std::int64_t bin_width_for(Nanoseconds stretches, Nanoseconds span);

} // namespace jitterscope::app
