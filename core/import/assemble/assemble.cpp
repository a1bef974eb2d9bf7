#include "core/import/assemble/assemble.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "core/base/spill_vector.h"
#include "core/import/assemble/nesting.h"
#include "core/import/assemble/resource_order.h"
#include "core/import/assemble/row_order.h"

namespace jitterscope::import {
namespace {

using store::TraceData;

void shift(SpillVector<std::int64_t>& times, std::size_t from, std::size_t to, std::int64_t by) {
  if (by == 0) return;
  for (std::size_t row = from; row < to; ++row) {
    SpillMemory::relieve_at(row);
    times[row] += by;
  }
}

void shift_all(Draft& draft, const FilePart& part) {
  shift(draft.launches.start.values(), part.from.launches, part.to.launches, part.shift_ns);
  shift(draft.transfers.start, part.from.transfers, part.to.transfers, part.shift_ns);
  shift(draft.calls.start, part.from.calls, part.to.calls, part.shift_ns);
  shift(draft.ranges.start, part.from.ranges, part.to.ranges, part.shift_ns);
  shift(draft.samples.time, part.from.samples, part.to.samples, part.shift_ns);
  shift(draft.messages.start, part.from.messages, part.to.messages, part.shift_ns);
}

template <class T>
void reorder(const Permutation& order, SpillVector<T>& column, Stop& stop) {
  if (order.empty()) return;
  constexpr std::size_t kPiece = 32'768;
  SpillVector<T> sorted;
  sorted.reserve(column.size());
  for (std::size_t row = 0; row < order.size();) {
    if (stop.requested()) return;
    sorted.resize(std::min(order.size(), row + kPiece)); // the piece is still in the cache when it is filled
    for (; row < sorted.size(); ++row) sorted[row] = std::move(column[order[row]]);
  }
  column = std::move(sorted);
}

template <class T>
void reorder(const Permutation& order, DraftColumn<T>& column, Stop& stop) {
  if (!column.constant()) reorder(order, column.values(), stop);
}

template <class... Columns>
void reorder_all(Stop& stop, const Permutation& order, Columns&... columns) {
  (reorder(order, columns, stop), ...);
}

void renumber(SpillVector<std::uint32_t>& references, std::span<const std::uint32_t> new_row) {
  for (std::size_t row = 0; row < references.size(); ++row) {
    SpillMemory::relieve_at(row);
    if (auto& reference = references[row]; reference != kNone) reference = new_row[reference];
  }
}

SpillVector<std::uint32_t> inverse(const Permutation& order) {
  SpillVector<std::uint32_t> new_row(order.size());
  for (std::uint32_t row = 0; row < order.size(); ++row) {
    SpillMemory::relieve_at(row);
    new_row[order[row]] = row;
  }
  return new_row;
}

void reorder_resources(Draft& draft) {
  const auto new_row = order_resources(draft.resources);
  for (auto* column : {&draft.launches.stream.values(), &draft.transfers.stream, &draft.calls.thread,
                       &draft.ranges.thread, &draft.messages.thread})
    renumber(*column, new_row);
  for (auto& counter : draft.counters) counter.device = new_row[counter.device];
  for (auto& device : draft.devices) device.resource = draft.resources[new_row[device.resource]].physical;
  std::sort(draft.devices.begin(), draft.devices.end(),
            [](const auto& a, const auto& b) { return a.resource < b.resource; });
}

// Sorts counters by device and name: their order must not depend on the order in a schema.
void reorder_counters(Draft& draft, Stop& stop) {
  Permutation order(draft.counters.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const auto& x = draft.counters[a];
    const auto& y = draft.counters[b];
    if (x.device != y.device) return x.device < y.device;
    return draft.strings[StringId{x.name}] < draft.strings[StringId{y.name}];
  });
  renumber(draft.samples.counter, inverse(order));
  reorder(order, draft.counters, stop);
}

// Launches beyond the end of an attribute's values have no value of the attribute.
void reorder_attributes(Draft& draft, const Permutation& launch_order, Stop& stop) {
  const auto launches = draft.launches.start.size();
  for (auto& attribute : draft.attributes.all()) {
    if (stop.requested()) return;
    if (attribute.text) {
      attribute.strings.resize(launches, kNone);
      reorder(launch_order, attribute.strings, stop);
    } else {
      auto& numbers = attribute.numbers.values();
      numbers.resize(launches, std::numeric_limits<double>::quiet_NaN());
      reorder(launch_order, numbers, stop);
    }
  }
}

void sort_events(Draft& draft, Stop& stop) {
  auto& calls = draft.calls;
  const auto call_order = sorted_order(calls.start, calls.thread, stop);
  reorder_all(stop, call_order, calls.start, calls.duration, calls.name, calls.thread, calls.correlation,
              calls.result);
  if (!call_order.empty() && !stop.requested()) {
    const auto new_row = inverse(call_order);
    renumber(draft.launches.call.values(), new_row);
    renumber(draft.transfers.call, new_row);
  }
  auto& l = draft.launches;
  const auto launch_order = sorted_order(l.start.values(), l.stream.values(), stop);
  reorder_all(stop, launch_order, l.start, l.duration, l.configuration, l.stream, l.call, l.correlation,
              l.flags);
  reorder_attributes(draft, launch_order, stop);
  auto& t = draft.transfers;
  reorder_all(stop, sorted_order(t.start, t.stream, stop), t.start, t.duration, t.bytes, t.kind, t.cause,
              t.stream, t.call, t.correlation);
  auto& r = draft.ranges;
  reorder_all(stop, sorted_order(r.start, r.thread, stop), r.start, r.duration, r.name, r.domain, r.thread,
              r.kind);
  auto& s = draft.samples;
  reorder_all(stop, grouped_order(s.counter, draft.counters.size(), s.time, stop), s.time, s.counter,
              s.value);
  auto& m = draft.messages;
  reorder_all(stop, sorted_order(m.start, m.thread, stop), m.start, m.duration, m.bytes, m.kind, m.thread,
              m.name, m.peer, m.tag, m.sent_before, m.received_after, m.peer_thread);
}

// Removes kernels and configurations whose launches were only counted, or were left out later. The others
// keep their order.
void drop_unused_kernels(Draft& draft) {
  SpillVector<std::uint32_t> configuration_row(draft.configurations.size(), kNone),
      kernel_row(draft.kernels.size(), kNone);
  for (std::size_t row = 0; row < draft.launches.start.size(); ++row) {
    SpillMemory::relieve_at(row);
    const auto configuration = draft.launches.configuration[row];
    configuration_row[configuration] = 0;
    kernel_row[draft.configurations[configuration].kernel] = 0;
  }
  const auto keep = [](auto& rows, SpillVector<std::uint32_t>& new_row) {
    std::uint32_t kept = 0;
    for (std::size_t row = 0; row < rows.size(); ++row)
      if (new_row[row] != kNone) {
        rows[kept] = rows[row];
        new_row[row] = kept++;
      }
    const bool all = kept == rows.size();
    rows.resize(kept);
    return all;
  };
  keep(draft.kernels, kernel_row);
  const bool all = keep(draft.configurations, configuration_row);
  for (auto& configuration : draft.configurations) configuration.kernel = kernel_row[configuration.kernel];
  for (std::size_t row = 0; row < draft.launches.start.size() && !all; ++row) {
    SpillMemory::relieve_at(row);
    draft.launches.configuration[row] = configuration_row[draft.launches.configuration[row]];
  }
}

// One member of all rows as a column.
template <class Row, class T>
SpillVector<T> member(const SpillVector<Row>& rows, T Row::*field) {
  SpillVector<T> values;
  values.reserve(rows.size());
  for (const auto& row : rows) values.push_back(row.*field);
  return values;
}

void add_kernels(TraceData& data, const Draft& draft) {
  auto& kernels = data.add_table("kernels");
  kernels.add("name", "", "Full signature of the kernel", member(draft.kernels, &Kernel::name));
  kernels.add("short_name", "", "Name without template arguments and parameters",
              member(draft.kernels, &Kernel::short_name));
  auto& table = data.add_table("configurations");
  const auto add = [&](const char* name, const char* unit, const char* text,
                       std::uint32_t Configuration::*field) {
    table.add(name, unit, text, member(draft.configurations, field));
  };
  add("kernel", "", "Row in table kernels", &Configuration::kernel);
  add("grid_x", "", "Number of blocks of the grid along x", &Configuration::grid_x);
  add("grid_y", "", "Number of blocks of the grid along y", &Configuration::grid_y);
  add("grid_z", "", "Number of blocks of the grid along z", &Configuration::grid_z);
  add("block_x", "", "Number of threads of a block along x", &Configuration::block_x);
  add("block_y", "", "Number of threads of a block along y", &Configuration::block_y);
  add("block_z", "", "Number of threads of a block along z", &Configuration::block_z);
  add("static_shared_memory", "B", "Static shared memory of a block", &Configuration::static_shared_memory);
  add("dynamic_shared_memory", "B", "Dynamic shared memory of a block, requested at launch",
      &Configuration::dynamic_shared_memory);
  add("registers", "", "Registers per thread", &Configuration::registers);
  add("variant", "", "Further property that distinguishes the configuration, empty when there is none",
      &Configuration::variant);
}

void add_launches(TraceData& data, LaunchRows&& rows) {
  auto& table = data.add_table("launches");
  const auto count = rows.start.size();
  table.add("start", "ns", "Start of the execution", std::move(rows.start.values()));
  table.add("duration", "ns", "Duration of the execution", std::move(rows.duration));
  table.add("configuration", "", "Row in table configurations", std::move(rows.configuration.values()));
  table.add("stream", "", "Index of the stream in the store's resources", std::move(rows.stream.values()));
  table.add("call", "", "Row of the launch call in table calls, 4294967295 when unknown",
            std::move(rows.call.values()));
  table.add(
      "range", "",
      "Row of the innermost range around the launch call in table ranges, 4294967295 when there is none",
      SpillVector<std::uint32_t>(count, kNone));
  table.add("correlation", "", "Number that the profiler gave to the launch",
            std::move(rows.correlation.values()));
  table.add("flags", "",
            "Flags: 1 first launch of its configuration on its device, 2 part of a graph, 4 cooperative, 8 "
            "overlaps an earlier launch on its stream",
            std::move(rows.flags.values()));
}

void add_attributes(TraceData& data, Attributes&& attributes) {
  auto& table = *data.find("launches");
  for (auto& attribute : attributes.all()) {
    if (attribute.parameter) data.manifest.parameter_columns.push_back(attribute.name);
    if (attribute.text)
      table.add(attribute.name, std::string(store::kTextUnit), attribute.description,
                std::move(attribute.strings));
    else
      table.add(attribute.name, attribute.unit, attribute.description, std::move(attribute.numbers.values()));
  }
}

void add_transfers(TraceData& data, TransferRows&& rows) {
  auto& table = data.add_table("transfers");
  table.add("start", "ns", "Start of the memory operation", std::move(rows.start));
  table.add("duration", "ns", "Duration of the memory operation", std::move(rows.duration));
  table.add("bytes", "B", "Number of bytes moved or set, -1 when unknown", std::move(rows.bytes));
  table.add("kind", "", "Kind of memory operation (host-to-device …)", std::move(rows.kind));
  table.add("migration_cause", "", "Cause of the page migration, 0 none or unknown", std::move(rows.cause));
  table.add("stream", "", "Index of the stream in the store's resources; of the device for migrations",
            std::move(rows.stream));
  table.add("call", "", "Row of the requesting call in table calls, 4294967295 when unknown",
            std::move(rows.call));
  table.add("correlation", "", "Number that the profiler gave to the operation", std::move(rows.correlation));
}

void add_calls(TraceData& data, CallRows&& rows) {
  auto& table = data.add_table("calls");
  table.add("start", "ns", "Start of the call", std::move(rows.start));
  table.add("duration", "ns", "Duration until the call returned", std::move(rows.duration));
  table.add("name", "", "Name of the function, without the version suffix that the profiler appends (_v7000)",
            std::move(rows.name));
  table.add("thread", "", "Index of the calling thread in the store's resources", std::move(rows.thread));
  table.add("correlation", "", "Number that the profiler gave to the call", std::move(rows.correlation));
  table.add("result", "", "Return value of the call, 0 success", std::move(rows.result.values()));
}

void add_ranges(TraceData& data, RangeRows&& rows, Stop& stop) {
  auto depth = nesting_depth(rows.start, rows.duration, rows.thread, rows.kind.values(), stop);
  auto& table = data.add_table("ranges");
  table.add("start", "ns", "Start of the range", std::move(rows.start));
  table.add("duration", "ns", "Duration of the range, 0 for marks", std::move(rows.duration));
  table.add("name", "", "Text of the range", std::move(rows.name));
  table.add("domain", "", "Name of the range's domain, empty for the default domain",
            std::move(rows.domain.values()));
  table.add("thread", "", "Index in the store's resources of the thread that opened the range",
            std::move(rows.thread));
  table.add(
      "depth", "",
      "Number of push/pop ranges of the thread that enclose the range: 0 for the outermost, at most 255",
      std::move(depth));
  table.add("kind", "", "0 push/pop, 1 start/end, 2 mark, 3 state", std::move(rows.kind.values()));
}

void add_samples(TraceData& data, SampleRows&& rows, const SpillVector<Counter>& counters) {
  auto& samples = data.add_table("samples");
  samples.add("time", "ns", "Time of the sample", std::move(rows.time));
  samples.add("counter", "", "Row in table counters", std::move(rows.counter));
  samples.add("value", "", "Value, in the unit of the counter", std::move(rows.value));
  auto& table = data.add_table("counters");
  table.add("name", "", "Name of the sampled metric", member(counters, &Counter::name));
  table.add("unit", "", "Unit of the values", member(counters, &Counter::unit));
  table.add("device", "", "Index of the device or thread in the store's resources",
            member(counters, &Counter::device));
  if (std::ranges::any_of(counters, [](const Counter& counter) { return counter.type != 0; }))
    table.add(std::string(store::kCounterType), "",
              "Number of the counter's event type in the Paraver trace, 0 if it has none",
              member(counters, &Counter::type));
  if (std::ranges::any_of(counters, &Counter::holds))
    table.add("holds", "", "1: each value holds until the next sample; 0: sampled",
              member(counters, &Counter::holds));
}

void add_messages(TraceData& data, MessageRows&& rows) {
  auto& table = data.add_table("messages");
  table.add("start", "ns", "Start of the MPI call", std::move(rows.start));
  table.add("duration", "ns", "Duration until the call returned", std::move(rows.duration));
  table.add("thread", "", "Index of the calling thread in the store's resources", std::move(rows.thread));
  table.add("kind", "", "0 point-to-point, 1 collective, 2 wait, 3 other, 4 transmission",
            std::move(rows.kind));
  table.add("name", "", "Name of the MPI function", std::move(rows.name));
  table.add("peer", "", "Rank of the peer or of the root, 4294967295 when unknown", std::move(rows.peer));
  table.add("bytes", "B", "Size of the message, -1 when unknown", std::move(rows.bytes));
  table.add("tag", "", "Tag of the message, 4294967295 when unknown", std::move(rows.tag));
  const auto is_zero = [](const auto& column) {
    return column.empty() || (column.constant() && column[0] == 0);
  };
  if (!is_zero(rows.peer_thread))
    table.add(std::string(store::kPeerThread), "",
              "Transmissions: number of the receiving thread among the host threads of the peer, from 0",
              std::move(rows.peer_thread.values()));
  if (is_zero(rows.sent_before) && is_zero(rows.received_after)) return;
  table.add(std::string(store::kSentBefore), "ns",
            "Transmissions: from the logical send, the call of MPI, to the start",
            std::move(rows.sent_before.values()));
  table.add(std::string(store::kReceivedAfter), "ns",
            "Transmissions: from the end to the logical receive; negative if it is earlier",
            std::move(rows.received_after.values()));
}

bool countable(const DraftSizes& sizes) {
  return std::max({sizes.launches, sizes.transfers, sizes.calls, sizes.ranges, sizes.samples,
                   sizes.messages}) < kNone;
}

} // namespace

