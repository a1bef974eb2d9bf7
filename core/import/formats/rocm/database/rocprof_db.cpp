#include "core/import/formats/rocm/database/databases.h"

#include <cmath>

#include <fmt/core.h>

#include "core/import/formats/rocm/database/sqlite_session.h"

namespace jitterscope::import::rocm {
namespace {

using sqlite::Rows;
using store::Severity;

class RocprofDatabase {
public:
  RocprofDatabase(SqliteSession& session, Places& places) : session_(session), places_(places) {}

  Expected<void> read() {
    for (const auto* table : {"HIP", "HSA", "KFD", "RCCL"})
      if (auto done = read_calls(table); !done) return done;
    if (auto done = read_ranges(); !done) return done;
    if (auto done = read_operations("OPS"); !done) return done;
    if (auto done = read_operations("COPY"); !done) return done;
    if (session_.draft.launches.start.size() > session_.from.launches) return {};
    for (const auto* table : {"KERN", "A"})
      if (auto done = read_kernel_table(table); !done) return done;
    return {};
  }

private:
  std::uint32_t process(const Rows& rows, int column) {
    const auto pid = integer(rows, column);
    if (pid) return places_.process(*pid);
    const auto only = places_.only_process();
    return only != kNone ? only : places_.process(-1, "unknown process");
  }

  Expected<void> read_calls(const std::string& table) {
    return session_.for_each(
        table, {"BeginNs", "EndNs", "pid", "tid", "Name", "Index"}, [&](const Rows& rows) {
          const auto times = session_.times(rows, 0, 1, table);
          if (!times) return;
          const auto thread = places_.thread(process(rows, 2), integer(rows, 3).value_or(0));
          // HSA calls have their own numbering; numbers of HIP calls recur in OPS and COPY.
          const auto correlation = table == "HIP" ? low_bits(integer(rows, 5).value_or(0)) : 0;
          push_call(session_.draft, *times, session_.intern(text_or_empty(rows, 4)), thread, correlation);
        });
  }

  Expected<void> read_ranges() {
    const auto domain = session_.intern("ROCTX");
    return session_.for_each("ROCTX", {"BeginNs", "EndNs", "pid", "tid", "Name"}, [&](const Rows& rows) {
      const auto times = session_.times(rows, 0, 1, "ROCTX");
      if (!times) return;
      push_range(session_.draft, *times, session_.intern(text_or_empty(rows, 4)), domain,
                 places_.thread(process(rows, 2), integer(rows, 3).value_or(0)),
                 times->duration == 0 ? kMark : kPushPopRange);
    });
  }

  // Copies of an HSA trace are called "async-copy", without a direction; no version records their bytes.
  Expected<void> read_operations(const std::string& table) {
    return session_.for_each(
        table, {"BeginNs", "EndNs", "pid", "dev-id", "queue-id", "Name", "Index"}, [&](const Rows& rows) {
          const auto times = session_.times(rows, 0, 1, table);
          if (!times) return;
          const auto device = places_.device(process(rows, 2), integer(rows, 3).value_or(0));
          const auto stream = places_.stream(device, integer(rows, 4).value_or(0));
          const auto correlation = low_bits(integer(rows, 6).value_or(0));
          const auto name = text_or_empty(rows, 5);
          auto kind = copy_kind(name);
          const bool copy = table == "COPY" || kind != store::TransferKind::Unknown;
          const auto* kernel = copy ? nullptr : &session_.kernels.of(name);
          if (kernel && !kernel->memory_operation) {
            Configuration configuration;
            configuration.kernel = kernel->kernel;
            return push_launch(session_.draft, *times, session_.draft.configuration(configuration), stream,
                               correlation);
          }
          if (kernel) kind = *kernel->memory_operation;
          session_.issues.count(Severity::Info, "unknown-bytes", [&] {
            return fmt::format("{} ({}) does not state how many bytes it moved: its size is unknown",
                               place_of(rows, table), name);
          });
          push_transfer(session_.draft, *times, kind, store::kUnknownBytes, stream, correlation);
        });
  }

  // The rows of results.csv: sizes, registers and all other numbers as attributes.
  Expected<void> read_kernel_table(const std::string& table) {
    const auto& db = session_.db;
    if (!db.has_column(table, "BeginNs") || !db.has_column(table, "KernelName")) return {};
    std::vector<std::string> columns = {
        "BeginNs",    "EndNs", "pid", "gpu-id", "queue-id",
        "KernelName", "grd",   "wgr", "lds",    column_of(db, table, {"arch_vgpr", "vgpr"})};
    const auto known = columns.size();
    for (const auto& column : db.columns(table)) {
      const bool counter = column.find('_') != std::string::npos && column.starts_with("__") == false &&
                           column.front() >= 'A' && column.front() <= 'Z';
      if (counter) columns.push_back(column);
    }
    auto& attributes = session_.draft.attributes;
    return session_.for_each(table, columns, [&](const Rows& rows) {
      const auto times = session_.times(rows, 0, 1, table);
      if (!times) return;
      Configuration configuration;
      configuration.kernel = session_.kernels.of(text_or_empty(rows, 5)).kernel;
      WorkSize size;
      size.grid[0] = integer(rows, 6).value_or(0);
      size.group[0] = integer(rows, 7).value_or(0);
      (void)set_work_size(configuration, size);
      configuration.static_shared_memory = count_or_zero(integer(rows, 8));
      configuration.registers = count_or_zero(integer(rows, 9));
      const auto device = places_.device(process(rows, 2), integer(rows, 3).value_or(0));
      const auto launch = session_.draft.launches.start.size();
      push_launch(session_.draft, *times, session_.draft.configuration(configuration),
                  places_.stream(device, integer(rows, 4).value_or(0)), 0);
      for (auto column = known; column < columns.size(); ++column) {
        const auto at = static_cast<int>(column);
        const auto value = number_or_nan(rows, at);
        if (!std::isnan(value)) attributes.set(attributes.number(columns[column], ""), launch, value);
      }
    });
  }

  SqliteSession& session_;
  Places& places_;
};

} // namespace

bool recognises_rocprof_db(const sqlite::Database& database) {
  for (const auto* table : {"OPS", "COPY", "HIP", "HSA"})
    if (database.has_column(table, "BeginNs") && database.has_column(table, "__section")) return true;
  return database.has_column("KERN", "KernelName") || database.has_column("A", "KernelName");
}

Expected<void> read_rocprof_db(sqlite::Database& database, const Input&, Draft& draft, store::Source&,
                               const Progress& progress) {
  SqliteSession session(database, draft, progress);
  session.expect({"HIP", "HSA", "ROCTX", "OPS", "COPY"});
  Places places(draft);
  RocprofDatabase reader(session, places);
  if (auto done = reader.read(); !done) return done;
  return session.finish("a results database of rocprof", "Record again with rocprof --hip-trace PROGRAM.");
}

} // namespace jitterscope::import::rocm
