#include "core/store/tracks/track_index_tables.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/base/parallel.h"
#include "core/base/spill_memory.h"
#include "core/base/spill_vector.h"
#include "core/store/tiles/build_tiles.h"
#include "core/store/trace/collective_kernels.h"
#include "core/store/trace/event_kinds.h"
#include "core/store/tracks/counter_blocks.h"
#include "core/store/tracks/event_rows.h"
#include "core/store/tracks/series_columns.h"
#include "core/store/tracks/series_parts.h"

namespace jitterscope::store {
namespace {

// Events of one series can be far from each other: each may load 64 KiB of each of three columns.
constexpr std::size_t kEventsBetweenRelief = 512;
// Maximum total number of events (24 B each) of series that are read together.
constexpr std::size_t kEventsTogether = std::size_t{1} << 22;
constexpr std::size_t kEventsForThreads = std::size_t{1} << 16; // fewer are done before a thread has started

std::size_t rows_of_events(const TraceData& data) {
  std::size_t rows = 0;
  for (const auto* table : kEventTables) rows += data.find(table)->rows();
  return rows;
}

class IndexBuilder {
public:
  IndexBuilder(const TraceData& data, const Job& job)
      : data_(data), job_(job), stop_requested_([this] { return job_.cancelled(); }),
        parts_([this] { return stop(); }, rows_of_events(data)) {}

  Expected<std::vector<Table>> build() {
    add_launches();
    add_transfers();
    add_calls();
    add_ranges();
    add_messages();
    add_counters();
    if (stopped_) return Job::cancelled_error();
    return tables();
  }

private:
  SeriesRow named(SeriesKind kind, std::uint32_t resource, std::uint8_t level = 0) const {
    SeriesRow row;
    row.kind = kind;
    row.resource = resource;
    row.level = level;
    return row;
  }

  /// Calls use(key, part) for the parts with events, in order. Rows of many short series are interleaved:
  /// reading each separately would load every page of the table again. So the events of consecutive parts
  /// are read together, in the order of the table.
  template <class Key, class Use>
  void each_part(const EventRows& events, const std::vector<Part>& parts, Key&& key_of, Use&& use) {
    for (std::size_t first = 0; first < parts.size() && !stopped_;) {
      std::size_t last = first, size = 0, some = 0;
      for (; last < parts.size() && (some < 1 || size + parts[last].size() <= kEventsTogether); ++last) {
        size += parts[last].size();
        some += parts[last].size() > 0;
      }
      if (some > 1) gather(events, parts, first, last, key_of);
      for (; first < last && !stopped_; ++first)
        if (parts[first].size() > 0) use(static_cast<std::uint32_t>(first), parts[first]);
      near_.clear();
    }
  }

  template <class Key>
  void gather(const EventRows& events, const std::vector<Part>& parts, std::size_t first, std::size_t last,
              Key&& key_of) {
    std::vector<std::size_t> next;
    std::size_t size = 0;
    for (auto key = first; key < last; ++key) {
      next.push_back(size);
      size += parts[key].size();
    }
    near_first_ = parts[first].first;
    near_.resize(size);
    for (std::size_t row = 0; row < events.rows(); ++row) {
      SpillMemory::relieve_at(row);
      if (row % kEventsForThreads == 0 && stop()) return;
      if (const std::size_t key = key_of(row); key >= first && key < last)
        near_[next[key - first]++] = events.at(row);
    }
  }

  /// Reorders the gathered rows in the same way as SeriesParts::split().
  void move_gathered(const Part& part, const SpillVector<std::uint8_t>& levels) {
    if (!near(part.in_order, part.first, part.size())) return;
    const auto begin = near_.begin() + static_cast<std::ptrdiff_t>(part.first - near_first_);
    std::vector<std::pair<std::uint8_t, Event>> moved;
    for (std::size_t i = 0; i < part.size(); ++i)
      moved.emplace_back(levels[i], begin[static_cast<std::ptrdiff_t>(i)]);
    std::ranges::stable_sort(moved, {}, &std::pair<std::uint8_t, Event>::first);
    for (std::size_t i = 0; i < part.size(); ++i) begin[static_cast<std::ptrdiff_t>(i)] = moved[i].second;
  }

