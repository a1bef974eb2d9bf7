#include "core/import/formats/otf2/trace.h"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "core/import/records/events.h"
#include "core/import/text/text.h"

namespace jitterscope::import::otf2 {
namespace {

using store::Severity;

constexpr std::size_t kMaxOpen = 65'536; // maximum number of open regions per location
} // namespace

std::optional<std::int64_t> Trace::time_of(std::uint64_t tick) {
  const auto time = definitions.nanoseconds(tick);
  if (!time)
    issues.count(Severity::Drop, "impossible-time", [] {
      return "events with a time before the start of the trace or out of range were left out";
    });
  else
    last_ = std::max(last_, *time);
  return time;
}

Location* Trace::location_of(std::uint64_t number) {
  const auto found = definitions.locations.find(number);
  return found == definitions.locations.end() || found->second.resource == kNone ? nullptr : &found->second;
}

void Trace::enter(std::uint64_t location, std::uint64_t tick, std::uint64_t region) {
  const auto time = time_of(tick);
  auto& open = open_[location];
  if (!time || !location_of(location)) return;
  if (open.size() >= kMaxOpen)
    return issues.count(Severity::Drop, "too-many-open",
                        [] { return "a region is nested in 65,536 others, which is the limit"; });
  open.push_back({*time, region, {}});
}

void Trace::leave(std::uint64_t location, std::uint64_t tick, std::uint64_t region) {
  const auto time = time_of(tick);
  auto* place = location_of(location);
  auto& open = open_[location];
  if (!time || !place) return;
  const auto begun =
      std::find_if(open.rbegin(), open.rend(), [&](const Open& one) { return one.region == region; });
  if (begun == open.rend())
    return issues.count(Severity::Drop, "end-without-begin",
                        [] { return "a region is left without being entered"; });
  const auto one = *begun;
  open.erase(std::next(begun).base());
  if (*time < one.start)
    return issues.count(Severity::Drop, "negative-duration",
                        [] { return "a region is left before it is entered"; });
  close(*place, one, *time);
}

std::uint32_t Trace::configuration_of(std::uint64_t region) {
  const auto known = configurations_.find(region);
  if (known != configurations_.end()) return known->second;
  const auto found = definitions.regions.find(region);
  Configuration configuration;
  configuration.kernel =
      names_
          .of(found == definitions.regions.end() || found->second.name.empty() ? "(unknown kernel)"
                                                                               : found->second.name)
          .kernel;
  return configurations_[region] = draft_.configuration(configuration);
}

void Trace::close(Location& location, const Open& open, std::int64_t end) {
  const auto found = definitions.regions.find(open.region);
  const auto kind = found == definitions.regions.end() ? RegionKind::Function : found->second.kind;
  const Times times{open.start, end - open.start};
  if (location.stream) {
    if (kind == RegionKind::Transfer || open.moved >= 0) {
      const auto direction =
          found == definitions.regions.end() ? store::TransferKind::Unknown : copy_kind(found->second.name);
      return push_transfer(draft_, times, direction, open.moved >= 0 ? open.moved : store::kUnknownBytes,
                           location.resource, 0);
    }
    return push_launch(draft_, times, configuration_of(open.region), location.resource, 0);
  }
  auto [name, added] = name_strings_.try_emplace(open.region, 0);
  if (added)
    name->second =
        draft_.strings.intern(found == definitions.regions.end() ? "(unknown region)" : found->second.name)
            .value;
  if (kind == RegionKind::Call) return push_call(draft_, times, name->second, location.resource, 0);
  if (kind != RegionKind::Message) {
    push_range(draft_, times, name->second, draft_.strings.intern("OTF2").value, location.resource,
               kPushPopRange);
    return ended_.add(draft_);
  }
  const auto& text = draft_.strings[StringId{name->second}];
  const auto message = open.message.value_or(
      Open::Message{text.find("Wait") != std::string::npos ? kWait : kOtherMessage, kNone, kNone, -1});
  push_message(draft_, times, message.kind, message.bytes, location.resource, name->second, message.peer,
               message.tag);
}

// Messages are recorded inside the function that sends or receives them.
void Trace::message(std::uint64_t location, std::uint8_t kind, std::uint32_t peer, std::uint32_t tag,
                    std::uint64_t bytes) {
  auto& open = open_[location];
  if (open.empty())
    return issues.count(Severity::Info, "messages-outside",
                        [] { return "messages outside any region have no duration and are not read"; });
  const auto size = bytes <= kMaxOperationBytes ? static_cast<std::int64_t>(bytes) : -1;
  auto& message = open.back().message;
  if (message && message->kind == kind && message->bytes >= 0 && size >= 0 && kind == kCollective)
    message->bytes += size;
  else
    message = Open::Message{kind, peer, tag, size};
}

// Score-P records memory operations of accelerators as one-sided communication.
void Trace::move(std::uint64_t location, std::uint64_t tick, std::uint64_t bytes, std::uint64_t id) {
  const auto time = time_of(tick);
  const auto* place = location_of(location);
  if (!time || !place || !place->stream) return;
  const auto size = bytes <= kMaxOperationBytes ? static_cast<std::int64_t>(bytes) : store::kUnknownBytes;
  if (auto& open = open_[location]; !open.empty())
    open.back().moved = size;
  else
    moving_[location][id] = {*time, size};
}

void Trace::moved(std::uint64_t location, std::uint64_t tick, std::uint64_t id) {
  const auto of_location = moving_.find(location);
  if (of_location == moving_.end()) return;
  const auto found = of_location->second.find(id);
  const auto time = time_of(tick);
  if (found == of_location->second.end() || !time) return;
  push_transfer(draft_, {found->second.start, std::max<std::int64_t>(*time - found->second.start, 0)},
                store::TransferKind::Unknown, found->second.bytes, definitions.locations[location].resource,
                0);
  of_location->second.erase(found);
}

std::uint32_t Trace::counter(std::uint32_t resource, std::uint64_t member) {
  const auto [place, added] = counters_[resource].try_emplace(member, 0);
  if (added) {
    const auto& metric = definitions.metric_members[member];
    place->second = draft_.add_counter(metric.name, metric.unit, resource);
  }
  return place->second;
}

void Trace::metric(std::uint64_t location, std::uint64_t tick, std::uint64_t metric, std::size_t count,
                   const OTF2_Type* types, const OTF2_MetricValue* values) {
  const auto time = time_of(tick);
  const auto* place = location_of(location);
  if (!time || !place) return;
  const auto instance = definitions.class_of_instance.find(metric);
  const auto members = definitions.metric_classes.find(
      instance == definitions.class_of_instance.end() ? metric : instance->second);
  if (members == definitions.metric_classes.end()) return other();
  // For streams, the device has the counter.
  const auto resource = place->stream ? draft_.resources[place->resource].parent : place->resource;
  for (std::size_t i = 0; i < std::min(count, members->second.size()); ++i) {
    const auto member = members->second[i];
    const auto value = types[i] == OTF2_TYPE_INT64    ? static_cast<double>(values[i].signed_int)
                       : types[i] == OTF2_TYPE_UINT64 ? static_cast<double>(values[i].unsigned_int)
                                                      : values[i].floating_point;
    if (!std::isfinite(value)) continue;
    push_sample(draft_, *time, counter(resource, member), value * definitions.metric_members[member].factor);
  }
}

Expected<void> Trace::finish(store::Source& source) {
  std::int64_t left_open = 0;
  for (auto& [number, open] : open_)
    if (auto* place = location_of(number))
      for (; !open.empty(); open.pop_back(), ++left_open)
        close(*place, open.back(), std::max(last_, open.back().start));
  ended_.finish(draft_);
  if (left_open > 0)
    issues.count(
        Severity::Repair, "open-range",
        [] { return "regions without a leave event end at the time of the last event"; }, left_open);
  if (others_ > 0)
    issues.count(
        Severity::Info, "not-imported",
        [] { return "events of other kinds (locks, requests, threads, parameters) are not imported"; },
        others_);
  const auto after = draft_.sizes();
  if (after.launches == before_.launches && after.transfers == before_.transfers &&
      after.ranges == before_.ranges && after.messages == before_.messages && after.calls == before_.calls)
    return failure(ErrorKind::BadInput, "the archive contains no region that is both entered and left",
                   input_.name(), {}, "Record a trace: SCOREP_ENABLE_TRACING=true.");
  if (after.launches == before_.launches)
    issues.count(Severity::Info, "no-kernels",
                 [&] { return fmt::format("{} contains no GPU kernels", input_.file_name()); });
  if (definitions.realtime != 0 && definitions.realtime < static_cast<std::uint64_t>(kLatestTime))
    source.utc_ns = static_cast<std::int64_t>(definitions.realtime);
  issues.move_to(draft_.report);
  return {};
}

} // namespace jitterscope::import::otf2
