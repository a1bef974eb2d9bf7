#include "core/import/formats/caliper/profile.h"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "core/import/records/kernel_names.h"
#include "core/import/records/units.h"
#include "core/import/text/text.h"

namespace jitterscope::import::caliper {
namespace {

using store::Severity;

constexpr std::size_t kMaxColumns = 4096;
constexpr double kMaxNanoseconds = 1e18;
constexpr double kMaxRank = 1 << 30;
constexpr std::int64_t kUnknownScale = 0;

// "sum#inclusive#scale#time.duration.ns" is derived from "time.duration.ns" by three operations.
std::string_view base_of(std::string_view name) {
  const auto hash = name.rfind('#');
  return hash == std::string_view::npos ? name : name.substr(hash + 1);
}

struct Time {
  int rank = 0; ///< of several times of a record, the one with the largest rank is its duration
  std::int64_t scale = kUnknownScale; ///< ns per unit of the values
  bool inclusive = false;
};

// Whether a number is the total time of a region or kernel, and in which unit.
std::optional<Time> time_of(const Attribute& attribute) {
  const std::string_view name = attribute.name, base = base_of(name);
  const auto has = [&](std::string_view word) { return name.find(word) != std::string_view::npos; };
  if (has("min#") || has("max#") || has("count") || has("percent") || has("/") || base.ends_with("starttime"))
    return {};
  Time time;
  time.inclusive = has("inclusive");
  if (has("avg") && !time.inclusive) return {};
  if (has("avg.")) return {};
  if (base.ends_with("activity.duration"))
    time = {40, 1, time.inclusive};
  else if (base == "time.duration.ns" || base == "time.inclusive.duration.ns")
    time = {30, 1, time.inclusive || base != "time.duration.ns"};
  else if (base.ends_with("host.duration"))
    time = {25, 1, time.inclusive};
  else if (base == "time.duration" || base == "time.inclusive.duration") // before Caliper 2.10
    time = {20, kUnknownScale, time.inclusive};
  else if (base == "time" || base == "Time" || base == "timeseries.duration")
    time = {10, kUnknownScale, time.inclusive};
  else
    return {};
  const auto unit = nanoseconds_in(attribute.unit);
  if (unit)
    time.scale = *unit;
  else if (has("scale#"))
    time.scale = 1'000'000'000;      // scaled from ns to s
  if (has("scale#")) time.rank -= 1; // scaled values have fewer digits
  if (time.inclusive) time.rank -= has("avg") ? 18 : 19;
  return time;
}

} // namespace

Profile::Profile(Draft& draft, RowIssues& issues, const std::string& name)
    : draft_(draft), issues_(issues), name_(clean_text(name)), places_(draft),
      first_(draft.launches.start.size()) {}

std::uint32_t Profile::add(Attribute attribute) {
  const auto number = static_cast<std::uint32_t>(attributes_.size());
  if (attribute.name == "mpi.rank") rank_ = number;
  attributes_.push_back(std::move(attribute));
  return number;
}

// The kernel where one is given, else the kind of activity, else the innermost region.
std::uint32_t Profile::kernel_of(const Record& record) {
  std::string_view name;
  for (const std::string_view requested : {"kernel.name", "activity.kind"})
    for (const auto& [attribute, text] : record.texts)
      if (name.empty() && attributes_[attribute].name.ends_with(requested)) name = text;
  if (name.empty() && !record.regions.empty()) name = record.regions.back();
  if (name.empty()) name = "(no region)";
  if (const auto known = configurations_.find(name); known != configurations_.end()) return known->second;
  const auto readable = readable_kernel_name(name);
  const bool signature = readable.find('(') != std::string::npos && readable.front() != '(';
  Configuration configuration;
  configuration.kernel =
      draft_.kernel({draft_.strings.intern(readable).value,
                     draft_.strings.intern(signature ? short_kernel_name(readable) : readable).value});
  return configurations_.emplace(std::string(name), draft_.configuration(configuration)).first->second;
}

// The rank's process has a device of its own, because profiles do not state which ranks share one.
std::uint32_t Profile::stream_of(const Record& record) {
  const auto stated = std::find_if(record.numbers.begin(), record.numbers.end(),
                                   [&](const auto& number) { return number.first == rank_; });
  const bool valid = stated != record.numbers.end() && stated->second >= 0 && stated->second <= kMaxRank;
  const auto rank = valid ? static_cast<std::int32_t>(stated->second) : -1;
  const auto [stream, added] = streams_.try_emplace(rank, 0);
  if (added) {
    const auto process = places_.process(rank, valid ? fmt::format("rank {}", rank) : name_);
    draft_.resources[process].rank = rank;
    stream->second = places_.stream(places_.device(process, std::max(rank, 0)), 0);
  }
  return stream->second;
}

void Profile::add_record(const Record& record) {
  if (record.numbers.empty()) {
    issues_.count(Severity::Info, "records-without-numbers",
                  [] { return "records without a numeric value are not imported as rows"; });
    return;
  }
  const auto launch =
      draft_.add_untimed_launch(kernel_of(record), stream_of(record), store::kMissingDuration);
  ++rows_;
  const auto column = [&](std::uint32_t attribute, bool text) -> Column* {
    const auto found = columns_.find(attribute);
    if (found != columns_.end()) return &found->second;
    if (columns_.size() >= kMaxColumns) return nullptr;
    auto& made = columns_[attribute];
    const auto& of = attributes_[attribute];
    const auto unit = text ? Unit() : normalised_unit(of.unit);
    made.column = text ? draft_.attributes.text(of.name) : draft_.attributes.number(of.name, unit.base);
    return &made;
  };
  for (const auto& [attribute, value] : record.numbers)
    if (auto* to = column(attribute, false)) {
      to->integers = to->integers && value == std::floor(value);
      draft_.attributes.set(*to->column, launch, value * normalised_unit(attributes_[attribute].unit).factor);
    }
  for (const auto& [attribute, text] : record.texts)
    if (auto* to = column(attribute, true))
      draft_.attributes.set_text(*to->column, launch, draft_.strings.intern(clean_text(text)).value);
  if (record.regions.empty()) return;
  std::string path;
  for (const auto region : record.regions) path += (path.empty() ? "" : "/") + clean_text(region);
  if (!path_) path_ = draft_.attributes.text("path", "Regions around the record, outermost first");
  draft_.attributes.set_text(*path_, launch, draft_.strings.intern(path).value);
}

void Profile::finish() {
  struct Candidate {
    Time time;
    std::uint32_t attribute;
  };
  std::vector<Candidate> candidates;
  for (const auto& [attribute, column] : columns_)
    if (const auto time = attributes_[attribute].text ? std::nullopt : time_of(attributes_[attribute]))
      candidates.push_back({*time, attribute});
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.time.rank > b.time.rank; });
  for (auto launch = first_; launch < draft_.launches.start.size(); ++launch)
    for (const Candidate& candidate : candidates) {
      const auto& time = candidate.time;
      const auto& attribute = attributes_[candidate.attribute];
      const auto& column = columns_.at(candidate.attribute);
      const auto& values = draft_.attributes.all()[*column.column].numbers.values();
      if (launch >= values.size() || !(values[launch] >= 0)) continue;
      // Older releases count whole µs, newer ones fractional seconds.
      const bool unknown = time.scale == kUnknownScale;
      const auto kept = normalised_unit(attribute.unit).base == "ns";
      const auto scale = kept      ? 1.0
                         : unknown ? (column.integers ? 1e3 : 1e9)
                                   : static_cast<double>(time.scale);
      const auto duration = values[launch] * scale;
      if (duration > kMaxNanoseconds) continue;
      draft_.launches.duration[launch] = std::llround(duration);
      if (unknown && !kept)
        issues_.count(Severity::Doubt, "times-without-unit", [&] {
          return fmt::format("{} does not state the unit of {}: {}", name_, attribute.name,
                             column.integers ? "its numbers are whole, so µs is assumed" : "s is assumed");
        });
      if (time.inclusive)
        issues_.count(Severity::Info, "inclusive-times", [&] {
          return fmt::format("durations from {} include nested regions", attribute.name);
        });
      break;
    }
}

} // namespace jitterscope::import::caliper