Expected<TraceData> assemble(Draft&& draft, const std::vector<FilePart>& parts, const Job& job) {
  if (!countable(draft.sizes()))
    return failure(ErrorKind::BadInput, "a table has more than 4294967294 rows", {}, {},
                   "Record a shorter part of the run.");
  Stop stop(job);
  for (const auto& part : parts) shift_all(draft, part);
  reorder_resources(draft);
  if (!stop.requested()) reorder_counters(draft, stop);
  if (!stop.requested()) sort_events(draft, stop);
  if (stop.requested()) return Job::cancelled_error();
  drop_unused_kernels(draft);
  TraceData data;
  add_kernels(data, draft);
  add_launches(data, std::move(draft.launches));
  add_attributes(data, std::move(draft.attributes));
  add_transfers(data, std::move(draft.transfers));
  add_calls(data, std::move(draft.calls));
  add_ranges(data, std::move(draft.ranges), stop);
  add_samples(data, std::move(draft.samples), draft.counters);
  add_messages(data, std::move(draft.messages));
  data.strings = std::move(draft.strings);
  data.resources = std::move(draft.resources);
  data.manifest.devices = std::move(draft.devices);
  data.manifest.paraver = std::move(draft.paraver);
  data.manifest.machine = std::move(draft.machine);
  if (stop.requested()) return Job::cancelled_error();
  return data;
}

} // namespace jitterscope::import
