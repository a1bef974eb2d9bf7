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

/// Buttons for the stretches of launches, shown if most of the axis is empty.
/// Captures taken hours apart are one pixel each on the whole axis; a click shows one of
/// them.
class StretchBar : public QFrame {
  Q_OBJECT

public:
  explicit StretchBar(QWidget* parent = nullptr);

  /// Sets the stretches in time order, and the span that contains them. Visible if there are several that
  /// cover less than a fifth of the span.
  void set_stretches(std::vector<Interval> stretches, Interval span);
  const std::vector<Interval>& stretches() const { return stretches_; }
  /// Marks the visible stretch.
  void set_window(Interval window);

  /// The stretch after (or before) the visible range; null if there is none. If all stretches are visible,
  /// the first (or last).
  const Interval* next(Interval window) const;
  const Interval* previous(Interval window) const;

signals:
  /// Request to show the stretch.
  void requested(jitterscope::Interval stretch);

private:
  std::vector<Interval> stretches_;
  QLabel* words_;
  views::FlowLayout* row_;
  QList<QWidget*> buttons_;
};

/// Total length of the stretches.
Nanoseconds length_of(const std::vector<Interval>& stretches);

} // namespace jitterscope::app
