#include "core/reasons/rows/launch_features.h"

#include <array>
#include <cmath>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "core/analysis/columns/collective_waits.h"
#include "core/analysis/prediction/launch_model.h"
#include "core/causal/base/tiers.h"
#include "core/causal/statistics/earlier.h"
#include "core/columns/column_spec.h"
#include "core/reasons/rows/table_target.h"

namespace jitterscope::analysis {
namespace {

using causal::FeatureRole;

constexpr std::array kEnvironment = {"device", "rank", "stream"};

/// A text column with more distinct values than this identifies rows rather than kinds of rows. Texts of
/// tables may be the names of a fleet's devices.
constexpr std::size_t kMaxLabels = 64, kMaxLabelsOfTables = 10'000;

int number_of(causal::Tier tier) {
  return static_cast<int>(tier);
}

/// One launch on every stream that has any: enough to find all values of the environment's columns.
std::vector<Segment> one_launch_per_stream(const Session& session) {
  std::vector<Segment> samples;
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

std::vector<double> first_numbers(std::size_t count) {
  std::vector<double> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0.0);
  return numbers;
}

/// Columns that show where or when bursts run. Where hardware counters divide their durations, these are no
/// further causes: the position in a series of bursts follows from waits for slow ranks.
bool is_where_or_when(std::string_view column) {
  return column == "rank" || column == "stream" || column == "device" || column == "device_name" ||
         column == "node_name" || column == "burst_position";
}

class FeatureList {
public:
  FeatureList(const Session& session, const LaunchColumns& columns, const TypicalRows& typical,
              const FeatureRequest& requested)
      : session_(session), columns_(columns), typical_(typical), requested_(requested),
        samples_(one_launch_per_stream(session)), plain_(of_plain_tables(session)) {}

  LaunchFeatures make() {
    add_environment();
    add_derived();
    add_recorded();
    add_counters_of_bursts();
    add_terms_of_model();
    add_chosen();
    if (columns_.find(kGap)) add_earlier_deviation();
    add_target();
    for (auto& feature : list_.infos) describe(feature);
    return std::move(list_);
  }

private:
  bool named(std::string_view column) const {
    return std::find(requested_.named.begin(), requested_.named.end(), column) != requested_.named.end();
  }
  causal::FeatureInfo& last() { return list_.infos.back(); }

  void add(const LaunchColumn& column, FeatureRole role, std::vector<double> codes) {
    causal::FeatureInfo info;
    info.name = column.name;
    info.unit = column.unit;
    info.role = role;
    info.description = column.description;
    if (column.parameter) info.tier = number_of(causal::Tier::configuration);
    info.of_plain_table = plain_;
    for (const double code : codes) info.labels.push_back(fmt::format("{}", static_cast<std::int64_t>(code)));
    list_.infos.push_back(std::move(info));
    list_.codes.push_back({std::move(codes), {}});
  }
  void add_if_known(std::string_view name, FeatureRole role, std::vector<double> codes = {}) {
    if (const auto* column = columns_.find(name)) add(*column, role, std::move(codes));
  }

  /// Values of an environment's column, ascending.
  std::vector<double> codes_of(const char* name) const {
    std::set<double> found;
    for (const auto& sample : samples_)
      if (const double value = columns_.read(name, sample).front(); !std::isnan(value)) found.insert(value);
    return {found.begin(), found.end()};
  }

  void add_environment() {
    for (const char* name : kEnvironment) add_if_known(name, FeatureRole::category, codes_of(name));
    add_names("device_name");
    // A node with one rank is named by its rank.
    if (columns_.find("node_name") && codes_of("node_name").size() < codes_of("rank").size())
      add_names("node_name");
    // Runs that are not distinguished by their rank: other days, other GPUs.
    const auto traces = codes_of("trace");
    if (traces.size() <= codes_of("rank").size() || traces.size() <= 1 || traces.size() > kMaxLabels) return;
    add_if_known("trace", FeatureRole::category, traces);
    last().labels.clear();
    for (const double trace : traces)
      last().labels.push_back(session_.traces()[static_cast<std::size_t>(trace)].name);
  }

  void add_names(const char* column) {
    const auto names = columns_.find(column) ? codes_of(column) : std::vector<double>();
    if (names.size() <= 1 || names.size() > kMaxLabels) return;
    add_if_known(column, FeatureRole::category, names);
    last().labels.clear();
    for (const double name : names) last().labels.push_back(columns_.text(column, name));
  }

  void add_used(CausalUse use, FeatureRole role) {
    for (const auto& spec : derived_columns())
      if (spec.use == use) add_if_known(spec.name, role);
  }

  void add_derived() {
    add_used(CausalUse::numeric, FeatureRole::numeric);
    if (const auto* sites = columns_.call_sites(); sites && sites->any_several()) {
      add_if_known(kCallSite, FeatureRole::numeric);
      last().unit = "ns";
      last().tier = number_of(causal::Tier::configuration);
      last().description =
          "typical duration of the call site minus the typical duration of the configuration";
    }
    // The rows of a table without times need not be in the order in which they were measured.
    if (!plain_ || session_.has_durations()) add_used(CausalUse::event, FeatureRole::event);
    if (!columns_.find(kCollectiveWait)) return;
    // The delay of other devices does not depend on the launch's duration.
    add_if_known(kCollectiveWait, FeatureRole::numeric);
    last().tier = number_of(causal::Tier::context);
  }

