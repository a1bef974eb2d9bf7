#include "core/import/assemble/device_logs.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <map>
#include <set>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/core.h>

#include "core/base/spill_vector.h"

namespace jitterscope::import {
namespace {

using store::ResourceKind;
using store::Severity;

constexpr std::int64_t kSecond = 1'000'000'000, kMinute = 60 * kSecond, kQuarter = 15 * kMinute;
constexpr std::int64_t kEast = 14 * 60 * kMinute,
                       kWest = -12 * 60 * kMinute; // offsets of the time zones in use

struct Span {
  std::int64_t first = 0, last = -1;
  bool empty() const { return last < first; }
  void widen(std::int64_t from, std::int64_t to) {
    const bool none = empty();
    first = none ? from : std::min(first, from);
    last = none ? to : std::max(last, to);
  }
  Span moved(std::int64_t by) const { return {first + by, last + by}; }
};

// Length of the overlap; negative: the distance between spans that do not overlap.
std::int64_t overlap(const Span& a, const Span& b) {
  return std::min(a.last, b.last) - std::max(a.first, b.first);
}

Span span_of(const DeviceLog& log, const Draft& draft) {
  Span span;
  for (auto row = log.first_sample; row < log.last_sample; ++row) {
    SpillMemory::relieve_at(row);
    span.widen(draft.samples.time[row], draft.samples.time[row]);
  }
  return span;
}

// Span of the traces that state absolute times, in absolute time (`absolute`), or of all other traces, in
// their own time.
Span span_of(const TracesOfLogs& traces, bool absolute) {
  Span span;
  for (std::size_t i = 0; i < traces.sources.size(); ++i)
    if ((traces.sources[i].utc_ns >= 0) == absolute && traces.spans[i].rows > 0) {
      const auto zero = absolute ? traces.sources[i].utc_ns : 0;
      span.widen(zero + traces.spans[i].first, zero + traces.spans[i].last);
    }
  return span;
}

std::string date_of(std::int64_t utc_ns) {
  const auto seconds = static_cast<std::time_t>(utc_ns / kSecond);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  return fmt::format("{:%Y-%m-%d %H:%M:%S}.{:03}", parts, utc_ns % kSecond / 1'000'000);
}

// Offset of this machine's zone from UTC at a local time.
std::int64_t offset_of_machine(std::int64_t local_ns) {
  auto seconds = static_cast<std::time_t>(local_ns / kSecond);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  parts.tm_isdst = -1;
  const auto utc = std::mktime(&parts);
  return utc == static_cast<std::time_t>(-1) ? 0 : (seconds - utc) * kSecond;
}

std::string zone_name(std::int64_t offset) {
  const auto minutes = std::abs(offset) / kMinute;
  return offset == 0 ? std::string("UTC")
                     : fmt::format("UTC{}{}:{:02}", offset < 0 ? '-' : '+', minutes / 60, minutes % 60);
}

struct Zone {
  std::int64_t offset = 0;
  bool of_machine = false, doubtful = false;
};

// Whole hours are more common than half hours, and those more common than quarters.
int commonness(std::int64_t offset) {
  return offset % (4 * kQuarter) == 0 ? 2 : offset % (2 * kQuarter) == 0 ? 1 : 0;
}

Zone zone_of(const Span& local, const Span& traces) {
  Zone best{offset_of_machine(local.first), true, false};
  auto covered = overlap(local.moved(-best.offset), traces);
  int candidates = covered >= 0 ? 1 : 0;
  for (int rank = 2; rank >= 0; --rank)
    for (auto offset = kWest; offset <= kEast; offset += kQuarter) {
      const auto here = overlap(local.moved(-offset), traces);
      if (commonness(offset) != rank || offset == best.offset || here < 0) continue;
      ++candidates;
      if (here > covered) {
        covered = here;
        best = {offset, false, false};
      }
    }
  best.doubtful = candidates > 1;
  return best;
}

Expected<LogPlacement> apart(const DeviceLog& log, const Span& times, const char* zone, const Span& traces,
                             const char* remedy) {
  return failure(
      ErrorKind::BadInput,
      fmt::format("the samples of this log, from {} to {} ({}), and the trace, from {} to {} (UTC), "
                  "do not overlap",
                  date_of(times.first), date_of(times.last), zone, date_of(traces.first),
                  date_of(traces.last)),
      log.file, {}, remedy);
}

Expected<LogPlacement> place_local(const DeviceLog& log, const Span& local, const Span& traces) {
  const auto zone = zone_of(local, traces);
  if (overlap(local.moved(-zone.offset), traces) < 0)
    return apart(log, local, "local time", traces,
                 "No time zone makes them overlap: open the log that was recorded during the run.");
  LogPlacement placement{true, zone.offset, {}, zone.doubtful};
  placement.alignment = fmt::format("local time of the log, taken as {}: {}", zone_name(zone.offset),
                                    zone.of_machine ? "the zone of this machine (TZ)"
                                                    : "the zone in which it overlaps the trace");
  return placement;
}

/// The devices of a draft, one for each piece of hardware.
class TraceDevices {
public:
  explicit TraceDevices(const Draft& draft) : draft_(draft) {
    for (std::uint32_t row = 0; row < draft.resources.size(); ++row)
      if (draft.resources[row].kind == ResourceKind::Device) rows_.push_back(row);
  }

