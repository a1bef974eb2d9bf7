#include "core/store/tracks/track_index.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/store/columns/gather.h"

namespace jitterscope::store {
namespace {

constexpr EventTable kTableOfKind[kSeriesKinds] = {
    EventTable::Launches,  EventTable::Launches, EventTable::Launches, EventTable::Transfers,
    EventTable::Transfers, EventTable::Calls,    EventTable::Ranges,   EventTable::Ranges,
    EventTable::Launches,  EventTable::Messages, EventTable::Messages, EventTable::Transfers};

template <class T>
std::optional<std::span<const T>> part_of(std::span<const T> column, std::int64_t first, std::int64_t count) {
  const auto rows = static_cast<std::int64_t>(column.size());
  if (first < 0 || count < 0 || first > rows || count > rows - first) return std::nullopt;
  return column.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
}

} // namespace

StoreEvents::StoreEvents(const Store& store, EventTable table) {
  const char* name = kEventTables[static_cast<int>(table)];
  starts_ = store.starts(name);
  durations_ = store.column<std::int64_t>(name, "duration");
  names_ = store.strings();
  if (table == EventTable::Launches) {
    numbers_ = store.column<std::uint32_t>(name, "configuration");
    names_ = store.table("kernels").rows;
    for (const auto kernel : store.column<std::uint32_t>("configurations", "kernel"))
      kernels_.push_back(kernel < names_ ? kernel : kNone);
    places_ = store.manifest().launch_order;
  } else if (table == EventTable::Transfers) {
    kinds_ = store.column<std::uint8_t>(name, "kind");
    names_ = kTransferKinds;
  } else {
    numbers_ = store.column<std::uint32_t>(name, "name");
  }
}

Tile TileLevel::operator[](std::size_t i) const {
  return {at[i],
          first[i],
          count[i],
          open[i],
          minimum[i],
          maximum[i],
          name[i],
          static_cast<std::uint64_t>(name_busy[i]),
          static_cast<std::uint64_t>(busy[i]),
          static_cast<std::uint64_t>(covered[i]),
          static_cast<std::uint64_t>(sum[i]),
          static_cast<UInt128>(static_cast<std::uint64_t>(squares_high[i])) << 64 |
              static_cast<std::uint64_t>(squares_low[i])};
}

void StoreEvents::read(const std::uint32_t* rows, std::size_t count, Event* out) const {
  if (places_ || !kinds_.empty()) {
    for (std::size_t i = 0; i < count; ++i) out[i] = at(rows[i]);
    return;
  }
  std::int64_t durations[kBlockEvents];
  std::uint32_t numbers[kBlockEvents];
  gather(durations_, rows, count, durations);
  gather(numbers_, rows, count, numbers);
  const auto known = kernels_.empty() ? names_ : kernels_.size();
  bool damaged = false;
  for (std::size_t i = 0; i < count; ++i) damaged |= numbers[i] >= known;
  for (std::size_t i = 0; damaged && i < count; ++i) numbers[i] = name(rows[i]);
  if (!damaged && !kernels_.empty())
    for (std::size_t i = 0; i < count; ++i) numbers[i] = kernels_[numbers[i]];
  for (std::size_t i = 0; i < count; ++i) out[i] = event_of(starts_[rows[i]], durations[i], numbers[i]);
}

// Reads one column at a time: the rows of a series are scattered.
void Series::read(std::size_t first, std::size_t last, Event* out) const {
  std::uint32_t rows[kBlockEvents];
  while (first < last) {
    const auto count = std::min(last - first, kBlockEvents);
    for (std::size_t i = 0; i < count; ++i) rows[i] = static_cast<std::uint32_t>(row(first + i));
    rows_->read(rows, count, out);
    first += count;
    out += count;
  }
}

std::size_t Series::position_of(std::int64_t time) const {
  auto first = blocks.block_before(time) * kBlockEvents;
  auto last = std::min(first + kBlockEvents, events());
  while (first < last) {
    const auto middle = first + (last - first) / 2;
    if (begin_at(middle) < time)
      first = middle + 1;
    else
      last = middle;
  }
  return first;
}

void Series::reaching(std::size_t first, std::size_t last, std::int64_t time,
                      const std::function<bool(std::size_t, const Event&)>& visit) const {
  if (first >= last) return;
  if (!overlaps) {
    if (const auto event = at(last - 1); event.end > time) visit(last - 1, event);
    return;
  }
  blocks.ending_after(first / kBlockEvents, blocks_of(last), time, [&](std::size_t block) {
    const auto from = std::max(block * kBlockEvents, first), to = std::min((block + 1) * kBlockEvents, last);
    for (auto position = from; position < to; ++position)
      if (const auto event = at(position); event.end > time && !visit(position, event)) return false;
    return true;
  });
}

const TileLevel* Series::tiles(int shift) const {
  const auto found =
      std::lower_bound(levels.begin(), levels.end(), shift,
                       [](const TileLevel& tiles, int requested) { return tiles.shift < requested; });
  return found != levels.end() && found->shift == shift ? &*found : nullptr;
}

namespace {

void join(CounterSeries::Extremes& sum, double minimum, double maximum, double added, std::uint64_t numbers) {
  if (numbers == 0) return;
  sum.minimum = sum.numbers ? std::min(sum.minimum, minimum) : minimum;
  sum.maximum = sum.numbers ? std::max(sum.maximum, maximum) : maximum;
  sum.sum += added;
  sum.numbers += numbers;
}

} // namespace

CounterSeries::Extremes CounterSeries::extremes(std::size_t from, std::size_t to) const {
  Extremes found;
  to = std::min(to, last - first);
  const auto add_samples = [&](std::size_t a, std::size_t b) {
    for (; a < b; ++a)
      if (const double value = values_[first + a]; !std::isnan(value)) join(found, value, value, value, 1);
  };
  const auto add_rows = [&](const Level& level, std::size_t a, std::size_t b) {
    for (; a < b; ++a) join(found, level.minimum[a], level.maximum[a], level.sum[a], level.numbers[a]);
  };
  // Upwards while whole groups are inside, adding the remainders on both sides at each level.
  auto a = (from + kBlockEvents - 1) / kBlockEvents, b = to / kBlockEvents;
  if (a >= b) {
    add_samples(from, to);
    return found;
  }
  add_samples(from, a * kBlockEvents);
  add_samples(b * kBlockEvents, to);
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    const auto up = (a + kGroupSize - 1) / kGroupSize, down = b / kGroupSize;
    if (level + 1 == levels_.size() || up >= down) {
      add_rows(levels_[level], a, b);
      break;
    }
    add_rows(levels_[level], a, up * kGroupSize);
    add_rows(levels_[level], down * kGroupSize, b);
    a = up;
    b = down;
  }
  return found;
}

