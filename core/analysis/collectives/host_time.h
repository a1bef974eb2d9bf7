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
  std::int64_t begin = 0, end = 0; ///< times of the trace [ns]
};

/// Whether a call waits for the device: its name contains Synchronize or Memcpy.
bool waits_for_device(std::string_view call);

/// Common ids for the names of operators, ranges and calls of all traces, so that ranks can be compared. Id 0
/// is the empty name: no recorded activity.
class HostNames {
public:
  HostNames() { number(""); }
  std::uint32_t number(std::string_view name);
  const std::string& operator[](std::uint32_t number) const { return *names_[number]; }
  bool waits(std::uint32_t number) const { return waits_[number]; }

private:
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<const std::string*> names_; ///< pointers to the keys of numbers_, whose addresses are stable
  std::vector<bool> waits_;
};

/// Host time of one operator, range or call, without nested ones.
struct HostShare {
  std::int64_t time = 0;  ///< host time [ns]
  std::int64_t idle = 0;  ///< part of `time` in which the device was idle for lack of work [ns]
  std::int64_t times = 0; ///< number of ranges or calls that begin in the divided time
};

/// Divides the time of host threads among ranges (operators), API and MPI calls. Each moment counts for the
/// innermost one, but a call that waits includes everything nested in it (of the operating system or driver).
/// The shares add up to the divided time.
class HostTimeReader {
public:
  HostTimeReader(const Session& session, const Tracks& tracks, std::size_t trace, HostNames& names);

  /// Divides the interval `of`. Where the first thread recorded nothing, the next thread counts. `idle`:
  /// sorted by time, disjoint.
  std::map<std::uint32_t, HostShare> divide(const std::vector<std::uint32_t>& threads, Span of,
                                            const std::vector<Span>& idle);
  std::int64_t events_read() const { return read_; }

private:
  struct Piece : Span {
    std::uint32_t name = 0; ///< id in HostNames
  };
  std::vector<Piece> events(std::uint32_t thread, Span of, std::map<std::uint32_t, HostShare>& shares);
  std::vector<Piece> innermost(const std::vector<Piece>& events, Span of) const;
  static std::vector<Piece> filled(const std::vector<Piece>& pieces, const std::vector<Piece>& others);
  std::uint32_t name_of(std::uint32_t in_store);

  const Trace& trace_;
  HostNames& names_;
  std::map<std::uint32_t, std::vector<const store::Series*>>
      series_; ///< by thread: series of its calls, ranges and MPI calls
  std::unordered_map<std::uint32_t, std::uint32_t> known_; ///< StringId → id in HostNames
  std::int64_t read_ = 0;
};

} // namespace jitterscope::analysis
