#include "core/import/analysis_rows/rows.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
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
  PresentedRows rows;
  for (std::size_t row = 0; row < ranges.rows() && !stop.at(row); ++row)
    if (kinds[row] == kStateRange && running[ranges.name[row]] && ranges.duration[row] > 0)
      add(rows, ranges.start[row], ranges.duration[row], 0, ranges.thread[row]);
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

/// Names bursts by the events before and after them on their thread.
class BurstNames {
public:
  BurstNames(TraceData& data, Stop& stop)
      : data_(data), calls_(data, "messages"), states_(data, "ranges"),
        calls_of_(calls_.thread, data.resources.size(),
                  [&, &kinds = data.find("messages")->get<std::uint8_t>("kind")](std::size_t row) {
                    return is_mpi_call(kinds[row]);
                  }),
        states_of_(states_.thread, data.resources.size(),
                   [&, &kinds = data.find("ranges")->get<std::uint8_t>("kind")](std::size_t row) {
                     return kinds[row] == kStateRange;
                   }),
        next_call_(data.resources.size()), next_state_(data.resources.size()), stop_(stop) {}

  void name(PresentedRows& rows) {
    for (std::size_t row = 0; row < rows.size() && !stop_.at(row); ++row) {
      const auto thread = rows.thread[row];
      const auto begin = rows.start[row], end = begin + rows.duration[row];
      if (calls_of_.count(thread) > 0)
        rows.name[row] = around(calls_, calls_of_, next_call_[thread], thread, begin, end);
      else if (rows.range[row] != kNone)
        rows.name[row] = states_.name[rows.range[row]];
      else
        rows.name[row] = around(states_, states_of_, next_state_[thread], thread, begin, end);
    }
  }

private:
  // Bursts of a thread come in order: `next` only moves forward. Returns the name "A → B"
  // of the last event A that begins before the burst and the first event B that begins at or after its end.
  std::uint32_t around(const Events& events, const ByThread& of, std::size_t& next, std::uint32_t thread,
                       std::int64_t begin, std::int64_t end) {
    while (next < of.count(thread) && events.start[of.row(thread, next)] < begin) ++next;
    auto after = next;
    while (after < of.count(thread) && events.start[of.row(thread, after)] < end) ++after;
    const auto before_name = next > 0 ? events.name[of.row(thread, next - 1)] : 0u;
    const auto after_name = after < of.count(thread) ? events.name[of.row(thread, after)] : 0u;
    return between(before_name, after_name);
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
  Events calls_, states_;
  ByThread calls_of_, states_of_;
  std::vector<std::size_t> next_call_,
      next_state_; ///< by thread: first event not before the last burst
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