  bool none() const { return rows_.empty(); }

  /// The only device that fits, kNone if there is none or several. `alone`: the log has one device.
  std::uint32_t find(const LoggedDevice& logged, bool alone) const {
    if (const auto device = with_uuid(logged.uuid); device != kNone) return device;
    auto fitting = rows_;
    const auto keep = [&](auto fits) {
      std::vector<std::uint32_t> kept;
      std::copy_if(fitting.begin(), fitting.end(), std::back_inserter(kept), fits);
      fitting = std::move(kept);
    };
    if (logged.rank >= 0 && any([](const auto& process) { return process.rank >= 0; }))
      keep([&](auto row) { return process(row).rank == logged.rank; });
    if (!logged.host.empty() && hosts_have_names())
      keep([&](auto row) { return host(row).name == logged.host; });
    if (const auto only = only_of(fitting); only != kNone && (alone || logged.number < 0)) return only;
    if (logged.number < 0) return kNone;
    keep([&](auto row) { return draft_.resources[row].number == logged.number; });
    return only_of(fitting);
  }

private:
  static std::string bare(std::string uuid) {
    if (uuid.starts_with("GPU-")) uuid.erase(0, 4);
    std::transform(uuid.begin(), uuid.end(), uuid.begin(), [](unsigned char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : static_cast<char>(c);
    });
    return uuid;
  }
  std::uint32_t with_uuid(const std::string& uuid) const {
    if (!uuid.empty())
      for (const auto& device : draft_.devices)
        if (bare(device.uuid) == bare(uuid)) return device.resource;
    return kNone;
  }
  std::uint32_t only_of(const std::vector<std::uint32_t>& rows) const {
    std::set<std::uint32_t> physical;
    for (const auto row : rows) physical.insert(draft_.resources[row].physical);
    return physical.size() == 1 ? rows.front() : kNone;
  }
  const store::Resource& process(std::uint32_t row) const {
    return draft_.resources[draft_.resources[row].parent];
  }
  const store::Resource& host(std::uint32_t row) const { return draft_.resources[process(row).parent]; }
  template <class Fits>
  bool any(Fits fits) const {
    return std::any_of(rows_.begin(), rows_.end(), [&](auto row) { return fits(process(row)); });
  }
  bool hosts_have_names() const {
    return std::any_of(rows_.begin(), rows_.end(), [&](auto row) { return !host(row).name.empty(); });
  }

  const Draft& draft_;
  std::vector<std::uint32_t> rows_;
};

/// Attaches the counters of logs, and removes samples.
class Attachment {
public:
  Attachment(Draft& draft, std::vector<FilePart>& parts, const std::vector<std::size_t>& part_of_log,
             const Span& traces, store::ImportReport& report)
      : draft_(draft), parts_(parts), part_of_log_(part_of_log), traces_(traces), report_(report),
        kept_(draft.counters.size(), true) {}

