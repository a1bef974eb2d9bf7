#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "core/base/spill_vector.h"
#include "core/import/formats/table/columns.h"
#include "core/import/records/draft.h"
#include "core/import/records/events.h"
#include "core/import/records/places.h"
#include "core/import/records/row_issues.h"

namespace jitterscope::import::table {

/// The columns with the times of a table's rows: a start, and an end or a duration.
struct TimeColumns {
  std::size_t start = 0, second = 0;              ///< column of starts, column of ends or durations
  std::int64_t start_scale = 1, second_scale = 1; ///< ns per unit of the columns
  bool second_is_end = true;                      ///< false: `second` is the duration
  bool checks_duration =
      false; ///< durations are compared with ends − starts, because the table has all three
  /// Columns whose values are added to those of start and second; kNoPart for none.
  std::size_t start_part = kNoPart, second_part = kNoPart;
  std::int64_t start_part_scale = 1, second_part_scale = 1;
  static constexpr std::size_t kNoPart = std::numeric_limits<std::size_t>::max();
  bool dates = false; ///< the start, and the end if there is one, are written as parse_date_time() reads them
};

/// Columns of times chosen by the user.
struct ChosenTimes {
  std::optional<std::size_t> start,
      end; ///< column indices; null: not chosen, found by name; the number of columns: chosen to be absent
};

/// Finds columns named like "start_ns" and "End (us)", or a start next to the duration; start and end may be
/// dates with a time of day as well. Integers without unit, all of them times since 1970 (from 2001 to 2043)
/// in s, ms, us or ns, are taken as such; else a unit given for only one column applies to both. Without any
/// unit, integers are taken as ns, and other numbers are not times. All of this is reported. `duration` is
/// the column that duration_column() found.
std::optional<TimeColumns> time_columns(const Columns& columns, const DurationColumn& duration,
                                        RowIssues& issues, const ChosenTimes& chosen = {});

/// The columns of device, stream and rank; the number of columns for none.
struct PlaceColumns {
  std::size_t device = 0, stream = 0, rank = 0;
};
PlaceColumns place_columns(const Columns& columns);

/// The streams of the rows of a table with times: by columns named "device", "gpu", "stream",
/// "queue" (numbers) and the like; one stream where there are none. A column "rank" or "MPI rank"
/// distinguishes the processes, each with its own device where no column gives devices.
class TablePlaces {
public:
  TablePlaces(Draft& draft, const Columns& columns, const PlaceColumns& places, std::string table_name);

  /// The stream for the values of the three columns, without blanks at either end.
  std::uint32_t stream_of(std::string_view device, std::string_view stream, std::string_view rank,
                          RowIssues& issues);

  /// There were too many streams to distinguish: from then on stream_of() may report an issue for every row.
  bool too_many() const { return too_many_; }

private:
  static constexpr std::int64_t kMaxDevice = 65'535, kMaxRank = 9'999'999,
                                kMaxStream = std::int64_t{1} << 53; ///< maximum numbers as written
  struct Numbers {
    std::string_view of;                   ///< "device" or "stream"
    std::int64_t minimum = 0, maximum = 0; ///< of a number as written
    std::map<std::string, std::int64_t, std::less<>> by_text;
    std::set<std::int64_t> given;
  };
  /// A number as written, or one assigned to a text; known texts keep their number. `named`: the column
  /// holds names, which get small numbers.
  static std::int64_t number_of(Numbers& numbers, std::string_view text, bool named, RowIssues& issues);
  std::uint32_t process_of(std::string_view rank, RowIssues& issues);

  Draft& draft_;
  std::string table_name_;
  bool devices_named_ = false, streams_named_ = false;
  Places places_;
  std::map<std::string, std::uint32_t, std::less<>> processes_; // by value of the rank column
  Numbers devices_{"device", 0, kMaxDevice, {}, {}};
  Numbers streams_{"stream", -kMaxStream, kMaxStream, {}, {}}; ///< some programs write addresses
  std::string last_device_, last_stream_, last_rank_;
  std::uint32_t last_ = kNone;
  bool too_many_ = false;
};

/// Represents a missing time.
inline constexpr std::int64_t kNoTime = std::numeric_limits<std::int64_t>::min();
inline std::int64_t time_or_none(std::optional<std::int64_t> time) {
  return time ? std::max(*time, kNoTime + 1) : kNoTime; // neither is a valid time
}

/// Shifts all times so that the first is zero; returns that time. There must be one.
std::int64_t begin_at_zero(std::initializer_list<std::span<std::int64_t>> times);

/// Seconds plus an additional part; values that no clock can have produced become missing.
inline std::int64_t sum_of_times(std::int64_t whole, std::int64_t part) {
  const auto outside = [](std::int64_t time) { return time > kLatestTime || time < -kMaxTime; };
  return outside(whole) || outside(part) ? kNoTime : whole + part;
}

/// Times in ns from here (in 2001) to kLatestTime (in 2043) count from 1970.
inline constexpr std::int64_t kEarliestUnixTime = 1'000'000'000'000'000'000;

/// Times of a table on its own clock. A clock that counts from 1970 is made relative to the first row.
class TableClock {
public:
  /// Start and duration of a row. If they are unusable, counts an issue and returns nothing. `place()`
  /// describes the row.
  template <class Place>
  std::optional<Times> times(std::optional<std::int64_t> start, std::optional<std::int64_t> second,
                             bool second_is_end, RowIssues& issues, Place&& place) {
    if (start && !base_ && *start <= kLatestTime) base_ = *start >= kEarliestUnixTime ? *start : 0;
    const bool before_1970 = start.value_or(0) < 0 || (second_is_end && second.value_or(0) < 0);
    if (utc_ns() > 0 && before_1970) {
      issues.count(store::Severity::Drop, "impossible-time",
                   [&] { return place() + " has a time before 1970, unlike other rows"; });
      return {};
    }
    const auto relative = [&](std::optional<std::int64_t> time) {
      return time ? std::optional(*time - base_.value_or(0)) : time;
    };
    const auto from = relative(start);
    if (second_is_end) return checked_times(issues, from, relative(second), place);
    if (from && second)
      second = *from <= kLatestTime && *second <= kMaxTime && std::min(*from, *second) >= -kMaxTime
                   ? *from + *second
                   : std::numeric_limits<std::int64_t>::max(); // not a valid time
    return checked_times(issues, from, second, place);
  }

  /// times() for many rows at once. False where any of them has an issue: then times() must be called for
  /// each row.
  bool times_of(std::span<const std::int64_t> starts, std::span<const std::int64_t> seconds,
                bool second_is_end, SpillVector<std::int64_t>& from, SpillVector<std::int64_t>& durations);

  /// Absolute time of the table's own zero, -1 when unknown.
  std::int64_t utc_ns() const { return base_.value_or(0) > 0 ? *base_ : -1; }

private:
  std::optional<std::int64_t> base_;
};

} // namespace jitterscope::import::table