/// The columns of the index tables, mapped or in memory; records missing ones and those of a wrong type.
class TrackIndex::Columns {
public:
  Columns(const Store& store, const std::vector<Table>* tables) : store_(store), tables_(tables) {
    get(kind, 0, "kind");
    get(level, 0, "level");
    get(in_order, 0, "rows_in_order");
    get(overlaps, 0, "overlaps");
    get(levels, 0, "levels");
    get(resource, 0, "resource");
    get(first_row, 0, "first_row");
    get(events, 0, "events");
    get(longest, 0, "longest");
    get(busy, 0, "busy");
    get(begin, 0, "begin");
    get(end, 0, "end");
    get(first_block, 0, "first_block");
    get(first_group, 0, "first_group");
    get(first_level, 0, "first_level");
    get(rows, 1, "row");
    get(blocks.begin, 2, "begin");
    get(blocks.sum_before, 2, "sum_before");
    get(blocks.squares_before_low, 2, "squares_before_low");
    get(blocks.squares_before_high, 2, "squares_before_high");
    get(blocks.minimum, 2, "minimum");
    get(blocks.maximum, 2, "maximum");
    get(blocks.last_end, 2, "last_end");
    get(blocks.group_minimum, 3, "minimum");
    get(blocks.group_maximum, 3, "maximum");
    get(blocks.group_last_end, 3, "last_end");
    get(level_shift, 4, "shift");
    get(level_first, 4, "first");
    get(level_tiles, 4, "tiles");
    get(tiles.at, 5, "at");
    get(tiles.first, 5, "first");
    get(tiles.count, 5, "count");
    get(tiles.open, 5, "open");
    get(tiles.minimum, 5, "minimum");
    get(tiles.maximum, 5, "maximum");
    get(tiles.name, 5, "name");
    get(tiles.name_busy, 5, "name_busy");
    get(tiles.busy, 5, "busy");
    get(tiles.covered, 5, "covered");
    get(tiles.sum, 5, "sum");
    get(tiles.squares_low, 5, "squares_low");
    get(tiles.squares_high, 5, "squares_high");
    for (int part = 0; part < 2; ++part) {
      get(sample_minimum[part], 6 + part, "minimum");
      get(sample_maximum[part], 6 + part, "maximum");
      get(sample_sum[part], 6 + part, "sum");
      get(sample_numbers[part], 6 + part, "numbers");
    }
  }
  bool good() const { return good_; }

