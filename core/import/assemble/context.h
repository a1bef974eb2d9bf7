#pragma once

#include <functional>

#include "core/base/error.h"
#include "core/base/job.h"
#include "core/store/trace/trace_data.h"

namespace jitterscope::import {

/// Maximum gap before a launch that belongs to the same burst.
inline constexpr std::int64_t kBurstGap = 10'000; // ns

/// Computes the context of every launch from the raw tables of a trace, for all formats. Fills column "range"
/// (of rows whose call is known) and the bits kLaunchFirst and kLaunchOverlaps of "flags", and appends the
/// columns below to "launches". Unless stated otherwise they are float32, NaN for missing: exact up to 16.8
/// ms and 16.8 MB, with a relative error of at most 6e-8 beyond. "Device" is the piece of hardware, across
/// processes.
///
///   gap_ns: from the latest end of the earlier launches on the stream to the launch's start, 0 when they
///     overlap; missing for the first launch of a stream
///   queue_delay_ns: from the return of the launch call to the launch's start; negative when execution began
///     before the call returned; missing without a call
///   concurrency: other kernels running on the device, time-weighted mean over the launch's execution;
///     missing when that lasts 0 ns
///   overlap_host_to_device_ns, overlap_device_to_host_ns, overlap_device_to_device_ns,
///     overlap_peer_to_peer_ns, overlap_memset_ns: part of the launch's execution during which an operation
///     of this kind runs on the device
///   overlap_transfer_bytes: bytes of the copies (not migrations, not memsets) that overlap the launch's
///     execution, in proportion to the overlapping part of each; missing if the size of one is unknown (also
///     for migration_bytes)
///   migration_ns, migration_bytes, migration_count, page_fault_count: unified-memory migrations overlapping
///     the launch's execution: time that they cover, their bytes, their number, those caused by a page fault
///   window_migration_ns: part of the feeding window that migrations cover
///   linked_transfer_ns (int64): length of the union of the linked transfers (whole intervals)
///   linked_transfer_count (uint32): memory operations of the device that overlap the feeding window
///   linked_kind (uint8): the kind of memory operation that covers most of the feeding window (the first of
///     equal ones; operations without a length have the unknown kind), store::kLinkedKindOfUnknown +
///     TransferKind; 0 without linked transfers
///   linked_overlapped_ns, linked_exposed_ns: part of the union of linked transfers inside and outside the
///     launch's execution
///   burst_position: launches on the stream since the last gap of more than 10 µs
///   mean_<metric>: mean of the device's samples of a counter during the execution, else the sample nearest
///     to its middle within one sampling period, else missing
///
/// The feeding window of a launch is [latest end of the earlier launches on its stream, own end]; it begins
/// at its own start for the first launch of a stream and where launches of a stream overlap. Everything is
/// O((n + m) log(n + m)) in launches and other rows. Errors: Cancelled.
///
/// `before_changes` is called once everything is computed and before the first change of the data: until then
/// another thread may read it.
Expected<void> add_context(
    store::TraceData& data, store::ImportReport& report, const Job& job,
    const std::function<void()>& before_changes = [] {});

/// Sets only the bit kLaunchFirst of "flags": the only context of tables without times.
void mark_first_launches(store::TraceData& data);

} // namespace jitterscope::import