  void attach() {
    const TraceDevices devices(draft_);
    for (const auto& log : draft_.logs) find_devices(log, devices);
    count_samples();
    drop_repeated();
    remove();
  }

private:
  struct Window {
    std::size_t first = 0, last = 0; // rows of Draft::samples
    std::int64_t from = 0, to = 0;   // interval of the log's own time in which samples are kept
  };

  void find_devices(const DeviceLog& log, const TraceDevices& devices) {
    std::vector<std::uint32_t> found;
    for (const auto& logged : log.devices) found.push_back(devices.find(logged, log.devices.size() == 1));
    const bool any = std::any_of(found.begin(), found.end(), [](auto row) { return row != kNone; });
    const auto missing = std::count(found.begin(), found.end(), kNone);
    if (!any)
      report_.add(
          Severity::Drop, "log-without-device",
          devices.none()
              ? fmt::format("{} was left out: the trace has no device", log.file)
              : fmt::format("{} was left out: it is not clear to which device of the trace its samples "
                            "belong. Add a column \"index\", \"uuid\", \"host\" or \"rank\"",
                            log.file));
    else if (missing > 0)
      report_.add(
          Severity::Info, "other-devices",
          fmt::format("{} of the {} devices of {} were left out: the trace does not have them, or has "
                      "several with their number",
                      missing, found.size(), log.file),
          missing);
    for (auto c = log.first_counter; c < log.last_counter; ++c) {
      auto& device = draft_.counters[c].device;
      device = device < found.size() ? found[device] : kNone;
      kept_[c] = device != kNone;
    }
  }

  // Samples up to two sampling periods outside the traces are kept: a launch uses the nearest sample within
  // one period.
  Window window_of(const DeviceLog& log, std::int64_t shift) const {
    Window window{log.first_sample, log.last_sample, traces_.first - shift, traces_.last - shift};
    SpillVector<std::int64_t> steps;
    for (auto row = log.first_sample + 1; row < log.last_sample; ++row)
      if (const auto step = draft_.samples.time[row] - draft_.samples.time[row - 1]; step > 0)
        steps.push_back(step);
    if (steps.empty()) return window;
    const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
    std::nth_element(steps.begin(), middle, steps.end());
    window.from = std::max(window.from - 2 * *middle, std::min(window.from, -shift)); // the axis begins at 0
    window.to += 2 * *middle;
    return window;
  }

  void count_samples() {
    samples_.assign(draft_.counters.size(), 0);
    for (std::size_t i = 0; i < draft_.logs.size(); ++i) {
      const auto window = window_of(draft_.logs[i], parts_[part_of_log_[i]].shift_ns);
      for (auto row = window.first; row < window.last; ++row) {
        SpillMemory::relieve_at(row);
        if (in(window, row)) ++samples_[draft_.samples.counter[row]];
      }
      windows_.push_back(window);
    }
  }

  bool in(const Window& window, std::size_t row) const {
    return draft_.samples.time[row] >= window.from && draft_.samples.time[row] <= window.to;
  }

  void drop_repeated() {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> best; // by device and name
    for (const auto& log : draft_.logs)
      for (auto c = log.first_counter; c < log.last_counter; ++c) {
        if (!kept_[c] || samples_[c] == 0) {
          kept_[c] = false;
          continue;
        }
        const auto& counter = draft_.counters[c];
        const auto [place, added] =
            best.try_emplace({draft_.resources[counter.device].physical, counter.name}, c);
        if (added) continue;
        const auto less = samples_[c] > samples_[place->second] ? std::exchange(place->second, c) : c;
        kept_[less] = false;
        report_.add(Severity::Info, "same-counter",
                    fmt::format("\"{}\" is in several logs: the one with more samples is used",
                                draft_.strings[StringId{counter.name}]));
      }
  }