  std::span<const std::uint8_t> kind, level, in_order, overlaps, levels, level_shift;
  std::span<const std::uint32_t> resource, rows;
  std::span<const std::int64_t> first_row, events, longest, busy, begin, end, first_block, first_group,
      first_level, level_first, level_tiles;
  Blocks::View blocks;
  TileLevel tiles; ///< tiles of all series, all levels
  std::span<const double> sample_minimum[2], sample_maximum[2],
      sample_sum[2]; ///< [0]: of the blocks, [1]: of the groups
  std::span<const std::uint32_t> sample_numbers[2];

private:
  template <class T>
  void get(std::span<const T>& out, int table, const char* name) {
    const char* table_name = kTrackIndexTables[table];
    if (tables_) {
      for (const auto& candidate : *tables_)
        if (candidate.name == table_name) out = candidate.get<T>(name);
      return;
    }
    const auto* column = store_.table(table_name).find(name);
    if (!column || column->type != ElementTypeOf<T>::value || column->stored != column->type) {
      good_ = false;
      return;
    }
    out = {reinterpret_cast<const T*>(column->data), column->rows};
  }

  const Store& store_;
  const std::vector<Table>* tables_;
  bool good_ = true;
};

bool TrackIndex::read_levels(const Columns& columns, std::size_t row, Series& series) const {
  const auto count = columns.levels[row];
  const auto shifts = part_of(columns.level_shift, columns.first_level[row], count);
  const auto firsts = part_of(columns.level_first, columns.first_level[row], count);
  const auto sizes = part_of(columns.level_tiles, columns.first_level[row], count);
  if (!shifts || !firsts || !sizes) return false;
  for (std::size_t i = 0; i < count; ++i) {
    if ((*shifts)[i] >= kTileLevels || (i > 0 && (*shifts)[i] <= (*shifts)[i - 1])) return false;
    TileLevel level;
    level.shift = (*shifts)[i];
    const auto cut = [&](const auto& from, auto& to) {
      const auto part = part_of(from, (*firsts)[i], (*sizes)[i]);
      if (part) to = *part;
      return part.has_value();
    };
    const auto& all = columns.tiles;
    if (!cut(all.at, level.at) || !cut(all.first, level.first) || !cut(all.count, level.count) ||
        !cut(all.open, level.open) || !cut(all.minimum, level.minimum) || !cut(all.maximum, level.maximum) ||
        !cut(all.name, level.name) || !cut(all.name_busy, level.name_busy) || !cut(all.busy, level.busy) ||
        !cut(all.covered, level.covered) || !cut(all.sum, level.sum) ||
        !cut(all.squares_low, level.squares_low) || !cut(all.squares_high, level.squares_high) ||
        level.size() == 0)
      return false;
    series.levels.push_back(level);
  }
  // Every event is in the coarsest level, unless there are too few on one side of 0 for a tile.
  if (series.levels.empty()) return series.events() <= kTileEvents * 2;
  std::uint64_t counted = 0;
  if (series.levels.back().size() > 2) return false;
  for (const auto tile : series.levels.back().count) counted += tile;
  return counted <= series.events() && series.events() - counted <= kTileEvents;
}

