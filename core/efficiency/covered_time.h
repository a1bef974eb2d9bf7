#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/base/stop.h"
#include "core/store/tracks/track_index.h"

namespace jitterscope::efficiency {

/// Events of one series, and the unions to which each event belongs.
struct CoveringEvents {
  const store::Series* series = nullptr;
  /// By name of the event (store index): bit u for union u. Events with larger indices are in no union. Null:
  /// every event is in the unions `all`.
  std::shared_ptr<const std::vector<std::uint8_t>> by_name;
  std::uint8_t all = 0;

  std::uint8_t unions_of(std::uint32_t name) const {
    if (!by_name) return all;
    return name < by_name->size() ? (*by_name)[name] : 0;
  }
};

/// Length that several unions of events cover in any time range, exact to the nanosecond. Events may overlap
/// and belong to several series. After every block of events, the object stores the covered length so far and
/// the latest end of each union; a query reads at most kBlock events at each border, however many there are.
class CoveredTime {
public:
  static constexpr int kMaxUnions = 5;
  static constexpr std::size_t kBlock = 64, kSmallBlock = 16;
  using Lengths = std::array<std::int64_t, kMaxUnions>; ///< covered length of each union [ns]

  CoveredTime() = default;
  /// Reads every event once. A cancelled object must not be queried. The series must outlive it.
  /// `block`: events between two stored states, at most kBlock. With a smaller block the events are also
  /// stored contiguously (16 B each), so that a query reads no row of the store.
  CoveredTime(std::vector<CoveringEvents> events, int unions, Stop& stop, std::size_t block = kBlock);

  /// Covered length of [begin, end), in store times. Thread-safe.
  Lengths within(std::int64_t begin, std::int64_t end) const;
  std::int64_t first() const { return first_; } ///< earliest start [ns]; > last() without events
  std::int64_t last() const { return last_; }   ///< latest end [ns]

private:
  class Merged;
  struct Union {
    std::int64_t length = 0, reached = INT64_MIN;
  };
  using State = std::array<Union, kMaxUnions>;

  struct Kept {
    std::int64_t begin = 0;
    std::uint64_t length_and_unions = 0; ///< length [ns] · 2^kMaxUnions + unions
  };

  void add(std::int64_t begin, std::int64_t end, std::uint8_t unions, State& state) const;
  void keep(const Merged& merged, std::int64_t next, const State& state);
  State state_at(std::int64_t time) const;
  Lengths before(std::int64_t time) const;

  std::vector<CoveringEvents> events_;
  int unions_ = 0;
  std::size_t block_ = kBlock;
  std::vector<std::int64_t> next_begin_; ///< by block: start of its first event
  std::vector<std::uint32_t> positions_; ///< by block and series: events before the block; empty with `kept_`
  std::vector<Kept> kept_;               ///< all events sorted by start; empty with large blocks
  std::vector<Union> unions_before_;     ///< by block and union: state after all events before the block
  std::int64_t first_ = INT64_MAX, last_ = INT64_MIN;
};

} // namespace jitterscope::efficiency
