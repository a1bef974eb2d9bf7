#pragma once

#include "core/base/time.h"

namespace jitterscope::views {

/// The visible window of a time axis and the arithmetic of moving it. All results stay inside `span`
/// (the whole run) and between kShortest and the span's length.
class Viewport {
public:
  static constexpr Nanoseconds kShortest{200};     ///< window on an axis of time
  static constexpr Nanoseconds kFewestLaunches{5}; ///< on an axis of launches

  Interval span() const { return span_; }
  Interval window() const { return window_; }
  double width() const { return width_; }

  void setSpan(Interval span, Nanoseconds shortest = kShortest); ///< also shows all of it
  void setWidth(double logicalPixels);
  void setWindow(Interval window);

  double pixelAt(Nanoseconds time) const;
  Nanoseconds timeAt(double pixel) const;
  Nanoseconds perPixel() const; ///< at least 1 ns

  /// factor < 1 zooms in; the time under `pixel` stays there as far as the span allows.
  void zoomAt(double pixel, double factor);
  void panPixels(double pixels); ///< > 0 shows later times
  /// The interval with `margin` of its length on both sides.
  void zoomTo(Interval interval, double margin = 0.1);

private:
  Interval clamped(Interval window) const;

  Nanoseconds shortest_ = kShortest;
  Interval span_{{0}, {1'000'000'000}};
  Interval window_{{0}, {1'000'000'000}};
  double width_ = 1;
};

} // namespace jitterscope::views
