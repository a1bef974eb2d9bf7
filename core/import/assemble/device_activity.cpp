#include "core/import/assemble/device_activity.h"

#include <algorithm>
#include <limits>
#include <map>

namespace jitterscope::import {
namespace {

struct End {
  std::int64_t time = 0;
  std::uint32_t row = 0;
};

bool before(const End& a, const End& b) {
  return a.time < b.time;
}

// The ends of all launches in order of time; the order of equal ones is unspecified.
SpillVector<End> sorted_ends(const SpillVector<std::int64_t>& start,
                             const SpillVector<std::int64_t>& duration, Stop& stop) {
  // Sorting more takes too long between checks for cancellation.
  constexpr std::size_t kMaxPart = std::size_t{1} << 16, kEndsOfPart = 4;
  auto first = std::numeric_limits<std::int64_t>::max(), last = std::numeric_limits<std::int64_t>::min();
  for (std::size_t row = 0; row < start.size() && !stop.at(row); ++row) {
    first = std::min(first, start[row] + duration[row]);
    last = std::max(last, start[row] + duration[row]);
  }
  if (start.empty() || stop.requested()) return {};
  // Ends are distributed over parts of equal length, a power of two in ns, then each part is sorted.
  const auto offset = [first](std::int64_t time) {
    return static_cast<std::uint64_t>(time) - static_cast<std::uint64_t>(first);
  };
  int shift = 0;
  while (offset(last) >> shift > start.size() / kEndsOfPart) ++shift;
  SpillVector<std::uint32_t> next((offset(last) >> shift) + 2);
  for (std::size_t row = 0; row < start.size() && !stop.at(row); ++row)
    ++next[(offset(start[row] + duration[row]) >> shift) + 1];
  std::uint32_t largest = 0;
  for (std::size_t part = 1; part < next.size() && !stop.at(part); ++part) {
    largest = std::max(largest, next[part]);
    next[part] += next[part - 1];
  }
  SpillVector<End> ends(start.size());
  for (std::uint32_t row = 0; row < start.size() && !stop.at(row); ++row) {
    const auto time = start[row] + duration[row];
    ends[next[offset(time) >> shift]++] = {time, row};
  }
  if (largest > kMaxPart) {
    sort_stably(ends, before, stop);
    return ends;
  }
  std::size_t from = 0;
  for (std::size_t part = 0; part + 1 < next.size() && !stop.at(part); ++part) {
    const std::size_t to = next[part]; // after the distribution, the end of the part
    std::sort(ends.begin() + from, ends.begin() + to, before);
    from = to;
  }
  return ends;
}

/// The launches that run on a device at a time. ∫ (running launches) dt up to t is `running` · t + `offset`,
/// modulo 2⁶⁴, so that differences are exact.
struct DeviceLoad {
  std::uint64_t running = 0, offset = 0;
  std::uint64_t until(std::int64_t time) const { return running * static_cast<std::uint64_t>(time) + offset; }
};

} // namespace

SpillVector<float> concurrency_of(const store::TraceData& data, const std::vector<std::uint32_t>& physical,
                                  Stop& stop) {
  const auto& launches = *data.find("launches");
  const auto& start = launches.get<std::int64_t>("start");
  const auto& duration = launches.get<std::int64_t>("duration");
  const auto& stream = launches.get<std::uint32_t>("stream");
  const auto ends = sorted_ends(start, duration, stop);
  if (stop.requested()) return {};
  std::vector<DeviceLoad> loads(physical.size() + 1); // the last: launches without a device
  const auto load_of = [&](std::size_t row) -> DeviceLoad& {
    return loads[std::min<std::size_t>(physical[stream[row]], physical.size())];
  };
  SpillVector<std::uint64_t> until_start(start.size());
  SpillVector<float> concurrency(start.size());
  std::size_t next = 0; // first row that has not started
  for (std::size_t i = 0; i < ends.size() && !stop.at(i); ++i) {
    const auto [time, row] = ends[i];
    for (; next < start.size() && start[next] <= time; ++next) {
      auto& load = load_of(next);
      until_start[next] = load.until(start[next]);
      ++load.running;
      load.offset -= static_cast<std::uint64_t>(start[next]);
    }
    auto& load = load_of(row);
    const auto length = duration[row];
    const auto busy = static_cast<std::int64_t>(load.until(time) - until_start[row]);
    concurrency[row] =
        length > 0 ? static_cast<float>(static_cast<double>(busy - length) / static_cast<double>(length))
                   : std::numeric_limits<float>::quiet_NaN();
    --load.running;
    load.offset += static_cast<std::uint64_t>(time);
  }
  return concurrency;
}

std::unordered_map<std::uint32_t, store::MemoryActivity>
memory_of_devices(const store::TraceData& data, const std::vector<std::uint32_t>& physical, Stop& stop) {
  const auto& transfers = *data.find("transfers");
  const auto& begin = transfers.get<std::int64_t>("start");
  const auto& length = transfers.get<std::int64_t>("duration");
  const auto& bytes = transfers.get<std::int64_t>("bytes");
  const auto& kind = transfers.get<std::uint8_t>("kind");
  const auto& cause = transfers.get<std::uint8_t>("migration_cause");
  const auto& where = transfers.get<std::uint32_t>("stream");
  std::map<std::uint32_t, std::array<std::size_t, store::kTransferKinds>> transfers_of; // by device and kind
  for (std::size_t row = 0; row < begin.size() && !stop.at(row); ++row)
    ++transfers_of[physical[where[row]]][kind[row]];
  std::map<std::uint32_t, store::MemoryOperations> operations;
  for (const auto& [device, of_kind] : transfers_of) operations[device].reserve(of_kind);
  for (std::size_t row = 0; row < begin.size() && !stop.at(row); ++row)
    operations[physical[where[row]]].add(
        {begin[row], begin[row] + length[row], std::max<std::int64_t>(bytes[row], 0)},
        static_cast<store::TransferKind>(kind[row]), static_cast<store::MigrationCause>(cause[row]),
        bytes[row] != store::kUnknownBytes);
  std::unordered_map<std::uint32_t, store::MemoryActivity> activities;
  for (const auto& [device, of_device] : operations)
    activities.emplace(device, store::MemoryActivity(of_device, stop));
  return activities;
}

} // namespace jitterscope::import
