#include "app/controllers/causal/causal_features.h"

#include <algorithm>
#include <cmath>

#include "app/controllers/details_text.h"
#include "app/engine/decode.h"
#include "app/engine/group_filter.h"
#include "core/causal/base/tiers.h"
#include "core/causal/base/wording.h"
#include "core/engine/messages/causal_answers.h"
#include "core/engine/messages/causal_options.h"
#include "views/base/format.h"
#include "views/base/text.h"

namespace jitterscope::app {

using engine::answers::LaunchAnswer;
using nlohmann::json;

namespace {

using views::Text;

constexpr std::size_t kMaxHeld = 16;

const engine::answers::FieldAnswer* field_of(const LaunchAnswer& launch, const std::string& name) {
  const auto found = std::ranges::find(launch.fields, name, &engine::answers::FieldAnswer::name);
  return found == launch.fields.end() ? nullptr : &*found;
}

QString label_of(const causal::CausalResult& result, const std::string& name) {
  if (name == result.target) return QString::fromStdString(result.target_label).section(',', 0, 0);
  const auto* feature = result.find(name);
  return feature_title(name, feature ? feature->label : std::string());
}

views::EvidenceAxis axis_of(const engine::answers::EvidenceAxis& read, const std::string& unit,
                            const QString& label) {
  views::EvidenceAxis axis;
  axis.label = label;
  axis.unit = QString::fromStdString(unit);
  axis.minimum = read.minimum();
  axis.maximum = read.maximum();
  axis.knee = read.knee();
  return axis;
}

views::EvidenceScatter scatter_of(const engine::answers::ScatterAnswer& read, const QString& cause,
                                  const QString& effect) {
  views::EvidenceScatter scatter;
  scatter.x = axis_of(read.x, read.x_unit, cause);
  scatter.y = axis_of(read.y, read.y_unit, effect);
  scatter.columns = read.columns;
  scatter.rows = read.rows;
  scatter.counts = read.counts;
  scatter.pointX = read.point_x;
  scatter.pointY = read.point_y;
  scatter.pointRow = read.point_row;
  return scatter;
}

bool is_event(const causal::FeatureReport& feature) {
  return feature.minimum == 0 && feature.maximum == 1 && feature.unit.empty();
}

QString compared_in_words(const std::string& reading) {
  if (reading == "within") return Text::tr("launches compared within their configuration");
  if (reading == "within kernel") return Text::tr("configurations compared within their kernel");
  return reading == "between" ? Text::tr("means of configurations compared") : QString();
}

} // namespace

std::string source_column(const std::string& feature, const std::vector<std::string>& columns) {
  std::string best;
  for (const auto& column : columns)
    if ((feature == column || feature.starts_with(column + " ")) && column.size() > best.size())
      best = column;
  return best;
}

QString side_filter(const std::string& feature, const std::vector<std::string>& columns, double threshold,
                    bool with) {
  const std::string column = source_column(feature, columns);
  if (column.empty()) return {};
  const QString name = QString::fromStdString(column);
  if (feature == column || feature == column + " > 0")
    return QString("%1 %2 %3")
        .arg(name, with ? ">" : "<=")
        .arg(views::exactNumber(feature == column ? threshold : 0));
  const QString level = QString::fromStdString(feature.substr(column.size() + 1));
  if (level.startsWith('(')) return {}; // groups of rare values, and values of other launches, have no filter
  bool number = false;
  level.toDouble(&number);
  return QString("%1 %2 %3").arg(name, with ? "=" : "!=", number ? level : quoted_text(level));
}

std::optional<double> feature_value(const LaunchAnswer& launch, const std::string& feature,
                                    const std::vector<std::string>& columns) {
  const std::string column = source_column(feature, columns);
  const auto* field = field_of(launch, column);
  if (!field || std::isnan(field->value)) return std::nullopt;
  const double value = field->value;
  if (feature == column) return value;
  if (feature == column + " > 0") return value > 0 ? 1 : 0;
  const std::string level = feature.substr(column.size() + 1);
  if (level.find(" before)") != level.npos) return std::nullopt; // a value of another launch
  if (field->is_text) return field->text == level ? 1 : 0;
  return QString::fromStdString(level).toDouble() == value ? 1 : 0;
}

engine::EvidenceOptions evidence_question(const causal::CausalResult& result,
                                          const engine::CausalOptions& question, const std::string& from,
                                          const std::string& to) {
  engine::EvidenceOptions options;
  options.question = std::make_unique<engine::CausalOptions>(question);
  options.question->target = result.target;
  options.from = from;
  options.to = to;
  for (const auto& edge : result.edges)
    if (edge.directed && edge.to == to && edge.from != from && options.given.size() < kMaxHeld)
      options.given.push_back(edge.from);
  const auto* feature = result.find(from);
  options.feature_reading = feature && !feature->reading.empty() ? feature->reading : "pooled";
  return options;
}

/// What the slope compares, with the effect over all rows, which the graph shows, if it differs.
static QString with_effect_over_all_rows(double effect, const views::EvidenceData& data) {
  constexpr double equal = 0.02;
  if (effect * data.slope < 0) return Text::tr("%1; over all rows the sign is opposite").arg(data.compared);
  if (std::fabs(effect - data.slope) <= equal * std::fabs(data.slope)) return data.compared;
  return Text::tr("%1; over all rows, as in the graph, %2")
      .arg(data.compared, views::formatValue(effect, data.measured.y.unit, 3));
}

Expected<views::EvidenceData> decode_evidence(const engine::Answer& answer,
                                              const causal::CausalResult& result) {
  auto read = engine::table_of<engine::answers::EvidenceAnswer>(answer);
  if (!read) return forward(read.error());
  views::EvidenceData data;
  data.cause = label_of(result, read->from);
  data.effect = label_of(result, read->to);
  if (read->measured) data.measured = scatter_of(*read->measured, data.cause, data.effect);
  if (read->partial) data.partial = scatter_of(*read->partial, data.cause, data.effect);
  QStringList held;
  for (const auto& name : read->given) held << label_of(result, name);
  held.removeDuplicates();
  data.held = held.size() > 4 ? Text::tr("%1 and %2 more").arg(held.mid(0, 3).join(", ")).arg(held.size() - 3)
                              : held.join(", ");
  data.compared = compared_in_words(read->reading);
  data.slope = read->slope;
  // The effect in units of an edge is over all rows; the picture compares as `compared` states.
  for (const auto& edge : result.edges)
    if (edge.from == read->from && edge.to == read->to && !data.compared.isEmpty())
      data.compared = with_effect_over_all_rows(edge.coefficient_units, data);
  data.slopeLow = read->slope_low;
  data.slopeHigh = read->slope_high;
  data.lineX = std::move(read->line_x);
  data.lineY = std::move(read->line_y);
  data.lineLow = std::move(read->line_low);
  data.lineHigh = std::move(read->line_high);
  data.event = read->event;
  data.threshold = read->threshold;
  data.histogramAxis = axis_of(read->histogram_axis, read->histogram_unit, data.effect);
  data.edges = std::move(read->edges);
  data.with.assign(read->with.begin(), read->with.end());
  data.without.assign(read->without.begin(), read->without.end());
  data.n = static_cast<std::uint64_t>(read->n);
  data.nWith = static_cast<std::uint64_t>(read->n_with);
  data.meanWith = read->mean_with;
  data.meanWithout = read->mean_without;
  data.medianWith = read->median_with;
  data.medianWithout = read->median_without;
  // Unless rows are pooled, the trees were fitted to differences from means, which have no position among
  // the measured values.
  const bool as_measured = read->reading == "pooled";
  if (result.nonlinear && read->to == result.target && as_measured)
    for (const auto& curve : result.nonlinear->curves)
      if (curve.feature == read->from) data.curveX = curve.values, data.curveY = curve.expected;
  return data;
}

/// Length of the range that the target's mean covers over a feature's observed values.
static double reach_of(const causal::CausalResult& result, const causal::FeatureReport& f) {
  double minimum = result.target_mean, maximum = result.target_mean;
  for (const auto& c : result.contributions)
    if (c.feature == f.name)
      for (const auto& setting : c.settings)
        minimum = std::min(minimum, result.target_mean * setting.left),
        maximum = std::max(maximum, result.target_mean * setting.left);
  return minimum < maximum ? maximum - minimum : std::fabs(f.total_effect) * (f.maximum - f.minimum);
}

views::WhatIfData what_if_of(const causal::CausalResult& result) {
  views::WhatIfData data;
  data.target = QString::fromStdString(result.target_label).section(',', 0, 0);
  data.unit = QString::fromStdString(result.target_unit);
  std::vector<std::pair<double, const causal::FeatureReport*>> found;
  for (const auto& f : result.features) {
    if (f.status != causal::FeatureStatus::used || f.name == result.target || !(f.minimum < f.maximum) ||
        causal::is_call_site(f.name)) // a call site is not a quantity that can be set
      continue;
    // Features that do not move the target over their observed range cannot be set.
    const double reach = reach_of(result, f);
    if (reach > 0) found.emplace_back(reach, &f);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (const auto& [reach, f] : found) {
    QString label = label_of(result, f->name);
    const bool twice = std::count_if(found.begin(), found.end(), [&](const auto& other) {
                         return label_of(result, other.second->name) == label;
                       }) > 1;
    if (twice) label = distinct_feature_title(f->name);
    data.features.push_back({QString::fromStdString(f->name), label, QString::fromStdString(f->unit),
                             f->minimum, f->maximum, f->mean, is_event(*f)});
  }
  return data;
}

QString why_none_can_be_set(const causal::CausalResult& result) {
  const auto target = QString::fromStdString(result.target_label).section(',', 0, 0);
  const auto text =
      views::Text::tr("No factor can be set: in this graph, no numeric factor changes %1.").arg(target);
  const bool site = std::ranges::any_of(result.contributions,
                                        [](const auto& c) { return causal::is_call_site(c.feature); });
  return site ? text + QLatin1Char('\n') + views::Text::tr("The call site is not a number that can be set.")
              : text;
}

std::optional<views::WhatIfAnswer> what_if(const causal::CausalResult& result, const std::string& feature,
                                           double value) {
  const auto answer = causal::intervene(result, feature, value);
  if (!answer) return std::nullopt;
  return views::WhatIfAnswer{
      answer->mean_before,
      answer->mean_after,
      answer->ci_low,
      answer->ci_high,
      answer->std_before,
      answer->std_after,
      answer->extrapolates,
      answer->std_ci.low,
      answer->std_ci.high,
      answer->duration_change_ns
          ? std::optional(views::WhatIfChange{*answer->duration_change_ns, answer->duration_interval.low,
                                              answer->duration_interval.high})
          : std::nullopt,
      answer->around_median};
}

std::vector<views::WhatIfPoint> what_if_points(const causal::CausalResult& result, const std::string& feature,
                                               const std::vector<double>& values) {
  std::vector<views::WhatIfPoint> points;
  for (const double value : values)
    if (const auto answer = causal::intervene(result, feature, value))
      points.push_back({value, answer->mean_after, answer->ci_low, answer->ci_high});
  return points;
}

std::vector<views::WhatIfPoint> what_if_curve(const causal::CausalResult& result, const std::string& feature,
                                              double low, double high) {
  constexpr int kSteps = 32; // responses are linear, or bend a few times
  const auto* report = result.find(feature);
  if (!report || !(low < high)) return {};
  const int steps = is_event(*report) ? 1 : kSteps;
  std::vector<double> values;
  for (int i = 0; i <= steps; ++i) values.push_back(low + (high - low) * i / steps);
  return what_if_points(result, feature, values);
}

std::optional<views::WhatIfRow> what_if_row(const causal::CausalResult& result, const std::string& feature,
                                            double value, const LaunchAnswer& launch,
                                            const std::vector<std::string>& columns) {
  const auto from = feature_value(launch, feature, columns);
  const auto before = feature_value(launch, result.target, columns);
  if (!from || !before) return std::nullopt;
  std::optional<causal::LaunchTime> known;
  if (result.target == "kernel_variability" && launch.duration_ns)
    known = {static_cast<double>(*launch.duration_ns), launch.configuration_mean_ns};
  const auto c = causal::counterfactual(result, feature, *from, value, *before, known);
  if (!c) return std::nullopt;
  views::WhatIfRow row{launch_summary(launch).section(" · ", 0, 0),
                       c->from,
                       c->target_before,
                       c->target_after,
                       c->ci_low,
                       c->ci_high,
                       {}};
  if (!launch.launch_order)
    row.name = Text::tr("%1 at %2").arg(row.name, views::formatTime({launch.start_ns}, {1'000'000}));
  if (!launch.duration_ns || c->impossible) return row;
  // A launch with variability v is at distance v from the mean of its configuration, on its original side.
  const auto taken = static_cast<double>(*launch.duration_ns), mean = launch.configuration_mean_ns;
  double after = c->target_after;
  if (c->duration_after)
    after = *c->duration_after;
  else if (result.target == "kernel_variability")
    after = mean + (taken < mean ? -1 : 1) * std::max(0.0, c->target_after);
  else if (result.target != "duration")
    return row;
  if (!(after > 0)) return row;
  row.sentence = Text::tr("this launch would have taken %1 instead of %2")
                     .arg(views::formatDuration(after, 3), views::formatDuration(taken, 3));
  return row;
}

} // namespace jitterscope::app
