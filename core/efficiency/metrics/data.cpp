#include "core/efficiency/metrics/data.h"

#include <algorithm>
#include <optional>
#include <tuple>

namespace jitterscope::efficiency::metrics {
namespace {

using store::SeriesKind;

Record record_of(const store::Series& series, std::size_t position, std::uint32_t trace, std::int64_t shift) {
  const auto event = series.at(position);
  return {event.begin + shift, event.end + shift, event.name,
          static_cast<std::uint32_t>(series.row(position)), trace};
}

} // namespace

std::optional<Source> Data::source_of(SeriesKind kind) {
  switch (kind) {
  case SeriesKind::StreamLaunches:
    return Source::Kernels;
  case SeriesKind::Copies:
    return Source::Copies;
  case SeriesKind::Migrations:
    return Source::Migrations;
  case SeriesKind::Calls:
    return Source::Calls;
  case SeriesKind::MpiCalls:
    return Source::Mpi;
  case SeriesKind::Transmissions:
    return Source::Sends;
  case SeriesKind::Ranges:
    return Source::Ranges;
  case SeriesKind::States:
    return Source::States;
  default:
    return {};
  }
}

bool comes_before(const Record& a, const Record& b) {
  return std::tie(a.begin, a.trace, a.row) < std::tie(b.begin, b.trace, b.row);
}

const char* table_of(Source source) {
  switch (source) {
  case Source::Kernels:
  case Source::Queued:
    return "launches";
  case Source::Copies:
  case Source::Migrations:
    return "transfers";
  case Source::Calls:
    return "calls";
  case Source::Mpi:
  case Source::Sends:
    return "messages";
  default:
    return "ranges";
  }
}

Expected<Data> Data::make(const analysis::Session& session, const Job& job,
                          const analysis::LaunchColumns* columns) {
  if (session.launch_order())
    return failure(ErrorKind::BadUse, "tables without times have no metrics over time", {}, {},
                   "Open a trace that records when kernels and calls ran.");
  Data data;
  data.session_ = &session;
  data.columns_ = columns;
  for (const auto& trace : session.traces()) {
    data.index_.emplace_back(trace.store);
    if (job.cancelled()) return Job::cancelled_error();
  }
  data.objects_ = std::make_shared<const Objects>(session, data.index_);
  for (int source = 0; source < kSources; ++source)
    data.parts_[static_cast<std::size_t>(source)].resize(
        data.objects_->at(level_of(static_cast<Source>(source))).size());
  std::int64_t first = INT64_MAX, last = INT64_MIN;
  for (std::uint32_t trace = 0; trace < data.index_.size(); ++trace) {
    const auto shift = session.traces()[trace].shift_ns;
    for (const auto& series : data.index_[trace].series()) {
      const auto source = source_of(series.kind);
      if (!source || series.events() == 0) continue;
      first = std::min(first, series.begin + shift);
      last = std::max(last, series.end + shift);
      const auto object = data.objects_->of_resource(level_of(*source), trace, series.resource);
      if (object == kNone) continue;
      data.parts_[static_cast<std::size_t>(*source)][object].push_back({trace, &series});
      if (*source == Source::Kernels)
        data.parts_[static_cast<std::size_t>(Source::Queued)][object].push_back({trace, &series});
    }
    for (const auto& counter : data.index_[trace].counters())
      if (!counter.times.empty()) {
        first = std::min(first, counter.times.front() + shift);
        last = std::max(last, counter.times.back() + shift + 1);
      }
  }
  if (first <= last) data.extent_ = {{first}, {last}};
  data.recorded_ = session.span();
  if (data.recorded_.empty())
    data.recorded_ = data.extent_;
  else if (first <= last)
    data.recorded_ = {std::min(data.recorded_.begin, data.extent_.begin),
                      std::max(data.recorded_.end, data.extent_.end)};
  return data;
}

// Stores, for each block, the earliest call of its launches and of all later ones. Launches queued at a time
// start after it; the search for them ends at the block from which on all calls are later than the time.
Expected<LaunchCalls> LaunchCalls::make(const Data& data, const Job& job) {
  LaunchCalls made;
  Stop stop(job);
  for (const auto& trace : data.session().traces()) {
    auto& found = made.launching_.emplace_back(trace.store.table("calls").rows);
    for (const char* table : {"launches", "transfers"}) {
      const auto calls = trace.store.column<std::uint32_t>(table, "call");
      for (std::size_t row = 0; row < calls.size(); ++row) {
        if (stop.at(row)) return Job::cancelled_error();
        if (const auto call = calls[row]; call < found.size()) found[call] = true;
      }
    }
  }
  const auto objects = data.objects().at(Level::Stream).size();
  made.earliest_.resize(objects);
  for (std::uint32_t object = 0; object < objects; ++object)
    for (const auto& part : data.parts(Source::Queued, object)) {
      const auto& store = data.session().traces()[part.trace].store;
      const auto calls = store.column<std::uint32_t>("launches", "call");
      const auto starts = store.starts("calls");
      std::vector<std::int64_t> earliest(store::blocks_of(part.series->events()), INT64_MAX);
      for (std::size_t position = 0; position < part.series->events(); ++position) {
        if (stop.at(position)) return Job::cancelled_error();
        auto& of_block = earliest[position / store::kBlockEvents];
        if (const auto call = calls[part.series->row(position)]; call < starts.size())
          of_block = std::min(of_block, starts[call]);
      }
      for (auto block = earliest.size(); block-- > 1;)
        earliest[block - 1] = std::min(earliest[block - 1], earliest[block]);
      made.earliest_[object].push_back(std::move(earliest));
    }
  return made;
}

void LaunchCalls::add_queued(const Data& data, std::uint32_t object, std::size_t part_number,
                             std::int64_t begin, std::int64_t end, std::vector<Record>& records) const {
  const auto& part = data.parts(Source::Queued, object)[part_number];
  const auto& earliest = earliest_[object][part_number];
  const auto& trace = data.session().traces()[part.trace];
  const auto calls = trace.store.column<std::uint32_t>("launches", "call");
  const auto starts = trace.store.starts("calls");
  for (auto position = part.series->position_of(begin - trace.shift_ns); position < part.series->events();
       ++position) {
    if (position % store::kBlockEvents == 0 &&
        earliest[position / store::kBlockEvents] >= end - trace.shift_ns)
      return;
    auto record = record_of(*part.series, position, part.trace, trace.shift_ns);
    const auto call = calls[record.row];
    if (call >= starts.size()) continue;
    record.end = record.begin;
    record.begin = std::clamp(starts[call], -store::kFarthestTime, store::kFarthestTime) + trace.shift_ns;
    if (record.begin < record.end && record.end > begin && record.begin < end) records.push_back(record);
  }
}

std::vector<Record> Data::records(Source source, std::uint32_t object, std::int64_t begin, std::int64_t end,
                                  const LaunchCalls* calls) const {
  std::vector<Record> found;
  if (begin >= end) return found;
  const auto of_object = parts(source, object);
  for (std::size_t number = 0; number < of_object.size(); ++number) {
    const auto& part = of_object[number];
    if (source == Source::Queued) {
      calls->add_queued(*this, object, number, begin, end, found);
      continue;
    }
    const auto shift = session_->traces()[part.trace].shift_ns;
    const auto first = part.series->position_of(begin - shift), last = part.series->position_of(end - shift);
    part.series->reaching(0, first, begin - shift, [&](std::size_t position, const store::Event&) {
      found.push_back(record_of(*part.series, position, part.trace, shift));
      return true;
    });
    const auto at = found.size();
    found.resize(at + last - first);
    store::Event events[store::kBlockEvents];
    for (auto position = first; position < last;) {
      const auto to = std::min(position + store::kBlockEvents, last);
      part.series->read(position, to, events);
      for (auto p = position; p < to; ++p) {
        const auto& event = events[p - position];
        found[at + p - first] = {event.begin + shift, event.end + shift, event.name,
                                 static_cast<std::uint32_t>(part.series->row(p)), part.trace};
      }
      position = to;
    }
  }
  if (!std::ranges::is_sorted(found, comes_before)) std::ranges::sort(found, comes_before);
  return found;
}

double Data::about(Source source, std::int64_t begin, std::int64_t end, std::size_t maximum) const {
  const auto& all = parts_[static_cast<std::size_t>(source)];
  const auto step = std::max<std::size_t>((all.size() + maximum - 1) / maximum, 1);
  double sum = 0;
  for (std::size_t object = 0; object < all.size(); object += step)
    for (const auto& part : all[object]) {
      const auto shift = session_->traces()[part.trace].shift_ns;
      sum += static_cast<double>(part.series->position_of(end - shift) -
                                 part.series->position_of(begin - shift));
    }
  return sum * static_cast<double>(step);
}

} // namespace jitterscope::efficiency::metrics
