#include "core/efficiency/paraver/paraver_records.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "core/paraver/event_types.h"
#include "core/paraver/extrae_names.h"
#include "core/store/format/analysis_rows.h"
#include "core/store/trace/event_kinds.h"

namespace jitterscope::efficiency {
namespace {

using store::SeriesKind;
using store::TransferKind;

/// Tags of the communications from the call to its launch, and to its copy.
constexpr std::int64_t kLaunchTag = 55'001, kCopyTag = 55'002;
constexpr std::size_t kEventsBetweenChecks = 1'024; ///< an event takes about 1 µs

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

/// Value of an optional column; 0 in a store without it.
template <class T>
T value_or_zero(const store::Store& store, std::string_view table, std::string_view column, std::size_t row) {
  const auto* found = store.table(table).find(column);
  return found && found->type == store::ElementTypeOf<T>::value ? store::Values<T>(*found)[row] : T{0};
}

bool is_of_device(SeriesKind kind) {
  return kind == SeriesKind::AllLaunches || kind == SeriesKind::Copies;
}

} // namespace

ParaverRecords::ParaverRecords(const analysis::Session& session, const ParaverObjects& objects,
                               ParaverLabels& labels)
    : session_(session), objects_(objects), labels_(labels), span_(session.span()),
      states_(session.traces().size()) {
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
  for (auto& source : sources_) {
    const auto shift = session.traces()[source.trace].shift_ns;
    source.next = source.series->position_of(span_.begin.count - shift);
    next_.push_back(time_of_next(source));
  }
}

std::int64_t ParaverRecords::time_of_next(const Source& source) const {
  return source.next < source.series->events()
             ? source.series->begin_at(source.next) + session_.traces()[source.trace].shift_ns
             : INT64_MAX;
}

// Time 0 of the Paraver trace on the clock of the imported files; 0 if it is the same or they have several
// clocks.
std::int64_t ParaverRecords::origin_in_file() const {
  std::optional<std::int64_t> moved;
  for (const auto& trace : session_.traces())
    for (const auto& source : trace.store.manifest().sources) {
      const auto by = source.shift_ns + trace.shift_ns;
      if (moved.value_or(by) != by) return 0;
      moved = by;
    }
  return moved.value_or(0) == 0 ? 0 : -*moved - shift_;
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
  add(empty_devices_,
      "devices without records in this part: {}. Efficiencies of the Paraver trace do not contain them");
  add(shift_,
      "all times of the Paraver trace are {} ns later, because events begin before time 0. After a cut, "
      "--clip makes them begin at the border of its range");
  if (const auto origin = origin_in_file(); origin != 0)
    sentences.push_back(fmt::format("time 0 of the Paraver trace is {} ns on the clock of the file that the "
                                    "trace was imported from",
                                    origin));
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
    empty_devices_ += missing[r] != 0 && resources[r].kind == store::ResourceKind::Device;
  const auto& store = session.traces()[trace].store;
  const auto shift = session.traces()[trace].shift_ns;
  for (const char* table : store::kEventTables)
    if (launches || std::string_view(table) != "launches") starts_.push_back({shift, store.starts(table)});
  for (const auto& counter : index_[trace].counters()) starts_.push_back({shift, counter.times});
  const auto names = store.column<std::uint32_t>("counters", "name");
  const auto places = store.column<std::uint32_t>("counters", "device");
  const auto counters = index_[trace].counters();
  const auto* types = store.table("counters").find(store::kCounterType);
  if (types && types->type != store::ElementType::Int64) types = nullptr;
  for (std::size_t c = 0; c < counters.size(); ++c) {
    const auto* thread = objects_.find(trace, places[c]);
    if (!thread) {
      device_samples_ += static_cast<std::int64_t>(counters[c].times.size());
      continue;
    }
    const auto kind = store.resources()[places[c]].kind;
    const std::int64_t usual = kind == store::ResourceKind::Device ? prv::kGpuMetric : 0;
    counters_.push_back(
        {trace, thread,
         labels_.counter(store.string({names[c]}), types ? store::Values<std::int64_t>(*types)[c] : usual),
         &counters[c], store.column<double>("samples", "value")});
  }
}

std::int64_t ParaverRecords::rows_before(std::int64_t time) const {
  std::ptrdiff_t count = 0;
  for (const auto& [shift, times] : starts_)
    count += std::lower_bound(times.begin(), times.end(), time - shift) - times.begin();
  return static_cast<std::int64_t>(count);
}

std::span<const ParaverRecord> ParaverRecords::slice(std::int64_t end, Stop& stop) {
  end_ = end + shift_;
  now_.clear();
  text_.clear();
  for (; !later_.empty() && later_.top().time < end_; later_.pop())
    put(later_.top().time, later_.top().phase, FMT_COMPILE("{}"), later_.top().line);
  for (at_ = 0; at_ < sources_.size(); ++at_)
    if (next_[at_] < end) {
      if (!add_events(sources_[at_], end, stop)) return {};
      next_[at_] = time_of_next(sources_[at_]);
    }
  for (auto& counter : counters_) add_samples(counter, end, stop);
  sort_stably(
      now_,
      [](const ParaverRecord& a, const ParaverRecord& b) {
        return std::pair(a.time, a.phase) < std::pair(b.time, b.phase);
      },
      stop);
  return now_;
}

bool ParaverRecords::add_events(Source& source, std::int64_t end, Stop& stop) {
  const auto shift = session_.traces()[source.trace].shift_ns;
  for (auto& next = source.next; next < source.series->events(); ++next) {
    if (read_++ % kEventsBetweenChecks == 0 && stop.requested()) return false;
    const auto row = source.series->row(next);
    auto event = source.series->at(next);
    if (event.begin + shift >= end) return true;
    event.begin += shift + shift_;
    event.end += shift + shift_;
    add_event(source, row, event);
  }
  return true;
}

std::int64_t ParaverRecords::state_of(std::size_t trace, std::uint32_t name) {
  auto& states = states_[trace];
  if (name >= states.size()) states.resize(std::size_t{name} + 1, -1);
  if (states[name] < 0) states[name] = labels_.state(session_.traces()[trace].store.string({name}));
  return states[name];
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
    return add_state(*source.thread, event.begin, event.end, state_of(source.trace, event.name));
  case SeriesKind::Ranges: {
    const auto type = range_type(source, row);
    return add_pair(*source.thread, event.begin, event.end,
                    std::array{std::pair{type, labels_.value(type, store.string({event.name}))}});
  }
  default:
    return add_message(source, row, event);
  }
}

