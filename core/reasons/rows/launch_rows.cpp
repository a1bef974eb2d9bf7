#include "core/reasons/rows/launch_rows.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/analysis/columns/collective_waits.h"
#include "core/causal/base/note_specs.h"
#include "core/causal/base/tiers.h"
#include "core/causal/base/wording.h"
#include "core/causal/statistics/earlier.h"
#include "core/reasons/rows/recent_idle.h"
#include "core/store/format/analysis_rows.h"
#include "core/store/tracks/track_index_tables.h"

namespace jitterscope::analysis {
namespace {

/// A launch that shares less of its time with other kernels counts as alone: successive kernels of one
/// stream, above all those of a graph, may overlap by up to a microsecond.
constexpr double kMinConcurrency = 0.02;

// causal::kEarlierDeviation for the rows of a segment. The preceding launch is searched within a fixed number
// of rows, so that the result does not depend on which rows are read together.
std::vector<double> earlier_deviations(const Session& session, const Segment& segment) {
  constexpr std::int64_t kMaxRowsBefore = 4'096;
  const Trace& trace = session.traces()[segment.trace];
  const auto streams = trace.store.column<std::uint32_t>("launches", "stream");
  const auto durations = trace.durations();
  const auto configurations = trace.configurations();
  const auto deviation = [&](std::int64_t row) {
    const auto at = static_cast<std::size_t>(row);
    const auto& configuration = session.configurations()[trace.configuration[configurations[at]]];
    return durations[at] == store::kMissingDuration
               ? 0.0
               : static_cast<double>(durations[at]) - configuration.mean_ns();
  };
  std::vector<std::int64_t> last(trace.store.resources().size(), -1 - kMaxRowsBefore); // row by stream
  std::vector<double> values(static_cast<std::size_t>(segment.rows()), 0.0);
  for (auto row = std::max<std::int64_t>(0, segment.first - kMaxRowsBefore); row < segment.last; ++row) {
    auto& before = last[streams[static_cast<std::size_t>(row)]];
    if (row >= segment.first && before >= 0 && row - before <= kMaxRowsBefore)
      values[static_cast<std::size_t>(row - segment.first)] = deviation(before);
    before = row;
  }
  return values;
}

// The first launch of a stream has no gap value: its gap is the time since the first launch of the trace, in
// which nothing ran on the stream.
void fill_first_gaps(const Trace& trace, const Segment& segment, std::vector<double>& gaps) {
  const auto starts = trace.starts();
  for (std::size_t i = 0; i < gaps.size(); ++i)
    if (std::isnan(gaps[i]))
      gaps[i] = static_cast<double>(starts[static_cast<std::size_t>(segment.first) + i] - starts.front());
}

// Replaces ids of call sites by the typical time of the site in excess of its configuration [ns].
void work_of_sites(const CallSites& sites, std::vector<double>& values) {
  for (auto& value : values) value = sites.all()[static_cast<std::size_t>(value)].work_ns;
}

bool is_overlap_time(std::string_view column) {
  return column.starts_with("overlap_") && column.ends_with("_ns");
}

bool is_of_migrations(std::string_view column) {
  return column.starts_with("migration_") || column == "page_fault_count" || column == "window_migration_ns";
}

/// A text column that may name the kernels of tables that were opened without a kernel column; empty if there
/// is none.
std::string_view column_of_kernels(const Session& session, const LaunchColumns& columns) {
  if (!of_plain_tables(session) || session.kernels().size() != session.traces().size()) return {};
  for (const std::string_view name :
       {"recorded_kernel", "recorded_kernel_name", "kernel_name", "recorded_name"})
    if (const auto* column = columns.find(std::string(name));
        column && column->stored && column->kind == ColumnKind::Text && !column->constant)
      return header_of(name);
  return {};
}

} // namespace

Expected<LaunchRows> LaunchRows::make(const Session& session, const LaunchColumns& columns,
                                      const Selection& selection, const std::string& target,
                                      Communicator& communicator, const Job& job, SampleSize sample,
                                      std::shared_ptr<const TypicalRows> typical,
                                      const std::vector<std::string>& named, bool chosen) {
  if (!typical) {
    auto made = TypicalRows::make(session, columns, job);
    if (!made) return forward(made.error());
    typical = std::make_shared<const TypicalRows>(std::move(*made));
  }
  LaunchRows source;
  source.session_ = &session;
  source.columns_ = &columns;
  source.typical_ = std::move(typical);
  source.target_ = target;
  auto [infos, codes] = launch_features(session, columns, *source.typical_, {target, named, chosen});
  source.features_ = std::move(infos);
  source.codes_ = std::move(codes);
  auto launches = SampledLaunches::make(session, columns, selection, communicator, job);
  if (!launches) return forward(launches.error());
  source.launches_ = std::move(*launches);
  if (auto done = source.launches_.sample(session, source.typical_->windows, sample, communicator, job);
      !done)
    return forward(done.error());
  return source;
}

void LaunchRows::describe_single_launches() {
  of_single_launches_ = true;
  for (auto& feature : features_)
    if (is_overlap_time(feature.name)) feature.unit = "%";
  const auto has = [&](std::string_view name) {
    return std::any_of(features_.begin(), features_.end(),
                       [&](const causal::FeatureInfo& feature) { return feature.name == name; });
  };
  const auto add = [&](std::string_view name, std::string_view unit, std::string description) {
    causal::FeatureInfo info;
    info.name = name, info.unit = unit, info.tier = static_cast<int>(causal::Tier::context);
    info.role = causal::FeatureRole::event;
    info.description = std::move(description);
    features_.push_back(std::move(info));
    codes_.emplace_back();
  };
  for (const auto column : RecentMemory::kColumns)
    if (typical_ && typical_->windows.provides(column) && !has(column))
      add(column, "ns",
          fmt::format("0.5 ms minus the time from the end of the latest {} on the device to the "
                      "start of the launch; 0 if that time is longer",
                      column == RecentMemory::kColumns[0] ? "copy or memset" : "migration"));
  if (has(kGap) && !rows_are(*session_, store::AnalysisRows::Bursts) && !has(kRecentIdle))
    add(kRecentIdle, "",
        "9 minus the number of launches on the stream since it was idle for at least 0.1 ms; 0 from the "
        "ninth on");
}

LaunchRows LaunchRows::with_features(const std::vector<std::string>& names) const {
  LaunchRows rows = *this;
  rows.features_.clear(), rows.codes_.clear();
  for (const auto& name : names)
    for (std::size_t f = 0; f < features_.size(); ++f)
      if (features_[f].name == name) rows.features_.push_back(features_[f]), rows.codes_.push_back(codes_[f]);
  return rows;
}

bool LaunchRows::waits_for_absent(std::uint32_t kernel) const {
  return !session_->launch_order() && session_->kernels()[kernel].collective &&
         !CollectiveWaits::possible(*session_);
}

std::string LaunchRows::call_sites_in_words(const std::vector<std::int64_t>& rows) const {
  const auto* sites = columns_->call_sites();
  if (!sites || !sites->any_several()) return {};
  struct OfConfiguration {
    double work = 0, launches = 0; // Σ over the sampled launches: |work|; their number
    const CallSite *shortest = nullptr, *longest = nullptr;
  };
  std::map<std::uint32_t, OfConfiguration> configurations;
  for (const CallSite& site : sites->all()) {
    if (site.sampled == 0 || site.configuration >= rows.size()) continue;
    auto& of = configurations[site.configuration];
    of.work += static_cast<double>(site.sampled) * std::fabs(site.work_ns);
    of.launches += static_cast<double>(site.sampled);
    if (!of.shortest)
      of.shortest = &site; // the call sites of a configuration follow each other, shortest first
    of.longest = &site;
  }
  const auto differences = [&](const auto& entry) {
    return entry.second.work / entry.second.launches * static_cast<double>(rows[entry.first]);
  };
  const auto largest =
      std::max_element(configurations.begin(), configurations.end(),
                       [&](const auto& a, const auto& b) { return differences(a) < differences(b); });
  if (largest == configurations.end() || !(differences(*largest) > 0)) return {};
  const CallSite &shortest = *largest->second.shortest, &longest = *largest->second.longest;
  const bool told_apart = shortest.surroundings != longest.surroundings;
  const auto place = [&](const CallSite& site) {
    return causal::words_for_ns(site.typical_ns) + (told_apart ? " " + site.surroundings : std::string());
  };
  const auto& kernel = session_->kernels()[session_->configurations()[largest->first].kernel];
  return fmt::format("Call sites differ most for `{}`: typically {} and {}.", kernel.short_name,
                     place(longest), place(shortest));
}

std::vector<causal::Warning> LaunchRows::remarks() const {
  std::vector<causal::Warning> remarks;
  if (rows() < selected())
    remarks.push_back(causal::note<causal::notes::kSample>(
        causal::grouped(rows()), causal::grouped(selected()), causal::grouped(launches_.stretch())));
  if (const auto title = column_of_kernels(*session_, *columns_); !title.empty())
    remarks.push_back(causal::note<causal::notes::kKernelColumn>(title));
  for (const auto& feature : features_) {
    const auto shift = typical_->windows.shift_of_counter(feature.name);
    if (shift == 0 || !causal::is_device_state(feature.name)) continue;
    remarks.push_back(causal::note<causal::notes::kShiftedSamples>(
        causal::words_for(feature.name),
        causal::words_for_ns(std::fabs(static_cast<double>(shift))) + (shift > 0 ? " later" : " earlier")));
  }
  if (constexpr double kNegligible = 0.005; typical_->bursts.without_counts() > kNegligible)
    remarks.push_back(causal::note<causal::notes::kCountersMissing>(
        causal::share_in_words(100 * typical_->bursts.without_counts())));
  if (constexpr double kExact = 0.03; typical_->bursts.spread_of_cycles() > kExact)
    remarks.push_back(causal::note<causal::notes::kCountersInexact>(
        causal::share_in_words(100 * typical_->bursts.spread_of_cycles())));
  std::vector<std::string> kinds;
  for (const auto& kind : typical_->windows.kinds())
    if (kind.limited())
      kinds.push_back(fmt::format("{} ({} begin after the typical duration; {} are expected by chance)",
                                  kind.words, causal::grouped(kind.late),
                                  causal::grouped(std::llround(kind.by_chance))));
  if (!kinds.empty()) remarks.push_back(causal::note<causal::notes::kTypicalTime>(fmt::join(kinds, ", ")));
  return remarks;
}

Expected<void> LaunchRows::read(std::int64_t first, std::int64_t count, causal::RowBlock& block) const {
  if (first < 0 || count < 0 || first + count > rows())
    return failure(ErrorKind::Internal, "the request names rows outside the selection");
  block.values.resize(count, static_cast<Eigen::Index>(features_.size()));
  block.group.resize(static_cast<std::size_t>(count));
  block.duration_ns.resize(has_durations() ? static_cast<std::size_t>(count) : 0);
  if (count > 0) read_rows(session_rows(first, count), block);
  return {};
}

bool LaunchRows::counts_all(std::string_view column) const {
  if (!of_single_launches_) return false;
  return is_of_migrations(column) ? !typical_->windows.does_not_act(column)
                                  : is_overlap_time(column) && typical_->windows.acts(column);
}

// The time in which overlap with memory operations is counted, ns.
double LaunchRows::time_of_overlap(std::string_view column, std::uint32_t configuration,
                                   double duration_ns) const {
  const auto typical = static_cast<double>(typical_->windows.typical_duration(configuration));
  const double counted = typical_->windows.limits(column) && !counts_all(column) && typical > 0
                             ? std::min(typical, duration_ns)
                             : duration_ns;
  return std::max(counted, 1.0);
}

// Reads ranges of the table that contain the rows, at most 64 Ki rows long so that memory stays bounded, and
// extracts the rows. Long gaps between requested rows are skipped; short ones are not, because each read has
// a fixed cost.
void LaunchRows::read_rows(const std::vector<std::int64_t>& requested, causal::RowBlock& block) const {
  constexpr std::int64_t kStretch = 1 << 16, kPassedOver = 256;
  std::size_t at = 0;
  while (at < requested.size()) {
    const std::int64_t limit = requested[at] + kStretch;
    std::size_t end = at;
    while (end < requested.size() && requested[end] < limit &&
           (end == at || requested[end] - requested[end - 1] <= kPassedOver))
      ++end;
    for (const auto& segment : session_->segments(requested[at], requested[end - 1] + 1)) {
      const Trace& trace = session_->traces()[segment.trace];
      const std::int64_t base = trace.first_launch + segment.first;
      std::size_t stop = at;
      while (stop < end && requested[stop] < base + segment.rows()) ++stop;
      const auto durations = trace.durations();
      const auto configurations = trace.configurations();
      for (std::size_t i = at; i < stop; ++i) {
        const auto row = static_cast<std::size_t>(requested[i] - trace.first_launch);
        block.group[i] = trace.configuration[configurations[row]];
        if (has_durations())
          block.duration_ns[i] = durations[row] == store::kMissingDuration
                                     ? causal::kMissing
                                     : static_cast<double>(durations[row]);
      }
      for (std::size_t f = 0; f < features_.size(); ++f) {
        const auto& name = features_[f].name;
        const bool fraction = of_single_launches_ && has_durations() && is_overlap_time(name);
        const auto idle_gaps = [&](const Segment& of) {
          return typical_->windows.idle_gaps(of, columns_->read(kGap, of));
        };
        auto values =
            name == causal::kEarlierDeviation                    ? earlier_deviations(*session_, segment)
            : name == kRecentIdle                                ? recent_idle(*session_, segment, idle_gaps)
            : name == kGap                                       ? idle_gaps(segment)
            : name != target_ && typical_->bursts.provides(name) ? typical_->bursts.read(name, segment)
            : typical_->windows.provides(name) && !counts_all(name) ? typical_->windows.read(name, segment)
                                                                    : columns_->read(name, segment);
        if (name == kGap) fill_first_gaps(trace, segment, values);
        if (name == kCallSite) work_of_sites(*columns_->call_sites(), values);
        if (name == kConcurrencyColumn)
          for (double& value : values) value = value < kMinConcurrency ? 0.0 : value;
        auto to = block.values.col(static_cast<Eigen::Index>(f));
        for (std::size_t i = at; i < stop; ++i)
          to(static_cast<Eigen::Index>(i)) = values[static_cast<std::size_t>(requested[i] - base)];
        auto read = to.segment(static_cast<Eigen::Index>(at), static_cast<Eigen::Index>(stop - at));
        if (fraction)
          for (std::size_t i = at; i < stop; ++i)
            to(static_cast<Eigen::Index>(i)) *=
                100 / time_of_overlap(name, block.group[i], block.duration_ns[i]);
        if (name == kCollectiveWait) // kernels that do not communicate have no wait
          read = read.array().isNaN().select(0.0, read);
        if (features_[f].role != causal::FeatureRole::category) continue;
        for (double& value : read)
          if (!std::isnan(value)) value = codes_[f].place_of(value);
      }
      at = stop;
    }
    at = end;
  }
}

} // namespace jitterscope::analysis
