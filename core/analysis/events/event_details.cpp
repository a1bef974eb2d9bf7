#include "core/analysis/events/event_details.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/core.h>

#include "core/analysis/events/partners.h"
#include "core/analysis/timeline/flow.h"

namespace jitterscope::analysis {
namespace {

// How the numbers in a column are interpreted.
enum class Meaning {
  Number,
  String,
  Resource,
  TransferKind,
  MigrationCause,
  RangeKind,
  MessageKind,
  Reference
};

Meaning meaning_of(std::string_view table, const store::ColumnView& column) {
  static const std::map<std::string, Meaning, std::less<>> kByName = {
      {"name", Meaning::String},
      {"domain", Meaning::String},
      {"stream", Meaning::Resource},
      {"thread", Meaning::Resource},
      {"device", Meaning::Resource},
      {"call", Meaning::Reference},
      {"range", Meaning::Reference},
      {"counter", Meaning::Reference},
      {"migration_cause", Meaning::MigrationCause}};
  if (column.unit == store::kTextUnit) return Meaning::String;
  if (column.name == "kind")
    return table == "transfers" ? Meaning::TransferKind
           : table == "ranges"  ? Meaning::RangeKind
                                : Meaning::MessageKind;
  const auto found = kByName.find(column.name);
  return found == kByName.end() ? Meaning::Number : found->second;
}

template <std::size_t Size>
std::string word_at(const char* const (&words)[Size], std::size_t number) {
  return number < Size ? words[number] : std::to_string(number);
}

std::string resource_text(const std::vector<store::Resource>& resources, std::uint32_t row) {
  if (row >= resources.size()) return {};
  static constexpr const char* kKinds[] = {"host", "process", "thread", "device", "stream"};
  const auto& resource = resources[row];
  const auto kind = word_at(kKinds, static_cast<std::size_t>(resource.kind));
  const auto own =
      fmt::format("{} {}", kind, resource.number) + (resource.name.empty() ? "" : " · " + resource.name);
  const bool in_device = resource.kind == store::ResourceKind::Stream && resource.parent < resources.size();
  return in_device ? own + " of " + resource_text(resources, resource.parent) : own;
}

std::string text_of(const store::Store& store, Meaning meaning, std::uint32_t value) {
  static constexpr const char* kCauses[] = {
      "", "prefetch", "page fault", "speculative prefetch", "eviction", "access counters"};
  static constexpr const char* kRanges[] = {"push and pop", "start and end", "mark", "state"};
  static constexpr const char* kMessages[] = {"point-to-point", "collective", "wait", "other",
                                              "transmission"};
  switch (meaning) {
  case Meaning::String:
    return value == kNone ? std::string() : std::string(store.string({value}));
  case Meaning::Resource:
    return resource_text(store.resources(), value);
  case Meaning::TransferKind:
    return std::string(to_string(static_cast<store::TransferKind>(value)));
  case Meaning::MigrationCause:
    return word_at(kCauses, value);
  case Meaning::RangeKind:
    return word_at(kRanges, value);
  case Meaning::MessageKind:
    return word_at(kMessages, value);
  case Meaning::Number:
  case Meaning::Reference:
    break;
  }
  return {};
}

// Integer columns encode missing values: kNone in references, kUnknownBytes in sizes.
bool missing(const store::ColumnView& column, double value) {
  if (std::isnan(value)) return true;
  if (column.type == store::ElementType::UInt32) return value == static_cast<double>(kNone);
  return column.name == "bytes" && value < 0;
}

void add_fields(const store::Store& store, std::string_view table, std::size_t row, EventDetails& details) {
  for (const auto& column : store.table(table).columns) {
    if (column.name == "start" || column.name == "time" || column.name == "duration") continue;
    const auto meaning = meaning_of(table, column);
    const double value = column.at(row);
    if (meaning == Meaning::Reference || missing(column, value)) continue;
    EventField field{column.name, column.unit, column.description};
    if (meaning == Meaning::Number)
      field.value = value;
    else
      field.text = text_of(store, meaning, static_cast<std::uint32_t>(value));
    if (meaning != Meaning::Number && field.text.empty()) continue;
    if (column.name == "name")
      details.name = field.text;
    else
      details.fields.push_back(std::move(field));
  }
}

std::int64_t bytes_of(const Trace& trace, std::int64_t transfer) {
  return trace.store.column<std::int64_t>("transfers", "bytes")[static_cast<std::size_t>(transfer)];
}

std::string transfer_name(const Trace& trace, std::int64_t transfer) {
  const auto kind = trace.store.column<std::uint8_t>("transfers", "kind")[static_cast<std::size_t>(transfer)];
  return std::string(to_string(static_cast<store::TransferKind>(kind)));
}

void add_rate(EventDetails& details) {
  const auto bytes = std::find_if(details.fields.begin(), details.fields.end(),
                                  [](const EventField& field) { return field.name == "bytes"; });
  const auto duration = details.end - details.begin;
  if (bytes == details.fields.end() || duration <= 0) return;
  const auto rate = bytes->value / static_cast<double>(duration) * 1e9;
  details.fields.push_back({"rate", "B/s", "Bytes divided by duration", rate});
}

EventLink launch_link(const Session& session, const Tracks& tracks, EventLinkKind kind, std::int64_t row) {
  const auto at = session.segments(row, row + 1).front();
  const Trace& trace = session.traces()[at.trace];
  const auto i = static_cast<std::size_t>(at.first);
  const auto& configuration = session.configurations()[trace.configuration[trace.configurations()[i]]];
  const auto begin = trace.starts()[i] + trace.shift_ns;
  return {kind,
          session.kernels()[configuration.kernel].short_name,
          tracks.track_of_stream(at.trace, trace.store.column<std::uint32_t>("launches", "stream")[i]),
          row,
          begin,
          begin + std::max<std::int64_t>(trace.extent(trace.durations()[i]), 0)};
}

EventLink transfer_link(const Trace& trace, std::uint32_t track, std::int64_t row) {
  const auto i = static_cast<std::size_t>(row);
  const auto begin = trace.store.starts("transfers")[i] + trace.shift_ns;
  const auto duration = trace.store.column<std::int64_t>("transfers", "duration")[i];
  return {EventLinkKind::Transfer, transfer_name(trace, row), track, row, begin,
          begin + duration,        bytes_of(trace, row)};
}

EventLink call_link(const Trace& trace, std::uint32_t track, std::int64_t row) {
  const auto i = static_cast<std::size_t>(row);
  const auto begin = trace.store.starts("calls")[i] + trace.shift_ns;
  return {EventLinkKind::Call,
          std::string(trace.store.string({trace.store.column<std::uint32_t>("calls", "name")[i]})),
          track,
          row,
          begin,
          begin + trace.store.column<std::int64_t>("calls", "duration")[i]};
}

// Adds the other ends of the event's arrows as links: at most kMaxEventLinks of each kind.
Expected<void> add_links(const Session& session, const Tracks& tracks, std::uint32_t track, std::int64_t row,
                         EventDetails& details) {
  const auto arrows = event_flow(session, tracks, track, row, kMaxEventLinks);
  if (!arrows) return forward(arrows.error());
  const Trace& trace = session.traces()[tracks.list()[track].trace];
  for (const auto& arrow : *arrows) {
    const bool from_here = arrow.from_track == track;
    const auto other = from_here ? arrow.to_track : arrow.from_track;
    const auto other_row = from_here ? arrow.to_row : arrow.from_row;
    switch (tracks.list()[other].kind) {
    case TrackKind::Calls:
      details.links.push_back(call_link(trace, other, other_row));
      break;
    case TrackKind::Copies:
    case TrackKind::Migrations:
      details.links.push_back(transfer_link(trace, other, other_row));
      break;
    default:
      details.links.push_back(launch_link(session, tracks, EventLinkKind::Launch, other_row));
    }
  }
  return {};
}

const char* table_behind(TrackKind kind) {
  switch (kind) {
  case TrackKind::Copies:
  case TrackKind::Migrations:
    return "transfers";
  case TrackKind::Calls:
    return "calls";
  case TrackKind::Ranges:
    return "ranges";
  case TrackKind::MpiCalls:
  case TrackKind::Messages:
    return "messages";
  default:
    return nullptr;
  }
}

tl::unexpected<Error> no_event(std::uint32_t track, std::int64_t row) {
  return failure(ErrorKind::BadUse, fmt::format("track {} has no event {}", track, row));
}

} // namespace

std::string_view to_string(EventLinkKind kind) {
  static constexpr std::string_view kNames[] = {"call", "launch", "transfer", "partner"};
  return kNames[static_cast<std::size_t>(kind)];
}

Expected<EventDetails> event_details(const Session& session, const Tracks& tracks, std::uint32_t track,
                                     std::int64_t row) {
  if (track >= tracks.list().size())
    return failure(ErrorKind::BadUse, fmt::format("there is no track {}", track));
  const auto* table = table_behind(tracks.list()[track].kind);
  const Trace& trace = session.traces()[tracks.list()[track].trace];
  if (!table || row < 0 || static_cast<std::size_t>(row) >= trace.store.table(table).rows)
    return no_event(track, row);
  const auto at = static_cast<std::size_t>(row);
  EventDetails details;
  details.begin = trace.store.starts(table)[at] + trace.shift_ns;
  details.end =
      details.begin + std::max<std::int64_t>(trace.store.column<std::int64_t>(table, "duration")[at], 0);
  add_fields(trace.store, table, at, details);
  if (std::string_view(table) == "transfers") {
    details.name = transfer_name(trace, row);
    add_rate(details);
  }
  if (auto added = add_links(session, tracks, track, row, details); !added) return forward(added.error());
  return details;
}

Expected<EventDetails> sample_details(const Session& session, const Tracks& tracks, std::uint32_t track,
                                      std::int64_t time) {
  const auto* samples = track < tracks.list().size() ? tracks.counter(track) : nullptr;
  if (!samples || samples->times.empty())
    return failure(ErrorKind::BadUse, fmt::format("track {} has no samples", track));
  const auto& about = tracks.list()[track];
  const Trace& trace = session.traces()[about.trace];
  const auto& times = samples->times;
  const auto after = std::upper_bound(times.begin(), times.end(), time - trace.shift_ns) - times.begin();
  const auto at = static_cast<std::size_t>(std::max<std::ptrdiff_t>(after - 1, 0));
  EventDetails details;
  details.name = about.label;
  details.begin = times[at] + trace.shift_ns;
  details.end = times[std::min(at + 1, times.size() - 1)] + trace.shift_ns;
  const double value = trace.store.column<double>("samples", "value")[samples->first + at];
  if (!std::isnan(value))
    details.fields.push_back({"value", about.unit, "The last sample at or before the chosen time", value});
  const auto all = samples->extremes(0, times.size());
  if (all.numbers > 0) {
    details.fields.push_back({"minimum", about.unit, "Over all samples", all.minimum});
    details.fields.push_back(
        {"mean", about.unit, "Over all samples", all.sum / static_cast<double>(all.numbers)});
    details.fields.push_back({"maximum", about.unit, "Over all samples", all.maximum});
  }
  details.fields.push_back(
      {"samples", "", "Number of samples of this counter", static_cast<double>(times.size())});
  return details;
}

Expected<LaunchLinks> launch_links(const Session& session, const LaunchColumns& columns, const Tracks& tracks,
                                   std::int64_t row, const Job& job) {
  const auto flow = launch_flow(session, tracks, row, kMaxEventLinks);
  if (!flow) return forward(flow.error());
  LaunchLinks found{{}, flow->transfer_count, flow->window_begin};
  const Trace& trace = session.traces()[session.segments(row, row + 1).front().trace];
  for (const auto& transfer : flow->transfers)
    found.links.push_back(transfer_link(trace, transfer.track, transfer.row));
  if (session.launch_order()) return found;
  auto others = partners(session, columns, row, job);
  if (!others) return forward(others.error());
  for (const auto& other : *others) {
    auto link = launch_link(session, tracks, EventLinkKind::Partner, other.row);
    const bool with_rank = !std::isnan(other.rank);
    link.name =
        with_rank ? fmt::format("rank {:.0f}", other.rank) : fmt::format("device {:.0f}", other.device);
    found.links.push_back(std::move(link));
  }
  return found;
}

} // namespace jitterscope::analysis
