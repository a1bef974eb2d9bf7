#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "core/analysis/collectives/host_time.h"
#include "core/analysis/collectives/parts_of_time.h"

namespace jitterscope::analysis {

/// Activity of a device from the end of one collective to the start of the next, and of its host from call to
/// call [ns].
struct IntervalParts {
  std::array<std::int64_t, kParts> parts{};
  std::int64_t launches = 0;
  std::map<std::uint32_t, std::pair<std::int64_t, std::int64_t>>
      kernels; ///< by session kernel: Σ duration [ns], number of launches
  std::optional<std::int64_t> host_work, host_waits;
  std::map<std::uint32_t, HostShare> host; ///< host_work and host_waits, divided by name (HostNames)
};

/// Divides the time between two collectives of a device.
class IntervalReader {
public:
  /// `collectives`: track of the device's collectives; `names` must outlive this object.
  IntervalReader(const Session& session, const Tracks& tracks, std::uint32_t collectives, HostNames& names);

  /// Parts of the time between two launches of the trace (rows of table "launches"), which must not overlap.
  IntervalParts between(std::size_t before, std::size_t next);
  std::int64_t events_read() const { return read_ + host_.events_read(); }

private:
  struct Activity {
    std::int64_t begin = 0, end = 0;
    std::int64_t call = 0;    ///< start of the launch call, or kNoCall
    std::uint32_t kernel = 0; ///< kNone for a memory operation
  };
  struct HostCall {
    std::int64_t start = 0;
    std::uint32_t thread = 0;
  };
  static constexpr std::int64_t kNoCall = INT64_MIN;

  std::int64_t end_of(std::size_t launch) const;
  std::optional<HostCall> call_of(const char* table, std::size_t row) const;
  std::vector<Activity> activities(std::int64_t begin, std::int64_t end, std::size_t next);
  void add_host(std::size_t before, std::size_t next, const std::vector<Span>& not_launched,
                IntervalParts& parts);

  const Trace& trace_;
  const HostNames& names_;
  HostTimeReader host_;
  std::vector<const TrackLevels*> launches_, memory_;
  std::int64_t read_ = 0;
};

} // namespace jitterscope::analysis
