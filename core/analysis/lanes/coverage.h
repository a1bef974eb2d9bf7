#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/ids.h"
#include "core/store/tiles/range_blocks.h"

namespace jitterscope::analysis {

/// Aggregate of one bin in a row of consecutive bins. Names are ids in the store.
struct BinSum {
  std::uint32_t starts = 0; ///< events that begin in the bin
  std::uint32_t open = 0;   ///< events that began before the bin and end after its start
  /// Name with the largest total time in the bin; ties: smallest id; kNone if no event touches the bin.
  std::uint32_t name = kNone;
  std::uint32_t selected_events = 0; ///< selected events among `starts` and `open`
  std::uint64_t name_busy = 0;       ///< time of `name` [ns]
  std::uint64_t busy = 0;            ///< Σ length of the events, clipped to the bin [ns]
  std::uint64_t selected = 0;        ///< part of `busy` from selected events
  std::uint64_t covered = 0;         ///< length of the union of the events, clipped to the bin [ns]
};

/// Aggregates events over consecutive bins: count, covered time, time per name, selected time. Cost is linear
/// in events and bins, however long the events are. One object can process several rows of bins, one after
/// the other.
class Coverage {
public:
  /// Names of events must be below `names`, or kNone.
  explicit Coverage(std::size_t names = 0) { allow(names); }
  void allow(std::size_t names);

  /// Bin i is [borders[i], borders[i + 1]); borders ascend. The span must live until finish().
  void start(std::span<const std::int64_t> borders);
  /// Advances to the bin; events added from now on begin in it or later.
  void advance(std::size_t bin);
  /// Adds an event. Precondition: sorted by start time; an event that begins before the current bin counts as
  /// open there.
  void add(const store::Event& event, bool selected);
  /// Uses precomputed sums for the current bin. Open events continue after it; events that begin in it must
  /// be added after the next advance().
  void give(const BinSum& sum);
  /// Returns all bins; valid until the next start().
  std::span<const BinSum> finish();

private:
  struct Name {
    std::uint64_t time = 0;     ///< time in the current bin of events that do not cover the bin
    std::uint32_t covering = 0; ///< events that cover the current bin
    bool touched = false;       ///< has time or an event of length 0 in the current bin
  };
  struct Pending {
    std::uint32_t name = 0;
    bool selected = false, covers = false; ///< covers: the event was among the events that cover bins
    std::int64_t end = 0;
    std::int32_t next = -1; ///< next event that ends in the same bin
  };

  std::size_t slot(std::uint32_t name) const { return std::min<std::size_t>(name, names_.size() - 1); }
  std::uint64_t width() const;
  void open_bin();
  void close_bin();
  void touch(std::uint32_t name, std::uint64_t time, bool selected);
  void cover(std::uint32_t name, bool selected, int by);
  std::size_t bin_of_last(std::int64_t end) const;
  void join(std::int64_t begin, std::int64_t end);

  std::vector<Name> names_; ///< by name; the last entry is for kNone
  std::span<const std::int64_t> borders_;
  std::vector<BinSum> bins_;
  std::size_t at_ = 0;
  bool given_ = false;
  std::vector<std::uint32_t> touched_, covering_names_;
  std::vector<std::int32_t> first_ending_; ///< by bin: index into pending_
  std::vector<Pending> pending_;
  std::vector<Pending> entering_; ///< events that cover bins from the next bin on
  std::uint32_t covering_ = 0, covering_selected_ = 0;
  std::int64_t reached_ = 0;           ///< end of the union of the events added so far
  std::vector<std::uint64_t> covered_; ///< by bin: length of the union of the added events [ns]
};

} // namespace jitterscope::analysis
