#include "core/store/columns/memory_activity.h"

#include <limits>

namespace jitterscope::store {

std::vector<std::uint32_t> physical_devices(const std::vector<Resource>& resources) {
  std::vector<std::uint32_t> physical(resources.size(), kNone);
  for (std::size_t row = 0; row < resources.size(); ++row) {
    const auto& resource = resources[row];
    if (resource.kind == ResourceKind::Device)
      physical[row] = resource.physical == kNone ? static_cast<std::uint32_t>(row) : resource.physical;
    else if (resource.kind == ResourceKind::Stream && resource.parent != kNone)
      physical[row] = physical[resource.parent];
  }
  return physical;
}

// Vectors that grow by doubling are written twice, and both copies are in memory for a while.
void MemoryOperations::reserve(const std::array<std::size_t, kTransferKinds>& of_kind) {
  std::size_t migrations = 0, sets = 0, all = 0;
  for (std::size_t kind = 0; kind < of_kind.size(); ++kind) {
    by_kind_[kind].reserve(of_kind[kind]);
    all += of_kind[kind];
    if (is_migration(static_cast<TransferKind>(kind))) migrations += of_kind[kind];
    if (static_cast<TransferKind>(kind) == TransferKind::Memset) sets += of_kind[kind];
  }
  transfers_.reserve(all);
  migrations_.reserve(migrations);
  copies_.reserve(all - migrations - sets);
}

void MemoryOperations::add(const Span& span, TransferKind kind, MigrationCause cause, bool sized) {
  transfers_.push_back(span);
  by_kind_[static_cast<std::size_t>(kind)].push_back(span);
  if (is_migration(kind)) {
    migrations_.push_back(span);
    if (!sized) unsized_migrations_.push_back(span);
    if (cause == MigrationCause::PageFault) page_faults_.push_back(span);
  } else if (kind != TransferKind::Memset) {
    copies_.push_back(span);
    if (!sized) unsized_copies_.push_back(span);
  }
}

MemoryActivity::MemoryActivity(const MemoryOperations& operations, Stop& stop)
    : migrations_(operations.migrations_, stop), overlapping_migrations_(operations.migrations_, stop),
      overlapping_page_faults_(operations.page_faults_, stop),
      overlapping_transfers_(operations.transfers_, stop), copies_(operations.copies_, stop),
      unsized_copies_(operations.unsized_copies_, stop),
      unsized_migrations_(operations.unsized_migrations_, stop), transfers_(operations.transfers_, stop) {
  for (std::size_t kind = 0; kind < by_kind_.size(); ++kind)
    by_kind_[kind] = Coverage(operations.by_kind_[kind], stop);
}

// The kind that covers most of the feeding window; ties: the first. Operations of length 0 cover
// nothing.
std::uint8_t MemoryActivity::linked_kind(const LaunchWindow& w) const {
  std::size_t maximum = static_cast<std::size_t>(TransferKind::Unknown);
  std::int64_t longest = 0;
  for (std::size_t kind = 0; kind < by_kind_.size(); ++kind) {
    if (by_kind_[kind].empty()) continue;
    const auto covered = by_kind_[kind].within(w.begin, w.end);
    if (covered > longest) longest = covered, maximum = kind;
  }
  return static_cast<std::uint8_t>(kLinkedKindOfUnknown + maximum);
}

// Most feeding windows contain no memory operation.
MemoryAround MemoryActivity::around(const LaunchWindow& w) const {
  constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();
  MemoryAround found;
  const auto transfers = overlapping_transfers_.with(w.begin, w.end).count;
  if (transfers == 0) return found;
  const auto covered = [&](TransferKind kind) {
    return static_cast<float>(by_kind_[static_cast<std::size_t>(kind)].within(w.start, w.end));
  };
  found.overlap_host_to_device_ns = covered(TransferKind::HostToDevice);
  found.overlap_device_to_host_ns = covered(TransferKind::DeviceToHost);
  found.overlap_device_to_device_ns = covered(TransferKind::DeviceToDevice);
  found.overlap_peer_to_peer_ns = covered(TransferKind::PeerToPeer);
  found.overlap_memset_ns = covered(TransferKind::Memset);
  found.overlap_transfer_bytes = unsized_copies_.with(w.start, w.end).count > 0
                                     ? kMissing
                                     : static_cast<float>(copies_.within(w.start, w.end));
  found.migration_ns = static_cast<float>(migrations_.within(w.start, w.end));
  const auto migrations = overlapping_migrations_.with(w.start, w.end);
  found.migration_bytes =
      unsized_migrations_.with(w.start, w.end).count > 0 ? kMissing : static_cast<float>(migrations.bytes);
  found.migration_count = static_cast<float>(migrations.count);
  found.page_fault_count = static_cast<float>(overlapping_page_faults_.with(w.start, w.end).count);
  found.window_migration_ns = static_cast<float>(migrations_.within(w.begin, w.end));
  const auto inside = transfers_.covered(w.start, w.end);
  found.linked_transfer_ns = transfers_.length(w.begin, w.end);
  found.linked_transfer_count = static_cast<std::uint32_t>(transfers);
  found.linked_kind = linked_kind(w);
  found.linked_overlapped_ns = static_cast<float>(inside);
  found.linked_exposed_ns = static_cast<float>(found.linked_transfer_ns - inside);
  return found;
}

} // namespace jitterscope::store
