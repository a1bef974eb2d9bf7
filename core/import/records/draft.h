#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "core/base/spill_vector.h"
#include "core/import/records/attributes.h"
#include "core/import/records/draft_column.h"
#include "core/import/records/table_mapping.h"
#include "core/store/trace/event_kinds.h"
#include "core/store/trace/trace_data.h"

namespace jitterscope::import {

/// The attributes that make two launches comparable.
struct Configuration {
  std::uint32_t kernel = 0; ///< row of Draft::kernels
  std::uint32_t grid_x = 0, grid_y = 0, grid_z = 0;
  std::uint32_t block_x = 0, block_y = 0, block_z = 0;
  std::uint32_t static_shared_memory = 0, dynamic_shared_memory = 0; ///< per block [B]
  std::uint32_t registers = 0;                                       ///< registers per thread
  std::uint32_t variant = 0; ///< row of Draft::strings: all other properties of the configuration; 0 if none
  bool operator==(const Configuration&) const = default;
};

struct Kernel {
  std::uint32_t name = 0;       ///< row of Draft::strings
  std::uint32_t short_name = 0; ///< row of Draft::strings
  bool operator==(const Kernel&) const = default;
};

// Rows as readers append them: one vector per column, in the source's order, times in ns of the source's own
// clock. References (call, thread, stream …) are rows of this draft. Declare the vectors with `auto`: their
// allocator may move large ones to disk.

struct LaunchRows {
  DraftColumn<std::int64_t> start;
  SpillVector<std::int64_t> duration;
  DraftColumn<std::uint32_t> configuration, stream, call, correlation;
  DraftColumn<std::uint8_t> flags;
  auto columns() { return std::tie(start, duration, configuration, stream, call, correlation, flags); }
};
struct TransferRows {
  SpillVector<std::int64_t> start, duration, bytes;
  SpillVector<std::uint8_t> kind, cause;
  SpillVector<std::uint32_t> stream, call, correlation;
  auto columns() { return std::tie(start, duration, bytes, kind, cause, stream, call, correlation); }
};
struct CallRows {
  SpillVector<std::int64_t> start, duration;
  SpillVector<std::uint32_t> name, thread, correlation;
  DraftColumn<std::uint32_t> result;
  auto columns() { return std::tie(start, duration, name, thread, correlation, result); }
};
struct RangeRows {
  SpillVector<std::int64_t> start, duration;
  SpillVector<std::uint32_t> name, thread;
  DraftColumn<std::uint32_t> domain;
  DraftColumn<std::uint8_t> kind;
  auto columns() { return std::tie(start, duration, name, domain, thread, kind); }
};
struct SampleRows {
  SpillVector<std::int64_t> time;
  SpillVector<std::uint32_t> counter;
  SpillVector<double> value;
  auto columns() { return std::tie(time, counter, value); }
};
struct MessageRows {
  SpillVector<std::int64_t> start, duration, bytes;
  SpillVector<std::uint8_t> kind;
  SpillVector<std::uint32_t> thread, name, peer, tag;
  /// From the logical send to the start, and from the end to the logical receive [ns]; 0 if they are the
  /// same.
  DraftColumn<std::int64_t> sent_before, received_after;
  DraftColumn<std::uint32_t> peer_thread; ///< number among the host threads of the peer, from 0
  auto columns() {
    return std::tie(start, duration, bytes, kind, thread, name, peer, tag, sent_before, received_after,
                    peer_thread);
  }
};
struct Counter {
  std::uint32_t name = 0;   ///< row of Draft::strings
  std::uint32_t unit = 0;   ///< row of Draft::strings
  std::uint32_t device = 0; ///< resource that the counter belongs to: a device or a thread
  std::uint8_t holds = 0;   ///< 1: samples are changes, so that each value holds until the next sample
  std::int64_t type = 0;    ///< number of its event type in a Paraver trace; 0 in other traces
};

using store::kPointToPoint, store::kCollective, store::kWait, store::kOtherMessage, store::kTransmission;
using store::kPushPopRange, store::kStartEndRange, store::kMark, store::kStateRange;

/// A device as a monitor names it; what the log does not state stays empty or −1.
struct LoggedDevice {
  std::int64_t number = -1;
  std::string uuid, host;
  std::int32_t rank = -1;
};

/// Samples that a monitor took of devices next to a trace. Until the log is attached to the devices of the
/// trace (assemble/device_logs.h), `device` of its counters is an index of `devices`.
struct DeviceLog {
  std::string file;                                ///< name of the log, for messages
  std::size_t first_counter = 0, last_counter = 0; ///< rows of Draft::counters
  std::size_t first_sample = 0, last_sample = 0;   ///< rows of Draft::samples
  std::vector<LoggedDevice> devices;
  bool zone_known = true; ///< false: dates are local times of an unknown zone, stored as if they were UTC
};

/// Options of an import.
struct ImportOptions {
  /// Columns of plain tables that name the kernels, separated by commas; empty: by `mapping`, else
  /// recognised.
  std::string kernel_column;
  bool drop_python_functions = false; ///< leave out the Python interpreter's functions in PyTorch traces
  int threads = 0;         ///< threads that read one file, without effect on the result; 0: one per processor
  bool one_by_one = false; ///< read records of tables one by one, slowly and with the same results: for tests
  /// Choices for columns of plain tables; the mapping's column of kernels is used if kernel_column is empty.
  TableMapping mapping = {};
};

/// Number of rows of each table: the border between two files.
struct DraftSizes {
  std::size_t launches = 0, transfers = 0, calls = 0, ranges = 0, samples = 0, messages = 0;
};

/// The size of a draft: the state to return to when a file turns out to be invalid.
struct DraftMark {
  DraftSizes rows;
  std::size_t resources = 0, devices = 0, kernels = 0, configurations = 0, counters = 0, attributes = 0;
  std::size_t gpus = 0, networks = 0, bandwidths = 0, logs = 0;
};

/// What readers fill: the raw rows of all files, and the strings and resources that the files share.
/// assemble() makes a TraceData from it.
class Draft {
public:
  store::StringTable strings;
  std::vector<store::Resource> resources;
  std::vector<store::DeviceInfo> devices; ///< one entry for each physical device that was used
  SpillVector<Kernel> kernels;
  SpillVector<Configuration> configurations;
  LaunchRows launches;
  Attributes attributes; ///< attributes of launches that are not columns of LaunchRows
  TransferRows transfers;
  CallRows calls;
  RangeRows ranges;
  SampleRows samples;
  SpillVector<Counter> counters;
  std::vector<DeviceLog> logs; ///< one for each call of a reader of logs
  MessageRows messages;
  store::ParaverNumbers paraver; ///< of all Paraver traces; of two names of one number the first
  store::Machine machine;
  store::ImportReport report;
  ImportOptions options;

