#include <algorithm>
#include <functional>
#include <map>

#include <fmt/core.h>

#include "core/base/spill_vector.h"
#include "core/import/formats/chrome/trace.h"
#include "core/import/records/events.h"
#include "core/import/text/json/values.h"

namespace jitterscope::import::chrome {
namespace {

using store::Severity;

constexpr std::int64_t kMicrosecond = 1000; // precision of flows

std::uint64_t id_of(std::string_view id) {
  if (const auto number = json::handle(id)) return *number;
  return std::hash<std::string_view>()(id);
}

} // namespace

// Flows repeat the correlation numbers, except where tools write no such numbers.
void Trace::add_flow(const Event& event) {
  const bool repeats = event.category_name == "ac2g" || event.category_name == "async" ||
                       event.category_name.starts_with("async_") || event.category_name.starts_with("fwdbwd");
  if (repeats || event.id.empty()) return;
  const auto time = time_of(event);
  if (!time) return;
  // Intel's tools use a number for both directions; their category contains the direction and the number.
  const auto id = event.category_name.starts_with("Flow_") ? id_of(event.category_name) : id_of(event.id);
  auto& flows = event.phase == 's' ? flow_starts_ : flow_ends_;
  flows.push_back({id, lanes.lane(event.pid, event.tid), *time});
}

// The last call on the lane of the flow's start that began at or before its time.
std::uint32_t Trace::call_of_flow(const Flow& end) const {
  const auto by_id = [](const Flow& a, const Flow& b) { return a.id < b.id; };
  const auto [first, last] = std::equal_range(flow_starts_.begin(), flow_starts_.end(), end, by_id);
  if (first == last) return kNone;
  const auto& start = *(last - 1);
  const Placed moment{start.lane, start.time + kMicrosecond, 0};
  const auto after = std::lower_bound(placed_calls_.begin(), placed_calls_.end(), moment);
  if (after == placed_calls_.begin() || (after - 1)->lane != start.lane) return kNone;
  return (after - 1)->row;
}

void Trace::join_flows() {
  if (flow_starts_.empty() || placed_calls_.empty()) return;
  std::stable_sort(flow_starts_.begin(), flow_starts_.end(),
                   [](const Flow& a, const Flow& b) { return a.id < b.id; });
  std::sort(placed_calls_.begin(), placed_calls_.end());
  const auto join = [&](SpillVector<Placed>& placed, auto& calls) {
    std::sort(placed.begin(), placed.end());
    for (const auto& end : flow_ends_) {
      const auto whole = end.time - end.time % kMicrosecond;
      auto row = std::lower_bound(placed.begin(), placed.end(), Placed{end.lane, whole, 0});
      for (; row != placed.end() && row->lane == end.lane && row->start < whole + kMicrosecond; ++row)
        if (calls[row->row] == kNone) {
          calls[row->row] = call_of_flow(end);
          break;
        }
    }
  };
  join(placed_launches_, draft.launches.call);
  join(placed_transfers_, draft.transfers.call);
}

void Trace::keep_details(const Event& event, std::uint32_t call) {
  CallDetails details{call, event.grid, event.block, {}, {}, false};
  details.shared_memory = json::integer_in_padded(event.argument(Key::SharedMemory));
  details.bytes = json::integer(json::unquoted(event.argument(Key::Bytes)));
  if (!details.grid && !details.block && !details.bytes) return;
  const auto name = json::unquoted(event.name);
  details.grid_of_items = name.find("ExtModuleLaunch") != std::string_view::npos ||
                          name.find("HccModuleLaunch") != std::string_view::npos;
  call_details_.push_back(details);
}

void Trace::add_details_of_calls() {
  const auto details_of = [&](std::uint32_t call) -> const CallDetails* {
    const auto found = std::lower_bound(call_details_.begin(), call_details_.end(), call,
                                        [](const CallDetails& d, std::uint32_t row) { return d.call < row; });
    return found == call_details_.end() || found->call != call ? nullptr : &*found;
  };
  auto& launches = draft.launches;
  for (auto row = before.launches; row < launches.start.size() && !call_details_.empty(); ++row) {
    SpillMemory::relieve_at(row);
    if (launches.call[row] == kNone) continue;
    auto c = draft.configurations[launches.configuration[row]];
    const auto* details = details_of(launches.call[row]);
    if (!details) continue;
    const auto own = c;
    if (details->grid && details->block && c.grid_x == 0 && c.block_x == 0) {
      const auto& [grid, block] = std::pair(*details->grid, *details->block);
      c.block_x = count_or_zero(block.x), c.block_y = count_or_zero(block.y),
      c.block_z = count_or_zero(block.z);
      c.grid_x = count_or_zero(grid.x), c.grid_y = count_or_zero(grid.y), c.grid_z = count_or_zero(grid.z);
      if (details->grid_of_items &&
          !set_work_size(c, {{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}}))
        issues.count(Severity::Doubt, "odd-grid", [&] {
          return fmt::format("the launch at {} ns has a grid that is not a multiple of its work-group",
                             launches.start[row]);
        });
    }
    if (c.static_shared_memory == 0 && c.dynamic_shared_memory == 0)
      c.dynamic_shared_memory = count_or_zero(details->shared_memory);
    if (c == own) continue;
    launches.configuration[row] = draft.configuration(c);
    issues.count(Severity::Info, "configuration-of-call", [] {
      return "grid, block and shared memory of launches are taken from their launch calls";
    });
  }
  auto& transfers = draft.transfers;
  std::int64_t sizeless = 0;
  for (const auto row : sizeless_) {
    const auto* details = transfers.call[row] == kNone ? nullptr : details_of(transfers.call[row]);
    if (details && details->bytes && *details->bytes >= 0 && *details->bytes <= kMaxOperationBytes)
      transfers.bytes[row] = *details->bytes;
    else
      ++sizeless;
  }
  if (sizeless > 0)
    issues.count(
        Severity::Doubt, "missing-bytes",
        [&] {
          return fmt::format("{} does not state how many bytes it moved: its size is unknown",
                             first_sizeless_);
        },
        sizeless);
}

// In a file with several processes, a stream belongs to the process whose calls have the most correlation
// numbers in common with its activities; in a tie, to the one with the most calls.
void Trace::find_owners() {
  if (lanes.calling_processes() < 2) return;
  struct Numbered {
    std::uint32_t correlation, process;
    auto operator<=>(const Numbered&) const = default;
  };
  SpillVector<Numbered> calls;
  for (auto row = before.calls; row < draft.calls.start.size(); ++row) {
    SpillMemory::relieve_at(row);
    if (draft.calls.correlation[row] != 0)
      calls.push_back({draft.calls.correlation[row], lanes.at(draft.calls.thread[row]).process});
  }
  std::sort(calls.begin(), calls.end());
  calls.erase(std::unique(calls.begin(), calls.end()), calls.end());
  std::map<std::uint32_t, std::map<std::uint32_t, std::int64_t>> votes; // by stream and process
  const auto count = [&](const auto& rows, std::size_t from) {
    for (auto row = from; row < rows.start.size(); ++row) {
      SpillMemory::relieve_at(row);
      const auto number = rows.correlation[row];
      for (auto call = std::lower_bound(calls.begin(), calls.end(), Numbered{number, 0});
           number != 0 && call != calls.end() && call->correlation == number; ++call)
        ++votes[rows.stream[row]][call->process];
    }
  };
  count(draft.launches, before.launches);
  count(draft.transfers, before.transfers);
  for (const auto& [stream, of_processes] : votes) {
    const auto calls_of = [&](std::uint32_t process) { return lanes.process_at(process).calls; };
    const auto best =
        std::max_element(of_processes.begin(), of_processes.end(), [&](const auto& a, const auto& b) {
          return a.second != b.second ? a.second < b.second : calls_of(a.first) < calls_of(b.first);
        });
    lanes.set_owner(stream, best->first);
  }
}

// A range of hardware counters represents one kernel. Where the kernels themselves were recorded too, a
// range belongs to the launch of the same kernel inside it; where they were not (the profiler cannot do both
// at once), it becomes the launch.
void Trace::match_counters() {
  if (counted_.empty()) return;
  auto& launches = draft.launches;
  struct Start {
    std::uint32_t kernel;
    std::int64_t start;
    std::size_t row;
    auto operator<=>(const Start&) const = default;
  };
  SpillVector<Start> starts;
  for (auto row = before.launches; row < launches.start.size(); ++row)
    starts.push_back({draft.configurations[launches.configuration[row]].kernel, launches.start[row], row});
  std::sort(starts.begin(), starts.end());
  const bool kernels_recorded = !starts.empty();
  for (const auto& counted : counted_) {
    auto row = launches.start.size();
    if (kernels_recorded) {
      const auto found =
          std::lower_bound(starts.begin(), starts.end(), Start{counted.kernel, counted.times.start, 0});
      const bool inside = found != starts.end() && found->kernel == counted.kernel &&
                          found->start <= counted.times.start + counted.times.duration;
      if (!inside) {
        issues.count(Severity::Drop, "counters-without-launch", [&] {
          return fmt::format("counters recorded at {} ns belong to no launch in the file",
                             counted.times.start);
        });
        continue;
      }
      row = found->row;
    } else {
      Configuration configuration;
      configuration.kernel = counted.kernel;
      push_launch(draft, counted.times, draft.configuration(configuration), lanes.stream(0, 0, 0, {}, {}), 0);
      issues.count(Severity::Doubt, "launches-from-counters", [] {
        return "the file contains counters of kernels, but not the kernels: the ranges of the counters are "
               "read as launches";
      });
    }
    for (const auto& [title, value] : counted.values)
      draft.attributes.set(draft.attributes.number(title, ""), row, value);
  }
}

} // namespace jitterscope::import::chrome
