#pragma once

#include <functional>

#include "core/base/error.h"
#include "core/base/job.h"
#include "core/store/trace/trace_data.h"

namespace jitterscope::import {

/// A launch belongs to a burst while the gap before it is at most this.
inline constexpr std::int64_t kBurstGap = 10'000; // ns

/// Computes what surrounds every launch from the raw tables of a trace, whatever format they came from. Fills
/// column "range" (of rows whose call is known) and the bits kLaunchFirst and kLaunchOverlaps of "flags", and
/// appends these columns to "launches" (float32 with NaN for missing where nothing else is said: exact up
/// to 16.8 ms and 16.8 MB, beyond that to 6e-8 of the value; "device" means the piece of hardware, across
/// processes):
///
///   gap_ns: from the latest end of the earlier launches on the stream to the own start, 0 when they overlap;
///     missing for the first launch of a stream
///   queue_delay_ns: from the return of the launch call to the own start; negative when execution began
///     before the call returned; missing without a call
///   concurrency: other kernels running on the device, time-weighted mean over the own execution; missing
///     when it lasts 0 ns
///   overlap_host_to_device_ns, overlap_device_to_host_ns, overlap_device_to_device_ns,
///     overlap_peer_to_peer_ns, overlap_memset_ns: part of the own execution during which such an operation
///     runs on the device
///   overlap_transfer_bytes: bytes of the copies (not migrations, not memsets) that overlap the own
///     execution, in proportion to the overlapping part of each; missing beside one of unknown size, as are
///     migration_bytes
///   migration_ns, migration_bytes, migration_count, page_fault_count: unified-memory migrations overlapping
///     the own execution: time of it that they cover, their bytes, their number, those caused by a page fault
///   window_migration_ns: part of the feeding window that migrations cover
///   linked_transfer_ns (int64): length of the union of the linked transfers (whole intervals)
///   linked_transfer_count (uint32): memory operations of the device that overlap the feeding window
///   linked_kind (uint8): the kind of memory operation that covers most of the feeding window (of equal ones
///     the first; operations without a length are of unknown kind), store::kLinkedKindOfUnknown +
///     TransferKind; 0 without linked transfers
///   linked_overlapped_ns, linked_exposed_ns: part of that union inside and outside the own execution
///   burst_position: launches on the stream since the last gap of more than 10 µs
///   mean_<metric>: mean of the device's samples of a counter during the execution, else the sample nearest
///     to its middle within one sampling period, else missing
///
/// The feeding window of a launch is [latest end of the earlier launches on its stream, own end]; it begins
/// at the own start for the first launch of a stream and where launches of a stream overlap. Everything is
/// O((n + m) log(n + m)) in launches and other rows. Errors: Cancelled.
///
/// `before_changes` is called once all is computed and before the first change of the data: until then
/// another thread may read it.
Expected<void> add_context(
    store::TraceData& data, store::ImportReport& report, const Job& job,
    const std::function<void()>& before_changes = [] {});

/// Sets the bit kLaunchFirst of "flags" alone: what tables without time have of the context.
void mark_first_launches(store::TraceData& data);

} // namespace jitterscope::import
