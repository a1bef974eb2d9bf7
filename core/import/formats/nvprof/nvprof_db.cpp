#include "core/import/formats/nvprof/nvprof_db.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>

#include <fmt/core.h>

#include "core/import/formats/nvprof/counters.h"
#include "core/import/records/events.h"
#include "core/import/records/kernel_names.h"
#include "core/import/records/places.h"
#include "core/import/records/row_issues.h"
#include "core/import/sqlite/table_walk.h"
#include "core/import/text/text.h"

namespace jitterscope::import::nvprof {
namespace {

using sqlite::Database;
using sqlite::integer;
using sqlite::Rows;
using store::Severity;
using store::TransferKind;

constexpr std::array kKernelTables = {"CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL", "CUPTI_ACTIVITY_KIND_KERNEL",
                                      "CUPTI_ACTIVITY_KIND_CDP_KERNEL"};
constexpr std::array kCopyTables = {"CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMCPY2"};
constexpr const char* kSetTable = "CUPTI_ACTIVITY_KIND_MEMSET";
constexpr std::array kOtherTables = {
    "CUPTI_ACTIVITY_KIND_RUNTIME",    "CUPTI_ACTIVITY_KIND_DRIVER",
    "CUPTI_ACTIVITY_KIND_MARKER",     "CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER",
    "CUPTI_ACTIVITY_KIND_METRIC",     "CUPTI_ACTIVITY_KIND_METRIC_INSTANCE",
    "CUPTI_ACTIVITY_KIND_EVENT",      "CUPTI_ACTIVITY_KIND_EVENT_INSTANCE",
    "CUPTI_ACTIVITY_KIND_PC_SAMPLING"};
// Tables that describe the program and its devices: they contain no events.
constexpr std::array kDescriptions = {"CUPTI_ACTIVITY_KIND_DEVICE",
                                      "CUPTI_ACTIVITY_KIND_DEVICE_ATTRIBUTE",
                                      "CUPTI_ACTIVITY_KIND_CONTEXT",
                                      "CUPTI_ACTIVITY_KIND_STREAM",
                                      "CUPTI_ACTIVITY_KIND_NAME",
                                      "CUPTI_ACTIVITY_KIND_FUNCTION",
                                      "CUPTI_ACTIVITY_KIND_MODULE",
                                      "CUPTI_ACTIVITY_KIND_SOURCE_LOCATOR",
                                      "CUPTI_ACTIVITY_KIND_MARKER_DATA",
                                      "CUPTI_ACTIVITY_KIND_PC_SAMPLING_RECORD_INFO",
                                      "CUPTI_ACTIVITY_KIND_INSTRUCTION_CORRELATION"};

constexpr std::int64_t kMaxSpan = std::int64_t{1} << 59;         // 18 years between two rows
constexpr std::int64_t kEarliestEpoch = 100'000'000'000'000'000; // 1973: smaller times do not count from 1970
constexpr std::int64_t kMaxDevice = 65'535;
constexpr std::int64_t kMarkStart = 2, kMarkEnd = 4;         // flags of a marker
constexpr std::int64_t kBytesToDevice = 1, kBytesToHost = 2; // kinds of counters of unified memory

std::uint32_t count_of(const Rows& rows, int column) {
  const auto value = integer(rows, column).value_or(0);
  return value < 0 || value > std::int64_t{0xFFFFFFFF} ? 0 : static_cast<std::uint32_t>(value);
}

class Session : private sqlite::TableWalk {
public:
  Session(Database& database, Draft& draft, const Progress& file_progress)
      : TableWalk(database, file_progress), draft_(draft), names_(draft),
        places_(draft, draft.add_resource(store::ResourceKind::Host, kNone, 0, {})) {}

  Expected<void> read(const std::string& file, store::Source& source);

private:
  Expected<void> read_texts();
  Expected<void> read_devices();
  Expected<void> read_calls(const std::string& table, bool driver);
  Expected<void> read_kernels(const std::string& table);
  Expected<void> read_copies(const std::string& table);
  Expected<void> read_sets();
  Expected<void> read_migrations();
  Expected<void> read_markers();
  Expected<void> read_counters(const DraftSizes& from);
  Expected<void> note_left_out();

