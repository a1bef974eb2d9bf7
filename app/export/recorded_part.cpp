#include "app/export/recorded_part.h"

#include <algorithm>

namespace jitterscope::app {

Expected<Interval> recorded_part(const Interval& requested, const Interval& recorded, views::AxisUnit axis) {
  const Interval part{std::max(requested.begin, recorded.begin), std::min(requested.end, recorded.end)};
  if (part.length().count > 0) return part;
  const auto place = [&](Nanoseconds at) {
    return views::formatPlace(at, {std::max<std::int64_t>(recorded.length().count / 10'000, 1)}, axis)
        .toStdString();
  };
  return failure(ErrorKind::BadUse,
                 "the range from " + place(requested.begin) + " to " + place(requested.end) +
                     " is outside the recording",
                 {}, "--range",
                 "The recording is from " + place(recorded.begin) + " to " + place(recorded.end) + ".");
}

} // namespace jitterscope::app