  /// The gathered events of a part of "series_rows" from `first` on; null if they are not gathered.
  const Event* near(bool in_order, std::size_t first, std::size_t events) const {
    const bool inside =
        !in_order && first >= near_first_ && first + events <= near_first_ + near_.size() && !near_.empty();
    return inside ? near_.data() + (first - near_first_) : nullptr;
  }

  void add_part(SeriesRow row, const Part& part, const EventRows& events) {
    row.first_row = static_cast<std::int64_t>(part.first);
    row.events = static_cast<std::int64_t>(part.size());
    row.in_order = part.in_order;
    build_series(row, events);
  }

  void add_levels(SeriesKind kind, std::uint32_t resource, const std::vector<Part>& parts,
                  const EventRows& events) {
    for (std::size_t level = 0; level < parts.size(); ++level)
      if (parts[level].size() > 0)
        add_part(named(kind, resource, static_cast<std::uint8_t>(level)), parts[level], events);
  }

  void add_same(SeriesRow row, SeriesKind kind, std::uint32_t resource) {
    row.kind = kind;
    row.resource = resource;
    row.level = 0;
    series_.push_back(row);
  }

  std::uint32_t device_of(std::uint32_t resource) const {
    const auto& resources = data_.resources;
    while (resource < resources.size() && resources[resource].kind != ResourceKind::Device)
      resource = resources[resource].parent;
    return resource < resources.size() ? resource : kNone;
  }
  SpillVector<std::uint32_t> devices() const {
    SpillVector<std::uint32_t> devices;
    for (std::uint32_t r = 0; r < data_.resources.size(); ++r) devices.push_back(device_of(r));
    return devices;
  }

  void add_launches() {
    const EventRows events(data_, EventTable::Launches);
    if (events.rows() == 0) return;
    const auto& streams = data_.find("launches")->get<std::uint32_t>("stream");
    const auto resources = data_.resources.size();
    const auto stream_of = [&](std::size_t row) { return streams[row]; };
    const auto parts = parts_.group(events.rows(), resources, stream_of);
    each_part(events, parts, stream_of, [&](std::uint32_t stream, const Part& part) {
      const auto* gathered = near(part.in_order, part.first, part.size());
      const auto levels =
          data_.manifest.launch_order ? SpillVector<std::uint8_t>() : parts_.lanes(part, [&](std::size_t i) {
            return gathered ? gathered[i] : events.at(parts_.row_of(part, i));
          });
      if (levels.empty()) return add_part(named(SeriesKind::StreamLaunches, stream), part, events);
      const auto lanes = parts_.split(part, levels);
      move_gathered(part, levels);
      add_levels(SeriesKind::StreamLaunches, stream, lanes, events);
    });
    add_devices(events, streams);
    add_collectives(events, streams);
    add_all_launches(events);
  }

  // A device with one single-lane stream shares the series of that stream.
  void add_devices(const EventRows& events, const SpillVector<std::uint32_t>& streams) {
    const auto device = devices();
    SpillVector<std::int64_t> launches(device.size());
    for (const auto& row : series_)
      if (device[row.resource] != kNone) launches[device[row.resource]] += row.events;
    std::vector<bool> several(device.size());
    const auto stream_series = series_.size();
    for (std::size_t i = 0; i < stream_series; ++i) {
      const auto row = series_[i];
      const auto d = device[row.resource];
      if (d == kNone) continue;
      if (row.events == launches[d])
        add_same(row, SeriesKind::DeviceLaunches, d);
      else
        several[d] = true;
    }
    if (std::find(several.begin(), several.end(), true) == several.end()) return;
    const auto parts = parts_.group(events.rows(), device.size(), [&](std::size_t row) {
      const auto d = streams[row] < device.size() ? device[streams[row]] : kNone;
      return d != kNone && several[d] ? d : kNone;
    });
    for (std::uint32_t d = 0; d < parts.size(); ++d)
      if (parts[d].size() > 0) add_part(named(SeriesKind::DeviceLaunches, d), parts[d], events);
  }

