#include "core/import/formats/rocm/database/databases.h"

#include <cmath>
#include <map>

#include <fmt/core.h>

#include "core/import/formats/rocm/database/sqlite_session.h"
#include "core/import/records/events.h"

namespace jitterscope::import::rocm {
namespace {

using sqlite::Rows;
using store::Severity;
using store::TransferKind;

struct KernelArguments {
  std::int64_t grid[3] = {0, 0, 0}, group[3] = {0, 0, 0};
  std::int64_t lds = 0, code_object = 0, name = 0;
};
struct CopyArguments {
  std::int64_t bytes = -1; ///< size of the copy, -1 unknown
  std::int64_t kind = 0;   ///< value of hipMemcpyKind
  bool used = false;
};
struct Api {
  std::uint32_t call = kNone; ///< row of Draft::calls
  std::uint32_t process = kNone;
  bool work_items = false; ///< the arguments of the call state the grid in work-items, not blocks
};

// hipExtModuleLaunchKernel and its predecessors take the global work size as in OpenCL.
bool counts_work_items(std::string_view api) {
  return api == "hipExtModuleLaunchKernel" || api == "hipHccModuleLaunchKernel" || api.starts_with("hsa_");
}

class Rpd {
public:
  Rpd(SqliteSession& session, Places& places) : session_(session), places_(places) {}

  Expected<void> read(store::Source& source) {
    using Step = Expected<void> (Rpd::*)();
    if (auto done = read_metadata(source); !done) return done;
    for (const Step step :
         {&Rpd::read_strings, &Rpd::read_calls, &Rpd::read_kernel_arguments, &Rpd::read_copy_arguments,
          &Rpd::read_links, &Rpd::read_code_objects, &Rpd::read_operations, &Rpd::read_monitors})
      if (auto done = (this->*step)(); !done) return done;
    return {};
  }

private:
  Expected<void> read_metadata(store::Source& source);
  Expected<void> read_strings();
  Expected<void> read_calls();
  Expected<void> read_kernel_arguments();
  Expected<void> read_copy_arguments();
  Expected<void> read_links();
  Expected<void> read_code_objects();
  Expected<void> read_operations();
  Expected<void> read_monitors();

  void add_kernel(const Rows& rows, const Times& times, std::string name, std::uint32_t stream,
                  std::int64_t api_id);
  void add_transfer(const Rows& rows, const Times& times, const std::string& type, std::uint32_t stream,
                    std::int64_t api_id);
  std::uint32_t counter_of(std::int64_t device, const std::string& type);

  std::string string(std::optional<std::int64_t> id) const {
    const auto found = id ? strings_.find(*id) : strings_.end();
    return found == strings_.end() ? std::string() : found->second;
  }
  const Api* api(std::int64_t id) const {
    const auto found = apis_.find(id);
    return found == apis_.end() ? nullptr : &found->second;
  }