  void add_recorded() {
    // Bursts of other threads do not share a device: the concurrency of a long burst is low because of its
    // length.
    const bool share_devices =
        std::any_of(session_.traces().begin(), session_.traces().end(), [](const Trace& trace) {
          return store::analysis_rows(trace.store) == store::AnalysisRows::Launches;
        });
    const bool calls = rows_are(session_, store::AnalysisRows::Calls);
    for (const auto& column : columns_.list()) {
      if (!column.stored || (column.name == kConcurrencyColumn && !share_devices)) continue;
      if (typical_.bursts.provides(column.name) && column.name != requested_.target) continue;
      if (column.kind == ColumnKind::Number) add_recorded_number(column, calls);
      // A text and blanks are two values: the answer decides whether a text of a table is constant.
      if (column.kind == ColumnKind::Text && (!column.constant || plain_)) add_recorded_text(column);
    }
  }

  void add_recorded_number(const LaunchColumn& column, bool of_calls) {
    add(column, FeatureRole::numeric, {});
    // A call that waits executes instructions and misses caches while it waits.
    if (of_calls && column.recorded && !column.parameter &&
        causal::default_tier(column.name) == number_of(causal::Tier::counters))
      last().tier = number_of(causal::Tier::unknown);
  }

  void add_counters_of_bursts() {
    for (auto& feature : typical_.bursts.features()) {
      if (feature.name == requested_.target) continue;
      list_.infos.push_back(std::move(feature));
      list_.codes.emplace_back();
    }
  }

  void add_recorded_text(const LaunchColumn& column) {
    const auto texts = columns_.texts(column.name);
    if (texts.size() > (plain_ ? kMaxLabelsOfTables : kMaxLabels)) return;
    if (column.name == "run" && texts.size() <= codes_of("rank").size())
      return; // distinguished by their rank
    add(column, FeatureRole::category, first_numbers(texts.size()));
    if (plain_)
      sort_labels(texts);
    else
      last().labels = texts;
  }

  // The texts of a table are in alphabetical order, as in a table that is read without a session: the order
  // of devices decides which of them a resample contains.
  void sort_labels(const std::vector<std::string>& texts) {
    std::vector<std::size_t> order(texts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t code) -> const std::string& { return texts[code]; });
    auto& labels = last().labels;
    auto& places = list_.codes.back().places;
    labels.clear();
    places.resize(texts.size());
    for (const auto code : order) {
      places[code] = labels.size();
      labels.push_back(texts[code]);
    }
  }

  // Terms of the performance model are functions of the counters: they are included only on request.
  void add_terms_of_model() {
    for (const auto& term : LaunchModel::columns()) {
      const auto* column = columns_.find(term.name);
      if (!column || column->stored || !named(term.name)) continue;
      const bool text = column->kind == ColumnKind::Text;
      add(*column, text ? FeatureRole::category : FeatureRole::numeric,
          first_numbers(text ? columns_.texts(column->name).size() : 0));
      if (text) last().labels = columns_.texts(column->name);
      last().tier = term.tier;
    }
  }

  void add_chosen() {
    for (const auto& column : columns_.list()) {
      if (!column.chosen || column.constant || !(named(column.name) || requested_.chosen)) continue;
      add(column, FeatureRole::numeric, {});
      last().tier = column.tier;
    }
  }

  void add_earlier_deviation() {
    causal::FeatureInfo info;
    info.name = causal::kEarlierDeviation;
    info.unit = "ns";
    info.tier = number_of(causal::Tier::context);
    info.description = "duration of the previous launch on the stream minus the mean of its configuration";
    list_.infos.push_back(std::move(info));
    list_.codes.emplace_back();
  }

  void add_target() {
    const auto& target = requested_.target;
    const auto* column = columns_.find(target);
    const bool own =
        target == "duration" || target == "kernel_variability"; // the engine computes these itself
    const bool known = std::any_of(list_.infos.begin(), list_.infos.end(),
                                   [&](const causal::FeatureInfo& f) { return f.name == target; });
    if (!column || column->kind != ColumnKind::Number || own || known) return;
    add(*column, FeatureRole::numeric, {});
    last().tier = column->tier;
  }

  void describe(causal::FeatureInfo& feature) const {
    if (typical_.windows.is_counter(feature.name))
      feature.description = "mean of the samples within the typical duration of the launch, from its start";
    else if (feature.name == kGap && rows_are(session_, store::AnalysisRows::Bursts) && !named(kGap))
      feature.leaves = "the wait in MPI before a burst follows from the durations of bursts";
    else if (typical_.bursts.complete() && is_where_or_when(feature.name) && !named(feature.name))
      feature.leaves = "shows where or when bursts run; the hardware counters show how they differ";
    else if (feature.name == kGap)
      feature.description += ", without the time in which the device was busy; for the first launch of a "
                             "stream, the time since the first launch of the trace";
  }

  const Session& session_;
  const LaunchColumns& columns_;
  const TypicalRows& typical_;
  const FeatureRequest& requested_;
  std::vector<Segment> samples_;
  bool plain_;
  LaunchFeatures list_;
};

} // namespace

LaunchFeatures launch_features(const Session& session, const LaunchColumns& columns,
                               const TypicalRows& typical, const FeatureRequest& requested) {
  return FeatureList(session, columns, typical, requested).make();
}

} // namespace jitterscope::analysis
