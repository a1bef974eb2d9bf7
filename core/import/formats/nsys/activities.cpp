#include <algorithm>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "core/import/formats/nsys/session.h"
#include "core/import/records/call_index.h"
#include "core/import/records/events.h"
#include "core/import/text/text.h"

namespace jitterscope::import::nsys {
namespace {

using sqlite::Rows;
using store::MigrationCause;
using store::Severity;
using store::TransferKind;

const std::string kKernels = "CUPTI_ACTIVITY_KIND_KERNEL";
const std::string kCopies = "CUPTI_ACTIVITY_KIND_MEMCPY";
const std::string kGraphs = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";
const std::string kSets = "CUPTI_ACTIVITY_KIND_MEMSET";

constexpr std::int64_t kMaxDevice =
    65'535; // maximum device number: every device costs memory, no machine has more
constexpr std::int64_t kCooperative = 2, kMultiDeviceCooperative = 3;

/// Times, process, device and correlation number of an activity: the columns common to kernels, copies,
/// memsets and graphs.
struct Activity {
  Times times;
  std::uint32_t process = 0, device = 0;
  std::uint32_t correlation = 0;
};

// Columns common to the four tables, first in every query of activities.
const std::vector<std::string> kCommon = {"start",     "end",      "globalPid",    "deviceId",
                                          "contextId", "streamId", "correlationId"};
constexpr int kStart = 0, kEnd = 1, kProcess = 2, kDevice = 3, kContext = 4, kStream = 5, kCorrelation = 6;
constexpr int kFirstOwn = 7;
constexpr int kConfigurationColumns = 9;

std::vector<std::string> common_and(std::initializer_list<const char*> own) {
  auto columns = kCommon;
  columns.insert(columns.end(), own.begin(), own.end());
  return columns;
}

std::optional<Activity> read_activity(Session& session, const Rows& rows, const std::string& table) {
  const auto times = session.times(rows, kStart, kEnd, table);
  if (!times) return {};
  const auto device = integer(rows, kDevice);
  if (!device || *device < 0 || *device > kMaxDevice) {
    session.issues.count(Severity::Drop, "missing-device", [&] {
      return fmt::format("{} does not state on which device it ran (a number from 0 to {})",
                         place_of(rows, table), kMaxDevice);
    });
    return {};
  }
  if (!rows.is_integer(kProcess))
    session.issues.count(Severity::Doubt, "missing-process", [&] {
      return fmt::format("{} does not state to which process it belongs", place_of(rows, table));
    });
  if (times->start < 0)
    session.issues.count(Severity::Doubt, "time-before-start", [&] {
      return fmt::format("{} starts {} ns before the capture", place_of(rows, table), -times->start);
    });
  Activity activity;
  activity.times = *times;
  activity.process = session.process(integer(rows, kProcess));
  activity.device = session.device(activity.process, *device);
  const auto correlation = integer(rows, kCorrelation).value_or(0);
  if (correlation > 0 && correlation < kNone) activity.correlation = static_cast<std::uint32_t>(correlation);
  session.last_event = std::max(session.last_event, times->start + times->duration);
  return activity;
}

std::uint32_t stream_of(Session& session, const Rows& rows, const Activity& activity) {
  return session.stream(activity.device, integer(rows, kContext).value_or(0),
                        integer(rows, kStream).value_or(0));
}

std::uint32_t call_of(Session& session, const CallIndex& index, const Rows& rows, const Activity& activity,
                      const std::string& table) {
  const auto found = index.find(activity.process, activity.correlation, activity.times.start);
  if (found.call == kNone) return kNone;
  if (found.ambiguous)
    session.issues.count(Severity::Doubt, "ambiguous-call", [&] {
      return fmt::format(
          "{}: several calls of its process have its correlation number; the latest before it is used",
          place_of(rows, table));
    });
  return found.call;
}

// Numbers of threads, blocks, registers and bytes have to fit 32 bits; larger values become 0.
Configuration read_configuration(Session& session, const Rows& rows, int first_column) {
  static constexpr std::uint32_t Configuration::*kFields[] = {&Configuration::grid_x,
                                                              &Configuration::grid_y,
                                                              &Configuration::grid_z,
                                                              &Configuration::block_x,
                                                              &Configuration::block_y,
                                                              &Configuration::block_z,
                                                              &Configuration::static_shared_memory,
                                                              &Configuration::dynamic_shared_memory,
                                                              &Configuration::registers};
  Configuration configuration;
  bool all_good = true;
  for (int i = 0; i < kConfigurationColumns; ++i) {
    const auto value = integer(rows, first_column + i);
    const bool good = value && *value >= 0 && *value <= std::int64_t{0xFFFFFFFF};
    if (good) configuration.*kFields[i] = static_cast<std::uint32_t>(*value);
    all_good = all_good && good;
  }
  if (!all_good)
    session.issues.count(Severity::Repair, "bad-configuration", [&] {
      return fmt::format("{} has a grid, block, register or shared memory value that is not a 32-bit "
                         "unsigned integer; it is read as 0",
                         place_of(rows, kKernels));
    });
  return configuration;
}

/// Cache of recent configurations, by all properties that distinguish them: programs repeat a few of them.
class KnownConfigurations {
public:
  explicit KnownConfigurations(Draft& draft) : draft_(draft), known_(kSize) {}

