#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "core/analysis/columns/columns.h"
#include "core/base/stop.h"
#include "core/efficiency/metrics/objects.h"

namespace jitterscope::efficiency::metrics {

/// A record of a source, on the session's axis.
struct Record {
  std::int64_t begin = 0, end = 0; ///< [ns]; end ≥ begin
  std::uint32_t name = 0;          ///< index in the store, as in store::Event
  std::uint32_t row = 0;           ///< row of the trace's table
  std::uint32_t trace = 0;

  bool operator==(const Record&) const = default;
};
/// The order of records: by start, then by trace and row.
bool comes_before(const Record& a, const Record& b);

class LaunchCalls;

/// The records and counters of a session by object. Construction reads no row; shared by all metrics.
class Data {
public:
  /// `columns`: of the launches of the session, for attributes of kernels that are derived from others; may
  /// be null. Both must outlive this. Errors: BadUse (tables without times), Cancelled.
  static Expected<Data> make(const analysis::Session& session, const Job& job,
                             const analysis::LaunchColumns* columns = nullptr);

  const analysis::Session& session() const { return *session_; }
  const analysis::LaunchColumns* columns() const { return columns_; }
  const Objects& objects() const { return *objects_; }
  const store::TrackIndex& index(std::size_t trace) const { return index_[trace]; }

  /// The source of the records of a series; nothing for series that repeat records of others.
  static std::optional<Source> source_of(store::SeriesKind kind);

  /// Part of a source on one object.
  struct Part {
    std::uint32_t trace = 0;
    const store::Series* series = nullptr;
  };
  std::span<const Part> parts(Source source, std::uint32_t object) const {
    return parts_[static_cast<std::size_t>(source)][object];
  }

  /// Whether the session has any record of a source.
  bool has(Source source) const {
    return std::ranges::any_of(parts_[static_cast<std::size_t>(source)],
                               [](const auto& parts) { return !parts.empty(); });
  }

  /// All records of an object that run in [begin, end) or begin there, sorted. Records of zero length are
  /// included where they begin. Only Source::Queued needs `calls`. Thread-safe.
  std::vector<Record> records(Source source, std::uint32_t object, std::int64_t begin, std::int64_t end,
                              const LaunchCalls* calls) const;
  /// Approximate number of records of a source that begin in [begin, end), from at most about `maximum` of
  /// its objects.
  double about(Source source, std::int64_t begin, std::int64_t end, std::size_t maximum = 256) const;
  /// From the first to the last record or sample; empty if there are none.
  Interval extent() const { return extent_; }
  /// The same with the recorded time before and after them.
  Interval recorded() const { return recorded_; }

private:
  const analysis::Session* session_ = nullptr;
  const analysis::LaunchColumns* columns_ = nullptr;
  std::vector<store::TrackIndex> index_; ///< track index of each trace
  std::shared_ptr<const Objects> objects_;
  std::array<std::vector<std::vector<Part>>, kSources> parts_; ///< parts: [source][object]
  Interval extent_, recorded_;
};

/// For each call whether it launched something, and the starts of the calls of launches. Needed only by
/// `queued` and by the attribute `launching`; reads the call of every launch and memory operation.
class LaunchCalls {
public:
  /// Errors: Cancelled.
  static Expected<LaunchCalls> make(const Data& data, const Job& job);

  /// Whether a call of a trace launched a kernel or a memory operation.
  bool launches(std::size_t trace, std::size_t call) const {
    return trace < launching_.size() && call < launching_[trace].size() && launching_[trace][call];
  }
  /// Appends the records of Source::Queued of a part of an object that run in [begin, end), unordered.
  void add_queued(const Data& data, std::uint32_t object, std::size_t part, std::int64_t begin,
                  std::int64_t end, std::vector<Record>& records) const;

private:
  std::vector<std::vector<bool>> launching_; ///< [trace][call]: whether the call launched something
  /// [object][part][block]: the earliest call of all launches from this block of kBlockEvents on, in store
  /// time [ns].
  std::vector<std::vector<std::vector<std::int64_t>>> earliest_;
};

/// Name of the table that contains the records of a source.
const char* table_of(Source source);

} // namespace jitterscope::efficiency::metrics