// Ranges of a Paraver trace keep their type: its values do not overlap, or may be nested. Other ranges have a
// type for each depth.
std::int64_t ParaverRecords::range_type(const Source& source, std::size_t row) const {
  const auto& store = session_.traces()[source.trace].store;
  const auto domain = store.string({store.column<std::uint32_t>("ranges", "domain")[row]});
  if (const auto type = labels_.range_type(domain)) return *type;
  return domain == prv::kUserFunctionLabel ? prv::kUserFunction : prv::kRange + source.series->level;
}

void ParaverRecords::add_launch(const Source& source, std::size_t row, const store::Event& event) {
  const auto& trace = session_.traces()[source.trace];
  const auto* thread =
      objects_.find(source.trace, trace.store.column<std::uint32_t>("launches", "stream")[row]);
  if (!thread) return;
  const auto& c = session_.configurations()[trace.configuration[trace.configurations()[row]]];
  const auto& [name, short_name, collective] = session_.kernels()[c.kernel];
  const auto type = collective ? prv::kCollective : prv::kKernel;
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
  add_pair(*source.thread, event.begin, event.end, std::array{std::pair{type, labels_.value(type, name)}});
}

void ParaverRecords::add_message(const Source& source, std::size_t row, const store::Event& event) {
  const auto& store = session_.traces()[source.trace].store;
  const auto bytes = store.column<std::int64_t>("messages", "bytes")[row];
  if (source.series->kind == SeriesKind::Transmissions) {
    const auto* peer =
        objects_.of_rank(source.trace, store.column<std::uint32_t>("messages", "peer")[row],
                         value_or_zero<std::uint32_t>(store, "messages", store::kPeerThread, row));
    const auto tag = store.column<std::uint32_t>("messages", "tag")[row];
    if (!peer) {
      ++messages_;
      return;
    }
    const auto apart = [&](std::string_view column) {
      return value_or_zero<std::int64_t>(store, "messages", column, row);
    };
    const auto sent = std::max<std::int64_t>(event.begin - apart(store::kSentBefore), 0),
               received = std::max<std::int64_t>(event.end + apart(store::kReceivedAfter), 0);
    return put(event.begin, 1, FMT_COMPILE("3:0:1:{}:{}:{}:{}:0:1:{}:{}:{}:{}:{}:{}\n"), source.thread->task,
               source.thread->number, sent, event.begin, peer->task, peer->number, received, event.end,
               std::max<std::int64_t>(bytes, 0), tag == kNone ? -1 : std::int64_t{tag});
  }
  const auto kind = store.column<std::uint8_t>("messages", "kind")[row];
  const auto name = store.string({event.name});
  const auto usual = kind == 1                ? prv::kMpiCollective
                     : kind == 0 || kind == 2 ? prv::kMpiPointToPoint
                                              : prv::kMpiOther;
  const auto type = prv::type_of_mpi_call(name).value_or(usual);
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs = {{type, labels_.value(type, name)}};
  if (bytes >= 0) pairs.emplace_back(prv::kMpiBytes, bytes);
  add_pair(*source.thread, event.begin, event.end, pairs);
}

