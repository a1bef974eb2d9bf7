#include "core/import/analysis_rows/rows.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <limits>
#include <map>

#include "core/import/assemble/nesting.h"
#include "core/import/records/draft.h"

namespace jitterscope::import {
namespace {

using store::TraceData;

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

/// A table of events on threads.
struct Events {
  Events(const TraceData& data, const char* table)
      : start(data.find(table)->get<std::int64_t>("start")),
        duration(data.find(table)->get<std::int64_t>("duration")),
        thread(data.find(table)->get<std::uint32_t>("thread")),
        name(data.find(table)->get<std::uint32_t>("name")) {}
  std::size_t rows() const { return start.size(); }
  std::int64_t end(std::size_t row) const { return start[row] + std::max<std::int64_t>(duration[row], 0); }
  const SpillVector<std::int64_t>&start, &duration;
  const SpillVector<std::uint32_t>&thread, &name;
};

void add(PresentedRows& rows, std::int64_t start, std::int64_t duration, std::uint32_t name,
         std::uint32_t thread) {
  rows.start.push_back(start);
  rows.duration.push_back(duration);
  rows.name.push_back(name);
  rows.thread.push_back(thread);
}

template <class T>
void reorder(SpillVector<T>& column, const SpillVector<std::uint32_t>& order) {
  if (column.empty()) return;
  SpillVector<T> sorted;
  sorted.reserve(column.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    SpillMemory::relieve_at(i);
    sorted.push_back(column[order[i]]);
  }
  column = std::move(sorted);
}

void sort_rows(PresentedRows& rows, Stop& stop) {
  SpillVector<std::uint32_t> order;
  order.reserve(rows.size());
  for (std::uint32_t row = 0; row < rows.size(); ++row) order.push_back(row);
  sort_stably(
      order,
      [&](std::uint32_t a, std::uint32_t b) {
        return std::pair(rows.start[a], rows.thread[a]) < std::pair(rows.start[b], rows.thread[b]);
      },
      stop);
  if (stop.requested()) return;
  reorder(rows.start, order), reorder(rows.duration, order);
  reorder(rows.name, order), reorder(rows.thread, order), reorder(rows.bytes, order);
}

bool is_mpi_call(std::uint8_t kind) {
  return kind != kTransmission;
}

PresentedRows bursts_of_states(const TraceData& data, Stop& stop) {
  const Events ranges(data, "ranges");
  const auto& kinds = data.find("ranges")->get<std::uint8_t>("kind");
  std::vector<std::uint8_t> running;
  for (const auto& text : data.strings.all()) running.push_back(store::is_running_state(text));
  const auto computes = [&](std::size_t row) {
    return kinds[row] == kStateRange && running[ranges.name[row]];
  };
  const auto is_burst = [&](std::size_t row) { return computes(row) && ranges.duration[row] > 0; };
  std::size_t count = 0;
  PresentedRows rows;
  for (std::size_t row = 0; row < ranges.rows() && !stop.at(row); ++row) {
    count += is_burst(row);
    rows.empty += computes(row) && !is_burst(row);
  }
  for (auto* times : {&rows.start, &rows.duration}) times->reserve(count);
  for (auto* numbers : {&rows.name, &rows.thread}) numbers->reserve(count);
  for (std::size_t row = 0; row < ranges.rows() && !stop.at(row); ++row)
    if (is_burst(row)) add(rows, ranges.start[row], ranges.duration[row], 0, ranges.thread[row]);
  return rows;
}

PresentedRows bursts_between_calls(const TraceData& data, Stop& stop) {
  const Events calls(data, "messages");
  const auto& kinds = data.find("messages")->get<std::uint8_t>("kind");
  std::vector<std::int64_t> reached(data.resources.size(), INT64_MIN); // by thread: latest end of MPI calls
  PresentedRows rows;
  for (std::size_t row = 0; row < calls.rows() && !stop.at(row); ++row) {
    if (!is_mpi_call(kinds[row])) continue;
    auto& end = reached[calls.thread[row]];
    if (end != INT64_MIN && calls.start[row] > end)
      add(rows, end, calls.start[row] - end, 0, calls.thread[row]);
    end = std::max(end, calls.end(row));
  }
  sort_rows(rows, stop);
  return rows;
}

/// Names bursts by the events before and after them on their thread: MPI calls; on threads without calls, the
/// range around the burst, else states.
class BurstNames {
public:
  BurstNames(TraceData& data, Stop& stop) : data_(data), stop_(stop) {}

