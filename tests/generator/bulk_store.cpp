#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/spill_memory.h"
#include "core/store/format/store.h"
#include "core/store/tracks/track_index_tables.h"
#include "tests/generator/bulk_run.h"
#include "tests/support/small_trace.h"

namespace jitterscope::generator {
namespace {

using store::ColumnValues;
using store::TraceData;

constexpr std::uint32_t kFirstStreamResource = 3; // after host, process and device of test::empty_trace

store::Column& column_of(TraceData& data, std::string_view table, std::string_view name) {
  return const_cast<store::Column&>(*data.find(table)->find(name));
}

/// Rows of some columns of a table, passed in pieces: the columns may have any integer type.
class Rows {
public:
  Rows(TraceData& data, std::string_view table, std::vector<std::string_view> columns, std::int64_t rows)
      : pending_(columns.size()) {
    for (const auto name : columns) {
      targets_.push_back(&column_of(data, table, name).values);
      std::visit([&](auto& values) { values.reserve(static_cast<std::size_t>(rows)); }, *targets_.back());
    }
    for (auto& piece : pending_) piece.reserve(kPiece);
  }
  ~Rows() { flush(); }
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;

  void add(std::initializer_list<std::int64_t> row) {
    std::size_t column = 0;
    for (const auto value : row) pending_[column++].push_back(value);
    if (pending_.front().size() == kPiece) flush();
  }

private:
  static constexpr std::size_t kPiece = 8'192;

  void flush() {
    for (std::size_t c = 0; c < targets_.size(); ++c) {
      std::visit(
          [&](auto& values) {
            using T = typename std::decay_t<decltype(values)>::value_type;
            for (const auto value : pending_[c]) values.push_back(static_cast<T>(value));
          },
          *targets_[c]);
      pending_[c].clear();
    }
    SpillMemory::relieve();
  }

  std::vector<ColumnValues*> targets_;
  std::vector<std::vector<std::int64_t>> pending_;
};

// Required columns without a value in the run: no call, no range, zero.
void fill_the_rest(TraceData& data, std::string_view table_name) {
  const auto rows = data.find(table_name)->rows();
  for (const auto& required : store::required_columns()) {
    if (required.table != table_name) continue;
    const bool none = store::may_be_none(required.reference);
    std::visit(
        [&](auto& values) {
          using T = typename std::decay_t<decltype(values)>::value_type;
          if (values.empty()) values.assign(rows, none ? static_cast<T>(kNone) : T{});
        },
        column_of(data, table_name, required.column).values);
  }
}

void add_kernels(TraceData& data, const BulkProgram& program) {
  Rows kernels(data, "kernels", {"name", "short_name"}, kBulkKernels);
  for (const auto& kernel : program.kernels)
    kernels.add({data.strings.intern(kernel.name).value, data.strings.intern(kernel.short_name).value});
  Rows configurations(data, "configurations",
                      {"kernel", "grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z",
                       "static_shared_memory", "dynamic_shared_memory", "registers", "variant"},
                      kBulkConfigurations);
  for (const auto& configuration : program.configurations) {
    const auto& kernel = program.kernels[static_cast<std::size_t>(configuration.kernel)];
    configurations.add({configuration.kernel, configuration.grid_x, 1, 1, kernel.block, 1, 1,
                        kernel.static_shared, kernel.dynamic_shared, kernel.registers, 0});
  }
}

// Numbers the stream of the copies and adds the streams of launches, divided among the devices; returns the
// resources of the latter.
std::vector<std::uint32_t> add_streams(TraceData& data, const BulkOptions& options) {
  data.resources[kFirstStreamResource].number = kCopyStream;
  std::vector<std::uint32_t> streams;
  for (int stream = 0; stream < options.streams; ++stream) {
    const int device = static_cast<int>(std::int64_t{stream} * options.devices / options.streams);
    std::uint32_t parent = kFirstStreamResource - 1;
    if (device > 0) {
      const auto before = (std::int64_t{stream} - 1) * options.devices / options.streams;
      if (device != before) {
        const auto added = static_cast<std::uint32_t>(data.resources.size());
        data.resources.push_back(
            {store::ResourceKind::Device, kFirstStreamResource - 2, added, device, -1, "GPU"});
        parent = added;
      } else {
        parent = data.resources.back().parent;
      }
    }
    streams.push_back(static_cast<std::uint32_t>(data.resources.size()));
    data.resources.push_back({store::ResourceKind::Stream, parent, kNone, kCopyStream + 1 + stream, -1, ""});
  }
  return streams;
}

void add_launches(TraceData& data, const BulkOptions& options, const BulkProgram& program,
                  const std::vector<std::uint32_t>& streams) {
  BulkLaunches launches(options, program);
  std::vector<bool> ran(kBulkConfigurations);
  Rows rows(data, "launches", {"start", "duration", "configuration", "stream", "correlation", "flags"},
            options.launches);
  for (LaunchRow row; launches.next(row);) {
    const auto configuration = static_cast<std::size_t>(row.configuration);
    const int flags =
        (ran[configuration] ? 0 : store::kLaunchFirst) | (launches.overlaps() ? store::kLaunchOverlaps : 0);
    ran[configuration] = true;
    rows.add({row.start, row.duration, row.configuration, streams[static_cast<std::size_t>(row.stream)],
              row.correlation, flags});
  }
}

void add_copies(TraceData& data, const BulkOptions& options) {
  const auto count = options.launches_per_copy > 0 ? options.launches / options.launches_per_copy : 0;
  BulkCopies copies(options);
  Rows rows(data, "transfers", {"start", "duration", "bytes", "kind", "stream", "correlation"}, count);
  for (MemoryRow row; copies.next(row);) {
    const auto kind = row.kind == MemoryKind::HostToDevice ? store::TransferKind::HostToDevice
                                                           : store::TransferKind::DeviceToHost;
    rows.add({row.start, row.duration, row.bytes, static_cast<std::int64_t>(kind), kFirstStreamResource,
              row.correlation});
  }
}

} // namespace

Expected<void> write_bulk_store(const BulkOptions& options, const std::string& path) {
  if (auto good = check(options); !good) return good;
  try {
    const SpillMemory spill_memory;
    auto data = test::empty_trace(1); // copies use the first stream
    const auto streams = add_streams(data, options);
    const BulkProgram program;
    add_kernels(data, program);
    add_launches(data, options, program, streams);
    add_copies(data, options);
    for (const char* table : {"launches", "transfers"}) fill_the_rest(data, table);
    if (auto indexed = store::add_track_index(data, {}); !indexed) return indexed;
    return store::write_store(data, path);
  } catch (const std::bad_alloc&) {
    return failure(ErrorKind::Io, "there is not enough temporary disk space", path, {},
                   "Set TMPDIR to a folder on a disk with more free space (about the size of the store).");
  }
}

} // namespace jitterscope::generator