  std::uint32_t add_resource(store::ResourceKind kind, std::uint32_t parent, std::int64_t number,
                             std::string name);

  /// The row of a kernel or configuration, added when new.
  std::uint32_t kernel(const Kernel& kernel);
  std::uint32_t configuration(const Configuration& configuration);

  /// The host on which a GPU with one of these unique ids was seen before, else a new one. Files of one node
  /// list the same GPUs; nothing else in the files identifies the node.
  std::uint32_t host_of(const std::vector<std::string>& uuids);

  /// The first device resource with this unique id, kNone when it is new.
  std::uint32_t device_with(const std::string& uuid) const;
  /// Adds a counter and returns its row.
  std::uint32_t add_counter(std::string_view name, std::string_view unit, std::uint32_t resource,
                            bool holds = false);

  /// The stream for the rows of a table without times, with a new host, process and device. `name`
  /// is the name of the process.
  std::uint32_t add_table_stream(const std::string& name, const std::string& device_name = {});

  /// Appends a launch without timestamp: `duration` in ns, store::kMissingDuration when it was not
  /// measured. Returns its row.
  std::uint32_t add_untimed_launch(std::uint32_t configuration, std::uint32_t stream, std::int64_t duration);

  /// Appends several launches without timestamps.
  void add_untimed_launches(std::span<const std::uint32_t> of_configurations, std::uint32_t stream,
                            std::span<const std::int64_t> durations);

  /// Appends several launches with timestamps.
  void add_launches(std::span<const std::int64_t> starts, std::span<const std::int64_t> durations,
                    std::span<const std::uint32_t> of_configurations, std::span<const std::uint32_t> streams);

  /// Reserves memory for about this total number of launches, calls or ranges.
  void reserve_launches(std::size_t launches);
  void reserve_calls(std::size_t calls);
  void reserve_ranges(std::size_t ranges);
  /// Touches the memory of columns that are about to grow to this number of rows.
  void touch_launches(std::size_t rows);
  void touch_calls(std::size_t rows);

  DraftSizes sizes() const;
  /// Removes all rows beyond these sizes; resources, columns and strings stay.
  void shrink(const DraftSizes& sizes);
  DraftMark mark() const;
  /// Removes everything added since the mark, except strings and the report.
  void rewind(const DraftMark& mark);

private:
  struct ConfigurationHash {
    std::size_t operator()(const Configuration& c) const;
  };
  struct KernelHash {
    std::size_t operator()(const Kernel& k) const {
      return (std::uint64_t{k.name} << 32 | k.short_name) * 0x9E3779B97F4A7C15ull;
    }
  };
  std::unordered_map<Kernel, std::uint32_t, KernelHash> kernel_rows_;
  std::unordered_map<Configuration, std::uint32_t, ConfigurationHash> configuration_rows_;
  std::unordered_map<std::string, std::uint32_t> host_of_uuid_;
  std::int64_t tables_ = 0;
};

} // namespace jitterscope::import
