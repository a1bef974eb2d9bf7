#pragma once

#include <memory>
#include <vector>

#include "core/base/stop.h"
#include "core/efficiency/metrics/objects.h"

namespace jitterscope::efficiency::metrics {

/// A record of a source, on the session's axis.
struct Record {
  std::int64_t begin = 0, end = 0; ///< [ns]; end ≥ begin
  std::uint32_t name = 0;          ///< in the numbers of the store, as store::Event
  std::uint32_t row = 0;           ///< of the trace's table
  std::uint32_t trace = 0;

  bool operator==(const Record&) const = default;
};
/// The order of records: by begin, then by trace and row.
bool comes_before(const Record& a, const Record& b);

class LaunchCalls;

/// The records and counters of a session by object. Reads no row when it is made; one for all metrics.
class Data {
public:
  /// Errors: BadUse (tables without time), Cancelled.
  static Expected<Data> make(const analysis::Session& session, const Job& job);

  const analysis::Session& session() const { return *session_; }
  const Objects& objects() const { return *objects_; }
  const store::TrackIndex& index(std::size_t trace) const { return index_[trace]; }

  /// Part of a source on one object.
  struct Part {
    std::uint32_t trace = 0;
    const store::Series* series = nullptr;
  };
  std::span<const Part> parts(Source source, std::uint32_t object) const {
    return parts_[static_cast<std::size_t>(source)][object];
  }

  /// All records of an object that run in [begin, end) or begin there, in order. Records of no length are
  /// included where they begin. `calls` is needed for Source::Queued alone. For any thread.
  std::vector<Record> records(Source source, std::uint32_t object, std::int64_t begin, std::int64_t end,
                              const LaunchCalls* calls) const;
  /// About how many records of a source run in [begin, end), from at most `most` of its parts.
  double about(Source source, std::int64_t begin, std::int64_t end, std::size_t most = 256) const;
  /// From the first to the last record and sample; empty without.
  Interval extent() const { return extent_; }

private:
  const analysis::Session* session_ = nullptr;
  std::vector<store::TrackIndex> index_; ///< by trace
  std::shared_ptr<const Objects> objects_;
  std::array<std::vector<std::vector<Part>>, kSources> parts_; ///< [source][object]
  Interval extent_;
};

/// Which calls launched something and when those of each launch began. Needed by queued and by the attribute
/// launching alone; reads the call of every launch and copy.
class LaunchCalls {
public:
  /// Errors: Cancelled.
  static Expected<LaunchCalls> make(const Data& data, const Job& job);

  /// Whether a call of a trace launched a kernel or a memory operation.
  bool launches(std::size_t trace, std::size_t call) const {
    return trace < launching_.size() && call < launching_[trace].size() && launching_[trace][call];
  }
  /// Adds the records of Source::Queued of a part of an object that run in [begin, end), in no order.
  void add_queued(const Data& data, std::uint32_t object, std::size_t part, std::int64_t begin,
                  std::int64_t end, std::vector<Record>& records) const;

private:
  std::vector<std::vector<bool>> launching_; ///< [trace][call]
  /// [object][part][block]: the earliest call of all launches from this block of kBlockEvents on [ns of the
  /// store].
  std::vector<std::vector<std::vector<std::int64_t>>> earliest_;
};

/// The table that records of a source are rows of.
const char* table_of(Source source);

} // namespace jitterscope::efficiency::metrics
