#include "views/timeline/viewport.h"

#include <algorithm>
#include <cmath>

namespace jitterscope::views {

void Viewport::setSpan(Interval span, Nanoseconds shortest) {
  shortest_ = shortest;
  if (span.length() < shortest_) span.end = span.begin + shortest_;
  span_ = span;
  window_ = span;
}

void Viewport::setWidth(double logicalPixels) {
  width_ = std::max(logicalPixels, 1.0);
}

void Viewport::setWindow(Interval window) {
  window_ = clamped(window);
}

double Viewport::pixelAt(Nanoseconds time) const {
  return static_cast<double>((time - window_.begin).count) * width_ /
         static_cast<double>(window_.length().count);
}

Nanoseconds Viewport::timeAt(double pixel) const {
  const double offset = pixel / width_ * static_cast<double>(window_.length().count);
  return {window_.begin.count + static_cast<std::int64_t>(std::llround(offset))};
}

Nanoseconds Viewport::perPixel() const {
  return {std::max<std::int64_t>(1, std::llround(static_cast<double>(window_.length().count) / width_))};
}

void Viewport::zoomAt(double pixel, double factor) {
  const auto longest = static_cast<double>(span_.length().count);
  const double length = std::clamp(static_cast<double>(window_.length().count) * factor,
                                   static_cast<double>(shortest_.count), longest);
  const double anchor = static_cast<double>(timeAt(pixel).count - window_.begin.count);
  const double share = pixel / width_;
  const auto begin = window_.begin.count + std::llround(anchor - share * length);
  window_ = clamped({{begin}, {begin + std::llround(length)}});
}

void Viewport::panPixels(double pixels) {
  const Nanoseconds by{std::llround(pixels / width_ * static_cast<double>(window_.length().count))};
  window_ = clamped({window_.begin + by, window_.end + by});
}

void Viewport::zoomTo(Interval interval, double margin) {
  const auto around = static_cast<std::int64_t>(static_cast<double>(interval.length().count) * margin);
  window_ = clamped({{interval.begin.count - around}, {interval.end.count + around}});
}

Interval Viewport::clamped(Interval window) const {
  std::int64_t length = std::clamp(window.length().count, shortest_.count, span_.length().count);
  // A window that was too short grows around its middle.
  std::int64_t begin = window.begin.count;
  if (window.length().count < length)
    begin -= (length - std::max<std::int64_t>(0, window.length().count)) / 2;
  begin = std::clamp(begin, span_.begin.count, span_.end.count - length);
  return {{begin}, {begin + length}};
}

} // namespace jitterscope::views
