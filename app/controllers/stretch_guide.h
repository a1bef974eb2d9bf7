#pragma once

#include <QObject>

#include "app/session/selection_hub.h"

namespace jitterscope::views {
class TimelineWidget;
}

namespace jitterscope::app {

class SessionController;
class StretchBar;

/// Finds the stretches of launches in the opened data and navigates between them; every step is
/// a change of the hub and can be undone. If most of the axis is empty, the bin width is chosen for the
/// stretches, not for the axis.
class StretchGuide : public QObject {
  Q_OBJECT

public:
  StretchGuide(SelectionHub& hub, SessionController& session, views::TimelineWidget& timeline,
               StretchBar& bar, QObject* parent);

public slots:
  void next();
  void previous();

signals:
  /// States that there is no stretch in that direction.
  void reported(const QString& text);
  /// The bin width was changed automatically.
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

/// Bin width that divides the stretches into about 2,000 bins and the span into at most a million,
/// rounded.
std::int64_t bin_width_for(Nanoseconds stretches, Nanoseconds span);

} // namespace jitterscope::app