  std::optional<Times> times(const Rows& rows, const std::string& table);
  std::optional<std::uint32_t> stream(const Rows& rows, int device_column, const std::string& table);
  std::string text(const Rows& rows, int column) const;
  std::uint32_t call(std::uint32_t correlation) const;
  void transfer(const Times& times, TransferKind kind, std::int64_t bytes, std::uint32_t stream,
                std::uint32_t correlation);
  std::int64_t bytes(const Rows& rows, int column, const std::string& table);
  std::optional<std::int64_t> rebase(const DraftSizes& from);

  Draft& draft_;
  RowIssues issues_;
  KernelNames names_;
  Places places_;
  std::unordered_map<std::int64_t, std::string> texts_;
  std::unordered_map<std::uint32_t, std::uint32_t> call_of_;
  std::optional<std::int64_t> base_; // start of the first row: all others are within kMaxSpan of it
  std::optional<std::int64_t> process_;
};

Expected<void> Session::read_texts() {
  return for_each("StringTable", {"_id_", "value"}, [&](const Rows& rows) {
    if (rows.is_integer(0) && rows.is_text(1)) texts_[rows.integer(0)] = std::string(rows.text(1));
  });
}

std::string Session::text(const Rows& rows, int column) const {
  if (rows.is_text(column)) return std::string(rows.text(column));
  const auto id = integer(rows, column);
  const auto found = id ? texts_.find(*id) : texts_.end();
  return found == texts_.end() ? std::string() : found->second;
}

Expected<void> Session::read_devices() {
  return for_each("CUPTI_ACTIVITY_KIND_DEVICE",
                  {"id", "name", "numMultiprocessors", "computeCapabilityMajor", "computeCapabilityMinor"},
                  [&](const Rows& rows) {
                    const auto number = integer(rows, 0);
                    if (!number || *number < 0 || *number > kMaxDevice) return;
                    Gpu gpu;
                    gpu.name = clean_text(text(rows, 1));
                    gpu.compute_units = integer(rows, 2).value_or(0);
                    if (const auto major = integer(rows, 3))
                      gpu.properties["compute_capability"] =
                          fmt::format("{}.{}", *major, integer(rows, 4).value_or(0));
                    places_.describe(*number, std::move(gpu));
                  });
}

std::optional<Times> Session::times(const Rows& rows, const std::string& table) {
  const auto start = integer(rows, 0), end = integer(rows, 1);
  const auto drop = [&](const char* code, const char* why) {
    issues_.count(Severity::Drop, code, [&] { return fmt::format("{} row {} {}", table, rows.row(), why); });
    return std::nullopt;
  };
  if (!start || !end || *start <= 0) return drop("missing-time", "has no usable start or end");
  if (*end < *start) return drop("negative-duration", "ends before it starts");
  if (!base_ && *start <= 4 * kEarliestEpoch * 10) base_ = *start;
  if (!base_ || std::max(*start, *base_) - std::min(*start, *base_) > kMaxSpan || *end - *start > kMaxSpan) {
    issues_.count(Severity::Drop, "impossible-time", [&] {
      return fmt::format("{} row {} has the time {} to {} ns, which is out of range", table, rows.row(),
                         *start, *end);
    });
    return std::nullopt;
  }
  return Times{*start, *end - *start};
}

Expected<void> Session::read_calls(const std::string& table, bool driver) {
  return for_each(table, {"start", "end", "cbid", "processId", "threadId", "correlationId", "returnValue"},
                  [&](const Rows& rows) {
                    const auto when = times(rows, table);
                    if (!when) return;
                    const auto process = integer(rows, 3).value_or(0);
                    if (!process_) process_ = process;
                    const auto row = static_cast<std::uint32_t>(draft_.calls.start.size());
                    const auto number = integer(rows, 2).value_or(-1);
                    const auto name =
                        draft_.strings.intern(driver ? driver_call(number) : runtime_call(number)).value;
                    const auto thread =
                        places_.thread(places_.process(process), integer(rows, 4).value_or(0));
                    push_call(draft_, *when, name, thread, count_of(rows, 5), count_of(rows, 6));
                    if (count_of(rows, 5) != 0) call_of_.try_emplace(count_of(rows, 5), row);
                  });
}

std::uint32_t Session::call(std::uint32_t correlation) const {
  const auto found = call_of_.find(correlation);
  return found == call_of_.end() ? kNone : found->second;
}

// From `device_column` on: deviceId, contextId, streamId.
std::optional<std::uint32_t> Session::stream(const Rows& rows, int device_column, const std::string& table) {
  const auto device = integer(rows, device_column);
  if (!device || *device < 0 || *device > kMaxDevice) {
    issues_.count(Severity::Drop, "missing-device", [&] {
      return fmt::format("{} row {} does not state on which device it ran", table, rows.row());
    });
    return {};
  }
  const auto process = places_.process(process_.value_or(0));
  return places_.stream(places_.device(process, *device), integer(rows, device_column + 2).value_or(0));
}

Expected<void> Session::read_kernels(const std::string& table) {
  return for_each(table,
                  {"start", "end", "deviceId", "contextId", "streamId", "name", "correlationId", "gridX",
                   "gridY", "gridZ", "blockX", "blockY", "blockZ", "staticSharedMemory",
                   "dynamicSharedMemory", "registersPerThread", "graphNodeId"},
                  [&](const Rows& rows) {
                    const auto when = times(rows, table);
                    const auto on = when ? stream(rows, 2, table) : std::nullopt;
                    if (!on) return;
                    const auto name = text(rows, 5);
                    if (name.empty()) {
                      issues_.count(Severity::Drop, "missing-name", [&] {
                        return fmt::format("{} row {} does not name a kernel", table, rows.row());
                      });
                      return;
                    }
                    Configuration c;
                    c.kernel = names_.of(name).kernel;
                    c.grid_x = count_of(rows, 7), c.grid_y = count_of(rows, 8), c.grid_z = count_of(rows, 9);
                    c.block_x = count_of(rows, 10), c.block_y = count_of(rows, 11),
                    c.block_z = count_of(rows, 12);
                    c.static_shared_memory = count_of(rows, 13);
                    c.dynamic_shared_memory = count_of(rows, 14);
                    c.registers = count_of(rows, 15);
                    const auto correlation = count_of(rows, 6);
                    push_launch(draft_, *when, draft_.configuration(c), *on, correlation, call(correlation),
                                count_of(rows, 16) != 0 ? store::kLaunchGraph : 0);
                  });
}

std::int64_t Session::bytes(const Rows& rows, int column, const std::string& table) {
  return checked_bytes(issues_, integer(rows, column), [&] { return sqlite::place_of(rows, table); });
}

void Session::transfer(const Times& when, TransferKind kind, std::int64_t size, std::uint32_t on,
                       std::uint32_t correlation) {
  push_transfer(draft_, when, kind, size, on, correlation, call(correlation));
}

Expected<void> Session::read_copies(const std::string& table) {
  using enum TransferKind;
  // CUPTI's kinds: none, HtoD, DtoH, HtoA, AtoH, AtoA, AtoD, DtoA, DtoD, HtoH, PtoP.
  static constexpr TransferKind kKinds[] = {Unknown,        HostToDevice,   DeviceToHost,   HostToDevice,
                                            DeviceToHost,   DeviceToDevice, DeviceToDevice, DeviceToDevice,
                                            DeviceToDevice, HostToHost,     PeerToPeer};
  return for_each(table,
                  {"start", "end", "deviceId", "contextId", "streamId", "copyKind", "bytes", "correlationId",
                   "runtimeCorrelationId"},
                  [&](const Rows& rows) {
                    const auto when = times(rows, table);
                    const auto on = when ? stream(rows, 2, table) : std::nullopt;
                    if (!on) return;
                    const auto number = integer(rows, 5).value_or(0);
                    const bool known = number > 0 && number < static_cast<std::int64_t>(std::size(kKinds));
                    const auto own = count_of(rows, 7);
                    transfer(*when, known ? kKinds[number] : Unknown, bytes(rows, 6, table), *on,
                             call(own) == kNone && count_of(rows, 8) != 0 ? count_of(rows, 8) : own);
                  });
}

Expected<void> Session::read_sets() {
  return for_each(kSetTable, {"start", "end", "deviceId", "contextId", "streamId", "bytes", "correlationId"},
                  [&](const Rows& rows) {
                    const auto when = times(rows, kSetTable);
                    const auto on = when ? stream(rows, 2, kSetTable) : std::nullopt;
                    if (on)
                      transfer(*when, TransferKind::Memset, bytes(rows, 5, kSetTable), *on,
                               count_of(rows, 6));
                  });
}

Expected<void> Session::read_migrations() {
  const std::string table = "CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER";
  return for_each(table, {"start", "end", "counterKind", "value", "srcId", "dstId"}, [&](const Rows& rows) {
    const auto kind = integer(rows, 2).value_or(0);
    if (kind != kBytesToDevice && kind != kBytesToHost) return;
    const auto when = times(rows, table);
    if (!when) return;
    const auto device = integer(rows, kind == kBytesToDevice ? 5 : 4).value_or(0);
    const auto process = places_.process(process_.value_or(0));
    transfer(
        *when,
        kind == kBytesToDevice ? TransferKind::MigrationHostToDevice : TransferKind::MigrationDeviceToHost,
        bytes(rows, 3, table), places_.device(process, device >= 0 && device <= kMaxDevice ? device : 0), 0);
  });
}

// The layout of the bytes that store the thread differs between versions: all ranges are put on one thread.
Expected<void> Session::read_markers() {
  const std::string table = "CUPTI_ACTIVITY_KIND_MARKER";
  struct Open {
    std::int64_t start;
    std::uint32_t name, domain;
  };
  std::unordered_map<std::int64_t, Open> open;
  const auto push = [&](const Open& range, std::int64_t end, std::uint8_t kind) {
    push_range(draft_, {range.start, std::max<std::int64_t>(end - range.start, 0)}, range.name, range.domain,
               places_.thread(places_.process(process_.value_or(0)), 0), kind);
  };
  return for_each(table, {"timestamp", "timestamp", "flags", "id", "name", "domain"}, [&](const Rows& rows) {
    const auto when = times(rows, table);
    const auto id = integer(rows, 3);
    if (!when || !id) return;
    const auto flags = integer(rows, 2).value_or(0);
    const Open here{when->start, draft_.strings.intern(clean_text(text(rows, 4))).value,
                    draft_.strings.intern(clean_text(text(rows, 5))).value};
    if ((flags & kMarkStart) != 0) {
      open[*id] = here;
    } else if ((flags & kMarkEnd) != 0) {
      const auto begun = open.find(*id);
      if (begun == open.end()) return;
      push(begun->second, when->start, kStartEndRange);
      open.erase(begun);
    } else {
      push(here, when->start, kMark);
    }
  });
}

Expected<void> Session::read_counters(const DraftSizes& from) {
  LaunchCounters counters(draft_, from.launches, issues_);
  const auto each = [&](const std::string& table, auto&& add) {
    return for_each(table, {"correlationId", "id", "value"}, [&](const Rows& rows) {
      if (const auto id = integer(rows, 1)) add(count_of(rows, 0), *id, rows);
    });
  };
  const auto metric = [&](bool of_instance) {
    return [&counters, of_instance](std::uint32_t correlation, std::int64_t id, const Rows& rows) {
      if (rows.is_blob(2))
        counters.add_metric(correlation, id, rows.blob(2), of_instance);
      else if (rows.is_number(2))
        counters.add_metric(correlation, id, rows.number(2), of_instance);
    };
  };
  const auto event = [&](bool of_instance) {
    return [&counters, of_instance](std::uint32_t correlation, std::int64_t id, const Rows& rows) {
      if (rows.is_number(2)) counters.add_event(correlation, id, rows.number(2), of_instance);
    };
  };
  if (auto done = each("CUPTI_ACTIVITY_KIND_METRIC", metric(false)); !done) return done;
  if (auto done = each("CUPTI_ACTIVITY_KIND_METRIC_INSTANCE", metric(true)); !done) return done;
  if (auto done = each("CUPTI_ACTIVITY_KIND_EVENT", event(false)); !done) return done;
  if (auto done = each("CUPTI_ACTIVITY_KIND_EVENT_INSTANCE", event(true)); !done) return done;
  auto done = for_each("CUPTI_ACTIVITY_KIND_PC_SAMPLING",
                       {"correlationId", "stallReason", "samples", "latencySamples"}, [&](const Rows& rows) {
                         counters.add_samples(count_of(rows, 0), integer(rows, 1).value_or(0),
                                              count_of(rows, 2), count_of(rows, 3));
                       });
  if (!done) return done;
  counters.finish();
  return {};
}

// Reports other kinds of events in the file, with their numbers of rows.
Expected<void> Session::note_left_out() {
  const auto is_one_of = [](const auto& tables, const std::string& table) {
    return std::find(tables.begin(), tables.end(), table) != tables.end();
  };
  std::int64_t rows = 0;
  std::string text;
  for (const auto& table : db.tables()) {
    if (!table.starts_with("CUPTI_ACTIVITY_KIND_") || is_one_of(kKernelTables, table) ||
        is_one_of(kCopyTables, table) || table == kSetTable || is_one_of(kOtherTables, table) ||
        is_one_of(kDescriptions, table))
      continue;
    const auto count = db.count_rows(table);
    if (!count && count.error().kind != ErrorKind::BadInput) return forward(count.error());
    if (!count || *count == 0) continue;
    rows += *count;
    text += fmt::format("{}{} of {}", text.empty() ? "" : ", ", *count, clean_text(table));
  }
  if (rows > 0)
    issues_.count(
        Severity::Info, "not-imported", [&] { return "rows not imported: " + text; }, rows);
  return {};
}

// Makes times relative to the first one, which is returned.
std::optional<std::int64_t> Session::rebase(const DraftSizes& from) {
  std::optional<std::int64_t> first;
  const auto each = [&](auto&& use) {
    use(draft_.launches.start, from.launches);
    use(draft_.transfers.start, from.transfers);
    use(draft_.calls.start, from.calls);
    use(draft_.ranges.start, from.ranges);
  };
  each([&](auto& starts, std::size_t begin) {
    for (auto row = begin; row < starts.size(); ++row)
      first = std::min(first.value_or(starts[row]), starts[row]);
  });
  each([&](auto& starts, std::size_t begin) {
    for (auto row = begin; row < starts.size(); ++row) starts[row] -= *first;
  });
  return first;
}

Expected<void> Session::read(const std::string& file, store::Source& source) {
  const auto before = draft_.sizes();
  expect({"StringTable", "CUPTI_ACTIVITY_KIND_RUNTIME", "CUPTI_ACTIVITY_KIND_DRIVER", kKernelTables[0],
          kKernelTables[1], kCopyTables[0], kSetTable});
  if (auto done = read_texts(); !done) return done;
  if (auto done = read_devices(); !done) return done;
  if (auto done = read_calls("CUPTI_ACTIVITY_KIND_RUNTIME", false); !done) return done;
  if (auto done = read_calls("CUPTI_ACTIVITY_KIND_DRIVER", true); !done) return done;
  for (const auto* table : kKernelTables)
    if (auto done = read_kernels(table); !done) return done;
  for (const auto* table : kCopyTables)
    if (auto done = read_copies(table); !done) return done;
  if (auto done = read_sets(); !done) return done;
  if (auto done = read_migrations(); !done) return done;
  if (auto done = read_markers(); !done) return done;
  if (auto done = read_counters(before); !done) return done;
  if (auto done = note_left_out(); !done) return done;
  const auto after = draft_.sizes();
  if (after.launches == before.launches && after.transfers == before.transfers)
    return failure(ErrorKind::BadInput, "this nvprof database contains neither kernels nor copies", file, {},
                   "Record again: nvprof --export-profile FILE.nvvp PROGRAM");
  if (after.launches == before.launches)
    issues_.count(Severity::Doubt, "no-kernels", [&] { return fmt::format("{} contains no kernels", file); });
  if (const auto first = rebase(before); first && *first >= kEarliestEpoch) source.utc_ns = *first;
  issues_.move_to(draft_.report);
  return {};
}

} // namespace

bool recognises(const Database& database) {
  return database.has_table("StringTable") &&
         (std::any_of(kKernelTables.begin(), kKernelTables.end(),
                      [&](const char* t) { return database.has_table(t); }) ||
          std::any_of(kCopyTables.begin(), kCopyTables.end(),
                      [&](const char* t) { return database.has_table(t); }));
}

Expected<void> read(Database& database, const Input& input, Draft& draft, store::Source& source,
                    const Progress& progress) {
  if (database.has_table("Version")) {
    auto rows = database.select("Version", {"version"});
    if (rows)
      if (const auto more = rows->next(); more && *more && rows->is_integer(0))
        source.schema = fmt::format("{}", rows->integer(0));
  }
  return Session(database, draft, progress).read(input.name(), source);
}

} // namespace jitterscope::import::nvprof