  std::uint32_t row(const Kernel& kernel, Configuration configuration) {
    const auto short_name = kernel.short_name;
    configuration.kernel = kernel.name; // while the kernel's row is not known
    auto& known = known_[hash(configuration, short_name)];
    if (known.row != kNone && known.short_name == short_name && known.configuration == configuration)
      return known.row;
    known.configuration = configuration;
    known.short_name = short_name;
    configuration.kernel = draft_.kernel(kernel);
    return known.row = draft_.configuration(configuration);
  }

private:
  struct Known {
    Configuration configuration; ///< with the name in place of the kernel
    std::uint32_t short_name = 0, row = kNone;
  };
  static constexpr std::size_t kSize = 4'096;

  static std::size_t hash(const Configuration& c, std::uint32_t short_name) {
    const auto both = [](std::uint32_t a, std::uint32_t b) { return std::uint64_t{a} << 32 | b; };
    const auto mixed = both(c.kernel, short_name) * 0x9E3779B97F4A7C15ull +
                       both(c.grid_x, c.grid_y) * 0xC2B2AE3D27D4EB4Full +
                       both(c.block_x, c.block_y) * 0x165667B19E3779F9ull +
                       both(c.grid_z, c.block_z) * 0xD6E8FEB86659FD93ull +
                       both(c.static_shared_memory, c.dynamic_shared_memory) * 0xA0761D6478BD642Full +
                       both(c.registers, c.variant) * 0xE7037ED1A0B428DBull;
    return (mixed ^ mixed >> 32) * 0x9E3779B97F4A7C15ull >> 52;
  }

