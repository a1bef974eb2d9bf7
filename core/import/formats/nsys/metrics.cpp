#include <cerrno>
#include <cstdlib>
#include <map>
#include <set>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "core/import/formats/nsys/session.h"
#include "core/import/records/clock_units.h"
#include "core/import/text/text.h"

namespace jitterscope::import::nsys {
namespace {

using nlohmann::json;
using sqlite::Rows;
using store::Severity;

const std::string kMetricsTable = "GPU_METRICS";
const std::string kOldTable = "GENERIC_EVENTS";

constexpr std::int64_t kWrap = std::int64_t{1} << 32; // clocks are unsigned 32-bit, stored as signed
constexpr std::size_t kMaxCounters = 65536;

// Newer tools append the unit to the name ("SMs Active [Throughput %]"; the unit of clocks is corrected at
// the end). In older ones everything is a percentage except clock frequencies and requests.
std::string unit_of(const std::string& metric) {
  const auto open = metric.rfind('[');
  if (open != std::string::npos && metric.back() == ']') {
    const auto unit = metric.substr(open + 1, metric.size() - open - 2);
    return unit.find('%') != std::string::npos ? "%" : unit;
  }
  if (metric.find("Frequency") != std::string::npos) return "Hz";
  return metric.find("Requests") != std::string::npos || metric.find("BAR1") != std::string::npos ? "" : "%";
}

// The low byte of the type's number is the profiler's id of the GPU.
std::int64_t gpu_of(std::int64_t type) {
  return type & 0xFF;
}

/// Appends samples, and creates each counter with its first one.
class Samples {
public:
  explicit Samples(Session& session) : session_(session) {}

  std::uint32_t counter(std::int64_t type, const std::string& metric) {
    if (counters_.size() >= kMaxCounters) return kNone;
    const auto [place, added] = counters_.try_emplace({gpu_of(type), metric}, 0);
    if (added)
      place->second =
          session_.draft.add_counter(metric, unit_of(metric), session_.device_of_gpu(gpu_of(type)));
    return place->second;
  }

  void add(std::optional<std::int64_t> time, std::uint32_t counter, std::int64_t value,
           const std::string& place) {
    if (counter == kNone) return drop("unknown-metric", place, "is beyond the limit of 65,536 metrics");
    if (!time || *time > kMaxTime || *time < -kMaxTime)
      return drop("missing-time", place, "has no usable time");
    if (*time < 0)
      return drop("sample-before-start", place,
                  "was taken before the capture began, when counters are not valid");
    if (value < -kWrap / 2)
      return session_.issues.count(Severity::Drop, "unknown-metric", [&] {
        return fmt::format("{} has the value {}, which is below the minimum of {}", place, value, -kWrap / 2);
      });
    if (value < 0) {
      session_.issues.count(Severity::Repair, "overflowed-clock", [&] {
        return fmt::format("{} is {}: an unsigned 32-bit value stored as signed, read as {}", place, value,
                           value + kWrap);
      });
      value += kWrap;
    }
    push_sample(session_.draft, *time, counter, static_cast<double>(value));
  }