void ParaverRecords::add_samples(Counter& counter, std::int64_t end, Stop& stop) {
  const auto shift = session_.traces()[counter.trace].shift_ns;
  const auto& times = counter.series->times;
  for (auto& at = counter.next; at < times.size() && times[at] < end - shift; ++at) {
    if (read_++ % kEventsBetweenChecks == 0 && stop.requested()) return;
    const double value = counter.values[counter.series->first + at];
    if (!(std::abs(value) < 9e18)) {
      ++infinite_samples_;
      continue;
    }
    rounded_samples_ += value != std::round(value);
    const auto time = times[at] + shift + shift_;
    put(time, 1, FMT_COMPILE("2:0:1:{}:{}:{}:{}:{}\n"), counter.thread->task, counter.thread->number, time,
        counter.type, std::llround(value));
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
  put(start, 1, FMT_COMPILE("3:0:1:{}:{}:{}:{}:0:1:{}:{}:{}:{}:{}:{}\n"), host->task, host->number, sent,
      sent, thread.task, thread.number, start, start, bytes, tag);
}

void ParaverRecords::add_state(const ParaverThread& thread, std::int64_t begin, std::int64_t end,
                               std::int64_t state) {
  put(begin, 1, FMT_COMPILE("1:0:1:{}:{}:{}:{}:{}\n"), thread.task, thread.number, begin, end, state);
}

void ParaverRecords::add_pair(const ParaverThread& thread, std::int64_t begin, std::int64_t end,
                              std::span<const std::pair<std::int64_t, std::int64_t>> pairs) {
  const auto begun = [&](fmt::memory_buffer& line, std::int64_t time) {
    line.clear();
    fmt::format_to(fmt::appender(line), FMT_COMPILE("2:0:1:{}:{}:{}"), thread.task, thread.number, time);
  };
  begun(first_, begin);
  begun(last_, end);
  for (const auto& [type, value] : pairs) {
    fmt::format_to(fmt::appender(first_), FMT_COMPILE(":{}:{}"), type, value);
    fmt::format_to(fmt::appender(last_), FMT_COMPILE(":{}:0"), type);
  }
  put(begin, 1, FMT_COMPILE("{}\n"), std::string_view(first_.data(), first_.size()));
  put(end, end == begin ? 1 : 0, FMT_COMPILE("{}\n"), std::string_view(last_.data(), last_.size()));
}

} // namespace jitterscope::efficiency
