#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tests/generator/random.h"

namespace jitterscope::generator {

/// When a cause acts: always, or in turns of equal length, one of every `all` turns.
struct Turns {
  std::int64_t length_ns = 0; ///< length of a turn; 0: the cause always acts
  int own = 0, all = 1;

  bool act_at(std::int64_t time) const { return length_ns == 0 || time / length_ns % all == own; }
  std::int64_t end_of(std::int64_t time) const { return (time / length_ns + 1) * length_ns; }
};

/// Disturbances of a device (copies, migrations, slow clocks): intervals that follow each other without
/// overlap, fixed before anything is launched, so that their effect on a launch depends on nothing else.
class Schedule {
public:
  struct Interval {
    std::int64_t begin = 0, end = 0;
    double strength = 0.0;
  };
  struct Shape {
    double gap_ns = 0.0, length_ns = 0.0; ///< medians; both vary log-normally
    double sigma = 0.5;
    double weakest = 0.0, strongest = 1.0;
  };

  Schedule(const Shape& shape, std::uint64_t seed, const Turns& turns)
      : shape_(shape), turns_(turns), random_(seed) {}

  /// ∫ strength dt over [begin, end).
  double strength_within(std::int64_t begin, std::int64_t end) {
    double sum = 0.0;
    each_in(begin, end, [&](const Interval& i) {
      sum += i.strength * static_cast<double>(std::min(end, i.end) - std::max(begin, i.begin));
    });
    return sum;
  }

  std::int64_t covered(std::int64_t begin, std::int64_t end) {
    std::int64_t sum = 0;
    each_in(begin, end, [&](const Interval& i) { sum += std::min(end, i.end) - std::max(begin, i.begin); });
    return sum;
  }

  /// All intervals that begin before `end`.
  std::vector<Interval> until(std::int64_t end) {
    extend(end);
    std::vector<Interval> out;
    for (const auto& interval : intervals_)
      if (interval.begin < end) out.push_back(interval);
    return out;
  }

private:
  template <class Each>
  void each_in(std::int64_t begin, std::int64_t end, Each&& each) {
    extend(end);
    auto place = std::lower_bound(intervals_.begin(), intervals_.end(), begin,
                                  [](const Interval& i, std::int64_t t) { return i.end <= t; });
    for (; place != intervals_.end() && place->begin < end; ++place) each(*place);
  }

  void extend(std::int64_t time) {
    while (last_ <= time) {
      Interval interval;
      interval.begin = last_ + 1 + static_cast<std::int64_t>(random_.log_normal(shape_.gap_ns, shape_.sigma));
      interval.end =
          interval.begin + 32 + static_cast<std::int64_t>(random_.log_normal(shape_.length_ns, shape_.sigma));
      interval.strength = shape_.weakest + (shape_.strongest - shape_.weakest) * random_.uniform();
      last_ = interval.end;
      if (!turns_.act_at(interval.begin)) continue;
      if (turns_.length_ns > 0) interval.end = std::min(interval.end, turns_.end_of(interval.begin));
      intervals_.push_back(interval);
    }
  }

  Shape shape_;
  Turns turns_;
  Random random_;
  std::vector<Interval> intervals_;
  std::int64_t last_ = 0;
};

} // namespace jitterscope::generator
