#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/ids.h"
#include "core/store/tracks/range_blocks.h"

namespace jitterscope::analysis {

/// What happened in one of a row of bins. Names are in the numbers of a store.
struct BinSum {
  std::uint32_t starts = 0; ///< events that begin in it
  std::uint32_t open = 0;   ///< events that began before and end after its begin
  std::uint32_t name =
      kNone; ///< with most time inside; ties: smallest number; kNone when nothing touches the bin
  std::uint32_t selected_events = 0; ///< of starts and open, those that are selected
  std::uint64_t name_busy = 0;       ///< time of that name [ns]
  std::uint64_t busy = 0;            ///< Σ length of the events, cut to the bin [ns]
  std::uint64_t selected = 0;        ///< of it, of selected events
  std::uint64_t covered = 0;         ///< length of the union of the events, cut to the bin [ns]
};

/// Adds events up in bins that follow each other: count, covered time, time by name, selected time. Cost is
/// linear in events and bins, however long the events are. One object serves any number of rows of bins, one
/// after the other.
class Coverage {
public:
  /// Names of events are below `names`, or kNone.
  explicit Coverage(std::size_t names = 0) { allow(names); }
  void allow(std::size_t names);

  /// Bin i is [borders[i], borders[i + 1]); borders ascend. The span must live until finish().
  void start(std::span<const std::int64_t> borders);
  /// Goes on to the bin; what is added from now on begins in it or behind it.
  void advance(std::size_t bin);
  /// Events come by begin; one that begins before the current bin counts as open there.
  void add(const store::Event& event, bool selected);
  /// Takes the sums of the current bin as given. Open events go on behind it; those that begin in it must be
  /// added after the next advance().
  void give(const BinSum& sum);
  /// The bins, all of them; valid until the next start().
  std::span<const BinSum> finish();

private:
  struct Name {
    std::uint64_t time = 0;     ///< in the current bin, of events that do not cover it
    std::uint32_t covering = 0; ///< events that cover the current bin
    bool touched = false;       ///< time or an event of no length in the current bin
  };
  struct Pending {
    std::uint32_t name = 0;
    bool selected = false, covers = false; ///< covers: it was among those that cover bins
    std::int64_t end = 0;
    std::int32_t next = -1; ///< of those that end in the same bin
  };

  std::size_t slot(std::uint32_t name) const { return std::min<std::size_t>(name, names_.size() - 1); }
  std::uint64_t width() const;
  void open_bin();
  void close_bin();
  void touch(std::uint32_t name, std::uint64_t time, bool selected);
  void cover(std::uint32_t name, bool selected, int by);
  std::size_t bin_of_last(std::int64_t end) const;
  void join(std::int64_t begin, std::int64_t end);

  std::vector<Name> names_; ///< the last one stands for kNone
  std::span<const std::int64_t> borders_;
  std::vector<BinSum> bins_;
  std::size_t at_ = 0;
  bool given_ = false;
  std::vector<std::uint32_t> touched_, covering_names_;
  std::vector<std::int32_t> first_ending_; ///< by bin: into pending_
  std::vector<Pending> pending_;
  std::vector<Pending> entering_; ///< cover bins from the next one on
  std::uint32_t covering_ = 0, covering_selected_ = 0;
  std::int64_t reached_ = 0;           ///< the union is known up to here
  std::vector<std::uint64_t> covered_; ///< by bin, of the events that were added
};

} // namespace jitterscope::analysis
