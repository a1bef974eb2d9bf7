#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/base/intervals.h"
#include "core/base/spill_vector.h"
#include "core/store/trace/trace_data.h"

namespace jitterscope::store {

/// The device (its representative) of every resource: itself for devices, its parent's for streams, kNone for
/// others.
std::vector<std::uint32_t> physical_devices(const std::vector<Resource>& resources);

/// [begin of the feeding window, start, end) of a launch, ns.
struct LaunchWindow {
  std::int64_t begin = 0, start = 0, end = 0;
};

/// What the memory operations of the device do in the window of a launch: the columns of these names (units
/// and definitions: core/import/context.h). All 0 where the feeding window meets none.
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

/// Memory operations of one piece of hardware, added in the order of their begins.
class MemoryOperations {
public:
  void reserve(const std::array<std::size_t, kTransferKinds>& of_kind);
  /// `sized`: its bytes are known.
  void add(const Span& span, TransferKind kind, MigrationCause cause, bool sized);
  const SpillVector<Span>& of(TransferKind kind) const { return by_kind_[static_cast<std::size_t>(kind)]; }
  const SpillVector<Span>& migrations() const { return migrations_; }

private:
  friend class MemoryActivity;
  SpillVector<Span> transfers_;
  std::array<SpillVector<Span>, kTransferKinds> by_kind_;
  SpillVector<Span> migrations_, page_faults_, copies_, unsized_copies_, unsized_migrations_;
};

/// The same, ready for questions about windows of time. As its parts (intervals.h), not to be shared between
/// threads.
class MemoryActivity {
public:
  MemoryActivity() = default;
  MemoryActivity(const MemoryOperations& operations, Stop& stop);

  MemoryAround around(const LaunchWindow& window) const;

private:
  std::uint8_t linked_kind(const LaunchWindow& window) const;

  std::array<Coverage, kTransferKinds> by_kind_;
  Coverage migrations_;
  Meeting migrations_met_, page_faults_met_, transfers_met_;
  Flow copies_;                                 // bytes of copies that are no migrations and no memsets
  Meeting unsized_copies_, unsized_migrations_; // those of which no bytes are known
  WholeUnion transfers_;                        // all memory operations
};

} // namespace jitterscope::store
