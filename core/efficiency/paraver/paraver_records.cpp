#include "core/efficiency/paraver/paraver_records.h"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "core/paraver/event_types.h"
#include "core/store/format/analysis_rows.h"

namespace jitterscope::efficiency {
namespace {

using store::SeriesKind;
using store::TransferKind;

/// Tags of the communications from the call to its launch, and to its copy.
constexpr std::int64_t kLaunchTag = 55'001, kCopyTag = 55'002;
constexpr std::size_t kRecordsBetweenChecks = 1'024; ///< a record takes about 10 µs

/// Names of memory operations as nsys2prv writes them.
const char* copy_name(TransferKind kind) {
  switch (kind) {
  case TransferKind::HostToDevice:
    return "[CUDA memcpy HtoD]";
  case TransferKind::DeviceToHost:
    return "[CUDA memcpy DtoH]";
  case TransferKind::DeviceToDevice:
    return "[CUDA memcpy DtoD]";
  case TransferKind::HostToHost:
    return "[CUDA memcpy HtoH]";
  case TransferKind::PeerToPeer:
    return "[CUDA memcpy PtoP]";
  case TransferKind::Memset:
    return "[CUDA memset]";
  default:
    return "[CUDA memcpy]";
  }
}

bool is_written(SeriesKind kind) {
  return kind == SeriesKind::AllLaunches || kind == SeriesKind::Copies || kind == SeriesKind::Calls ||
         kind == SeriesKind::Ranges || kind == SeriesKind::States || kind == SeriesKind::MpiCalls ||
         kind == SeriesKind::Transmissions;
}

bool is_of_device(SeriesKind kind) {
  return kind == SeriesKind::AllLaunches || kind == SeriesKind::Copies;
}

} // namespace

ParaverRecords::ParaverRecords(const analysis::Session& session, const ParaverObjects& objects,
                               ParaverLabels& labels)
    : session_(session), objects_(objects), labels_(labels), span_(session.span()) {
  for (const auto& trace : session.traces()) index_.emplace_back(trace.store);
  for (std::size_t trace = 0; trace < session.traces().size(); ++trace) add_trace(session, trace);
  open_calls_.resize(sources_.size());
  for (const auto& counter : counters_) {
    const auto& times = counter.series->times;
    if (times.empty()) continue;
    const Nanoseconds shift{session.traces()[counter.trace].shift_ns};
    span_.begin = std::min(span_.begin, Nanoseconds{times.front()} + shift);
    span_.end = std::max(span_.end, Nanoseconds{times.back()} + shift);
  }
  shift_ = std::max<std::int64_t>(-span_.begin.count, 0);
}

std::vector<std::string> ParaverRecords::left_out() const {
  std::vector<std::string> sentences;
  const auto add = [&](std::int64_t count, std::string_view sentence) {
    if (count > 0) sentences.push_back(fmt::format(fmt::runtime(sentence), count));
  };
  add(migrations_, "{} migrations of unified memory are left out: they belong to no stream");
  add(device_samples_, "{} samples of device counters are left out: they belong to no host thread");
  add(infinite_samples_, "{} samples of counters are left out: they have no finite value");
  add(rounded_samples_, "{} samples of counters are rounded: Paraver's values are whole numbers");
  add(objects_.other_ranks(),
      "{} processes have another rank in the Paraver trace: several processes have the same rank, or it is "
      "above 99,999");
  add(empty_rows_,
      "{} devices and host threads of the whole trace have no records in this part: efficiencies "
      "of the Paraver trace do not contain them");
  add(shift_,
      "all times of the Paraver trace are {} ns later, because events begin before time 0. After a cut, "
      "--clip makes them begin at the border of its range");
  add(messages_, "{} messages are left out: their receiver is not in the same trace");
  return sentences;
}

void ParaverRecords::add_trace(const analysis::Session& session, std::size_t trace) {
  // Analysis rows other than launches are written as the records they were made from.
  const bool launches = store::analysis_rows(session.traces()[trace].store) == store::AnalysisRows::Launches;
  const auto& resources = session.traces()[trace].store.resources();
  std::vector<std::uint32_t> missing; // by resource: Resource::recorded of those without rows
  for (const auto& resource : resources) missing.push_back(resource.recorded);
  for (const auto& series : index_[trace].series()) {
    const bool recorded = is_written(series.kind) || series.kind == SeriesKind::DeviceLaunches;
    if (recorded && series.resource < missing.size()) missing[series.resource] = 0;
    if (series.kind == SeriesKind::AllLaunches && !launches) continue;
    if (series.kind == SeriesKind::Migrations) migrations_ += static_cast<std::int64_t>(series.events());
    if (!is_written(series.kind)) continue;
    const auto* thread = is_of_device(series.kind) ? nullptr : objects_.find(trace, series.resource);
    if (thread || is_of_device(series.kind)) sources_.push_back({trace, &series, thread});
  }
  for (std::size_t r = 0; r < missing.size(); ++r)
    empty_rows_ += missing[r] != 0 && (resources[r].kind == store::ResourceKind::Device ||
                                       resources[r].kind == store::ResourceKind::Thread);
  const auto& store = session.traces()[trace].store;
  const auto names = store.column<std::uint32_t>("counters", "name");
  const auto places = store.column<std::uint32_t>("counters", "device");
  const auto counters = index_[trace].counters();
  for (std::size_t c = 0; c < counters.size(); ++c) {
    const auto* thread = objects_.find(trace, places[c]);
    if (!thread) {
      device_samples_ += static_cast<std::int64_t>(counters[c].times.size());
      continue;
    }
    counters_.push_back({trace, thread, labels_.counter(store.string({names[c]})), &counters[c],
                         store.column<double>("samples", "value")});
  }
}

std::int64_t ParaverRecords::events_before(std::int64_t time) const {
  std::size_t count = 0;
  for (const auto& source : sources_)
    count += source.series->position_of(time - session_.traces()[source.trace].shift_ns);
  for (const auto& counter : counters_) {
    const auto& times = counter.series->times;
    const auto to = time - session_.traces()[counter.trace].shift_ns;
    count += static_cast<std::size_t>(std::lower_bound(times.begin(), times.end(), to) - times.begin());
  }
  return static_cast<std::int64_t>(count);
}

std::vector<ParaverRecord> ParaverRecords::slice(std::int64_t begin, std::int64_t end, Stop& stop) {
  end_ = end + shift_;
  now_.clear();
  std::vector<ParaverRecord> waiting;
  waiting.swap(later_);
  for (auto& record : waiting) (record.time < end_ ? now_ : later_).push_back(std::move(record));
  for (at_ = 0; at_ < sources_.size() && !stop.requested(); ++at_)
    add_events(sources_[at_], begin, end, stop);
  for (const auto& counter : counters_) add_samples(counter, begin, end, stop);
  sort_stably(
      now_,
      [](const ParaverRecord& a, const ParaverRecord& b) {
        return std::pair(a.time, a.phase) < std::pair(b.time, b.phase);
      },
      stop);
  return std::move(now_);
}

void ParaverRecords::add_events(const Source& source, std::int64_t begin, std::int64_t end, Stop& stop) {
  const auto shift = session_.traces()[source.trace].shift_ns;
  const auto last = source.series->position_of(end - shift);
  for (auto position = source.series->position_of(begin - shift); position < last; ++position) {
    if (position % kRecordsBetweenChecks == 0 && stop.requested()) return;
    auto event = source.series->at(position);
    event.begin += shift + shift_;
    event.end += shift + shift_;
    add_event(source, source.series->row(position), event);
  }
}

void ParaverRecords::add_event(const Source& source, std::size_t row, const store::Event& event) {
  const auto& store = session_.traces()[source.trace].store;
  switch (source.series->kind) {
  case SeriesKind::AllLaunches:
    return add_launch(source, row, event);
  case SeriesKind::Copies:
    return add_copy(source, row, event);
  case SeriesKind::Calls:
    return add_call(source, event);
  case SeriesKind::States:
    return add_state(*source.thread, event.begin, event.end, labels_.state(store.string({event.name})));
  case SeriesKind::Ranges: {
    const auto type = prv::kRange + source.series->level;
    return add_pair(*source.thread, event.begin, event.end,
                    {{type, labels_.value(type, store.string({event.name}))}});
  }
  default:
    return add_message(source, row, event);
  }
}

void ParaverRecords::add_launch(const Source& source, std::size_t row, const store::Event& event) {
  const auto& trace = session_.traces()[source.trace];
  const auto* thread =
      objects_.find(source.trace, trace.store.column<std::uint32_t>("launches", "stream")[row]);
  if (!thread) return;
  const auto& c = session_.configurations()[trace.configuration[trace.configurations()[row]]];
  const auto& name = session_.kernels()[c.kernel].name;
  const auto type = store::is_collective(name) ? prv::kCollective : prv::kKernel;
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs = {{type, labels_.value(type, name)}};
  const std::int64_t parameters[] = {c.grid[0],
                                     c.grid[1],
                                     c.grid[2],
                                     c.block[0],
                                     c.block[1],
                                     c.block[2],
                                     c.static_shared_memory,
                                     c.dynamic_shared_memory,
                                     0,
                                     c.registers};
  for (std::size_t p = 0; p < std::size(parameters); ++p)
    pairs.emplace_back(prv::kGridX + static_cast<std::int64_t>(p), parameters[p]);
  pairs.emplace_back(prv::kCorrelation, trace.store.column<std::uint32_t>("launches", "correlation")[row]);
  add_state(*thread, event.begin, event.end, prv::kRunning);
  add_pair(*thread, event.begin, event.end, pairs);
  add_arrow(source, trace.store.column<std::uint32_t>("launches", "call")[row], *thread, event.begin, 0,
            kLaunchTag);
}

void ParaverRecords::add_copy(const Source& source, std::size_t row, const store::Event& event) {
  const auto& store = session_.traces()[source.trace].store;
  const auto* thread = objects_.find(source.trace, store.column<std::uint32_t>("transfers", "stream")[row]);
  if (!thread) return;
  const auto bytes = store.column<std::int64_t>("transfers", "bytes")[row];
  const auto* name =
      copy_name(static_cast<TransferKind>(store.column<std::uint8_t>("transfers", "kind")[row]));
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs = {{prv::kCopy, labels_.value(prv::kCopy, name)}};
  if (bytes >= 0) pairs.emplace_back(prv::kCopyBytes, bytes);
  pairs.emplace_back(prv::kCorrelation, store.column<std::uint32_t>("transfers", "correlation")[row]);
  add_state(*thread, event.begin, event.end, prv::kMemoryTransfer);
  add_pair(*thread, event.begin, event.end, pairs);
  add_arrow(source, store.column<std::uint32_t>("transfers", "call")[row], *thread, event.begin,
            std::max<std::int64_t>(bytes, 0), kCopyTag);
}

// A nested call has a separate type for its depth, because an event ends the previous one of the same type.
void ParaverRecords::add_call(const Source& source, const store::Event& event) {
  const auto name = session_.traces()[source.trace].store.string({event.name});
  auto& open = open_calls_[at_];
  std::erase_if(open, [&](std::int64_t end) { return end <= event.begin; });
  constexpr std::size_t kDeepest = 99;
  const auto depth = static_cast<std::int64_t>(std::min(open.size(), kDeepest));
  open.push_back(event.end);
  const auto type = depth == 0 ? prv::kCall : prv::kNestedCall + depth;
  add_pair(*source.thread, event.begin, event.end, {{type, labels_.value(type, name)}});
}

void ParaverRecords::add_message(const Source& source, std::size_t row, const store::Event& event) {
  const auto& store = session_.traces()[source.trace].store;
  const auto bytes = store.column<std::int64_t>("messages", "bytes")[row];
  if (source.series->kind == SeriesKind::Transmissions) {
    const auto* peer = objects_.of_rank(source.trace, store.column<std::uint32_t>("messages", "peer")[row]);
    const auto tag = store.column<std::uint32_t>("messages", "tag")[row];
    if (!peer) {
      ++messages_;
      return;
    }
    return put(event.begin, 1,
               fmt::format("3:{}:{}:{}:{}:{}:{}:{}:{}\n", place(*source.thread), event.begin, event.begin,
                           place(*peer), event.end, event.end, std::max<std::int64_t>(bytes, 0),
                           tag == kNone ? 0 : tag));
  }
  const auto kind = store.column<std::uint8_t>("messages", "kind")[row];
  const auto type = kind == 1                ? prv::kMpiCollective
                    : kind == 0 || kind == 2 ? prv::kMpiPointToPoint
                                             : prv::kMpiOther;
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs = {
      {type, labels_.value(type, store.string({event.name}))}};
  if (bytes >= 0) pairs.emplace_back(prv::kMpiBytes, bytes);
  add_pair(*source.thread, event.begin, event.end, pairs);
}

void ParaverRecords::add_samples(const Counter& counter, std::int64_t begin, std::int64_t end, Stop& stop) {
  const auto shift = session_.traces()[counter.trace].shift_ns;
  const auto& times = counter.series->times;
  auto at =
      static_cast<std::size_t>(std::lower_bound(times.begin(), times.end(), begin - shift) - times.begin());
  for (; at < times.size() && times[at] < end - shift; ++at) {
    if (at % kRecordsBetweenChecks == 0 && stop.requested()) return;
    const double value = counter.values[counter.series->first + at];
    if (!(std::abs(value) < 9e18)) {
      ++infinite_samples_;
      continue;
    }
    rounded_samples_ += value != std::round(value);
    const auto time = times[at] + shift + shift_;
    put(time, 1,
        fmt::format("2:{}:{}:{}:{}\n", place(*counter.thread), time, counter.type, std::llround(value)));
  }
}

void ParaverRecords::add_arrow(const Source& source, std::uint32_t call, const ParaverThread& thread,
                               std::int64_t start, std::int64_t bytes, std::int64_t tag) {
  const auto& trace = session_.traces()[source.trace];
  const auto starts = trace.store.starts("calls");
  if (call >= starts.size()) return;
  const auto* host = objects_.find(source.trace, trace.store.column<std::uint32_t>("calls", "thread")[call]);
  if (!host) return;
  const auto sent = starts[call] + trace.shift_ns + shift_;
  put(start, 1,
      fmt::format("3:{}:{}:{}:{}:{}:{}:{}:{}\n", place(*host), sent, sent, place(thread), start, start, bytes,
                  tag));
}

void ParaverRecords::add_state(const ParaverThread& thread, std::int64_t begin, std::int64_t end,
                               std::int64_t state) {
  put(begin, 1, fmt::format("1:{}:{}:{}:{}\n", place(thread), begin, end, state));
}

void ParaverRecords::add_pair(const ParaverThread& thread, std::int64_t begin, std::int64_t end,
                              const std::vector<std::pair<std::int64_t, std::int64_t>>& pairs) {
  std::string first = fmt::format("2:{}:{}", place(thread), begin),
              last = fmt::format("2:{}:{}", place(thread), end);
  for (const auto& [type, value] : pairs) {
    first += fmt::format(":{}:{}", type, value);
    last += fmt::format(":{}:0", type);
  }
  put(begin, 1, first + "\n");
  put(end, end == begin ? 1 : 0, last + "\n");
}

void ParaverRecords::put(std::int64_t time, std::uint8_t phase, std::string line) {
  (time < end_ ? now_ : later_).push_back({time, phase, std::move(line)});
}

// "cpu:application:task:thread"; the processor is unknown.
std::string ParaverRecords::place(const ParaverThread& thread) {
  return fmt::format("0:1:{}:{}", thread.task, thread.number);
}

} // namespace jitterscope::efficiency
