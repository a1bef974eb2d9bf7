#include "core/reasons/typical_counters.h"

#include <algorithm>
#include <limits>

namespace jitterscope::analysis {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

/// Columns of counter means by the name of their counter.
std::map<std::string, std::string, std::less<>> columns_by_counter(const store::Store& store) {
  std::map<std::string, std::string, std::less<>> columns;
  for (const auto& column : store.table("launches").columns)
    if (column.description.ends_with(store::kMeanOfSamples))
      columns.emplace(column.description.substr(0, column.description.size() - store::kMeanOfSamples.size()),
                      column.name);
  return columns;
}

/// `first`: row of the counter's first sample.
double mean_of(const store::SamplesAsked& asked, const store::Values<double>& samples, std::size_t first) {
  if (asked.last == asked.first) return kMissing;
  double sum = 0;
  for (auto i = asked.first; i < asked.last; ++i) sum += samples[first + i];
  return sum / static_cast<double>(asked.last - asked.first);
}

} // namespace

TypicalCounters::TypicalCounters(const Session& session,
                                 const std::vector<std::vector<std::uint32_t>>& physical)
    : session_(&session) {
  for (std::size_t t = 0; t < session.traces().size(); ++t) {
    OfTrace& known = traces_.emplace_back();
    known.device = physical[t];
    const auto& store = session.traces()[t].store;
    const auto columns = columns_by_counter(store);
    if (columns.empty()) continue;
    const auto of = store.column<std::uint32_t>("samples", "counter");
    const auto times = store.starts("samples");
    const auto names = store.column<std::uint32_t>("counters", "name");
    const auto devices = store.column<std::uint32_t>("counters", "device");
    auto first = of.begin();
    for (std::uint32_t counter = 0; counter < names.size(); ++counter) {
      const auto begin = first;
      first = std::upper_bound(begin, of.end(), counter);
      const auto column = columns.find(store.string(StringId{names[counter]}));
      if (column == columns.end()) continue;
      const auto from = static_cast<std::size_t>(begin - of.begin());
      const auto ticks = times.subspan(from, static_cast<std::size_t>(first - begin));
      const auto same = std::find_if(known.clocks.begin(), known.clocks.end(),
                                     [&](const auto& clock) { return clock.ticks_like(ticks); });
      const auto clock = static_cast<std::size_t>(same - known.clocks.begin());
      if (same == known.clocks.end()) known.clocks.emplace_back(ticks);
      known.columns[column->second][known.device[devices[counter]]].push_back({clock, from});
    }
  }
}

bool TypicalCounters::measures(std::string_view column) const {
  return std::any_of(traces_.begin(), traces_.end(),
                     [&](const OfTrace& t) { return t.columns.contains(column); });
}

const std::vector<store::SamplesAsked>&
TypicalCounters::asked(std::size_t clock, const Segment& segment,
                       const std::vector<std::int64_t>& typical) const {
  auto& last = last_.value();
  if (segment.trace != last.segment.trace || segment.first != last.segment.first ||
      segment.last != last.segment.last)
    last = {segment, {}};
  const auto [place, fresh] = last.asked.try_emplace(clock);
  if (!fresh) return place->second;
  const Trace& trace = session_->traces()[segment.trace];
  const auto& times = traces_[segment.trace].clocks[clock];
  const auto starts = trace.starts();
  const auto durations = trace.durations();
  const auto configurations = trace.configurations();
  place->second.reserve(static_cast<std::size_t>(segment.rows()));
  for (auto row = static_cast<std::size_t>(segment.first); row < static_cast<std::size_t>(segment.last);
       ++row) {
    const auto length = typical[trace.configuration[configurations[row]]];
    const auto known = length >= 0 ? length : std::max<std::int64_t>(durations[row], 0);
    place->second.push_back(times.within(starts[row], starts[row] + known));
  }
  return place->second;
}

std::vector<double> TypicalCounters::read(std::string_view column, const Segment& segment,
                                          const std::vector<std::int64_t>& typical) const {
  std::vector<double> values(static_cast<std::size_t>(segment.rows()), kMissing);
  const OfTrace& known = traces_[segment.trace];
  const auto of_devices = known.columns.find(column);
  if (of_devices == known.columns.end()) return values;
  const Trace& trace = session_->traces()[segment.trace];
  const auto samples = trace.store.column<double>("samples", "value");
  const auto streams = trace.store.column<std::uint32_t>("launches", "stream");
  for (const auto& [device, all] : of_devices->second)
    for (const auto& series : all) {
      const auto& windows = asked(series.clock, segment, typical);
      for (std::size_t i = 0; i < values.size(); ++i)
        if (values[i] != values[i] &&
            known.device[streams[static_cast<std::size_t>(segment.first) + i]] == device)
          values[i] = mean_of(windows[i], samples, series.first);
    }
  return values;
}

} // namespace jitterscope::analysis
