#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/store/format/store.h"
#include "core/store/tiles/range_blocks.h"
#include "core/store/tiles/tiles.h"
#include "core/store/tracks/event_rows.h"
#include "core/store/tracks/track_index_tables.h"

namespace jitterscope::store {

/// The events of one table of an opened store.
class StoreEvents {
public:
  StoreEvents() = default;
  StoreEvents(const Store& store, EventTable table);
  std::size_t rows() const { return starts_.size(); }
  std::int64_t begin(std::size_t row) const {
    return std::clamp(starts_[row], -kFarthestTime, kFarthestTime);
  }
  Event at(std::size_t row) const { return event_of(starts_[row], places_ ? 1 : durations_[row], name(row)); }
  /// Reads the events of scattered rows, at most kBlockEvents of them.
  void read(const std::uint32_t* rows, std::size_t count, Event* out) const;
  /// Upper bound of the name ids of events; in a damaged store a name may also be kNone.
  std::size_t names() const { return names_; }

private:
  std::uint32_t name(std::size_t row) const {
    const std::uint32_t number = kinds_.empty() ? numbers_[row] : kinds_[row];
    if (kernels_.empty()) return number < names_ ? number : kNone;
    return number < kernels_.size() ? kernels_[number] : kNone;
  }

  std::span<const std::int64_t> starts_;
  Values<std::int64_t> durations_;
  Values<std::uint8_t> kinds_;
  Values<std::uint32_t> numbers_;
  std::vector<std::uint32_t> kernels_;
  std::size_t names_ = 0;
  bool places_ = false;
};

/// Tiles of one level of a series, in the store or in memory; ascending by `at`.
struct TileLevel {
  int shift = 0;
  std::span<const std::int64_t> at;
  std::span<const std::uint32_t> first, count, open, minimum, maximum, name;
  std::span<const std::int64_t> name_busy, busy, covered, sum, squares_low, squares_high;

  std::size_t size() const { return at.size(); }
  Tile operator[](std::size_t i) const;
};

/// One level of a track: events of one kind of one resource in start order, addressed by index. Every index
/// stays in range even if the file is damaged; times are in ±2⁶².
class Series {
public:
  SeriesKind kind = SeriesKind::AllLaunches;
  EventTable table = EventTable::Launches;
  std::uint8_t level = 0;
  std::uint32_t resource = 0;
  bool overlaps = false;
  std::int64_t longest = 0, busy = 0; ///< maximum and sum of the event lengths [ns]
  std::int64_t begin = 0, end = 0;    ///< first start and latest end [ns]
  Blocks blocks;
  std::vector<TileLevel> levels; ///< levels with tiles, finest first

  std::size_t events() const { return blocks.events(); }
  std::size_t names() const { return rows_->names(); }
  std::size_t row(std::size_t position) const {
    return order_.empty() ? first_row_ + position
                          : std::min<std::size_t>(order_[position], rows_->rows() - 1);
  }
  Event at(std::size_t position) const { return rows_->at(row(position)); }
  std::int64_t begin_at(std::size_t position) const { return rows_->begin(row(position)); }
  void read(std::size_t first, std::size_t last, Event* out) const;
  /// Index of the first event that begins at or after `time`.
  std::size_t position_of(std::int64_t time) const;
  /// Calls visit(position, event) for those events of [first, last) that end after `time`, in order, until it
  /// returns false. All events of [first, last) must begin before `time`.
  void reaching(std::size_t first, std::size_t last, std::int64_t time,
                const std::function<bool(std::size_t, const Event&)>& visit) const;
  /// The level with this shift, null if none of its bins holds more than kTileEvents events.
  const TileLevel* tiles(int shift) const;

private:
  friend class TrackIndex;
  const StoreEvents* rows_ = nullptr;
  std::size_t first_row_ = 0;
  std::span<const std::uint32_t>
      order_; ///< rows of the events in the table; empty: consecutive rows from first_row_
};

/// The samples of one counter with extremes and sums over 64, 64² … samples.
class CounterSeries {
public:
  std::size_t first = 0, last = 0; ///< rows [first, last) of "samples"
  std::span<const std::int64_t> times;
  bool holds = false; ///< samples are changes: each value holds until the next sample

  struct Extremes {
    double minimum = 0, maximum = 0, sum = 0;
    std::uint64_t numbers = 0; ///< number of samples with a value; if 0, the other members are undefined
  };
  /// Extremes and sum of samples [from, to), indices into `times`: from the largest groups inside this range,
  /// and from the samples at its ends.
  Extremes extremes(std::size_t from, std::size_t to) const;

private:
  friend class TrackIndex;
  struct Level {
    std::span<const double> minimum, maximum, sum;
    std::span<const std::uint32_t> numbers;
  };
  Values<double> values_;
  std::vector<Level> levels_; ///< level of the blocks, then the levels of groups
};

/// The track index of a store: which events belong to which track, and the aggregates needed to draw and sum
/// them without reading each. Mapped with the store. If the store has none, or one that does not match its
/// tables, it is built in memory.
class TrackIndex {
public:
  explicit TrackIndex(const Store& store);

  std::span<const Series> series() const { return series_; }
  /// By row of table "counters".
  std::span<const CounterSeries> counters() const { return counters_; }
  /// True when the index had to be built at opening.
  bool rebuilt() const { return rebuilt_; }

private:
  class Columns;
  bool read(const Columns& columns);
  bool read_series(const Columns& columns);
  bool read_one(const Columns& columns, std::size_t row);
  bool read_levels(const Columns& columns, std::size_t row, Series& series) const;
  bool read_counters(const Columns& columns);
  bool complete() const;

  Store store_;
  std::shared_ptr<const std::vector<StoreEvents>> events_; ///< by EventTable: events of the table
  std::shared_ptr<const std::vector<Table>>
      in_memory_; ///< index tables built in memory; null if the store has them
  std::vector<Series> series_;
  std::vector<CounterSeries> counters_;
  bool rebuilt_ = false;
};

} // namespace jitterscope::store