  void name(PresentedRows& rows) {
    const Events calls(data_, "messages"), states(data_, "ranges");
    const auto& call_kinds = data_.find("messages")->get<std::uint8_t>("kind");
    const auto& range_kinds = data_.find("ranges")->get<std::uint8_t>("kind");
    std::vector<bool> calls_mpi(data_.resources.size()); // by thread
    for (std::size_t row = 0; row < calls.rows() && !stop_.at(row); ++row)
      if (is_mpi_call(call_kinds[row]) && calls.thread[row] < calls_mpi.size())
        calls_mpi[calls.thread[row]] = true;
    after_.resize(rows.size());
    const auto by_calls = [&](std::size_t row) { return calls_mpi[rows.thread[row]]; };
    const auto by_range = [&](std::size_t row) { return !by_calls(row) && rows.range[row] != kNone; };
    const auto by_states = [&](std::size_t row) { return !by_calls(row) && !by_range(row); };
    find_events(rows, by_calls, calls, [&](std::size_t row) { return is_mpi_call(call_kinds[row]); });
    find_events(rows, by_states, states, [&](std::size_t row) { return range_kinds[row] == kStateRange; });
    for (std::size_t row = 0; row < rows.size() && !stop_.at(row); ++row)
      rows.name[row] = by_range(row) ? states.name[rows.range[row]] : between(rows.name[row], after_[row]);
  }

private:
  /// A burst whose next event is not known yet.
  struct Pending {
    std::int64_t end = 0;
    std::size_t row = 0;
    bool operator>(const Pending& other) const { return end > other.end; }
  };
  struct Thread {
    std::uint32_t last_name = 0;   ///< name of the last event so far
    std::vector<Pending> bursts{}; ///< heap, the first end on top
  };

  // Sets for each burst the name of the last event that begins before it (rows.name) and of the first that
  // begins at or after its end (after_); 0 if there is none. Both tables are sorted by start.
  template <class IsNamed, class IsEvent>
  void find_events(PresentedRows& rows, IsNamed&& is_named, const Events& events, IsEvent&& is_event) {
    std::vector<Thread> threads(data_.resources.size());
    std::size_t next = 0;
    const auto pass_events = [&](std::int64_t time) { // those that begin before `time`
      for (; next < events.rows() && events.start[next] < time && !stop_.at(next); ++next) {
        if (!is_event(next) || events.thread[next] >= threads.size()) continue;
        auto& [last_name, bursts] = threads[events.thread[next]];
        for (; !bursts.empty() && bursts.front().end <= events.start[next]; bursts.pop_back()) {
          after_[bursts.front().row] = events.name[next];
          std::pop_heap(bursts.begin(), bursts.end(), std::greater<>());
        }
        last_name = events.name[next];
      }
    };
    for (std::size_t row = 0; row < rows.size() && !stop_.at(row); ++row) {
      if (!is_named(row)) continue;
      pass_events(rows.start[row]);
      auto& [last_name, bursts] = threads[rows.thread[row]];
      rows.name[row] = last_name;
      bursts.push_back({rows.start[row] + rows.duration[row], row});
      std::push_heap(bursts.begin(), bursts.end(), std::greater<>());
    }
    pass_events(std::numeric_limits<std::int64_t>::max());
  }

  std::uint32_t between(std::uint32_t before, std::uint32_t after) {
    auto& recent = recent_[(before * 31 + after) % recent_.size()];
    if (recent.name == kNone || recent.before != before || recent.after != after)
      recent = {before, after, look_up(before, after)};
    return recent.name;
  }