  Draft& draft_;
  std::vector<Known> known_;
};

// Where the names were joined to the kernels in the database, the columns hold the names themselves.
std::uint32_t kernel_name(Session& session, const Rows& rows, int column, int otherwise) {
  for (const int place : {column, otherwise}) {
    if (const auto id = integer(rows, place)) return session.name(*id, kKernels);
    if (rows.is_text(place) && !rows.text(place).empty())
      return session.draft.strings.intern(clean_text(rows.text(place))).value;
  }
  return kNone;
}

Expected<void> require_columns(Session& session, const std::string& table,
                               std::initializer_list<const char*> columns) {
  for (const auto* column : columns)
    if (session.db.has_table(table) && !session.db.has_column(table, column))
      return failure(
          ErrorKind::BadInput,
          fmt::format("table {} has no column {}: it differs from an Nsight Systems export", table, column),
          {}, fmt::format("{}.{}", table, column),
          "Export the report again: nsys export --type sqlite REPORT.nsys-rep");
  return {};
}

// Columns that every known version has: their absence is reported once, not for every row.
void doubt_absent_columns(Session& session, const std::string& table,
                          const std::vector<std::string>& columns) {
  for (const auto& column : columns)
    if (!session.db.has_column(table, column))
      session.issues.count(Severity::Doubt, "missing-column",
                           [&] { return fmt::format("table {} has no column {}", table, column); });
}

// Columns launchType, graphNodeId, graphId from `first_column` on.
std::uint8_t launch_flags(const Rows& rows, int first_column) {
  std::uint8_t flags = 0;
  const auto type = integer(rows, first_column).value_or(0);
  if (type == kCooperative || type == kMultiDeviceCooperative) flags |= store::kLaunchCooperative;
  if (integer(rows, first_column + 1).value_or(0) != 0 || integer(rows, first_column + 2).value_or(0) != 0)
    flags |= store::kLaunchGraph;
  return flags;
}

void note_zero_duration(Session& session, const Rows& rows, const Times& times, const std::string& table) {
  if (times.duration == 0)
    session.issues.count(Severity::Info, "zero-duration",
                         [&] { return fmt::format("{} lasts 0 ns", place_of(rows, table)); });
}

std::int64_t bytes_of(Session& session, const Rows& rows, int column, const std::string& table) {
  return checked_bytes(session.issues, integer(rows, column), [&] { return place_of(rows, table); });
}

TransferKind copy_kind(Session& session, const Rows& rows, int column) {
  using enum TransferKind;
  static constexpr TransferKind kKinds[] = {
      Unknown,        HostToDevice,          DeviceToHost,          HostToDevice,           DeviceToHost,
      DeviceToDevice, DeviceToDevice,        DeviceToDevice,        DeviceToDevice,         HostToHost,
      PeerToPeer,     MigrationHostToDevice, MigrationDeviceToHost, MigrationDeviceToDevice};
  const auto number = integer(rows, column).value_or(-1);
  if (number >= 0 && number < static_cast<std::int64_t>(std::size(kKinds))) return kKinds[number];
  session.issues.count(Severity::Doubt, "unknown-copy-kind", [&] {
    return fmt::format("{} is a copy of an unknown kind ({})", place_of(rows, kCopies), number);
  });
  return Unknown;
}

Expected<void> read_copies(Session& session, const CallIndex& index) {
  const auto columns = common_and({"bytes", "copyKind", "migrationCause"});
  return session.for_each(kCopies, columns, [&](const Rows& rows) {
    const auto activity = read_activity(session, rows, kCopies);
    if (!activity) return;
    const auto kind = copy_kind(session, rows, kFirstOwn + 1);
    const auto bytes = bytes_of(session, rows, kFirstOwn, kCopies);
    if (store::is_migration(kind)) { // stream, context and correlation are 0 and meaningless here
      const auto cause = integer(rows, kFirstOwn + 2).value_or(0);
      const bool known = cause > 0 && cause <= static_cast<std::int64_t>(MigrationCause::AccessCounters);
      push_transfer(session.draft, activity->times, kind, bytes, activity->device, activity->correlation,
                    kNone, known ? static_cast<MigrationCause>(cause) : MigrationCause::None);
    } else {
      push_transfer(session.draft, activity->times, kind, bytes, stream_of(session, rows, *activity),
                    activity->correlation, call_of(session, index, rows, *activity, kCopies));
    }
  });
}

Expected<void> read_sets(Session& session, const CallIndex& index) {
  return session.for_each(kSets, common_and({"bytes"}), [&](const Rows& rows) {
    const auto activity = read_activity(session, rows, kSets);
    if (!activity) return;
    push_transfer(session.draft, activity->times, TransferKind::Memset,
                  bytes_of(session, rows, kFirstOwn, kSets), stream_of(session, rows, *activity),
                  activity->correlation, call_of(session, index, rows, *activity, kSets));
  });
}

/// The graphs whose nodes were traced as kernels: (process, graph number), where the number may be the upper
/// half of a node's number, and (process, number of the launching call).
struct GraphsOfKernels {
  std::set<std::pair<std::int64_t, std::int64_t>> graphs, calls;

