#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "core/base/ids.h"
#include "core/base/spill_vector.h"
#include "core/store/trace/manifest.h"

namespace jitterscope::store {

/// The element types of a column. Floating-point columns mark a missing value by NaN; integer columns have no
/// missing values unless the column's description defines one (kNone in references).
using ColumnValues = std::variant<SpillVector<std::int64_t>, SpillVector<std::uint32_t>,
                                  SpillVector<std::uint8_t>, SpillVector<float>, SpillVector<double>>;

struct Column {
  std::string name;        ///< name in the filter language: letters, digits, '_'
  std::string unit;        ///< "ns", "B", "" for pure numbers, "%" …
  std::string description; ///< one sentence: meaning and computation
  ColumnValues values;
};

std::size_t size_of(const ColumnValues& values);

/// Columns of equal length.
struct Table {
  std::string name;
  std::vector<Column> columns;

  std::size_t rows() const { return columns.empty() ? 0 : size_of(columns.front().values); }
  const Column* find(std::string_view column) const;

  template <class T>
  void add(std::string column, std::string unit, std::string description, SpillVector<T> values) {
    columns.push_back({std::move(column), std::move(unit), std::move(description), std::move(values)});
  }
  /// Copies the values; for small tables.
  template <class Vector>
  requires std::same_as<Vector, std::vector<typename Vector::value_type>>
  void add(std::string column, std::string unit, std::string description, const Vector& values) {
    columns.push_back({std::move(column), std::move(unit), std::move(description), SpillVector(values)});
  }
  /// The values of a column that must exist with this type (asserted).
  template <class T>
  const SpillVector<T>& get(std::string_view column) const {
    return std::get<SpillVector<T>>(find(column)->values);
  }
};

enum class ResourceKind : std::uint8_t { Host, Process, Thread, Device, Stream };

/// One node of the resource tree: host → process → (device → stream, thread). A device used by several
/// processes appears under each; `physical` then refers to the first of them, so that all activity of one
/// physical device can be combined.
struct Resource {
  ResourceKind kind = ResourceKind::Host;
  std::uint32_t parent =
      kNone; ///< row of the parent in the tree, kNone for hosts; parents precede their children
  std::uint32_t physical = kNone; ///< devices: row of the representative (itself for the first), else kNone
  std::int64_t number = 0;        ///< pid, tid, number of the device or of the stream
  std::int32_t rank = -1;         ///< processes: MPI or distributed rank, -1 unknown
  std::string name;               ///< host name, process name, "NVIDIA A100", thread name; may be empty
  std::uint32_t recorded = 0;     ///< parts of a trace: kinds of rows that the whole has here (recorded_kind)
};

/// Table of strings, each stored once; index 0 is the empty string.
class StringTable {
public:
  StringTable() { intern(""); }
  StringId intern(std::string_view text);
  const std::string& operator[](StringId id) const { return texts_[id.value]; }
  using Texts = std::vector<std::string, SpillAllocator<std::string>>;
  const Texts& all() const { return texts_; }

private:
  Texts texts_;
  std::unordered_map<std::string, std::uint32_t, std::hash<std::string>, std::equal_to<>,
                     SpillAllocator<std::pair<const std::string, std::uint32_t>>>
      index_;
};

/// Kinds of memory operations, column "kind" of table "transfers".
enum class TransferKind : std::uint8_t {
  Unknown,
  HostToDevice,
  DeviceToHost,
  DeviceToDevice,
  HostToHost,
  PeerToPeer,
  Memset,
  MigrationHostToDevice,
  MigrationDeviceToHost,
  MigrationDeviceToDevice
};
inline constexpr int kTransferKinds = 10;
/// "host-to-device", "migration-host-to-device" … as in JSON and filters.
std::string_view to_string(TransferKind kind);
inline bool is_migration(TransferKind kind) {
  return kind >= TransferKind::MigrationHostToDevice;
}

/// Why pages migrated, column "migration_cause" of table "transfers" (CUPTI's numbers; 0 none or unknown).
enum class MigrationCause : std::uint8_t {
  None,
  Prefetch,
  PageFault,
  SpeculativePrefetch,
  Eviction,
  AccessCounters
};

/// Everything that one import produced, in memory, before it is written. The tables and their required
/// columns follow. Times are int64 ns on the session's axis; every event table is sorted by start (ties: by
/// stream or thread, then by order in the source):
///
/// "kernels"         name u32 (StringId, full signature), short_name u32 (StringId)
/// "configurations"  kernel u32, grid_x grid_y grid_z block_x block_y block_z u32,
///                   static_shared_memory u32 [B], dynamic_shared_memory u32 [B],
///                   registers u32 (per thread), variant u32 (StringId: any further
///                   property that distinguishes configurations, empty for none)
/// "launches"        start i64 [ns], duration i64 [ns], configuration u32, stream u32 (ResourceId),
///                   call u32 (row of "calls" or kNone), range u32 (row of "ranges", innermost around the
///                   launch call, or kNone), correlation u32, flags u8 (kLaunchFirst …), then feature columns
///                   (see core/import/assemble/context.h) and other values that the source records per
///                   launch: float64, or uint32 StringIds with unit kTextUnit (kNone if missing). Tables
///                   without times (manifest.launch_order): `start` is the row number, and duration is
///                   kMissingDuration where none was measured
/// "transfers"       start i64, duration i64, bytes i64 [B] (kUnknownBytes: not recorded), kind u8,
///                   migration_cause u8, stream u32 (ResourceId of a stream; of the device for migrations),
///                   call u32 (or kNone), correlation u32
/// "calls"           start i64, duration i64, name u32 (StringId), thread u32 (ResourceId), correlation u32,
///                   result u32 (return value)
/// "ranges"          start i64, duration i64, name u32, domain u32 (StringIds), thread u32 (ResourceId),
///                   depth u8 (0 outermost, per thread), kind u8 (0 push/pop, 1 start/end, 2 mark, 3 state)
/// "samples"         time i64, counter u32 (row of "counters"), value f64; sorted by (counter, time)
/// "counters"        name u32 (StringId), unit u32 (StringId), device u32 (ResourceId),
///                   holds u8 (optional; 1: samples are changes, each value holds until the next one)
/// "messages"        start i64, duration i64, thread u32, kind u8 (0 point-to-point, 1 collective, 2 wait, 3
///                   other, 4 transmission from the thread to `peer`), name u32, peer u32 (rank or kNone),
///                   bytes i64 (-1 unknown), tag u32 (or kNone)
///
/// All tables are present even when empty.
struct TraceData {
  StringTable strings;
  std::vector<Resource> resources;
  std::vector<Table> tables;
  Manifest manifest;