  // Launches of kernels that communicate, by device.
  void add_collectives(const EventRows& events, const SpillVector<std::uint32_t>& streams) {
    const auto& names = data_.find("kernels")->get<std::uint32_t>("name");
    const CollectiveKernels is_collective(data_.manifest.collective_kernels);
    std::vector<bool> communicates;
    for (const auto name : names)
      communicates.push_back(name < data_.strings.all().size() && is_collective(data_.strings.all()[name]));
    if (std::find(communicates.begin(), communicates.end(), true) == communicates.end()) return;
    std::vector<bool> requested; // by configuration
    for (const auto kernel : data_.find("configurations")->get<std::uint32_t>("kernel"))
      requested.push_back(kernel < communicates.size() && communicates[kernel]);
    const auto& configurations = data_.find("launches")->get<std::uint32_t>("configuration");
    const auto device = devices();
    const auto parts = parts_.group(events.rows(), device.size(), [&](std::size_t row) {
      if (configurations[row] >= requested.size() || !requested[configurations[row]]) return kNone;
      return streams[row] < device.size() ? device[streams[row]] : kNone;
    });
    for (std::uint32_t d = 0; d < parts.size(); ++d)
      if (parts[d].size() > 0) add_part(named(SeriesKind::Collectives, d), parts[d], events);
  }

  void add_all_launches(const EventRows& events) {
    const auto count = static_cast<std::int64_t>(events.rows());
    for (const auto& row : series_)
      if (row.events == count) return add_same(row, SeriesKind::AllLaunches, 0);
    auto row = named(SeriesKind::AllLaunches, 0);
    row.in_order = true;
    row.events = count;
    build_series(row, events);
  }

  void add_transfers() {
    const EventRows events(data_, EventTable::Transfers);
    const auto& places = data_.find("transfers")->get<std::uint32_t>("stream");
    const auto& kinds = data_.find("transfers")->get<std::uint8_t>("kind");
    const auto device = devices();
    const auto parts = parts_.group(events.rows(), 2 * device.size(), [&](std::size_t row) {
      const auto d = places[row] < device.size() ? device[places[row]] : kNone;
      return d == kNone ? kNone : 2 * d + is_migration(static_cast<TransferKind>(kinds[row]));
    });
    for (std::uint32_t i = 0; i < parts.size(); ++i)
      if (parts[i].size() > 0)
        add_part(named(i % 2 ? SeriesKind::Migrations : SeriesKind::Copies, i / 2), parts[i], events);
    add_copies_of_kinds(events, places, kinds, device);
  }

  // Devices with copies of only one kind get no such series: it would equal that of all their copies.
  void add_copies_of_kinds(const EventRows& events, const SpillVector<std::uint32_t>& places,
                           const SpillVector<std::uint8_t>& kinds, const SpillVector<std::uint32_t>& device) {
    const auto device_of_copy = [&](std::size_t row) {
      return places[row] < device.size() && !is_migration(static_cast<TransferKind>(kinds[row]))
                 ? device[places[row]]
                 : kNone;
    };
    SpillVector<std::uint32_t> kinds_of(device.size()); // by device: bit k is set if kind k occurs
    for (std::size_t row = 0; row < events.rows(); ++row) {
      SpillMemory::relieve_at(row);
      if (const auto d = device_of_copy(row); d != kNone) kinds_of[d] |= 1u << kinds[row];
    }
    const auto several = [&](std::uint32_t d) { return std::popcount(kinds_of[d]) > 1; };
    if (std::none_of(device.begin(), device.end(), [&](std::uint32_t d) { return d != kNone && several(d); }))
      return;
    constexpr std::uint32_t kKinds = kTransferKinds;
    const auto parts = parts_.group(events.rows(), kKinds * device.size(), [&](std::size_t row) {
      const auto d = device_of_copy(row);
      return d == kNone || !several(d) ? kNone : kKinds * d + kinds[row];
    });
    for (std::uint32_t i = 0; i < parts.size(); ++i)
      if (parts[i].size() > 0)
        add_part(named(SeriesKind::CopiesOfKind, i / kKinds, static_cast<std::uint8_t>(i % kKinds)), parts[i],
                 events);
  }

  void add_calls() {
    const EventRows events(data_, EventTable::Calls);
    const auto& threads = data_.find("calls")->get<std::uint32_t>("thread");
    const auto thread_of = [&](std::size_t row) { return threads[row]; };
    const auto parts = parts_.group(events.rows(), data_.resources.size(), thread_of);
    each_part(events, parts, thread_of, [&](std::uint32_t thread, const Part& part) {
      add_part(named(SeriesKind::Calls, thread), part, events);
    });
  }