  Expected<void> read(Session& session) {
    const std::vector<std::string> columns = {"globalPid", "graphId", "graphNodeId", "correlationId"};
    return session.for_each(kKernels, columns, [&](const Rows& rows) {
      const auto graph = integer(rows, 1).value_or(0), node = integer(rows, 2).value_or(0);
      if (graph == 0 && node == 0) return;
      const auto process = integer(rows, 0).value_or(0);
      if (const auto of_node = graph != 0 ? graph : node >> 32; of_node != 0)
        graphs.emplace(process, of_node);
      if (const auto call = integer(rows, 3).value_or(0); call != 0) calls.emplace(process, call);
    });
  }
};

} // namespace

Expected<void> read_graphs(Session& session, const CallIndex& index) {
  if (!session.db.has_rows(kGraphs)) return {};
  if (auto done = require_columns(session, kGraphs, {"start", "end", "deviceId"}); !done) return done;
  GraphsOfKernels of_kernels;
  if (session.db.has_table(kKernels))
    if (auto done = of_kernels.read(session); !done) return done;
  auto& strings = session.draft.strings;
  return session.for_each(kGraphs, common_and({"graphId"}), [&](const Rows& rows) {
    const auto process = integer(rows, kProcess).value_or(0), graph = integer(rows, kFirstOwn).value_or(0);
    if (of_kernels.graphs.contains({process, graph}) ||
        of_kernels.calls.contains({process, integer(rows, kCorrelation).value_or(0)})) {
      session.issues.count(Severity::Info, "graph-of-kernels", [&] {
        return fmt::format("{} is an execution of CUDA graph {}, whose kernels are recorded: the kernels are "
                           "read, the execution of the whole graph is left out",
                           place_of(rows, kGraphs), graph);
      });
      return;
    }
    const auto activity = read_activity(session, rows, kGraphs);
    if (!activity) return;
    session.issues.count(Severity::Info, "graph-launches", [&] {
      return fmt::format(
          "{} is an execution of a CUDA graph, recorded without its kernels: it is shown as one launch of "
          "\"CUDA graph {}\"; nsys profile --cuda-graph-trace=node records the kernels",
          place_of(rows, kGraphs), graph);
    });
    Configuration configuration;
    const auto name = strings.intern(fmt::format("CUDA graph {}", graph)).value;
    configuration.kernel = session.draft.kernel({name, name});
    push_launch(session.draft, activity->times, session.draft.configuration(configuration),
                stream_of(session, rows, *activity), activity->correlation,
                call_of(session, index, rows, *activity, kGraphs), store::kLaunchGraph);
  });
}

Expected<void> read_kernels(Session& session, const CallIndex& index) {
  if (auto done = require_columns(session, kKernels, {"start", "end", "deviceId", "streamId"}); !done)
    return done;
  const auto columns = common_and({"demangledName", "shortName", "gridX", "gridY", "gridZ", "blockX",
                                   "blockY", "blockZ", "staticSharedMemory", "dynamicSharedMemory",
                                   "registersPerThread", "launchType", "graphNodeId", "graphId"});
  if (session.db.has_table(kKernels))
    doubt_absent_columns(session, kKernels, {columns.begin(), columns.end() - 3});
  session.draft.reserve_launches(session.draft.launches.start.size() + session.rows_to_reserve(kKernels));
  KnownConfigurations configurations(session.draft);
  return session.for_each(kKernels, columns, [&](const Rows& rows) {
    const auto activity = read_activity(session, rows, kKernels);
    if (!activity) return;
    Kernel kernel;
    kernel.name = kernel_name(session, rows, kFirstOwn, kFirstOwn + 1);
    kernel.short_name = kernel_name(session, rows, kFirstOwn + 1, kFirstOwn);
    if (kernel.name == kNone) {
      session.issues.count(Severity::Drop, "missing-name",
                           [&] { return fmt::format("{} has no name", place_of(rows, kKernels)); });
      return;
    }
    const auto configuration = read_configuration(session, rows, kFirstOwn + 2);
    note_zero_duration(session, rows, activity->times, kKernels);
    const auto call = call_of(session, index, rows, *activity, kKernels);
    push_launch(session.draft, activity->times, configurations.row(kernel, configuration),
                stream_of(session, rows, *activity), activity->correlation, call,
                launch_flags(rows, kFirstOwn + 2 + kConfigurationColumns));
    if (call == kNone)
      session.issues.count(Severity::Info, "unmatched-launches", [&] {
        return fmt::format("{} has no launch call in the file: its queue delay and range are unknown",
                           place_of(rows, kKernels));
      });
  });
}

Expected<void> read_memory_operations(Session& session, const CallIndex& index) {
  if (auto done = require_columns(session, kCopies, {"start", "end", "deviceId", "copyKind", "bytes"}); !done)
    return done;
  if (auto done = require_columns(session, kSets, {"start", "end", "deviceId"}); !done) return done;
  if (auto done = read_copies(session, index); !done) return done;
  return read_sets(session, index);
}

} // namespace jitterscope::import::nsys
