#pragma once

#include <QFrame>
#include <functional>
#include <vector>

#include "core/base/time.h"

class QLabel;

namespace jitterscope::views {
class FlowLayout;
}

namespace jitterscope::app {

/// Where the launches are, when most of the axis is empty: one button for each stretch of launches, hidden
/// otherwise. Captures that were taken hours apart are a pixel each on the whole axis; a click goes to one of
/// them.
class StretchBar : public QFrame {
  Q_OBJECT

public:
  explicit StretchBar(QWidget* parent = nullptr);

  /// Stretches in order of time, and the span that they lie in. Shown where they are several that fill less
  /// than a fifth of it.
  void set_stretches(std::vector<Interval> stretches, Interval span);
  const std::vector<Interval>& stretches() const { return stretches_; }
  /// Marks the one that is in sight.
  void set_window(Interval window);

  /// The stretch after (or before) what is in sight; nothing when there is none.
  const Interval* next(Interval window) const;
  const Interval* previous(Interval window) const;

signals:
  /// The stretch is to be seen.
  void wanted(jitterscope::Interval stretch);

private:
  std::vector<Interval> stretches_;
  QLabel* words_;
  views::FlowLayout* row_;
  QList<QWidget*> buttons_;
};

/// Total length of the stretches.
Nanoseconds length_of(const std::vector<Interval>& stretches);

} // namespace jitterscope::app