  Table& add_table(std::string name) { return tables.emplace_back(Table{std::move(name), {}}); }
  const Table* find(std::string_view name) const;
  Table* find(std::string_view name);
};

/// Value of launches.duration in tables without times for rows whose duration was not measured.
inline constexpr std::int64_t kMissingDuration = -1;

/// Value of transfers.bytes and messages.bytes for sizes that the source does not record; not summed.
inline constexpr std::int64_t kUnknownBytes = -1;

/// Unit of launch columns whose uint32 values are StringIds, kNone if missing.
inline constexpr std::string_view kTextUnit = "text";

/// Launch column with the kind of the linked memory operations: 0 for launches without any, else
/// kLinkedKindOfUnknown + kind.
inline constexpr std::string_view kLinkedKind = "linked_kind";
inline constexpr std::uint8_t kLinkedKindOfUnknown = 1;

/// Bits of launches.flags.
inline constexpr std::uint8_t kLaunchFirst = 1; ///< first launch of its configuration on its device
inline constexpr std::uint8_t kLaunchGraph = 2; ///< part of a CUDA or HIP graph
inline constexpr std::uint8_t kLaunchCooperative = 4;
inline constexpr std::uint8_t kLaunchOverlaps = 8; ///< overlaps an earlier launch on its own stream

} // namespace jitterscope::store
