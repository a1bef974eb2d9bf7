#pragma once

#include "core/base/time.h"

namespace jitterscope::views {

/// Visible window of a time axis and the arithmetic of moving it. All results stay inside `span`
/// (the whole run), with a length between the shortest one allowed and the span's.
class Viewport {
public:
  static constexpr Nanoseconds kShortest{200};  ///< minimum window on a time axis
  static constexpr Nanoseconds kMinLaunches{5}; ///< minimum window on a launch axis

  Interval span() const { return span_; }
  Interval window() const { return window_; }
  double width() const { return width_; }

  void setSpan(Interval span, Nanoseconds shortest = kShortest); ///< sets the span and shows all of it
  void setWidth(double logicalPixels);
  void setWindow(Interval window);

  double pixelAt(Nanoseconds time) const;
  Nanoseconds timeAt(double pixel) const;
  Nanoseconds perPixel() const; ///< time per pixel, at least 1 ns

  /// Zooms in if `factor` < 1, else out. The time under `pixel` stays there as far as the span allows.
  void zoomAt(double pixel, double factor);
  void panPixels(double pixels); ///< moves the window; > 0 shows later times
  /// Shows the interval with `margin` of its length on both sides.
  void zoomTo(Interval interval, double margin = 0.1);

private:
  Interval clamped(Interval window) const;

  Nanoseconds shortest_ = kShortest;
  Interval span_{{0}, {1'000'000'000}};
  Interval window_{{0}, {1'000'000'000}};
  double width_ = 1;
};

} // namespace jitterscope::views
