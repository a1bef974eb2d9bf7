#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/causal/base/result.h"

namespace jitterscope::causal {
namespace {

using Json = nlohmann::json;

/// Whether a field is a JSON value of its own; all others are lists or described by fields().
template <class Field>
constexpr bool kIsPlain = std::is_arithmetic_v<Field> || std::is_same_v<Field, std::string>;

/// Writes fields as keys of a JSON object, and leaves the fields unchanged. Empty std::optional becomes null.
/// JSON has no NaN and no infinity: both become null.
class Writer {
public:
  explicit Writer(Json& to) : to_(to) {}

  void operator()(const std::string& key, auto& field) { to_[key] = json_of(field); }
  void operator()(const std::string& key, Range& range) {
    to_[key + "_low"] = json_of(range.low), to_[key + "_high"] = json_of(range.high);
  }
  void named(const std::string& key, auto& value, const auto& names) { to_[key] = name_in(names, value); }
  template <class Value>
  void named(const std::string& key, std::vector<std::pair<std::string, Value>>& values, const auto& names) {
    Json json = Json::object();
    Writer writer(json);
    for (auto& [inner_key, value] : values) writer.named(inner_key, value, names);
    to_[key] = std::move(json);
  }
  /// Left out if empty.
  void optional(const std::string& key, auto& field) {
    if constexpr (requires { field.has_value(); }) {
      if (field.has_value()) (*this)(key, field);
    } else if (!field.empty()) {
      (*this)(key, field);
    }
  }

private:
  static Json json_of(double number) { return std::isfinite(number) ? Json(number) : Json(nullptr); }
  template <class Field>
  static Json json_of(Field& field) {
    if constexpr (kIsPlain<Field>) {
      return field;
    } else {
      Json json = Json::object();
      Writer writer(json);
      fields(writer, field);
      return json;
    }
  }
  template <class Item>
  static Json json_of(std::optional<Item>& field) {
    return field ? json_of(*field) : Json(nullptr);
  }
  template <class Item>
  static Json json_of(std::vector<Item>& list) {
    Json json = Json::array();
    for (Item& item : list) json.push_back(json_of(item));
    return json;
  }

  Json& to_;
};

/// Reads what Writer writes; records the first key that is missing or of the wrong type.
class Reader {
public:
  Reader(const Json& from, std::string where, std::string& problem)
      : from_(from), where_(std::move(where)), problem_(problem) {}

  void operator()(const std::string& key, auto& field) {
    if (check(from_.contains(key), where_ + key)) read(from_[key], where_ + key, field);
  }
  void operator()(const std::string& key, Range& range) {
    (*this)(key + "_low", range.low), (*this)(key + "_high", range.high);
  }
  void named(const std::string& key, auto& value, const auto& names) {
    std::string name;
    (*this)(key, name);
    const auto found = value_in(names, name);
    if (check(found.has_value(), where_ + key)) value = *found;
  }
  template <class Value>
  void named(const std::string& key, std::vector<std::pair<std::string, Value>>& values, const auto& names) {
    if (!check(from_.contains(key) && from_[key].is_object(), where_ + key)) return;
    Reader inner(from_[key], where_ + key + ".", problem_);
    for (const auto& entry : from_[key].items())
      inner.named(entry.key(), values.emplace_back(entry.key(), Value()).second, names);
  }
  void optional(const std::string& key, auto& field) {
    if (from_.contains(key)) (*this)(key, field);
  }

private:
  void read(const Json& json, const std::string& place, double& to) {
    if (json.is_null())
      to = std::nan("");
    else if (check(json.is_number(), place))
      to = json.get<double>();
  }
  template <class Field>
  void read(const Json& json, const std::string& place, Field& to) {
    if constexpr (std::is_same_v<Field, bool>) {
      if (check(json.is_boolean(), place)) to = json.get<bool>();
    } else if constexpr (std::is_same_v<Field, std::string>) {
      if (check(json.is_string(), place)) to = json.get<std::string>();
    } else if constexpr (kIsPlain<Field>) {
      if (check(json.is_number(), place)) to = json.get<Field>();
    } else {
      Reader inner(json, place + ".", problem_);
      fields(inner, to);
    }
  }
  template <class Item>
  void read(const Json& json, const std::string& place, std::optional<Item>& to) {
    if (!json.is_null()) read(json, place, to.emplace());
  }
  template <class Item>
  void read(const Json& json, const std::string& place, std::vector<Item>& to) {
    to.clear();
    if (!check(json.is_array(), place)) return;
    for (std::size_t i = 0; i < json.size() && problem_.empty(); ++i)
      read(json[i], fmt::format("{}[{}]", place, i), to.emplace_back());
  }
  bool check(bool as_expected, const std::string& place) {
    if (!as_expected && problem_.empty()) problem_ = place;
    return as_expected;
  }

