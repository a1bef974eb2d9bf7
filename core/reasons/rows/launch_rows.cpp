#include "core/reasons/rows/launch_rows.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/analysis/columns/collective_waits.h"
#include "core/analysis/prediction/launch_model.h"
#include "core/analysis/session/row_blocks.h"
#include "core/base/stratified_sample.h"
#include "core/causal/base/note_specs.h"
#include "core/causal/base/tiers.h"
#include "core/causal/base/wording.h"
#include "core/causal/statistics/earlier.h"
#include "core/columns/column_spec.h"
#include "core/reasons/rows/recent_idle.h"
#include "core/store/format/analysis_rows.h"
#include "core/store/tracks/track_index_tables.h"

namespace jitterscope::analysis {
namespace {

constexpr std::array kEnvironment = {"device", "rank", "stream"};
constexpr std::string_view kGap = "gap_ns", kConcurrencyColumn = "concurrency";
/// A launch that shares less of its time with other kernels counts as alone: successive kernels of one
/// stream, above all those of a graph, may overlap by up to a microsecond.
constexpr double kMinConcurrency = 0.02;

/// A text column with more distinct values than this identifies rows rather than kinds of rows. Texts of
/// tables may be the names of a fleet's devices.
constexpr std::size_t kMaxLabels = 64, kMaxLabelsOfTables = 10'000;

// Evaluates the selection on whole 64-row words, so that no word is shared by two ranks.
Expected<std::vector<std::uint64_t>> selected_bits(const Session& session, const LaunchColumns& columns,
                                                   const Selection& selection, Communicator& communicator,
                                                   const Job& job) {
  const std::int64_t words = (session.launches() + 63) / 64;
  const auto share = share_of(words, communicator.rank(), communicator.size());
  std::vector<std::uint64_t> mine(static_cast<std::size_t>(share.last - share.first));
  const std::int64_t begin = share.first * 64, end = std::min(share.last * 64, session.launches());
  for (std::int64_t first = begin; first < end; first += RowBlocks::kRows) {
    if (job.cancelled()) return Job::cancelled_error();
    for (const auto& segment : session.segments(first, std::min(first + RowBlocks::kRows, end))) {
      const auto mask = selection.select(session, columns, segment);
      const std::int64_t row = session.traces()[segment.trace].first_launch + segment.first - begin;
      for (std::size_t i = 0; i < mask.size(); ++i) {
        const auto at = static_cast<std::size_t>(row) + i;
        mine[at / 64] |= std::uint64_t{mask[i]} << (at % 64);
      }
    }
  }
  return communicator.all_gather<std::uint64_t>(mine);
}

/// One launch on every stream that has any: enough to find all values of the environment's columns.
using Samples = std::vector<Segment>;
Samples one_launch_per_stream(const Session& session) {
  Samples samples;
  for (std::size_t t = 0; t < session.traces().size(); ++t) {
    const auto& store = session.traces()[t].store;
    std::vector<std::uint8_t> seen(store.resources().size());
    const auto streams = store.column<std::uint32_t>("launches", "stream");
    for (std::size_t row = 0; row < streams.size(); ++row) {
      if (seen[streams[row]]) continue;
      seen[streams[row]] = 1;
      samples.push_back({t, static_cast<std::int64_t>(row), static_cast<std::int64_t>(row) + 1});
    }
  }
  return samples;
}

std::vector<double> codes_of(const Samples& samples, const LaunchColumns& columns, const char* name) {
  std::set<double> found;
  for (const auto& sample : samples)
    if (const double value = columns.read(name, sample).front(); !std::isnan(value)) found.insert(value);
  return {found.begin(), found.end()};
}

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

bool rows_are(const Session& session, store::AnalysisRows kind) {
  return std::all_of(session.traces().begin(), session.traces().end(),
                     [&](const Trace& trace) { return store::analysis_rows(trace.store) == kind; });
}

Expected<LaunchRows> LaunchRows::make(const Session& session, const LaunchColumns& columns,
                                      const Selection& selection, const std::string& target,
                                      Communicator& communicator, const Job& job, SampleSize sample,
                                      std::shared_ptr<const TypicalWindows> typical,
                                      const std::vector<std::string>& named, bool chosen) {
  if (auto known = columns.prepare_call_sites(job); !known) return forward(known.error());
  LaunchRows source;
  source.session_ = &session;
  source.columns_ = &columns;
  const bool plain = of_plain_tables(session);
  const auto add = [&](const LaunchColumn& column, causal::FeatureRole role, std::vector<double> codes) {
    causal::FeatureInfo info;
    info.name = column.name;
    info.unit = column.unit;
    info.role = role;
    info.description = column.description;
    if (column.parameter) info.tier = static_cast<int>(causal::Tier::configuration);
    info.of_plain_table = plain;
    for (const double code : codes) info.labels.push_back(fmt::format("{}", static_cast<std::int64_t>(code)));
    source.features_.push_back(std::move(info));
    source.codes_.push_back({std::move(codes), {}});
  };
  const auto samples = one_launch_per_stream(session);
  const auto add_derived = [&](std::string_view name, causal::FeatureRole role, std::vector<double> codes) {
    if (const auto* column = columns.find(name)) add(*column, role, std::move(codes));
  };
  for (const char* name : kEnvironment)
    add_derived(name, causal::FeatureRole::category, codes_of(samples, columns, name));
  if (const auto names = codes_of(samples, columns, "device_name");
      names.size() > 1 && names.size() <= kMaxLabels) {
    add_derived("device_name", causal::FeatureRole::category, names);
    auto& labels = source.features_.back().labels;
    labels.clear();
    for (const double name : names) labels.push_back(columns.text("device_name", name));
  }
  // Runs that are not distinguished by their rank: other days, other GPUs.
  const auto traces = codes_of(samples, columns, "trace");
  if (traces.size() > codes_of(samples, columns, "rank").size() && traces.size() > 1 &&
      traces.size() <= kMaxLabels) {
    add_derived("trace", causal::FeatureRole::category, traces);
    auto& labels = source.features_.back().labels;
    labels.clear();
    for (const double trace : traces)
      labels.push_back(session.traces()[static_cast<std::size_t>(trace)].name);
  }
  const auto add_used = [&](CausalUse use, causal::FeatureRole role) {
    for (const auto& spec : derived_columns())
      if (spec.use == use) add_derived(spec.name, role, {});
  };
  add_used(CausalUse::numeric, causal::FeatureRole::numeric);
  if (const auto* sites = columns.call_sites(); sites && sites->any_several()) {
    add_derived(kCallSite, causal::FeatureRole::numeric, {});
    auto& info = source.features_.back();
    info.unit = "ns", info.tier = static_cast<int>(causal::Tier::configuration);
    info.description = "typical duration of the call site minus the typical duration of the configuration";
  }
  // The rows of a table without times need not be in the order in which they were measured.
  if (!plain || session.has_durations()) add_used(CausalUse::event, causal::FeatureRole::event);
  if (columns.find(kCollectiveWait)) { // the delay of other devices does not depend on the launch's duration
    add_derived(kCollectiveWait, causal::FeatureRole::numeric, {});
    source.features_.back().tier = static_cast<int>(causal::Tier::context);
  }
  // Bursts of other threads do not share a device: the concurrency of a long burst is low because of its
  // length.
  const bool share_devices =
      std::any_of(session.traces().begin(), session.traces().end(), [](const Trace& trace) {
        return store::analysis_rows(trace.store) == store::AnalysisRows::Launches;
      });
  const bool calls = rows_are(session, store::AnalysisRows::Calls);
  for (const auto& column : columns.list()) {
    if (!column.stored || (column.name == kConcurrencyColumn && !share_devices)) continue;
    if (column.kind == ColumnKind::Number) {
      add(column, causal::FeatureRole::numeric, {});
      // A call that waits executes instructions and misses caches while it waits.
      if (calls && column.recorded && !column.parameter &&
          causal::default_tier(column.name) == static_cast<int>(causal::Tier::counters))
        source.features_.back().tier = static_cast<int>(causal::Tier::unknown);
    }
    if (column.kind != ColumnKind::Text || column.constant) continue;
    const auto texts = columns.texts(column.name);
    if (texts.size() > (plain ? kMaxLabelsOfTables : kMaxLabels)) continue;
    if (column.name == "run" && texts.size() <= codes_of(samples, columns, "rank").size())
      continue; // distinguished by their rank
    std::vector<double> codes(texts.size());
    std::iota(codes.begin(), codes.end(), 0.0);
    add(column, causal::FeatureRole::category, std::move(codes));
    if (plain)
      source.sort_labels(texts);
    else
      source.features_.back().labels = texts;
  }
  // Terms of the performance model are functions of the counters: they are included only on request.
  for (const auto& term : LaunchModel::columns()) {
    const auto* column = columns.find(term.name);
    if (!column || column->stored || std::find(named.begin(), named.end(), term.name) == named.end())
      continue;
    const bool text = column->kind == ColumnKind::Text;
    std::vector<double> codes(text ? columns.texts(column->name).size() : 0);
    std::iota(codes.begin(), codes.end(), 0.0);
    add(*column, text ? causal::FeatureRole::category : causal::FeatureRole::numeric, std::move(codes));
    if (text) source.features_.back().labels = columns.texts(column->name);
    source.features_.back().tier = term.tier;
  }
  for (const auto& column : columns.list()) {
    const bool requested = std::find(named.begin(), named.end(), column.name) != named.end();
    if (!column.chosen || column.constant || !(requested || chosen)) continue;
    add(column, causal::FeatureRole::numeric, {});
    source.features_.back().tier = column.tier;
  }
  if (columns.find(kGap)) {
    causal::FeatureInfo info;
    info.name = causal::kEarlierDeviation, info.unit = "ns",
    info.tier = static_cast<int>(causal::Tier::context);
    info.description = "duration of the previous launch on the stream minus the mean of its configuration";
    source.features_.push_back(std::move(info));
    source.codes_.emplace_back();
  }
  const auto* requested = columns.find(target);
  const bool own = target == "duration" || target == "kernel_variability"; // the engine computes these itself
  const bool known = std::any_of(source.features_.begin(), source.features_.end(),
                                 [&](const causal::FeatureInfo& f) { return f.name == target; });
  if (requested && requested->kind == ColumnKind::Number && !own && !known) {
    add(*requested, causal::FeatureRole::numeric, {});
    source.features_.back().tier = requested->tier;
  }
  if (!typical) {
    auto made = TypicalWindows::make(session, job);
    if (!made) return forward(made.error());
    typical = std::make_shared<const TypicalWindows>(std::move(*made));
  }
  source.typical_ = std::move(typical);
  for (auto& feature : source.features_)
    if (source.typical_->is_counter(feature.name))
      feature.description = "mean of the samples within the typical duration of the launch, from its start";
    else if (feature.name == kGap && rows_are(session, store::AnalysisRows::Bursts) &&
             std::find(named.begin(), named.end(), kGap) == named.end())
      feature.leaves = "the wait in MPI before a burst follows from the durations of bursts";
    else if (feature.name == kGap)
      feature.description += ", without the time in which the device was busy; for the first launch of a "
                             "stream, the time since the first launch of the trace";
  auto bits = selected_bits(session, columns, selection, communicator, job);
  if (!bits) return forward(bits.error());
  source.bits_ = std::move(*bits);
  source.number_rows();
  source.selected_ = source.rows_;
  if (sample.rows > 0 && source.rows_ > sample.rows)
    if (auto done = source.sample(sample, communicator, job); !done) return forward(done.error());
  return source;
}

// The texts of a table are in alphabetical order, as in a table that is read without a session: the order of
// devices decides which of them a resample contains.
void LaunchRows::sort_labels(const std::vector<std::string>& texts) {
  std::vector<std::size_t> order(texts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t code) -> const std::string& { return texts[code]; });
  auto& labels = features_.back().labels;
  auto& places = codes_.back().places;
  labels.clear();
  places.resize(texts.size());
  for (const auto code : order) {
    places[code] = labels.size();
    labels.push_back(texts[code]);
  }
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
    if (typical_ && typical_->provides(column) && !has(column))
      add(column, "ns",
          fmt::format("0.5 ms minus the time from the end of the latest {} on the device to the "
                      "start of the launch; 0 if that time is longer",
                      column == RecentMemory::kColumns[0] ? "copy or memset" : "migration"));
  if (has(kGap) && !rows_are(*session_, store::AnalysisRows::Bursts) && !has(kRecentIdle))
    add(kRecentIdle, "",
        "9 minus the number of launches on the stream since it was idle for at least 0.1 ms; 0 from the "
        "ninth on");
}

void LaunchRows::number_rows() {
  rows_ = 0;
  selected_before_.clear();
  for (const auto word : bits_) {
    selected_before_.push_back(rows_);
    rows_ += std::popcount(word);
  }
}

std::vector<LaunchRows::Stretch> LaunchRows::stretches() const {
  const auto words = static_cast<std::size_t>(stretch_ / 64);
  std::vector<Stretch> filled;
  for (std::size_t first = 0; first < bits_.size(); first += words) {
    const std::size_t last = std::min(first + words, bits_.size());
    std::int64_t rows = 0;
    for (std::size_t word = first; word < last; ++word) rows += std::popcount(bits_[word]);
    if (rows > 0) filled.push_back({first, last, rows, 0});
  }
  return filled;
}

/// Sums |duration − typical duration| [ns] over the selected launches; launches of configurations with
/// unknown typical duration add nothing.
Expected<void> LaunchRows::add_variability(std::vector<Stretch>& stretches, Communicator& communicator,
                                           const Job& job) const {
  const auto share =
      share_of(static_cast<std::int64_t>(stretches.size()), communicator.rank(), communicator.size());
  std::vector<double> mine;
  for (std::int64_t s = share.first; s < share.last; ++s) {
    if (job.cancelled()) return Job::cancelled_error();
    const Stretch& stretch = stretches[static_cast<std::size_t>(s)];
    const auto begin = static_cast<std::int64_t>(stretch.first_word) * 64;
    double sum = 0;
    for (const auto& segment : session_->segments(
             begin, std::min(static_cast<std::int64_t>(stretch.last_word) * 64, session_->launches()))) {
      const Trace& trace = session_->traces()[segment.trace];
      const auto durations = trace.durations();
      const auto configurations = trace.configurations();
      for (std::int64_t row = segment.first; row < segment.first + segment.rows(); ++row) {
        const auto at = static_cast<std::size_t>(row);
        const std::int64_t typical = typical_->typical_duration(trace.configuration[configurations[at]]);
        if (typical < 0 || durations[at] == store::kMissingDuration || !contains(trace.first_launch + row))
          continue;
        sum += std::fabs(static_cast<double>(durations[at]) - static_cast<double>(typical));
      }
    }
    mine.push_back(sum);
  }
  auto all = communicator.all_gather<double>(mine);
  if (!all) return forward(all.error());
  for (std::size_t s = 0; s < stretches.size(); ++s) stretches[s].variability = (*all)[s];
  return {};
}

// Keeps one of every n runs with selected rows, so that clustered selections are also sampled evenly.
Expected<void> LaunchRows::sample(const SampleSize& requested, Communicator& communicator, const Job& job) {
  constexpr double kAlike = 0.05;
  while (stretch_ > 64 && requested.rows / stretch_ < 64) stretch_ /= 2;
  auto filled = stretches();
  if (requested.limit > requested.rows && has_durations())
    if (auto done = add_variability(filled, communicator, job); !done) return done;
  const auto mean_of = [](const std::vector<Stretch>& of) {
    double variability = 0, rows = 0;
    for (const auto& stretch : of)
      variability += stretch.variability, rows += static_cast<double>(stretch.rows);
    return variability / rows;
  };
  std::vector<Stretch> kept;
  for (std::int64_t maximum = requested.rows;; maximum = std::min(2 * maximum, requested.limit)) {
    const double share = static_cast<double>(maximum) / static_cast<double>(rows_);
    const auto runs = static_cast<std::int64_t>(filled.size());
    kept.clear();
    for (const auto run :
         stratified_sample(runs, static_cast<std::int64_t>(std::ceil(static_cast<double>(runs) * share))))
      kept.push_back(filled[static_cast<std::size_t>(run)]);
    if (maximum >= requested.limit || kept.size() == filled.size()) break;
    if (std::fabs(mean_of(kept) - mean_of(filled)) <= kAlike * mean_of(filled)) break;
  }
  std::vector<std::uint64_t> bits(bits_.size(), 0);
  for (const auto& stretch : kept)
    std::copy(bits_.begin() + static_cast<std::ptrdiff_t>(stretch.first_word),
              bits_.begin() + static_cast<std::ptrdiff_t>(stretch.last_word),
              bits.begin() + static_cast<std::ptrdiff_t>(stretch.first_word));
  bits_ = std::move(bits);
  number_rows();
  return {};
}

std::vector<std::int64_t> LaunchRows::row_numbers(std::int64_t first, std::int64_t count) const {
  std::vector<std::int64_t> rows;
  rows.reserve(static_cast<std::size_t>(count));
  const auto above = std::upper_bound(selected_before_.begin(), selected_before_.end(), first);
  auto word = static_cast<std::size_t>(above - selected_before_.begin()) - 1;
  std::int64_t skip = first - selected_before_[word];
  for (; word < bits_.size() && static_cast<std::int64_t>(rows.size()) < count; ++word)
    for (auto bits = bits_[word]; bits != 0 && static_cast<std::int64_t>(rows.size()) < count;
         bits &= bits - 1)
      if (skip-- <= 0) rows.push_back(static_cast<std::int64_t>(word) * 64 + std::countr_zero(bits));
  return rows;
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
  return !session_->launch_order() && store::is_collective(session_->kernels()[kernel].name) &&
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
  if (rows_ < selected_)
    remarks.push_back(causal::note<causal::notes::kSample>(causal::grouped(rows_), causal::grouped(selected_),
                                                           causal::grouped(stretch_)));
  if (const auto title = column_of_kernels(*session_, *columns_); !title.empty())
    remarks.push_back(causal::note<causal::notes::kKernelColumn>(title));
  for (const auto& feature : features_) {
    const auto shift = typical_->shift_of_counter(feature.name);
    if (shift == 0 || !causal::is_device_state(feature.name)) continue;
    remarks.push_back(causal::note<causal::notes::kShiftedSamples>(
        causal::words_for(feature.name),
        causal::words_for_ns(std::fabs(static_cast<double>(shift))) + (shift > 0 ? " later" : " earlier")));
  }
  std::vector<std::string> kinds;
  for (const auto& kind : typical_->kinds())
    if (kind.limited())
      kinds.push_back(fmt::format("{} ({} begin after the typical duration; {} are expected by chance)",
                                  kind.words, causal::grouped(kind.late),
                                  causal::grouped(std::llround(kind.by_chance))));
  if (!kinds.empty()) remarks.push_back(causal::note<causal::notes::kTypicalTime>(fmt::join(kinds, ", ")));
  return remarks;
}

Expected<void> LaunchRows::read(std::int64_t first, std::int64_t count, causal::RowBlock& block) const {
  if (first < 0 || count < 0 || first + count > rows_)
    return failure(ErrorKind::Internal, "the request names rows outside the selection");
  block.values.resize(count, static_cast<Eigen::Index>(features_.size()));
  block.group.resize(static_cast<std::size_t>(count));
  block.duration_ns.resize(has_durations() ? static_cast<std::size_t>(count) : 0);
  if (count > 0) read_rows(row_numbers(first, count), block);
  return {};
}

bool LaunchRows::counts_all(std::string_view column) const {
  if (!of_single_launches_) return false;
  return is_of_migrations(column) ? !typical_->does_not_act(column)
                                  : is_overlap_time(column) && typical_->acts(column);
}

// The time in which overlap with memory operations is counted, ns.
double LaunchRows::time_of_overlap(std::string_view column, std::uint32_t configuration,
                                   double duration_ns) const {
  const auto typical = static_cast<double>(typical_->typical_duration(configuration));
  const double counted = typical_->limits(column) && !counts_all(column) && typical > 0
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
          return typical_->idle_gaps(of, columns_->read(kGap, of));
        };
        auto values = name == causal::kEarlierDeviation ? earlier_deviations(*session_, segment)
                      : name == kRecentIdle             ? recent_idle(*session_, segment, idle_gaps)
                      : name == kGap                    ? idle_gaps(segment)
                      : typical_->provides(name) && !counts_all(name) ? typical_->read(name, segment)
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