bool TrackIndex::read_one(const Columns& columns, std::size_t row) {
  Series series;
  if (columns.kind[row] >= kSeriesKinds) return false;
  series.kind = static_cast<SeriesKind>(columns.kind[row]);
  series.table = kTableOfKind[columns.kind[row]];
  series.rows_ = &(*events_)[static_cast<std::size_t>(series.table)];
  series.level = columns.level[row];
  series.resource = columns.resource[row];
  if (series.resource >= store_.resources().size()) return false;
  series.overlaps = columns.overlaps[row] != 0;
  series.longest = columns.longest[row];
  series.busy = columns.busy[row];
  series.begin = columns.begin[row];
  series.end = columns.end[row];
  const auto count = columns.events[row];
  const auto rows = static_cast<std::int64_t>(series.rows_->rows());
  const auto first = columns.first_row[row];
  if (count < 1 || count > rows || first < 0) return false;
  if (columns.in_order[row]) {
    if (first > rows - count) return false;
    series.first_row_ = static_cast<std::size_t>(first);
  } else {
    const auto order = part_of(columns.rows, first, count);
    if (!order) return false;
    series.order_ = *order;
  }
  const auto blocks = static_cast<std::int64_t>(blocks_of(static_cast<std::size_t>(count)));
  std::int64_t groups = 0;
  for (const auto size : group_levels(static_cast<std::size_t>(blocks)))
    groups += static_cast<std::int64_t>(size);
  Blocks::View view;
  const auto cut = [&](const auto& from, auto& to, std::int64_t at, std::int64_t size) {
    const auto part = part_of(from, at, size);
    if (part) to = *part;
    return part.has_value();
  };
  const auto first_block = columns.first_block[row], first_group = columns.first_group[row];
  const auto& all = columns.blocks;
  if (!cut(all.begin, view.begin, first_block, blocks) ||
      !cut(all.sum_before, view.sum_before, first_block, blocks) ||
      !cut(all.squares_before_low, view.squares_before_low, first_block, blocks) ||
      !cut(all.squares_before_high, view.squares_before_high, first_block, blocks) ||
      !cut(all.minimum, view.minimum, first_block, blocks) ||
      !cut(all.maximum, view.maximum, first_block, blocks) ||
      !cut(all.last_end, view.last_end, first_block, blocks) ||
      !cut(all.group_minimum, view.group_minimum, first_group, groups) ||
      !cut(all.group_maximum, view.group_maximum, first_group, groups) ||
      !cut(all.group_last_end, view.group_last_end, first_group, groups))
    return false;
  series.blocks = Blocks(view, static_cast<std::size_t>(count));
  if (series.begin_at(0) != series.begin || view.begin[0] != series.begin) return false;
  if (!read_levels(columns, row, series)) return false;
  series_.push_back(std::move(series));
  return true;
}

bool TrackIndex::read_series(const Columns& columns) {
  for (std::size_t row = 0; row < columns.kind.size(); ++row)
    if (!read_one(columns, row)) return false;
  return complete();
}

// Whether every launch, call, range and message is in the series that must contain it.
bool TrackIndex::complete() const {
  std::size_t events[kSeriesKinds] = {};
  for (const auto& series : series_) events[static_cast<int>(series.kind)] += series.events();
  const auto of = [&](SeriesKind kind) { return events[static_cast<int>(kind)]; };
  using enum SeriesKind;
  const auto rows = [&](EventTable table) { return (*events_)[static_cast<std::size_t>(table)].rows(); };
  return of(AllLaunches) == rows(EventTable::Launches) && of(StreamLaunches) == rows(EventTable::Launches) &&
         of(DeviceLaunches) <= rows(EventTable::Launches) &&
         of(Copies) + of(Migrations) <= rows(EventTable::Transfers) && of(CopiesOfKind) <= of(Copies) &&
         of(Calls) == rows(EventTable::Calls) && of(Ranges) + of(States) == rows(EventTable::Ranges) &&
         of(Collectives) <= rows(EventTable::Launches) &&
         of(MpiCalls) + of(Transmissions) == rows(EventTable::Messages);
}