  void add_ranges() {
    const EventRows events(data_, EventTable::Ranges);
    const auto& table = *data_.find("ranges");
    const auto& threads = table.get<std::uint32_t>("thread");
    const auto& depths = table.get<std::uint8_t>("depth");
    const auto& kinds = table.get<std::uint8_t>("kind");
    const auto resources = data_.resources.size();
    const auto key_of = [&](std::size_t row) {
      return threads[row] < resources ? 2 * threads[row] + (kinds[row] == kStateRange) : kNone;
    };
    const auto parts = parts_.group(events.rows(), 2 * resources, key_of);
    each_part(events, parts, key_of, [&](std::uint32_t i, const Part& part) {
      if (i % 2) return add_part(named(SeriesKind::States, i / 2), part, events);
      SpillVector<std::uint8_t> levels;
      for (std::size_t row = 0; row < part.size(); ++row) levels.push_back(depths[parts_.row_of(part, row)]);
      const auto of_levels = parts_.split(part, levels);
      move_gathered(part, levels);
      add_levels(SeriesKind::Ranges, i / 2, of_levels, events);
    });
  }

  void add_messages() {
    const EventRows events(data_, EventTable::Messages);
    const auto& table = *data_.find("messages");
    const auto& threads = table.get<std::uint32_t>("thread");
    const auto& kinds = table.get<std::uint8_t>("kind");
    const auto resources = data_.resources.size();
    const auto key_of = [&](std::size_t row) {
      return threads[row] < resources ? 2 * threads[row] + (kinds[row] == kTransmission) : kNone;
    };
    const auto parts = parts_.group(events.rows(), 2 * resources, key_of);
    each_part(events, parts, key_of, [&](std::uint32_t i, const Part& part) {
      add_part(named(i % 2 ? SeriesKind::Transmissions : SeriesKind::MpiCalls, i / 2), part, events);
    });
  }

  void build_series(SeriesRow row, const EventRows& events) {
    if (stop()) return;
    const auto first = static_cast<std::size_t>(row.first_row);
    const auto row_at = [&, first, in_order = row.in_order](std::size_t position) -> std::size_t {
      return in_order ? first + position : parts_.row(first + position);
    };
    EventSource source;
    source.events = static_cast<std::size_t>(row.events);
    const auto* gathered = source.in_memory = near(row.in_order, first, source.events);
    source.begin_at = [&, gathered](std::size_t position) {
      return gathered ? gathered[position].begin : events.begin(row_at(position));
    };
    source.read = [&, gathered](std::size_t from, std::size_t to, Event* out) {
      if (gathered) {
        std::copy(gathered + from, gathered + to, out);
        return;
      }
      for (auto position = from; position < to; ++position) {
        if (position % kEventsBetweenRelief == 0) SpillMemory::relieve();
        *out++ = events.at(row_at(position));
      }
    };
    row.first_block = static_cast<std::int64_t>(blocks_.begin.size());
    row.first_group = static_cast<std::int64_t>(groups_.minimum.size());
    row.first_level = static_cast<std::int64_t>(level_shifts_.size());
    TileOptions options;
    options.threads = source.events < kEventsForThreads ? 1 : worker_threads();
    options.stop_requested = stop_requested_;
    const auto overlaps = build_blocks(source, blocks_, groups_, options.threads, stop_requested_);
    stopped_ = !overlaps;
    if (stopped_) return;
    row.overlaps = *overlaps;
    const auto blocks = blocks_view(row);
    const auto extremes = blocks.extremes(0, blocks.count());
    row.longest = extremes.maximum;
    row.begin = blocks.begin(0);
    row.end = blocks.last_end();
    const auto tiles = build_tiles(source, blocks, options);
    stopped_ = !tiles;
    if (stopped_) return;
    row.busy = static_cast<std::int64_t>(sum_of(source, blocks));
    add_tiles(*tiles, row);
    series_.push_back(row);
  }

  static std::uint64_t sum_of(const EventSource& source, const Blocks& blocks) {
    const auto last = blocks.count() - 1;
    Event events[kBlockEvents];
    source.read(last * kBlockEvents, source.events, events);
    auto sum = blocks.sum_before(last);
    for (std::size_t i = 0; i < source.events - last * kBlockEvents; ++i)
      sum += static_cast<std::uint64_t>(events[i].end - events[i].begin);
    return sum;
  }

