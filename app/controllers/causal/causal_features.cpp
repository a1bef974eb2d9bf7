#include "app/controllers/causal/causal_features.h"

#include <algorithm>
#include <cmath>

#include "app/controllers/details_text.h"
#include "app/engine/decode.h"
#include "app/engine/group_filter.h"
#include "core/causal/base/tiers.h"
#include "core/causal/base/wording.h"
#include "core/engine/messages/causal_options.h"
#include "views/base/format.h"
#include "views/base/text.h"

namespace jitterscope::app {

using nlohmann::json;

namespace {

using views::Text;

constexpr std::size_t kMaxHeld = 16;

const json* field_of(const json& launch, const std::string& name) {
  for (const auto& field : launch.at("fields"))
    if (field.at("name") == name) return &field;
  return nullptr;
}

QString label_of(const causal::CausalResult& result, const std::string& name) {
  if (name == result.target) return QString::fromStdString(result.target_label).section(',', 0, 0);
  const auto* feature = result.find(name);
  return feature_title(name, feature ? feature->label : std::string());
}

views::EvidenceAxis axis_of_json(const json& item, const QString& label) {
  views::EvidenceAxis axis;
  axis.label = label;
  axis.unit = QString::fromStdString(item.at("unit").get<std::string>());
  axis.minimum = item.at("minimum");
  axis.maximum = item.at("maximum");
  axis.knee = item.at("knee");
  return axis;
}

views::EvidenceScatter scatter_of(const engine::Answer& answer, const std::string& name, const QString& cause,
                                  const QString& effect) {
  const auto& item = answer.document.at(name);
  views::EvidenceScatter scatter;
  scatter.x = axis_of_json(item.at("x"), cause);
  scatter.y = axis_of_json(item.at("y"), effect);
  scatter.columns = item.at("columns");
  scatter.rows = item.at("rows");
  scatter.counts = answer.get<std::uint32_t>(name + "/counts");
  scatter.pointX = answer.get<double>(name + "/x");
  scatter.pointY = answer.get<double>(name + "/y");
  scatter.pointRow = answer.get<std::int64_t>(name + "/row");
  return scatter;
}

std::vector<std::uint64_t> counts_of(const engine::Answer& answer, const std::string& name) {
  const auto& values = answer.get<std::int64_t>(name);
  return {values.begin(), values.end()};
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

std::optional<double> feature_value(const json& launch, const std::string& feature,
                                    const std::vector<std::string>& columns) {
  const std::string column = source_column(feature, columns);
  const json* field = field_of(launch, column);
  if (!field || field->at("value").is_null()) return std::nullopt;
  const double value = field->at("value");
  if (feature == column) return value;
  if (feature == column + " > 0") return value > 0 ? 1 : 0;
  const std::string level = feature.substr(column.size() + 1);
  if (level.find(" before)") != level.npos) return std::nullopt; // a value of another launch
  if (field->contains("text")) return field->at("text") == level ? 1 : 0;
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
  try {
    const auto& document = answer.document;
    const auto from = document.at("from").get<std::string>(), to = document.at("to").get<std::string>();
    views::EvidenceData data;
    data.cause = label_of(result, from);
    data.effect = label_of(result, to);
    data.measured = scatter_of(answer, "measured", data.cause, data.effect);
    data.partial = scatter_of(answer, "partial", data.cause, data.effect);
    QStringList held;
    for (const auto& name : document.at("given")) held << label_of(result, name.get<std::string>());
    held.removeDuplicates();
    data.held = held.size() > 4
                    ? Text::tr("%1 and %2 more").arg(held.mid(0, 3).join(", ")).arg(held.size() - 3)
                    : held.join(", ");
    data.compared = compared_in_words(document.at("reading").get<std::string>());
    data.slope = document.at("slope");
    // The effect in units of an edge is over all rows; the picture compares as `compared` states.
    for (const auto& edge : result.edges)
      if (edge.from == from && edge.to == to && !data.compared.isEmpty())
        data.compared = with_effect_over_all_rows(edge.coefficient_units, data);
    data.slopeLow = document.at("slope_low");
    data.slopeHigh = document.at("slope_high");
    data.lineX = answer.get<double>("line/x");
    data.lineY = answer.get<double>("line/y");
    data.lineLow = answer.get<double>("line/low");
    data.lineHigh = answer.get<double>("line/high");
    data.event = document.at("event");
    data.threshold = document.at("threshold");
    data.histogramAxis = axis_of_json(document.at("histogram_axis"), data.effect);
    data.edges = answer.get<double>("histogram/edges");
    data.with = counts_of(answer, "histogram/with");
    data.without = counts_of(answer, "histogram/without");
    data.n = document.at("n").get<std::uint64_t>();
    data.nWith = document.at("n_with").get<std::uint64_t>();
    data.meanWith = document.at("mean_with");
    data.meanWithout = document.at("mean_without");
    data.medianWith = document.at("median_with");
    data.medianWithout = document.at("median_without");
    // Unless rows are pooled, the trees were fitted to differences from means, which have no position among
    // the measured values.
    const bool as_measured = document.at("reading").get<std::string>() == "pooled";
    if (result.nonlinear && to == result.target && as_measured)
      for (const auto& curve : result.nonlinear->curves)
        if (curve.feature == from) data.curveX = curve.values, data.curveY = curve.expected;
    return data;
  } catch (const nlohmann::json::exception& problem) {
    return failure(ErrorKind::BadInput, std::string("the evidence cannot be read: ") + problem.what());
  }
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
                                            double value, const json& launch,
                                            const std::vector<std::string>& columns) {
  const auto from = feature_value(launch, feature, columns);
  const auto before = feature_value(launch, result.target, columns);
  if (!from || !before) return std::nullopt;
  std::optional<causal::LaunchTime> known;
  if (result.target == "kernel_variability" && !launch.at("duration_ns").is_null())
    known = {launch.at("duration_ns"), launch.at("configuration_mean_ns")};
  const auto c = causal::counterfactual(result, feature, *from, value, *before, known);
  if (!c) return std::nullopt;
  views::WhatIfRow row{launch_summary(launch).section(" · ", 0, 0),
                       c->from,
                       c->target_before,
                       c->target_after,
                       c->ci_low,
                       c->ci_high,
                       {}};
  if (axis_of(launch) == views::AxisUnit::Time)
    row.name =
        Text::tr("%1 at %2")
            .arg(row.name, views::formatTime({launch.at("start_ns").get<std::int64_t>()}, {1'000'000}));
  if (launch.at("duration_ns").is_null() || c->impossible) return row;
  // A launch with variability v is at distance v from the mean of its configuration, on its original side.
  const double taken = launch.at("duration_ns"), mean = launch.at("configuration_mean_ns");
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
