#include "core/import/formats/chrome/trace.h"

#include <algorithm>
#include <limits>

#include <fmt/core.h>

#include "core/base/spill_vector.h"
#include "core/import/text/json/values.h"

namespace jitterscope::import::chrome {
namespace {

using store::Severity;

// Times beyond these (year 2043) are invalid; sums of a time, a duration and a shift stay within int64.
constexpr std::int64_t kMaxTime = std::int64_t{1} << 61, kMaxDuration = std::int64_t{1} << 60;
// Times of a trace that count from 1970 are later than 2001.
constexpr std::int64_t kEpoch = 1'000'000'000'000'000'000;

} // namespace

std::string Trace::place() const {
  return fmt::format("event {}", events);
}

void Trace::drop(const char* code, const char* why) {
  issues.count(Severity::Drop, code, [&] { return fmt::format("{} {}", place(), why); });
}

void Trace::add(const Event& event, KnownKeys& keys) {
  known_keys_ = &keys;
  ++events;
  switch (event.phase) {
  case 'X':
    return add_complete(event);
  case 'B':
    return add_begin(event);
  case 'E':
    return add_end(event);
  case 'i':
  case 'I':
  case 'R':
    return add_instant(event);
  case 'b':
  case 'e':
  case 'n':
  case 'S':
  case 'T':
  case 'F':
  case 'p':
    return add_async(event);
  case 'C':
    return add_sample(event);
  case 'M':
    return read_metadata(event);
  case 's':
  case 't':
  case 'f':
    return add_flow(event);
  case 0:
    return add_without_phase(event);
  default:
    issues.count(Severity::Drop, "other-events", [&] {
      return fmt::format("{} has phase {}: only ranges, instants, counters, flows and metadata are imported",
                         place(), clean_text({&event.phase, 1}));
    });
  }
}

// "{}" begins the lists of some tools. Scripts that rewrite traces may omit members that are equal
// everywhere.
void Trace::add_without_phase(const Event& event) {
  if (event.name.empty() && event.time.empty()) return;
  if (event.time.empty() || event.duration.empty())
    return drop("other-events", "has neither a phase nor both a time and a duration");
  issues.count(Severity::Repair, "missing-phase", [&] {
    return fmt::format("{} has no phase (\"ph\"), but a time and a duration: it is read as a complete event",
                       place());
  });
  add_complete(event);
}

std::optional<std::int64_t> Trace::time_of(const Event& event) {
  const auto time = json::scaled(event.time, 3); // µs
  if (!time) {
    drop("missing-time", "has no numeric time");
    return {};
  }
  if (*time > kMaxTime || *time < -kMaxTime || precedes_all(*time)) {
    issues.count(Severity::Drop, "impossible-time", [&] {
      return fmt::format("{} has the timestamp {} ns, which is out of range", place(), *time);
    });
    return {};
  }
  return time;
}

// True for a time near 0 among times since 1970: profilers write 0 for unknown times. An event at 0 would put
// all others decades after the zero of the trace.
bool Trace::precedes_all(std::int64_t time) {
  constexpr std::int64_t kEnough = 8;
  const auto absolute = time + std::max<std::int64_t>(header.base_ns, 0);
  if (absolute >= kEpoch) ++since_1970_;
  return absolute < kEpoch / 2 && since_1970_ >= kEnough;
}

// `open_end`: the end of the event was never recorded.
std::optional<Times> Trace::times_of(const Event& event, bool& open_end) {
  open_end = false;
  // rocprof v1: the arguments BeginNs and EndNs have the nanoseconds that ts and dur lack.
  const auto begin = event.arguments.empty() ? std::nullopt : json::integer(event.argument(Key::BeginNs));
  const auto end = begin ? json::integer(event.argument(Key::EndNs)) : std::nullopt;
  std::optional<std::int64_t> start = end ? begin : time_of(event);
  if (!start) return {};
  if (*start > kMaxTime || *start < -kMaxTime || (end && (*end > kMaxTime || *end < -kMaxTime))) {
    issues.count(Severity::Drop, "impossible-time", [&] {
      return fmt::format("{} has the timestamp {} ns, which is out of range", place(), *start);
    });
    return {};
  }
  auto duration = end ? std::optional(*end - *start) : json::scaled(event.duration, 3);
  if (!duration) {
    open_end = true;
    duration = 0;
  }
  if (*duration < 0) {
    drop("negative-duration", "ends before it starts");
    return {};
  }
  if (*duration > kMaxDuration) {
    issues.count(Severity::Drop, "impossible-time",
                 [&] { return fmt::format("{} lasts {} ns, which is out of range", place(), *duration); });
    return {};
  }
  last_end_ = std::max(last_end_, *start + *duration);
  return Times{*start, *duration};
}

void Trace::close_open_ranges() {
  ended_.finish(draft);
  auto& ranges = draft.ranges;
  const auto note = [&](std::uint32_t name) {
    issues.count(Severity::Repair, "open-range", [&] {
      return fmt::format("\"{}\" has no end: it was still open when the recording stopped; its end is set to "
                         "the end of the last event",
                         draft.strings[StringId{name}]);
    });
  };
  for (const auto row : open_rows_) {
    ranges.duration[row] = std::max<std::int64_t>(0, last_end_ - ranges.start[row]);
    note(ranges.name[row]);
  }
  const auto close = [&](const OpenRange& open, std::uint32_t lane, std::uint8_t kind) {
    if (open.kept && is_of_gpu(open.kept->event.category))
      return issues.count(Severity::Drop, "missing-time", [&] {
        return fmt::format("\"{}\" ran on a GPU and has no end", draft.strings[StringId{open.name}]);
      });
    lanes.at(lane).used = true;
    push_range(draft, {open.start, std::max<std::int64_t>(0, last_end_ - open.start)}, open.name, open.domain,
               lane, kind);
    note(open.name);
  };
  for (std::uint32_t lane = 0; lane < lanes.all().size(); ++lane)
    for (const auto& open : lanes.at(lane).open) close(open, lane, kPushPopRange);
  for (const auto& [key, opens] : async_)
    for (const auto& open : opens) close(open, open.lane, kStartEndRange);
}

// Zero is the earliest row: the order in the file has no meaning, and its metadata may be anywhere.
void Trace::move_to_zero() {
  auto zero = std::numeric_limits<std::int64_t>::max();
  const auto each = [&](auto&& change) {
    change(draft.launches.start, before.launches);
    change(draft.transfers.start, before.transfers);
    change(draft.calls.start, before.calls);
    change(draft.ranges.start, before.ranges);
    change(draft.samples.time, before.samples);
  };
  each([&](const auto& times, std::size_t from) {
    for (auto row = from; row < times.size(); ++row) {
      SpillMemory::relieve_at(row);
      zero = std::min(zero, times[row]);
    }
  });
  if (zero == std::numeric_limits<std::int64_t>::max()) zero = 0;
  each([&](auto& times, std::size_t from) {
    for (auto row = from; row < times.size(); ++row) {
      SpillMemory::relieve_at(row);
      times[row] -= zero;
    }
  });
  zero_ = {zero, zero >= kEpoch};
  if (!zero_.absolute && header.base_ns >= 0 && zero > -header.base_ns && header.base_ns + zero <= kMaxTime)
    zero_ = {header.base_ns + zero, true};
}

void Trace::resolve(const Lanes::Tree& tree) {
  const auto replace = [](auto& column, std::size_t from, const SpillVector<std::uint32_t>& by) {
    for (auto row = from; row < column.size(); ++row) {
      SpillMemory::relieve_at(row);
      column[row] = by[column[row]];
    }
  };
  replace(draft.launches.stream, before.launches, tree.streams);
  replace(draft.transfers.stream, before.transfers, tree.streams);
  replace(draft.calls.thread, before.calls, tree.threads);
  replace(draft.ranges.thread, before.ranges, tree.threads);
}

void Trace::describe_devices(Lanes::Tree& tree) {
  // The only device used must be the only one described, even if their numbers differ.
  const bool only = header.devices.size() == 1 && tree.devices.size() == 1;
  for (const auto& [number, info] : header.devices) {
    const auto resource = only ? tree.devices.front().resource : tree.device(number);
    if (resource == kNone) continue; // described, but not used
    draft.resources[resource].name = info.name;
    for (auto& device : draft.devices)
      if (device.resource == resource) {
        device = info;
        device.resource = resource;
      }
  }
}

void Trace::note_launches() {
  auto& launches = draft.launches;
  const auto graph = [](const std::string& name) { return name.find("GraphLaunch") != std::string::npos; };
  const auto cooperative = [](const std::string& name) {
    return name.find("LaunchCooperativeKernel") != std::string::npos;
  };
  for (auto row = before.launches; row < launches.start.size(); ++row) {
    SpillMemory::relieve_at(row);
    if (launches.duration[row] == 0)
      issues.count(Severity::Info, "zero-duration",
                   [&] { return fmt::format("the launch at {} ns lasts 0 ns", launches.start[row]); });
    if (launches.call[row] == kNone) continue;
    const auto& call = draft.strings[StringId{draft.calls.name[launches.call[row]]}];
    if (graph(call)) launches.flags[row] |= store::kLaunchGraph;
    if (cooperative(call)) launches.flags[row] |= store::kLaunchCooperative;
  }
  if (launches.start.size() == before.launches)
    issues.count(Severity::Doubt, "no-kernels",
                 [&] { return fmt::format("{} contains no GPU kernels", input.file_name()); });
}

Expected<void> Trace::finish() {
  close_open_ranges();
  match_counters();
  join_flows();
  move_to_zero();
  find_owners();
  auto tree = lanes.make_resources(draft, header.rank.value_or(-1), host);
  host = tree.host;
  for (const auto& [key, counter] : counters_)
    draft.counters[counter].device = lanes.counter_place(draft, tree, key.process);
  describe_devices(tree);
  resolve(tree);
  if (auto done = link_calls(draft, before, issues, progress.job); !done) return done;
  add_details_of_calls();
  note_launches();
  issues.move_to(draft.report);
  return {};
}

} // namespace jitterscope::import::chrome