  const Json& from_;
  std::string where_;
  std::string& problem_;
};

void fields(auto& io, FeatureReport& f) {
  io("name", f.name), io("label", f.label), io("unit", f.unit), io("tier", f.tier);
  io.named("status", f.status, kStatusNames), io("reason", f.reason);
  io.optional("representative", f.representative);
  if (f.status != FeatureStatus::used) return;
  io("reading", f.reading);
  io("mean", f.mean), io("min", f.minimum), io("max", f.maximum);
  io("total_effect", f.total_effect), io("total_effect_ci", f.total_effect_ci);
  io("total_effect_least", f.effect_range.low), io("total_effect_most", f.effect_range.high);
  io("target_std_if_fixed", f.target_std_if_fixed), io("target_std_if_fixed_ci", f.target_std_if_fixed_ci);
  io("intrinsic_percent", f.intrinsic_percent), io("intrinsic_ci", f.intrinsic_ci);
}

void fields(auto& io, Edge& e) {
  io("from", e.from), io("to", e.to), io("directed", e.directed), io("sign", e.sign);
  io("coefficient", e.coefficient), io("coefficient_units", e.coefficient_units);
  io("ci_low", e.ci_low), io("ci_high", e.ci_high), io("stability", e.stability);
  io.named("agreement", e.agreement, kOpinionNames);
}

void fields(auto& io, OnKernels& on) {
  io("kernels", on.acts), io("not_on", on.spares);
  io("not_affected_launches", on.not_affected), io("percent", on.percent);
}

void fields(auto& io, Condition& where) {
  io("feature", where.feature), io("text", where.text), io("is_event", where.is_event);
  io("value", where.value), io("percent", where.percent);
}

void fields(auto& io, Setting& s) {
  const std::array percents = {&s.left, &s.left_interval.low, &s.left_interval.high,
                               &s.std,  &s.std_interval.low,  &s.std_interval.high};
  for (double* percent : percents) *percent *= 100;
  io("value", s.value);
  io("left_percent", s.left), io("left_ci", s.left_interval);
  io("std_percent", s.std), io("std_ci", s.std_interval);
  for (double* percent : percents) *percent /= 100;
  io("duration_change_ns", s.duration_change_ns), io("duration_change_ci", s.duration_interval);
}

void fields(auto& io, Contribution& c) {
  std::optional<std::string> under;
  if (!c.under.empty()) under = c.under;
  io("under", under);
  c.under = under.value_or("");
  io("feature", c.feature), io("label", c.label), io("members", c.members), io("twins", c.twins);
  io.named("role", c.role, kRoleNames), io("undirected", c.undirected), io("drifts", c.drifts),
      io("explained_by", c.explained_by), io("lowest_at", c.lowest_at), io("highest_at", c.highest_at);
  io("of_earlier_work", c.of_earlier_work), io("of_length", c.of_length), io("event", c.event);
  io("sign", c.sign), io("stability", c.stability), io("percent", c.percent);
  io("ci_low", c.ci_low), io("ci_high", c.ci_high), io("alone_percent", c.alone_percent);
  io("attributable_percent", c.attributable_percent);
  if (!c.attributable_percent) return;
  io("attributable_ci_low", c.attributable_ci_low), io("attributable_ci_high", c.attributable_ci_high);
  io("attributable_rest_percent", c.rest_percent);
  io("affected_launches", c.affected), io("compared_launches", c.compared), io("of_launches", c.of_rows);
  io("mean_extra_ns", c.mean_extra_ns), io("in_one_stretch", c.in_one_stretch);
  io.optional("apart_from", c.apart_from);
  io.optional("only_on", c.only_on), io.optional("only_where", c.only_where);
  io.optional("reference", c.reference), io.optional("settings", c.settings);
}

void fields(auto& io, Intervention& i) {
  io("feature", i.feature), io("value", i.value);
  io("mean_before", i.mean_before), io("mean_after", i.mean_after);
  io("ci_low", i.ci_low), io("ci_high", i.ci_high);
  io("std_before", i.std_before), io("std_after", i.std_after), io("std_ci", i.std_ci);
  io("around_median", i.around_median), io("extrapolates", i.extrapolates);
  io.optional("duration_change_ns", i.duration_change_ns);
  if (i.duration_change_ns) io("duration_change_ci", i.duration_interval);
}

void fields(auto& io, Counterfactual& c) {
  io("row", c.row), io("feature", c.feature), io("from", c.from), io("to", c.to);
  io("target_before", c.target_before), io("target_after", c.target_after);
  io("ci_low", c.ci_low), io("ci_high", c.ci_high);
  io("extrapolates", c.extrapolates), io("impossible", c.impossible);
  io.optional("duration_after", c.duration_after);
}

void fields(auto& io, Curve& c) {
  io("feature", c.feature), io("label", c.label), io("values", c.values), io("expected", c.expected);
}

void fields(auto& io, Nonlinear& n) {
  io("rows", n.rows), io("linear_r2", n.linear_r2), io("boosted_r2", n.boosted_r2);
  io("standard_error", n.standard_error), io("part", n.part), io("curves", n.curves);
}

void fields(auto& io, Rest& r) {
  io("kernel", r.kernel), io("percent", r.percent), io("launches", r.launches);
}

void fields(auto& io, Bend& b) {
  io("feature", b.feature), io("label", b.label), io("percent", b.percent);
}

void fields(auto& io, Spread& s) {
  io("feature", s.feature), io("label", s.label), io("percent", s.percent);
}

void fields(auto& io, Pair& p) {
  std::vector<std::string> features = {p.first, p.second}, labels = {p.first_label, p.second_label};
  io("features", features), io("labels", labels), io("percent", p.percent);
  features.resize(2), labels.resize(2);
  p.first = features[0], p.second = features[1], p.first_label = labels[0], p.second_label = labels[1];
}

void fields(auto& io, Warning& w) {
  io("code", w.code), io("text", w.text);
}

void fields(auto& io, VarianceComponent& c) {
  io("group", c.group), io("label", c.label), io("levels", c.levels), io("percent", c.percent);
  io("ci_low", c.ci_low), io("ci_high", c.ci_high);
}

void fields(auto& io, DeviceEstimate& d) {
  io("name", d.name), io("places", d.places), io("n", d.n), io("mean", d.mean);
  io("geometric_mean", d.geometric_mean);
  io("difference_percent", d.difference_percent), io("ci_low", d.ci_low), io("ci_high", d.ci_high);
}

void fields(auto& io, GroupEstimates& g) {
  io("variance_components", g.components), io("variance_between", g.between), io("devices", g.devices);
  std::string scale = g.logarithm ? "logarithm" : "value";
  io("device_scale", scale), g.logarithm = scale == "logarithm";
  io("device_unit", g.unit), io("device_places", g.place_columns), io("device_sentences", g.sentences);
}

void fields(auto& io, CausalResult& r) {
  io("target", r.target), io("target_label", r.target_label), io("target_unit", r.target_unit);
  io("rows", r.rows), io("n", r.n), io("n_eff", r.n_eff);
  io("method", r.method), io("other_methods", r.other_methods);
  io("reading", r.reading), io("reading_text", r.reading_text), io("scale", r.scale);
  io("bootstrap", r.bootstrap), io("target_mean", r.target_mean), io("target_std", r.target_std);
  io("variability_mean", r.variability_mean), io("variability_std", r.variability_std);
  io("target_sum", r.target_sum), io("unexplained_percent", r.unexplained_percent);
  io("without_cause_percent", r.without_cause_percent), io("own_percent", r.own_percent);
  io("shares_of_levels", r.shares_of_levels);
  io("selected_by_target", r.selected_by_target);
  io("features", r.features), io("edges", r.edges), io("contributions", r.contributions);
  io("interventions", r.interventions), io("counterfactuals", r.counterfactuals);
  io("nonlinear", r.nonlinear), io("rest", r.rest);
  io("bends", r.bends), io("pairs", r.pairs), io("spreads", r.spreads);
  io("warnings", r.warnings), io("sentences", r.sentences), io("advice_sentences", r.advice_sentences);
}

} // namespace

void add_json(const GroupEstimates& estimates, nlohmann::json& to) {
  GroupEstimates copy = estimates; // the fields are described for reading and for writing
  Writer out(to);
  fields(out, copy);
}

nlohmann::json to_json(const CausalResult& result) {
  CausalResult copy = result;
  Json json = Json::object();
  Writer out(json);
  fields(out, copy);
  if (result.groups) add_json(*result.groups, json);
  return json;
}

Expected<CausalResult> result_from_json(const nlohmann::json& json) {
  CausalResult r;
  std::string problem;
  Reader in(json, "", problem);
  fields(in, r);
  if (json.contains("variance_between")) fields(in, r.groups.emplace());
  if (!problem.empty())
    return failure(ErrorKind::BadInput, "this is not a causal result: a key is missing or of the wrong type",
                   {}, problem);
  r.advice_sentences = std::min(r.advice_sentences, r.sentences.size());
  return r;
}

} // namespace jitterscope::causal