  SqliteSession& session_;
  Places& places_;
  ById<std::string> strings_;
  ById<Api> apis_;
  ById<KernelArguments> kernels_, kernels_of_op_;
  ById<CopyArguments> copies_, copies_of_op_;
  ById<std::int64_t> api_of_op_;
  ById<std::pair<std::int64_t, std::int64_t>> registers_; // code object → vgpr, sgpr
  std::map<std::pair<std::int64_t, std::string>, std::uint32_t> counters_;
};

Expected<void> Rpd::read_metadata(store::Source& source) {
  return session_.for_each("rocpd_metadata", {"tag", "value"}, [&](const Rows& rows) {
    if (text_or_empty(rows, 0) == "schema_version") source.schema = text_or_empty(rows, 1);
  });
}

Expected<void> Rpd::read_strings() {
  return session_.for_each("rocpd_string", {"id", "string"}, [&](const Rows& rows) {
    if (const auto id = integer(rows, 0)) strings_[*id] = text_or_empty(rows, 1);
  });
}

// The texts of arguments (args_id) may contain paths and commands: they are not copied.
Expected<void> Rpd::read_calls() {
  const auto marker = session_.intern("");
  return session_.for_each(
      "rocpd_api", {"id", "pid", "tid", "start", "end", "apiName_id", "args_id"}, [&](const Rows& rows) {
        const auto id = integer(rows, 0);
        const auto times = session_.times(rows, 3, 4, "rocpd_api");
        if (!times || !id) return;
        const auto name = string(integer(rows, 5));
        Api api;
        api.process = places_.process(integer(rows, 1).value_or(-1));
        const auto thread = places_.thread(api.process, integer(rows, 2).value_or(0));
        if (name == "UserMarker" || name == "roctxMark" || name == "roctxRange") {
          push_range(session_.draft, *times, session_.intern(string(integer(rows, 6))), marker, thread,
                     times->duration == 0 ? kMark : kPushPopRange);
        } else {
          api.call = static_cast<std::uint32_t>(session_.draft.calls.start.size());
          api.work_items = counts_work_items(name);
          push_call(session_.draft, *times, session_.intern(name), thread, low_bits(*id));
        }
        apis_[*id] = api;
      });
}

// Early versions store the arguments with the operation, later ones with the call.
Expected<void> Rpd::read_kernel_arguments() {
  const auto read = [&](const char* table, const char* id_column, ById<KernelArguments>& into) {
    return session_.for_each(table,
                             {id_column, "gridX", "gridY", "gridZ", "workgroupX", "workgroupY", "workgroupZ",
                              "groupSegmentSize", "codeObject_id", "kernelName_id"},
                             [&](const Rows& rows) {
                               const auto id = integer(rows, 0);
                               if (!id) return;
                               KernelArguments arguments;
                               for (int i = 0; i < 3; ++i) {
                                 arguments.grid[i] = integer(rows, 1 + i).value_or(0);
                                 arguments.group[i] = integer(rows, 4 + i).value_or(0);
                               }
                               arguments.lds = integer(rows, 7).value_or(0);
                               arguments.code_object = integer(rows, 8).value_or(0);
                               arguments.name = integer(rows, 9).value_or(0);
                               into[*id] = arguments;
                             });
  };
  if (auto done = read("rocpd_kernelapi", "api_ptr_id", kernels_); !done) return done;
  return read("rocpd_kernelop", "op_ptr_id", kernels_of_op_);
}

Expected<void> Rpd::read_copy_arguments() {
  const auto read = [&](const char* table, const char* id_column, ById<CopyArguments>& into) {
    return session_.for_each(table, {id_column, "size", "width", "height", "kind"}, [&](const Rows& rows) {
      const auto id = integer(rows, 0);
      if (!id) return;
      CopyArguments copy;
      copy.kind = integer(rows, 4).value_or(0);
      const auto width = integer(rows, 2).value_or(-1), height = integer(rows, 3).value_or(-1);
      if (const auto size = integer(rows, 1))
        copy.bytes = *size;
      else if (width >= 0 && height >= 0 && height < kMaxOperationBytes &&
               width < kMaxOperationBytes / (height + 1))
        copy.bytes = width * height;
      into[*id] = copy;
    });
  };
  if (auto done = read("rocpd_copyapi", "api_ptr_id", copies_); !done) return done;
  return read("rocpd_copyop", "op_ptr_id", copies_of_op_);
}

Expected<void> Rpd::read_links() {
  return session_.for_each("rocpd_api_ops", {"api_id", "op_id"}, [&](const Rows& rows) {
    if (rows.is_integer(0) && rows.is_integer(1)) api_of_op_.try_emplace(rows.integer(1), rows.integer(0));
  });
}

Expected<void> Rpd::read_code_objects() {
  return session_.for_each("rocpd_kernelcodeobject", {"id", "vgpr", "sgpr"}, [&](const Rows& rows) {
    if (const auto id = integer(rows, 0))
      registers_[*id] = {integer(rows, 1).value_or(0), integer(rows, 2).value_or(0)};
  });
}

void Rpd::add_kernel(const Rows& rows, const Times& times, std::string name, std::uint32_t stream,
                     std::int64_t api_id) {
  auto& draft = session_.draft;
  const auto of_op = kernels_of_op_.find(integer(rows, 0).value_or(-1)), of_api = kernels_.find(api_id);
  const KernelArguments* known = of_op != kernels_of_op_.end() ? &of_op->second
                                 : of_api != kernels_.end()    ? &of_api->second
                                                               : nullptr;
  if (name.empty() && known) name = string(known->name);
  if (name.empty()) {
    session_.issues.count(Severity::Drop, "missing-name",
                          [&] { return fmt::format("{} has no name", place_of(rows, "rocpd_op")); });
    return;
  }
  const auto* api = this->api(api_id);
  const auto& kernel = session_.kernels.of(name);
  if (kernel.memory_operation) {
    session_.issues.count(Severity::Info, "copy-kernels", [&] {
      return fmt::format(
          "{} is a runtime kernel that copies or fills memory: it is shown as a memory operation",
          place_of(rows, "rocpd_op"));
    });
    return push_transfer(draft, times, *kernel.memory_operation, store::kUnknownBytes, stream,
                         low_bits(api_id), api ? api->call : kNone);
  }
  Configuration configuration;
  configuration.kernel = kernel.kernel;
  if (known) {
    const auto& arguments = *known;
    WorkSize size;
    for (int i = 0; i < 3; ++i) {
      size.group[i] = arguments.group[i];
      const bool items = api && api->work_items;
      const bool fits = arguments.grid[i] >= 0 && arguments.grid[i] < std::int64_t{kNone} &&
                        arguments.group[i] >= 0 && arguments.group[i] < std::int64_t{kNone};
      size.grid[i] = items || !fits ? arguments.grid[i] : 0;
    }
    bool good = set_work_size(configuration, size);
    if (!(api && api->work_items)) { // blocks as written
      configuration.grid_x = count_or_zero(arguments.grid[0]);
      configuration.grid_y = count_or_zero(arguments.grid[1]);
      configuration.grid_z = count_or_zero(arguments.grid[2]);
    }
    if (!good)
      session_.issues.count(Severity::Doubt, "odd-grid", [&] {
        return fmt::format(
            "{} has a grid that is not a multiple of its work-group or not a 32-bit unsigned integer",
            place_of(rows, "rocpd_op"));
      });
    configuration.static_shared_memory = count_or_zero(arguments.lds);
    if (const auto code = registers_.find(arguments.code_object); code != registers_.end())
      configuration.registers = count_or_zero(code->second.first);
  }
  push_launch(draft, times, draft.configuration(configuration), stream, low_bits(api_id),
              api ? api->call : kNone);
}

void Rpd::add_transfer(const Rows& rows, const Times& times, const std::string& type, std::uint32_t stream,
                       std::int64_t api_id) {
  static constexpr TransferKind kKinds[] = {TransferKind::HostToHost, TransferKind::HostToDevice,
                                            TransferKind::DeviceToHost, TransferKind::DeviceToDevice};
  auto kind = copy_kind(type);
  std::int64_t bytes = -1;
  const auto of_op = copies_of_op_.find(integer(rows, 0).value_or(-1)), of_api = copies_.find(api_id);
  if (of_op != copies_of_op_.end() || of_api != copies_.end()) {
    auto& copy = of_op != copies_of_op_.end() ? of_op->second : of_api->second;
    if (kind == TransferKind::Unknown && copy.kind >= 0 && copy.kind < 4) kind = kKinds[copy.kind];
    bytes = copy.used ? 0 : copy.bytes;
    if (copy.used)
      session_.issues.count(Severity::Doubt, "shared-copy", [&] {
        return fmt::format("{} and other operations belong to one call: all bytes of the call are assigned "
                           "to the first operation",
                           place_of(rows, "rocpd_op"));
      });
    copy.used = true;
  }
  if (bytes < 0 || bytes > kMaxOperationBytes) {
    session_.issues.count(Severity::Info, "unknown-bytes", [&] {
      return fmt::format("{} ({}) does not state how many bytes it moved: its size is unknown",
                         place_of(rows, "rocpd_op"), type);
    });
    bytes = store::kUnknownBytes;
  }
  const auto* asked = api(api_id);
  push_transfer(session_.draft, times, kind, bytes, stream, low_bits(api_id), asked ? asked->call : kNone);
}

Expected<void> Rpd::read_operations() {
  return session_.for_each(
      "rocpd_op", {"id", "gpuId", "queueId", "start", "end", "description_id", "opType_id"},
      [&](const Rows& rows) {
        const auto times = session_.times(rows, 3, 4, "rocpd_op");
        if (!times) return;
        const auto link = api_of_op_.find(integer(rows, 0).value_or(-1));
        const auto api_id = link == api_of_op_.end() ? 0 : link->second;
        const auto* asked = api(api_id);
        auto process = asked ? asked->process : places_.only_process();
        if (process == kNone) process = places_.process(-1, "unknown process");
        const auto device = places_.device(process, integer(rows, 1).value_or(0));
        const auto stream = places_.stream(device, integer(rows, 2).value_or(0));
        const auto type = string(integer(rows, 6));
        auto name = string(integer(rows, 5));
        if (type == "KernelExecution" || (!name.empty() && copy_kind(type) == TransferKind::Unknown &&
                                          type.find("opy") == std::string::npos))
          return add_kernel(rows, *times, std::move(name), stream, api_id);
        if (copy_kind(type) != TransferKind::Unknown || type.find("opy") != std::string::npos)
          return add_transfer(rows, *times, type, stream, api_id);
        session_.issues.count(Severity::Drop, "other-operations", [&] {
          return fmt::format("{} has type \"{}\", which is neither a kernel, copy nor fill",
                             place_of(rows, "rocpd_op"), type);
        });
      });
}

// The monitor numbers GPUs from 0; operations have the runtime's numbers, which may start after those of the
// CPUs.
std::uint32_t Rpd::counter_of(std::int64_t device, const std::string& type) {
  const auto [place, added] = counters_.try_emplace({device, type}, 0);
  if (!added) return place->second;
  auto row = places_.first_device(device);
  if (std::int64_t shifted = 0;
      row == kNone && !__builtin_add_overflow(device, places_.min_device(0), &shifted))
    row = places_.first_device(shifted);
  if (row == kNone) {
    auto process = places_.only_process();
    if (process == kNone) process = places_.process(-1, "unknown process");
    row = places_.device(process, device);
  } else if (places_.first_device(device) == kNone) {
    session_.issues.count(Severity::Doubt, "monitor-device", [&] {
      return fmt::format(
          "device {} of the monitor is assumed to be device {} of the operations: the two number "
          "devices differently",
          device, session_.draft.resources[row].number);
    });
  }
  const bool clock = type == "sclk" || type == "mclk" || type == "fclk";
  return place->second = session_.draft.add_counter(type, clock ? "MHz" : "", row, true);
}

Expected<void> Rpd::read_monitors() {
  return session_.for_each(
      "rocpd_monitor", {"deviceType", "deviceId", "monitorType", "start", "value"}, [&](const Rows& rows) {
        const auto time = integer(rows, 3);
        const auto value = number_or_nan(rows, 4);
        const auto times =
            checked_times(session_.issues, time, time, [&] { return place_of(rows, "rocpd_monitor"); });
        if (!times) return;
        if (std::isnan(value) || counters_.size() > 4096) {
          session_.issues.count(Severity::Drop, "missing-metric", [&] {
            return fmt::format("{} has no numeric value, or exceeds the limit of 4,096 counters",
                               place_of(rows, "rocpd_monitor"));
          });
          return;
        }
        push_sample(session_.draft, *time, counter_of(integer(rows, 1).value_or(0), text_or_empty(rows, 2)),
                    value);
      });
}

} // namespace

bool recognises_rpd(const sqlite::Database& database) {
  return database.has_table("rocpd_op") && database.has_table("rocpd_string");
}

Expected<void> read_rpd(sqlite::Database& database, const Input&, Draft& draft, store::Source& source,
                        const Progress& progress) {
  SqliteSession session(database, draft, progress);
  session.expect({"rocpd_string", "rocpd_api", "rocpd_kernelapi", "rocpd_copyapi", "rocpd_api_ops",
                  "rocpd_op", "rocpd_monitor"});
  Places places(draft);
  Rpd rpd(session, places);
  if (auto done = rpd.read(source); !done) return done;
  return session.finish("a rocmProfileData (RPD) database", "Record again with runTracer.sh PROGRAM.");
}

} // namespace jitterscope::import::rocm
