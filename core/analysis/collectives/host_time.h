#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/analysis/lanes/tracks.h"

namespace jitterscope::analysis {

struct Span {
  std::int64_t begin = 0, end = 0; ///< [ns]
};

/// Whether a call waits for the device: its name contains Synchronize or Memcpy.
bool waits_for_device(std::string_view call);

/// The names of operators, ranges and calls of all traces, each with one number, so that ranks can be
/// compared. Number 0 is the empty name: nothing recorded.
class HostNames {
public:
  HostNames() { number(""); }
  std::uint32_t number(std::string_view name);
  const std::string& operator[](std::uint32_t number) const { return *names_[number]; }
  bool waits(std::uint32_t number) const { return waits_[number]; }

private:
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<const std::string*> names_; ///< keys of the map, which do not move
  std::vector<bool> waits_;
};

/// What one operator, range or call took of a host's time, without what ran inside of it.
struct HostShare {
  std::int64_t time = 0;  ///< [ns]
  std::int64_t idle = 0;  ///< of it while the device stood idle for want of it, [ns]
  std::int64_t times = 0; ///< how many begin in the time
};

/// Divides the time of host threads by what ran on them: ranges (operators), API and MPI calls, the innermost
/// at every moment, but a call that waits with all that runs inside of it (of the operating system, of the
/// driver). The shares add up to the time divided.
class HostTimeReader {
public:
  HostTimeReader(const Session& session, const Tracks& tracks, std::size_t trace, HostNames& names);

  /// Of the time `of`. Where the first thread ran nothing recorded, the next one counts. `idle`: in the order
  /// of time, without overlaps.
  std::map<std::uint32_t, HostShare> divide(const std::vector<std::uint32_t>& threads, Span of,
                                            const std::vector<Span>& idle);
  std::int64_t events_read() const { return read_; }

private:
  struct Piece : Span {
    std::uint32_t name = 0; ///< of HostNames
  };
  std::vector<Piece> events(std::uint32_t thread, Span of, std::map<std::uint32_t, HostShare>& shares);
  std::vector<Piece> innermost(const std::vector<Piece>& events, Span of) const;
  static std::vector<Piece> filled(const std::vector<Piece>& pieces, const std::vector<Piece>& others);
  std::uint32_t name_of(std::uint32_t in_store);

  const Trace& trace_;
  HostNames& names_;
  std::map<std::uint32_t, std::vector<const store::Series*>> series_; ///< by thread
  std::unordered_map<std::uint32_t, std::uint32_t> known_;            ///< StringId → number
  std::int64_t read_ = 0;
};

} // namespace jitterscope::analysis