  void drop(const char* code, const std::string& place, const char* why) {
    session_.issues.count(Severity::Drop, code, [&] { return fmt::format("{} {}", place, why); });
  }

private:
  Session& session_;
  std::map<std::pair<std::int64_t, std::string>, std::uint32_t> counters_;
};

using MetricNames = std::map<std::pair<std::int64_t, std::int64_t>, std::string>; // (typeId, metricId)

Expected<MetricNames> read_metric_names(Session& session) {
  MetricNames names;
  auto done = session.for_each(
      "TARGET_INFO_GPU_METRICS", {"typeId", "metricId", "metricName"}, [&](const Rows& rows) {
        if (rows.is_integer(0) && rows.is_integer(1) && rows.is_text(2) && names.size() < kMaxCounters)
          names[{rows.integer(0), rows.integer(1)}] = clean_text(rows.text(2));
      });
  if (!done) return forward(done.error());
  return names;
}

Expected<void> read_table(Session& session) {
  const auto names = read_metric_names(session);
  if (!names) return forward(names.error());
  Samples samples(session);
  std::map<std::pair<std::int64_t, std::int64_t>, std::uint32_t> counter_of;
  return session.for_each(kMetricsTable, {"timestamp", "typeId", "metricId", "value"}, [&](const Rows& rows) {
    const auto type = integer(rows, 1), metric = integer(rows, 2), value = integer(rows, 3);
    const auto place = [&] { return place_of(rows, kMetricsTable); };
    if (!type || !metric || !value)
      return samples.drop("missing-metric", place(), "does not name a metric or has no value");
    auto found = counter_of.find({*type, *metric});
    if (found == counter_of.end()) {
      const auto name = names->find({*type, *metric});
      if (name == names->end())
        return samples.drop("unknown-metric", place(),
                            "belongs to a metric whose name the file does not contain");
      found = counter_of.emplace(std::pair(*type, *metric), samples.counter(*type, name->second)).first;
    }
    const auto time = integer(rows, 0);
    const bool plain = time && *time >= 0 && *time <= kMaxTime && *value >= 0;
    samples.add(time, found->second, *value, plain ? std::string() : place());
  });
}

// Types of GENERIC_EVENTS written by the GPU metrics sampler; nothing when the file does not describe
// them.
Expected<std::optional<std::set<std::int64_t>>> metric_types(Session& session) {
  std::set<std::int64_t> sources, types;
  auto done = session.for_each("GENERIC_EVENT_SOURCES", {"sourceId", "data"}, [&](const Rows& rows) {
    if (rows.is_integer(0) && rows.is_text(1) && rows.text(1).find("GpuMetrics") != std::string_view::npos)
      sources.insert(rows.integer(0));
  });
  if (!done) return forward(done.error());
  if (!session.db.has_rows("GENERIC_EVENT_SOURCES") || !session.db.has_rows("GENERIC_EVENT_TYPES"))
    return std::optional<std::set<std::int64_t>>();
  done = session.for_each("GENERIC_EVENT_TYPES", {"typeId", "sourceId"}, [&](const Rows& rows) {
    if (rows.is_integer(0) && rows.is_integer(1) && sources.contains(rows.integer(1)))
      types.insert(rows.integer(0));
  });
  if (!done) return forward(done.error());
  return std::optional(std::move(types));
}

// A value is an integer, possibly written as text.
std::optional<std::int64_t> number_in(const json& value) {
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (!value.is_string()) return {};
  const auto& text = value.get_ref<const std::string&>();
  char* end = nullptr;
  errno = 0;
  const auto number = std::strtoll(text.c_str(), &end, 10);
  return text.empty() || *end != '\0' || errno != 0 ? std::nullopt : std::optional<std::int64_t>(number);
}

// Schema 3.0.0: the same samples as one JSON object per timestamp.
Expected<void> read_generic_events(Session& session) {
  const auto types = metric_types(session);
  if (!types) return forward(types.error());
  Samples samples(session);
  return session.for_each(kOldTable, {"rawTimestamp", "timestamp", "typeId", "data"}, [&](const Rows& rows) {
    const auto type = integer(rows, 2);
    if (!type || !rows.is_text(3) || (*types && !(*types)->contains(*type))) return;
    const auto object = json::parse(rows.text(3), nullptr, false);
    if (!object.is_object())
      return samples.drop("missing-metric", place_of(rows, kOldTable), "does not contain a JSON object");
    const auto time = rows.is_integer(1) ? integer(rows, 1) : integer(rows, 0);
    for (const auto& [metric, value] : object.items())
      if (const auto number = number_in(value))
        samples.add(time, samples.counter(*type, clean_text(metric)), *number, place_of(rows, kOldTable));
  });
}

} // namespace

Expected<void> read_metrics(Session& session) {
  auto& draft = session.draft;
  const auto counters = draft.counters.size(), samples = draft.samples.time.size();
  auto done = session.db.has_rows(kMetricsTable) ? read_table(session) : read_generic_events(session);
  if (done) settle_clock_units(draft, counters, samples, session.issues);
  return done;
}

} // namespace jitterscope::import::nsys
