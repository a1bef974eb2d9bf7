#include "core/import/formats/ascend/ascend_db.h"

#include <algorithm>
#include <optional>
#include <string>

#include <fmt/core.h>

#include "core/import/formats/rocm/database/sqlite_session.h"
#include "core/import/records/events.h"
#include "core/import/text/csv/number.h"

namespace jitterscope::import::ascend {
namespace {

using rocm::ById;
using rocm::SqliteSession;
using rocm::text_or_empty;
using sqlite::integer;
using sqlite::Rows;
using store::Severity;
using store::TransferKind;

constexpr std::int64_t kCommunicationStream = 65'535; // operations over several streams have no stream
constexpr int kTidBits = 32;                          // bits of a global thread id, below the process

// Newer versions write times as numbers, but those of the table PYTORCH_API as text.
std::optional<std::int64_t> number(const Rows& rows, int column) {
  return rows.is_text(column) ? parse_integer(rows.text(column)) : integer(rows, column);
}

struct Compute {
  std::string name, task_type;
  std::int64_t blocks = 0;
};

class AscendDatabase {
public:
  explicit AscendDatabase(SqliteSession& session) : session_(session), places_(session.draft) {}

  Expected<void> read(store::Source& source) {
    using Step = Expected<void> (AscendDatabase::*)();
    if (auto done = read_zero(source); !done) return done;
    for (const Step step :
         {&AscendDatabase::read_strings, &AscendDatabase::read_devices, &AscendDatabase::read_kernels,
          &AscendDatabase::read_sizes, &AscendDatabase::read_tasks, &AscendDatabase::read_communication,
          &AscendDatabase::read_calls, &AscendDatabase::read_operators, &AscendDatabase::read_frequency})
      if (auto done = (this->*step)(); !done) return done;
    set_rank();
    return {};
  }

private:
  Expected<void> read_zero(store::Source& source) {
    constexpr std::int64_t kEpoch = 1'000'000'000'000'000'000; // in 2001; larger times count from 1970
    return session_.for_each("SESSION_TIME_INFO", {"startTimeNs"}, [&](const Rows& rows) {
      const auto start = integer(rows, 0).value_or(0);
      if (start < kEpoch || start > kLatestTime) return;
      zero_ = source.utc_ns = start;
    });
  }

  Expected<void> read_strings() {
    return session_.for_each("STRING_IDS", {"id", "value"}, [&](const Rows& rows) {
      if (const auto id = integer(rows, 0)) strings_[*id] = text_or_empty(rows, 1);
    });
  }

  Expected<void> read_devices() {
    auto done = session_.for_each("NPU_INFO", {"id", "name"}, [&](const Rows& rows) {
      places_.describe(integer(rows, 0).value_or(0), {text_or_empty(rows, 1), {}, 0, {}});
    });
    if (!done) return done;
    return session_.for_each("RANK_DEVICE_MAP", {"rankId"}, [&](const Rows& rows) {
      if (const auto rank = integer(rows, 0); rank && *rank >= 0 && *rank < kMaxRank) ranks_.push_back(*rank);
    });
  }

  Expected<void> read_kernels() {
    return session_.for_each("COMPUTE_TASK_INFO", {"globalTaskId", "name", "blockDim", "taskType"},
                             [&](const Rows& rows) {
                               if (const auto id = integer(rows, 0))
                                 kernels_[*id] = {string(integer(rows, 1)), string(integer(rows, 3)),
                                                  integer(rows, 2).value_or(0)};
                             });
  }

  Expected<void> read_sizes() {
    for (const auto* table : {"MEMCPY_INFO", "COMMUNICATION_TASK_INFO"}) {
      auto done =
          session_.for_each(table, {"globalTaskId", "size", "memcpyOperation"}, [&](const Rows& rows) {
            const auto id = integer(rows, 0), size = integer(rows, 1);
            if (id && size && *size >= 0 && *size <= kMaxOperationBytes) sizes_[*id] = *size;
            if (const auto operation = integer(rows, 2); id && operation) directions_[*id] = *operation;
          });
      if (!done) return done;
    }
    return session_.for_each("ENUM_MEMCPY_OPERATION", {"id", "name"}, [&](const Rows& rows) {
      if (const auto id = integer(rows, 0)) operations_[*id] = text_or_empty(rows, 1);
    });
  }

  Expected<void> read_tasks() {
    return session_.for_each(
        "TASK",
        {"startNs", "endNs", "deviceId", "streamId", "globalPid", "connectionId", "globalTaskId", "taskType"},
        [&](const Rows& rows) {
          const auto times = times_of(rows, "TASK");
          if (!times) return;
          const auto task = integer(rows, 6).value_or(-1);
          const auto kernel = kernels_.find(task);
          if (kernel != kernels_.end())
            return push_kernel(kernel->second, *times, stream_of(rows), correlation(rows));
          const auto type = string(integer(rows, 7));
          if (type == "MEMCPY_ASYNC" || type.find("SDMA") != std::string::npos ||
              type.find("DMA_SQE") != std::string::npos)
            return push_copy(task, *times, stream_of(rows), correlation(rows));
          session_.issues.count(Severity::Info, "other-tasks", [&] {
            return fmt::format(
                "stream tasks that are neither kernels nor copies, such as {}, are not imported", type);
          });
        });
  }

