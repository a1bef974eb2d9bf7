#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/base/spill_vector.h"
#include "core/store/columns/intervals.h"
#include "core/store/trace/trace_data.h"

namespace jitterscope::store {

/// The representative device (Resource::physical) of every resource: that of the device itself, or of a
/// stream's device; kNone for other resources.
std::vector<std::uint32_t> physical_devices(const std::vector<Resource>& resources);

/// Start of the feeding window, start and end (exclusive) of a launch, ns.
struct LaunchWindow {
  std::int64_t begin = 0, start = 0, end = 0;
};

/// Memory operations of the device in the window of a launch. Members have the names of their columns (units
/// and definitions: core/import/assemble/context.h). All 0 if no operation is in the feeding window.
struct MemoryAround {
  float overlap_host_to_device_ns = 0, overlap_device_to_host_ns = 0, overlap_device_to_device_ns = 0,
        overlap_peer_to_peer_ns = 0, overlap_memset_ns = 0, overlap_transfer_bytes = 0;
  float migration_ns = 0, migration_bytes = 0, migration_count = 0, page_fault_count = 0,
        window_migration_ns = 0;
  std::int64_t linked_transfer_ns = 0;
  std::uint32_t linked_transfer_count = 0;
  std::uint8_t linked_kind = 0;
  float linked_overlapped_ns = 0, linked_exposed_ns = 0;
};

/// Memory operations of one physical device, added in order of their starts.
class MemoryOperations {
public:
  void reserve(const std::array<std::size_t, kTransferKinds>& of_kind);
  /// Adds an activity. `sized`: whether its number of bytes is known.
  void add(const Span& span, TransferKind kind, MigrationCause cause, bool sized);
  const SpillVector<Span>& of(TransferKind kind) const { return by_kind_[static_cast<std::size_t>(kind)]; }
  const SpillVector<Span>& migrations() const { return migrations_; }

private:
  friend class MemoryActivity;
  SpillVector<Span> transfers_;
  std::array<SpillVector<Span>, kTransferKinds> by_kind_;
  SpillVector<Span> migrations_, page_faults_, copies_, unsized_copies_, unsized_migrations_;
};

/// Memory operations of one physical device, ready for queries about windows of time. Like the interval
/// classes it is built from (intervals.h), it can be queried by several threads.
class MemoryActivity {
public:
  MemoryActivity() = default;
  MemoryActivity(const MemoryOperations& operations, Stop& stop);

  MemoryAround around(const LaunchWindow& window) const;

private:
  std::uint8_t linked_kind(const LaunchWindow& window) const;

  std::array<Coverage, kTransferKinds> by_kind_;
  Coverage migrations_;
  Overlaps overlapping_migrations_, overlapping_page_faults_, overlapping_transfers_;
  Flow copies_;                                  // bytes of copies that are neither migrations nor memsets
  Overlaps unsized_copies_, unsized_migrations_; // copies and migrations whose size is unknown
  FullLengthUnion transfers_;                    // all memory operations
};

} // namespace jitterscope::store