  Blocks blocks_view(const SeriesRow& row) const {
    const auto first = static_cast<std::size_t>(row.first_block),
               group = static_cast<std::size_t>(row.first_group);
    const auto events = static_cast<std::size_t>(row.events);
    const auto of = [&](const SpillVector<std::int64_t>& column) {
      return std::span(column).subspan(first, blocks_of(events));
    };
    const auto group_of = [&](const SpillVector<std::int64_t>& column) {
      return std::span(column).subspan(group);
    };
    return {{of(blocks_.begin), of(blocks_.sum_before), of(blocks_.squares_before_low),
             of(blocks_.squares_before_high), of(blocks_.minimum), of(blocks_.maximum), of(blocks_.last_end),
             group_of(groups_.minimum), group_of(groups_.maximum), group_of(groups_.last_end)},
            events};
  }

  void add_tiles(const TileTree& tree, SeriesRow& row) {
    for (std::size_t shift = 0; shift < tree.size(); ++shift) {
      if (tree[shift].empty()) continue;
      level_shifts_.push_back(static_cast<std::uint8_t>(shift));
      level_first_.push_back(static_cast<std::int64_t>(tiles_.at.size()));
      level_tiles_.push_back(static_cast<std::int64_t>(tree[shift].size()));
      for (const auto& tile : tree[shift]) tiles_.add(tile);
      ++row.levels;
    }
  }

  void add_counters() {
    const auto& of = data_.find("samples")->get<std::uint32_t>("counter");
    const auto& values = data_.find("samples")->get<double>("value");
    const auto counters = data_.find("counters")->rows();
    auto first = of.begin();
    for (std::uint32_t counter = 0; counter < counters && !stop(); ++counter) {
      const auto last = std::upper_bound(first, of.end(), counter);
      counter_blocks_.add(std::span(values).subspan(static_cast<std::size_t>(first - of.begin()),
                                                    static_cast<std::size_t>(last - first)));
      first = last;
    }
  }

  bool stop() {
    stopped_ = stopped_ || job_.cancelled();
    return stopped_;
  }

  std::vector<Table> tables() {
    std::vector<Table> tables;
    for (const char* name : kTrackIndexTables) tables.push_back({name, {}});
    fill_series(tables[0], series_);
    tables[1].add("row", "", "Row of the event table of the series, in start order", parts_.take_rows());
    fill_blocks(tables[2], std::move(blocks_));
    tables[3].add("minimum", "ns", "Length of the shortest event in 64 rows of the level below",
                  std::move(groups_.minimum));
    tables[3].add("maximum", "ns", "Length of the longest event in 64 rows of the level below",
                  std::move(groups_.maximum));
    tables[3].add("last_end", "ns", "Latest end of the events of 64 rows of the level below",
                  std::move(groups_.last_end));
    tables[4].add("shift", "", "Bins of the level are 2^shift ns wide", std::move(level_shifts_));
    tables[4].add("first", "", "First row of table tiles", std::move(level_first_));
    tables[4].add("tiles", "", "Number of rows of table tiles", std::move(level_tiles_));
    tiles_.move_to(tables[5]);
    counter_blocks_.move_to(tables[6], tables[7]);
    return tables;
  }

  const TraceData& data_;
  const Job& job_;
  std::function<bool()> stop_requested_;
  bool stopped_ = false;
  std::vector<SeriesRow> series_;
  SeriesParts parts_;
  SpillVector<Event> near_;    ///< gathered events of consecutive parts in "series_rows"
  std::size_t near_first_ = 0; ///< position in "series_rows" of the first element of near_
  BlockColumns blocks_;
  GroupColumns groups_;
  SpillVector<std::uint8_t> level_shifts_;
  SpillVector<std::int64_t> level_first_, level_tiles_;
  TileColumns tiles_;
  CounterBlocks counter_blocks_;
};

} // namespace

Expected<std::vector<Table>> track_index_tables(const TraceData& data, const Job& job) {
  return IndexBuilder(data, job).build();
}

void set_track_index(TraceData& data, std::vector<Table>&& tables) {
  std::erase_if(data.tables, [&](const Table& table) {
    return std::find(std::begin(kTrackIndexTables), std::end(kTrackIndexTables), table.name) !=
           std::end(kTrackIndexTables);
  });
  for (auto& table : tables) data.tables.push_back(std::move(table));
}

Expected<void> add_track_index(TraceData& data, const Job& job) {
  auto tables = track_index_tables(data, job);
  if (!tables) return forward(tables.error());
  set_track_index(data, std::move(*tables));
  return {};
}

} // namespace jitterscope::store