bool TrackIndex::read_counters(const Columns& columns) {
  const auto of = store_.column<std::uint32_t>("samples", "counter");
  const auto times = store_.starts("samples");
  const auto values = store_.column<double>("samples", "value");
  const auto* holds = store_.table("counters").find("holds");
  const bool known = holds && holds->type == ElementType::UInt8;
  std::size_t at[2] = {0, 0}; // next rows of the tables "counter_blocks" and "counter_groups"
  auto first = of.begin();
  for (std::uint32_t counter = 0; counter < store_.table("counters").rows; ++counter) {
    const auto last = std::upper_bound(first, of.end(), counter);
    CounterSeries series;
    series.first = static_cast<std::size_t>(first - of.begin());
    series.last = static_cast<std::size_t>(last - of.begin());
    series.times = times.subspan(series.first, series.last - series.first);
    series.values_ = values;
    series.holds = known && store_.column<std::uint8_t>("counters", "holds")[counter] != 0;
    const auto blocks = blocks_of(series.times.size());
    auto sizes = group_levels(blocks);
    sizes.insert(sizes.begin(), blocks);
    for (std::size_t level = 0; level < sizes.size(); ++level) {
      const int part = level > 0;
      if (sizes[level] > columns.sample_numbers[part].size() - at[part]) return false;
      series.levels_.push_back({columns.sample_minimum[part].subspan(at[part], sizes[level]),
                                columns.sample_maximum[part].subspan(at[part], sizes[level]),
                                columns.sample_sum[part].subspan(at[part], sizes[level]),
                                columns.sample_numbers[part].subspan(at[part], sizes[level])});
      at[part] += sizes[level];
    }
    counters_.push_back(std::move(series));
    first = last;
  }
  return at[0] == columns.sample_numbers[0].size() && at[1] == columns.sample_numbers[1].size();
}

bool TrackIndex::read(const Columns& columns) {
  series_.clear();
  counters_.clear();
  return columns.good() && read_series(columns) && read_counters(columns);
}

namespace {

template <class T>
void copy_column(const Store& store, Table& table, const char* name) {
  const auto values = store.column<T>(table.name, name);
  std::vector<T> copy(values.size());
  values.read(0, values.size(), copy.data());
  table.add<T>(name, "", "", std::move(copy));
}

// The data of a store that are needed to build an index.
TraceData columns_of(const Store& store) {
  TraceData data;
  data.resources = store.resources();
  data.manifest.launch_order = store.manifest().launch_order;
  const auto numbers = [&](const char* column) {
    return [&store, column](Table& table) { copy_column<std::uint32_t>(store, table, column); };
  };
  const auto bytes = [&](const char* column) {
    return [&store, column](Table& table) { copy_column<std::uint8_t>(store, table, column); };
  };
  const auto times = [&](const char* column) {
    return [&store, column](Table& table) { copy_column<std::int64_t>(store, table, column); };
  };
  const auto table = [&](const char* name, auto... columns) {
    auto& added = data.add_table(name);
    (columns(added), ...);
  };
  auto& kernels = data.add_table("kernels");
  std::vector<std::uint32_t> names;
  for (const auto name : store.column<std::uint32_t>("kernels", "name"))
    names.push_back(data.strings.intern(store.string({name})).value);
  kernels.add<std::uint32_t>("name", "", "", names);
  table("configurations", numbers("kernel"));
  table("launches", times("start"), times("duration"), numbers("configuration"), numbers("stream"));
  table("transfers", times("start"), times("duration"), bytes("kind"), numbers("stream"));
  table("calls", times("start"), times("duration"), numbers("name"), numbers("thread"));
  table("ranges", times("start"), times("duration"), numbers("name"), numbers("thread"), bytes("depth"),
        bytes("kind"));
  table("messages", times("start"), times("duration"), numbers("name"), numbers("thread"), bytes("kind"));
  table("counters", numbers("name"));
  table("samples", numbers("counter"),
        [&store](Table& samples) { copy_column<double>(store, samples, "value"); });
  return data;
}

} // namespace

TrackIndex::TrackIndex(const Store& store) : store_(store) {
  auto events = std::make_shared<std::vector<StoreEvents>>();
  for (std::size_t i = 0; i < std::size(kEventTables); ++i)
    events->emplace_back(store_, static_cast<EventTable>(i));
  events_ = std::move(events);
  if (read(Columns(store_, nullptr))) return;
  rebuilt_ = true;
  const auto data = columns_of(store_);
  if (auto tables = track_index_tables(data, {})) // fails only when cancelled
    in_memory_ = std::make_shared<const std::vector<Table>>(std::move(*tables));
  if (!in_memory_ || !read(Columns(store_, in_memory_.get()))) {
    series_.clear();
    counters_.clear();
  }
}

} // namespace jitterscope::store