  std::uint32_t look_up(std::uint32_t before, std::uint32_t after) {
    const auto [found, is_new] = known_.try_emplace({before, after}, 0u);
    if (!is_new) return found->second;
    const auto text = [&](std::uint32_t name, const char* none) {
      const auto& of = data_.strings[StringId{name}];
      return of.empty() ? std::string(none) : of;
    };
    return found->second = data_.strings.intern(text(before, "begin") + " → " + text(after, "end")).value;
  }

  TraceData& data_;
  SpillVector<std::uint32_t> after_; ///< by row: name of the event after the burst
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> known_;
  struct Recent {
    std::uint32_t before = 0, after = 0, name = kNone;
  };
  std::array<Recent, 64> recent_; ///< recent entries of known_
  Stop& stop_;
};

void find_ranges(const TraceData& data, PresentedRows& rows, Stop& stop) {
  const Events ranges(data, "ranges");
  rows.range = innermost_range(ranges.start, ranges.duration, ranges.thread,
                               data.find("ranges")->get<std::uint8_t>("kind"), rows.start, rows.thread, stop);
}

PresentedRows bursts(TraceData& data, Stop& stop) {
  auto rows = bursts_of_states(data, stop);
  if (rows.size() == 0) rows = bursts_between_calls(data, stop);
  if (stop.requested() || rows.size() == 0) return rows;
  find_ranges(data, rows, stop);
  if (!stop.requested()) BurstNames(data, stop).name(rows);
  return rows;
}

/// "step 17 of 20" → "step # of #".
std::string without_numbers(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (!digit)
      out += c;
    else if (out.empty() || out.back() != '#')
      out += '#';
  }
  return out;
}

PresentedRows ranges(TraceData& data, Stop& stop) {
  const Events events(data, "ranges");
  const auto& kinds = data.find("ranges")->get<std::uint8_t>("kind");
  std::map<std::uint32_t, std::uint32_t> names;
  PresentedRows rows;
  for (std::size_t row = 0; row < events.rows() && !stop.at(row); ++row) {
    if (kinds[row] == kMark || kinds[row] == kStateRange) continue;
    const auto [name, is_new] = names.try_emplace(events.name[row], 0u);
    if (is_new)
      name->second = data.strings.intern(without_numbers(data.strings[StringId{events.name[row]}])).value;
    add(rows, events.start[row], events.duration[row], name->second, events.thread[row]);
    rows.range.push_back(static_cast<std::uint32_t>(row));
  }
  return rows;
}

PresentedRows calls(TraceData& data, Stop& stop) {
  PresentedRows rows;
  const Events mpi(data, "messages"), others(data, "calls");
  const auto& kinds = data.find("messages")->get<std::uint8_t>("kind");
  const auto& bytes = data.find("messages")->get<std::int64_t>("bytes");
  bool any_bytes = false;
  for (std::size_t row = 0; row < mpi.rows() && !stop.at(row); ++row) {
    if (!is_mpi_call(kinds[row])) continue;
    add(rows, mpi.start[row], mpi.duration[row], mpi.name[row], mpi.thread[row]);
    rows.bytes.push_back(bytes[row] < 0 ? kMissing : static_cast<double>(bytes[row]));
    any_bytes = any_bytes || bytes[row] >= 0;
  }
  for (std::size_t row = 0; row < others.rows() && !stop.at(row); ++row) {
    add(rows, others.start[row], others.duration[row], others.name[row], others.thread[row]);
    rows.bytes.push_back(kMissing);
  }
  if (!any_bytes) rows.bytes.clear();
  sort_rows(rows, stop);
  if (!stop.requested()) find_ranges(data, rows, stop);
  return rows;
}

} // namespace

PresentedRows collect_rows(TraceData& data, store::AnalysisRows rows, Stop& stop) {
  switch (rows) {
  case store::AnalysisRows::Bursts:
    return bursts(data, stop);
  case store::AnalysisRows::Ranges:
    return ranges(data, stop);
  case store::AnalysisRows::Calls:
    return calls(data, stop);
  default:
    return {};
  }
}

} // namespace jitterscope::import
