#include "core/import/formats/table/time_columns.h"

#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "core/base/spill_vector.h"
#include "core/base/vector_clones.h"
#include "core/import/formats/table/time_titles.h"
#include "core/import/records/units.h"
#include "core/import/text/csv/number.h"
#include "core/import/text/text.h"

namespace jitterscope::import::table {
namespace {

using store::Severity;

constexpr std::size_t kMaxPlaces = 65'536;

constexpr std::array kDevices = {"device", "deviceid", "gpu", "gpuid", "devid", "dev", "agentid", "agent"};
constexpr std::array kRanks = {"rank", "rankid", "mpirank", "globalrank", "worldrank"};
constexpr std::array kStreams = {"stream", "streamid", "strm", "queue", "queueid", "cudastream", "hipstream"};

template <class Titles>
std::size_t find(const Columns& columns, const Titles& titles) {
  for (std::size_t i = 0; i < columns.all.size(); ++i)
    if (std::find(titles.begin(), titles.end(), plain_title(columns.all[i].title)) != titles.end()) return i;
  return columns.all.size();
}

bool may_be_time(const Column& column) {
  return column.kind == Column::Kind::Number || column.dates;
}

std::size_t find_time(const Columns& columns, bool (*is_named)(std::string_view title)) {
  for (std::size_t i = 0; i < columns.all.size(); ++i) {
    const auto& column = columns.all[i];
    if (!may_be_time(column) || column.untitled) continue;
    const auto known = time_title(column);
    if (!known.other_unit && is_named(known.title)) return i;
  }
  return columns.all.size();
}

// The unit of integers without unit that are times since 1970; empty for other columns. The ranges of two
// units do not overlap.
std::string_view unit_since_1970(const Column& column) {
  if (time_title(column).scale || !column.unit.empty() || !column.integral || column.range.empty()) return {};
  for (const std::string_view unit : {"s", "ms", "us", "ns"}) {
    const auto scale = static_cast<double>(*nanoseconds_in(unit));
    if (column.range.minimum * scale >= static_cast<double>(kEarliestUnixTime) &&
        column.range.maximum * scale <= static_cast<double>(kLatestTime))
      return unit;
  }
  return {};
}

// ns per unit, nothing for none.
std::optional<std::int64_t> scale_of(const Column& column) {
  const auto unit = unit_since_1970(column);
  return unit.empty() ? time_title(column).scale : nanoseconds_in(unit);
}

// Counters since the start of a machine may have the same values as times since 1970 in a larger unit: in
// doubt where no other column states a unit.
void report_since_1970(const Column& column, bool other_has_unit, RowIssues& issues) {
  const auto unit = unit_since_1970(column);
  if (unit.empty()) return;
  const bool certain = other_has_unit || unit == "ns";
  issues.count(
      certain ? Severity::Info : Severity::Doubt, certain ? "times-since-1970" : "times-without-unit", [&] {
        return fmt::format(
            "column \"{0}\" contains whole numbers without a unit, which are read as {1} since 1970: "
            "state any other unit with --map \"unit:{0}=UNIT\"",
            column.title, unit);
      });
}

// ns per unit of two columns of time. A unit given for only one applies to both.
std::optional<std::pair<std::int64_t, std::int64_t>> scales(const Column& first, const Column& second,
                                                            RowIssues& issues) {
  const auto a = scale_of(first), b = scale_of(second);
  const bool stated = time_title(first).scale || time_title(second).scale;
  report_since_1970(unit_since_1970(first).empty() ? second : first, stated, issues);
  if (a || b) return std::pair(a ? *a : *b, b ? *b : *a);
  if (!first.whole || !second.whole) {
    issues.count(Severity::Info, "times-without-unit", [&] {
      return fmt::format("columns \"{0}\" and \"{1}\" may be times, but do not state their unit: name them "
                         "\"{0} (ms)\" and \"{1} (ms)\" or similar",
                         first.title, second.title);
    });
    return {};
  }
  issues.count(Severity::Doubt, "times-without-unit", [&] {
    return fmt::format("columns \"{0}\" and \"{1}\" contain whole numbers without a unit, for which ns is "
                       "assumed; if that is wrong, name them \"{0} (us)\" and \"{1} (us)\" or similar",
                       first.title, second.title);
  });
  return std::pair(std::int64_t{1}, std::int64_t{1});
}

// Finds times that are split over two columns.
void set_parts(TimeColumns& found, const Columns& columns) {
  for (std::size_t i = 0; i < columns.all.size(); ++i) {
    const auto& column = columns.all[i];
    if (!column.seconds || column.kind != Column::Kind::Number) continue;
    const auto scale = nanoseconds_in(column.unit).value_or(1);
    if (*column.seconds == found.start && found.start_scale > scale) {
      found.start_part = i;
      found.start_part_scale = scale;
    } else if (*column.seconds == found.second && found.second_is_end && found.second_scale > scale) {
      found.second_part = i;
      found.second_part_scale = scale;
    }
  }
}

// With start, end and duration columns, start and end take precedence.
void set_end(TimeColumns& found, std::size_t end, std::int64_t scale) {
  found.second = end;
  found.second_scale = scale;
  found.second_is_end = found.checks_duration = true;
}

} // namespace

std::optional<TimeColumns> time_columns(const Columns& columns, const DurationColumn& duration,
                                        RowIssues& issues, const ChosenTimes& chosen) {
  const auto none = columns.all.size();
  TimeColumns found;
  found.start = chosen.start ? *chosen.start : find_time(columns, is_start_title);
  if (found.start == none || !may_be_time(columns.all[found.start])) return {};
  const auto end = chosen.end ? *chosen.end : find_time(columns, is_end_title);
  if (end < none && !may_be_time(columns.all[end])) return {};
  found.second = end;
  if (duration.column < none) {
    found.second = duration.column;
    found.second_is_end = false;
  }
  if (found.second == none || found.second == found.start) return {};
  found.dates = columns.all[found.start].dates;
  if (found.dates || columns.all[found.second].dates) {
    if (!found.dates || (found.second_is_end && !columns.all[found.second].dates)) return {};
    if (!found.second_is_end) found.second_scale = duration.scale;
    if (duration.column < none && end < none && columns.all[end].dates) set_end(found, end, 1);
    return found;
  }
  auto given = scales(columns.all[found.start], columns.all[found.second], issues);
  if (!given) return {};
  found.start_scale = given->first;
  found.second_scale = found.second_is_end ? given->second : duration.scale;
  if (duration.column < none && end < none && end != found.start && !columns.all[end].dates) {
    if (unit_since_1970(columns.all[found.start]).empty()) report_since_1970(columns.all[end], true, issues);
    set_end(found, end, scale_of(columns.all[end]).value_or(found.start_scale));
  }
  set_parts(found, columns);
  return found;
}

namespace {

// Computes starts, relative to `base`, and durations. Returns whether all pass the checks of checked_times().
JITTERSCOPE_VECTOR_CLONES bool put_times(std::span<const std::int64_t> starts,
                                         std::span<const std::int64_t> seconds, bool second_is_end,
                                         std::int64_t base, std::int64_t* from, std::int64_t* durations) {
  const auto earliest = base == 0 ? -kMaxTime : 0;
  const auto sum = [](std::int64_t a, std::int64_t b) { // wraps around; such values are rejected anyway
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  };
  const auto difference = [](std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
  };
  const auto outside = [](std::int64_t time) { return (time > kMaxTime) | (time < -kMaxTime); };
  bool bad = false;
  for (std::size_t row = 0; row < starts.size(); ++row) {
    const auto start = difference(starts[row], base), second = seconds[row];
    const auto end = second_is_end ? difference(second, base) : sum(start, second);
    const auto duration = difference(end, start);
    bad |= (starts[row] < earliest) | outside(start) | outside(end);
    bad |= second_is_end ? second < earliest : (second < 0) | (second > kMaxTime);
    bad |= duration < 0;
    from[row] = start;
    durations[row] = duration;
  }
  return !bad;
}

} // namespace

bool TableClock::times_of(std::span<const std::int64_t> starts, std::span<const std::int64_t> seconds,
                          bool second_is_end, SpillVector<std::int64_t>& from,
                          SpillVector<std::int64_t>& durations) {
  if (starts.empty() || starts[0] == kNoTime || starts[0] > kLatestTime || seconds.size() != starts.size())
    return false;
  if (!base_) base_ = starts[0] >= kEarliestUnixTime ? starts[0] : 0;
  from.resize(starts.size());
  durations.resize(starts.size());
  return put_times(starts, seconds, second_is_end, *base_, from.data(), durations.data());
}

std::int64_t begin_at_zero(std::initializer_list<std::span<std::int64_t>> times) {
  auto first = std::numeric_limits<std::int64_t>::max();
  for (const auto some : times)
    for (const auto time : some) first = std::min(first, time);
  if (first == 0) return 0;
  for (const auto some : times)
    for (auto& time : some) time -= first;
  return first;
}

PlaceColumns place_columns(const Columns& columns) {
  PlaceColumns found{find(columns, kDevices), find(columns, kStreams), find(columns, kRanks)};
  const auto none = columns.all.size();
  const auto numbers = [&](std::size_t column) {
    return column < none && columns.all[column].kind == Column::Kind::Number && columns.all[column].integral;
  };
  if (!numbers(found.rank)) found.rank = none;
  // A batch system has queues with names, such as "interactive".
  const bool queues =
      found.stream < none && plain_title(columns.all[found.stream].title).starts_with("queue");
  if (queues && columns.all[found.stream].kind == Column::Kind::Text) found.stream = none;
  return found;
}

TablePlaces::TablePlaces(Draft& draft, const Columns& columns, const PlaceColumns& places,
                         std::string table_name)
    : draft_(draft), table_name_(std::move(table_name)), places_(draft) {
  const auto none = columns.all.size();
  const auto named = [&](std::size_t column) {
    return column < none && columns.all[column].kind == Column::Kind::Text;
  };
  devices_named_ = named(places.device);
  streams_named_ = named(places.stream);
}

namespace {

/// A whole number, which pandas may have written as "1.0".
std::optional<std::int64_t> whole_number(std::string_view text) {
  if (const auto number = parse_integer(text)) return number;
  const auto number = parse_number(text);
  const bool whole = number && std::fabs(*number) < 1e15 && *number == std::floor(*number);
  return whole ? std::optional(static_cast<std::int64_t>(*number)) : std::nullopt;
}

} // namespace

std::int64_t TablePlaces::number_of(Numbers& numbers, std::string_view text, bool named, RowIssues& issues) {
  if (const auto known = numbers.by_text.find(text); known != numbers.by_text.end()) return known->second;
  const auto digits = named ? text.substr(text.find_last_not_of("0123456789") + 1) : text;
  const auto written = whole_number(digits);
  auto number = static_cast<std::int64_t>(numbers.by_text.size());
  const bool fits = written && *written >= numbers.minimum && *written <= numbers.maximum;
  if (fits && !(named && numbers.given.contains(*written)))
    number = *written;
  else if (named) // "node1 GPU-0" and "node2 GPU-0", or without a number
    while (numbers.given.contains(number)) ++number;
  else // different from the numbers that are written
    number += numbers.maximum + 1;
  if (written && !fits && !named)
    issues.count(Severity::Doubt, "odd-number", [&] {
      return fmt::format("{0} is not a number of a {1} ({2} to {3}): its rows are on {1} {4}",
                         clean_text(text), numbers.of, numbers.minimum, numbers.maximum, number);
    });
  numbers.by_text.emplace(text, number);
  numbers.given.insert(number);
  return number;
}

std::uint32_t TablePlaces::process_of(std::string_view rank, RowIssues& issues) {
  if (const auto known = processes_.find(rank); known != processes_.end()) return known->second;
  const auto number = whole_number(rank);
  const bool is_rank = number && *number >= 0 && *number <= kMaxRank;
  if (!is_rank && !rank.empty())
    issues.count(Severity::Doubt, "odd-rank", [&] {
      return fmt::format("\"{}\" is not a rank (0 to {}): its rows are of a process without a rank",
                         clean_text(rank), kMaxRank);
    });
  const auto process = places_.process(is_rank        ? *number
                                       : rank.empty() ? 0
                                                      : -1,
                                       is_rank ? fmt::format("rank {}", *number) : table_name_);
  if (is_rank) draft_.resources[process].rank = static_cast<std::int32_t>(*number);
  processes_.emplace(rank, process);
  return process;
}

std::uint32_t TablePlaces::stream_of(std::string_view device, std::string_view stream, std::string_view rank,
                                     RowIssues& issues) {
  if (last_ != kNone && device == last_device_ && stream == last_stream_ && rank == last_rank_) return last_;
  last_device_ = device, last_stream_ = stream, last_rank_ = rank;
  const bool too_many = (devices_.by_text.size() >= kMaxPlaces && !devices_.by_text.contains(device)) ||
                        (streams_.by_text.size() >= kMaxPlaces && !streams_.by_text.contains(stream)) ||
                        (processes_.size() >= kMaxPlaces && !processes_.contains(rank));
  too_many_ = too_many_ || too_many;
  if (too_many) {
    issues.count(Severity::Doubt, "too-many-places", [] {
      return std::string("the table names too many devices, streams or ranks: the rest of them are merged "
                         "into a single one");
    });
    return last_ = places_.stream(places_.device(process_of({}, issues), 0), 0);
  }
  const auto process = process_of(rank, issues);
  const auto name = [](std::string_view written, std::int64_t number, bool named) {
    return (named || number > kMaxDevice) && !written.empty() ? clean_text(written) : std::string();
  };
  const auto own = std::max(draft_.resources[process].rank, 0); // a device for each rank
  const auto device_number = device.empty() ? own : number_of(devices_, device, devices_named_, issues);
  const auto stream_number = stream.empty() ? 0 : number_of(streams_, stream, streams_named_, issues);
  const auto on = places_.device(process, device_number, name(device, device_number, devices_named_));
  return last_ = places_.stream(on, stream_number, name(stream, stream_number, streams_named_));
}

} // namespace jitterscope::import::table
