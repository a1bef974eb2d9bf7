#include <algorithm>
#include <functional>

#include <fmt/core.h>

#include "core/import/chrome/trace.h"
#include "core/import/json/values.h"

namespace jitterscope::import::chrome {
namespace {

using store::Severity;

constexpr std::int64_t kMicrosecond = 1000; // flows are that exact

std::uint64_t id_of(std::string_view id) {
  if (const auto number = json::handle(id)) return *number;
  return std::hash<std::string_view>()(id);
}

} // namespace

// Flows repeat what correlation numbers say, except where tools write no such numbers.
void Trace::take_flow(const Event& event) {
  const bool repeats = event.category_name == "ac2g" || event.category_name == "async" ||
                       event.category_name.starts_with("async_") || event.category_name.starts_with("fwdbwd");
  if (repeats || event.id.empty()) return;
  const auto time = time_of(event);
  if (!time) return;
  auto& flows = event.phase == 's' ? flow_starts_ : flow_ends_;
  flows.push_back({id_of(event.id), lanes.lane(event.pid, event.tid), *time});
}

// The last call on the lane of the flow's start that was entered by then.
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
  const auto join = [&](std::vector<Placed>& placed, auto& calls) {
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

// Ranges of hardware counters stand for one kernel each. Where the kernels themselves were recorded too, a
// range belongs to the launch of the same kernel inside it; where they were not (the profiler cannot do both
// at once), it is the launch.
void Trace::match_counters() {
  if (counted_.empty()) return;
  auto& launches = draft.launches;
  struct Start {
    std::uint32_t kernel;
    std::int64_t start;
    std::size_t row;
    auto operator<=>(const Start&) const = default;
  };
  std::vector<Start> starts;
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
        return "the file holds counters of kernels, but not the kernels: their ranges are taken as launches";
      });
    }
    for (const auto& [title, value] : counted.values)
      draft.attributes.set(draft.attributes.number(title, ""), row, value);
  }
}

} // namespace jitterscope::import::chrome