  // Collectives are rows of kernel_details.csv as well.
  Expected<void> read_communication() {
    return session_.for_each(
        "COMMUNICATION_OP", {"startNs", "endNs", "opName", "connectionId"}, [&](const Rows& rows) {
          const auto times = times_of(rows, "COMMUNICATION_OP");
          if (!times) return;
          const auto only = places_.only_process();
          const auto device =
              places_.device(only == kNone ? places_.process(0) : only, places_.min_device(0));
          push_kernel({string(integer(rows, 2)), "COMMUNICATION", 0}, *times,
                      places_.stream(device, kCommunicationStream, "communication"),
                      low_bits(integer(rows, 3).value_or(0)));
        });
  }

  Expected<void> read_calls() {
    return session_.for_each(
        "CANN_API", {"startNs", "endNs", "globalTid", "connectionId", "name"}, [&](const Rows& rows) {
          if (const auto times = times_of(rows, "CANN_API"))
            push_call(session_.draft, *times, session_.intern(string(integer(rows, 4))),
                      thread_of(integer(rows, 2)), low_bits(integer(rows, 3).value_or(0)));
        });
  }

  Expected<void> read_operators() {
    const auto domain = session_.intern("PyTorch");
    return session_.for_each("PYTORCH_API", {"startNs", "endNs", "globalTid", "name"}, [&](const Rows& rows) {
      if (const auto times = times_of(rows, "PYTORCH_API"))
        push_range(session_.draft, *times, session_.intern(string(integer(rows, 3))), domain,
                   thread_of(integer(rows, 2)), kPushPopRange);
    });
  }

  Expected<void> read_frequency() {
    constexpr double kMegahertz = 1e6;
    return session_.for_each("AICORE_FREQ", {"timestampNs", "deviceId", "freq"}, [&](const Rows& rows) {
      const auto time = number(rows, 0), device = integer(rows, 1);
      const auto at = device ? places_.first_device(*device) : kNone;
      if (!time || *time > kLatestTime || *time < -kMaxTime || at == kNone || !rows.is_number(2)) return;
      const auto [counter, added] = counters_.try_emplace(*device, 0);
      if (added) counter->second = session_.draft.add_counter("AI Core frequency", "Hz", at);
      push_sample(session_.draft, *time - zero_, counter->second, kMegahertz * rows.number(2));
    });
  }

  void push_kernel(const Compute& kernel, const Times& times, std::uint32_t stream, std::uint32_t number) {
    auto& draft = session_.draft;
    Configuration configuration;
    configuration.kernel = session_.kernels.of(kernel.name).kernel;
    configuration.grid_x = count_or_zero(kernel.blocks);
    const auto launch = draft.launches.start.size();
    push_launch(draft, times, draft.configuration(configuration), stream, number);
    draft.attributes.set_text(draft.attributes.text("Task Type"), launch, session_.intern(kernel.task_type));
  }

  void push_copy(std::int64_t task, const Times& times, std::uint32_t stream, std::uint32_t number) {
    const auto size = sizes_.find(task);
    if (size == sizes_.end())
      session_.issues.count(Severity::Info, "unknown-bytes", [] {
        return "copies do not state how many bytes they moved: their size is unknown";
      });
    const auto direction = directions_.find(task);
    const auto name =
        direction == directions_.end() ? operations_.end() : operations_.find(direction->second);
    push_transfer(session_.draft, times,
                  name == operations_.end() ? TransferKind::Unknown : copy_kind(name->second),
                  size == sizes_.end() ? store::kUnknownBytes : size->second, stream, number);
  }

  std::optional<Times> times_of(const Rows& rows, const char* table) {
    auto times = checked_times(session_.issues, number(rows, 0), number(rows, 1),
                               [&] { return place_of(rows, table); });
    if (times) times->start -= zero_;
    return times;
  }

  std::uint32_t stream_of(const Rows& rows) {
    const auto device =
        places_.device(places_.process(integer(rows, 4).value_or(0)), integer(rows, 2).value_or(0));
    return places_.stream(device, integer(rows, 3).value_or(0));
  }

  std::uint32_t thread_of(std::optional<std::int64_t> global) {
    const auto id = std::max<std::int64_t>(global.value_or(0), 0);
    return places_.thread(places_.process(id >> kTidBits), id & 0xFFFFFFFF);
  }

  static std::uint32_t correlation(const Rows& rows) { return low_bits(integer(rows, 5).value_or(0)); }

  std::string string(std::optional<std::int64_t> id) const {
    const auto found = id ? strings_.find(*id) : strings_.end();
    return found == strings_.end() || found->second.empty() ? std::string("unknown") : found->second;
  }

  void set_rank() {
    const auto process = places_.only_process();
    if (process != kNone && ranks_.size() == 1)
      session_.draft.resources[process].rank = static_cast<std::int32_t>(ranks_.front());
  }

  static constexpr std::int64_t kMaxRank = 1 << 30;

  SqliteSession& session_;
  Places places_;
  ById<std::string> strings_, operations_;
  ById<Compute> kernels_;
  ById<std::int64_t> sizes_, directions_;
  ById<std::uint32_t> counters_; ///< by device: row of Draft::counters
  std::vector<std::int64_t> ranks_;
  std::int64_t zero_ = 0;
};

} // namespace

bool recognises_db(const sqlite::Database& database) {
  return database.has_column("TASK", "globalTaskId") && database.has_table("STRING_IDS");
}

Expected<void> read_db(sqlite::Database& database, const Input&, Draft& draft, store::Source& source,
                       const Progress& progress) {
  source.tool = "Ascend";
  SqliteSession session(database, draft, progress);
  session.expect({"STRING_IDS", "COMPUTE_TASK_INFO", "TASK", "CANN_API", "PYTORCH_API"});
  if (auto done = AscendDatabase(session).read(source); !done) return done;
  return session.finish("a database of Ascend's profiler", "Record again with NPU activities enabled.");
}

} // namespace jitterscope::import::ascend