  void remove() {
    std::vector<std::uint32_t> new_row(draft_.counters.size(), kNone);
    std::size_t counters = 0;
    for (std::size_t c = 0; c < draft_.counters.size(); ++c)
      if (kept_[c]) {
        new_row[c] = static_cast<std::uint32_t>(counters);
        draft_.counters[counters++] = draft_.counters[c];
      }
    draft_.counters.resize(counters);
    std::size_t to = 0, at = 0;
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      const auto* window = window_of_part(p);
      const auto begin = to;
      for (at = parts_[p].from.samples; at < parts_[p].to.samples; ++at) {
        SpillMemory::relieve_at(at);
        const auto counter = new_row[draft_.samples.counter[at]];
        if (counter == kNone || (window && !in(*window, at))) continue;
        draft_.samples.time[to] = draft_.samples.time[at];
        draft_.samples.counter[to] = counter;
        draft_.samples.value[to++] = draft_.samples.value[at];
      }
      parts_[p].from.samples = begin;
      parts_[p].to.samples = to;
    }
    draft_.samples.time.resize(to);
    draft_.samples.counter.resize(to);
    draft_.samples.value.resize(to);
  }

  const Window* window_of_part(std::size_t part) const {
    for (std::size_t i = 0; i < part_of_log_.size(); ++i)
      if (part_of_log_[i] == part) return &windows_[i];
    return nullptr;
  }

  Draft& draft_;
  std::vector<FilePart>& parts_;
  const std::vector<std::size_t>& part_of_log_;
  Span traces_;
  store::ImportReport& report_;
  std::vector<bool> kept_;           // by counter: whether it is kept
  std::vector<std::size_t> samples_; // by counter: number of samples within the window of its log
  std::vector<Window> windows_;      // by log
};

} // namespace

Expected<LogPlacement> place_log(const DeviceLog& log, const store::Source& source, const Draft& draft,
                                 const TracesOfLogs& traces) {
  const bool absolute = source.utc_ns >= 0;
  const auto times = span_of(log, draft);
  const auto of_traces = span_of(traces, absolute);
  if (of_traces.empty())
    return failure(
        ErrorKind::BadInput,
        absolute
            ? "the trace does not state when it was recorded, so this log cannot be placed on the time axis"
            : "the times of this log do not count from 1970, but those of the trace do",
        log.file, {}, "Record the log with the clock of the trace, or a trace with absolute times.");
  if (!absolute) {
    if (overlap(times, of_traces) < 0)
      return failure(ErrorKind::BadInput, "the times of this log and of the trace do not overlap", log.file,
                     {}, "Write the times on the clock of the trace, or as times since 1970.");
    return LogPlacement{false, 0, "the origin of the trace, which does not state when it was recorded", true};
  }
  const auto since_1970 = times.moved(source.utc_ns);
  if (!log.zone_known) return place_local(log, since_1970, of_traces);
  if (overlap(since_1970, of_traces) < 0)
    return apart(log, since_1970, "UTC", of_traces, "Open the log that was recorded during the run.");
  return LogPlacement{true, 0, "absolute time of the samples (UTC)", false};
}

void align_log(const LogPlacement& placement, const TracesOfLogs& aligned, store::Source& source) {
  source.alignment = placement.alignment;
  for (const auto& trace : aligned.sources)
    if ((trace.utc_ns >= 0) == placement.absolute) {
      source.shift_ns = placement.absolute
                            ? source.utc_ns - placement.zone_offset_ns - (trace.utc_ns - trace.shift_ns)
                            : trace.shift_ns;
      return;
    }
}

void attach_logs(Draft& draft, std::vector<FilePart>& parts, const std::vector<std::size_t>& part_of_log,
                 const TracesOfLogs& aligned, store::ImportReport& report) {
  if (draft.logs.empty()) return;
  Span traces;
  for (std::size_t i = 0; i < aligned.sources.size(); ++i)
    if (aligned.spans[i].rows > 0)
      traces.widen(aligned.spans[i].first + aligned.sources[i].shift_ns,
                   aligned.spans[i].last + aligned.sources[i].shift_ns);
  Attachment(draft, parts, part_of_log, traces, report).attach();
}

} // namespace jitterscope::import
