#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <type_traits>

#include <flatbuffers/flexbuffers.h>
#include <nlohmann/json.hpp>

#include "core/causal/base/result.h"

namespace jitterscope::causal {
namespace {

using Json = nlohmann::json;

/// Adds fields as keys to a map, and leaves the fields unchanged. Empty std::optional and numbers that are
/// not finite become null.
class Writer {
public:
  explicit Writer(flexbuffers::Builder& to) : to_(to) {}

  void operator()(const char* key, auto& field) { to_.Key(key), put(field); }
  void operator()(const char* key, Range& range) {
    to_.Key(std::string(key) + "_low"), put(range.low);
    to_.Key(std::string(key) + "_high"), put(range.high);
  }
  void named(const char* key, auto& value, const auto& names) {
    to_.Key(key), to_.String(name_in(names, value));
  }
  template <class Value>
  void named(const char* key, std::vector<std::pair<std::string, Value>>& values, const auto& names) {
    to_.Map(key, [&] {
      for (const auto& [inner_key, value] : values) to_.Key(inner_key), to_.String(name_in(names, value));
    });
  }
  /// Left out if empty.
  void optional(const char* key, auto& field) {
    if constexpr (requires { field.has_value(); }) {
      if (field.has_value()) (*this)(key, field);
    } else if (!field.empty()) {
      (*this)(key, field);
    }
  }

private:
  void put(double& number) { std::isfinite(number) ? to_.Double(number) : to_.Null(); }
  void put(std::string& text) { to_.String(text); }
  template <class Field>
  void put(Field& field) {
    if constexpr (std::is_same_v<Field, bool>)
      to_.Bool(field);
    else if constexpr (std::is_unsigned_v<Field>)
      to_.UInt(field);
    else if constexpr (std::is_integral_v<Field>)
      to_.Int(field);
    else
      to_.Map([&] { fields(*this, field); });
  }
  template <class Item>
  void put(std::optional<Item>& field) {
    field ? put(*field) : to_.Null();
  }
  template <class Item>
  void put(std::vector<Item>& list) {
    to_.Vector([&] {
      for (Item& item : list) put(item);
    });
  }

  flexbuffers::Builder& to_;
};

/// Reads what Writer writes. Values that are missing or of another type are 0, empty or NaN.
class Reader {
public:
  explicit Reader(flexbuffers::Map from) : from_(from) {}

  void operator()(const char* key, auto& field) { read(from_[key], field); }
  void operator()(const char* key, Range& range) {
    read(from_[std::string(key) + "_low"], range.low), read(from_[std::string(key) + "_high"], range.high);
  }
  void named(const char* key, auto& value, const auto& names) {
    value = value_in(names, from_[key].AsString().str()).value_or(value);
  }
  template <class Value>
  void named(const char* key, std::vector<std::pair<std::string, Value>>& values, const auto& names) {
    const auto inner = from_[key].AsMap();
    const auto keys = inner.Keys();
    for (std::size_t i = 0; i < keys.size(); ++i)
      if (const auto value = value_in(names, inner.Values()[i].AsString().str()))
        values.emplace_back(keys[i].AsKey(), *value);
  }
  void optional(const char* key, auto& field) {
    if (const auto found = from_[key]; !found.IsNull()) read(found, field);
  }

private:
  using Reference = flexbuffers::Reference;

  static void read(Reference from, double& to) { to = from.IsNull() ? std::nan("") : from.AsDouble(); }
  static void read(Reference from, std::string& to) { to = from.AsString().str(); }
  template <class Field>
  static void read(Reference from, Field& to) {
    if constexpr (std::is_same_v<Field, bool>) {
      to = from.AsBool();
    } else if constexpr (std::is_integral_v<Field>) {
      to = static_cast<Field>(from.AsInt64());
    } else {
      Reader inner(from.AsMap());
      fields(inner, to);
    }
  }
  template <class Item>
  static void read(Reference from, std::optional<Item>& to) {
    if (!from.IsNull()) read(from, to.emplace());
  }
  template <class Item>
  static void read(Reference from, std::vector<Item>& to) {
    const auto list = from.AsVector();
    to.clear();
    for (std::size_t i = 0; i < list.size(); ++i) read(list[i], to.emplace_back());
  }

  flexbuffers::Map from_;
};

/// Applies a function to all texts that are worded for rows, by their keys.
class Rewording {
public:
  using Words = std::function<std::string(const std::string&)>;

  explicit Rewording(const Words& words) : words_(words) {}

  template <class Field>
  void operator()(std::string_view key, Field& field) {
    constexpr std::array kKeys = {"label",  "sentences", "device_sentences", "reading_text", "target_label",
                                  "reason", "text"};
    constexpr bool kIsText = std::is_same_v<Field, std::string> ||
                             std::is_same_v<Field, std::vector<std::string>> ||
                             std::is_same_v<Field, std::optional<std::string>>;
    if constexpr (kIsText) {
      if (std::ranges::find(kKeys, key) != kKeys.end()) change(field);
    } else {
      change(field);
    }
  }
  void named(std::string_view, auto&, const auto&) {}
  void optional(std::string_view key, auto& field) { (*this)(key, field); }

private:
  template <class Field>
  void change(Field& field) {
    if constexpr (std::is_same_v<Field, std::string>)
      field = words_(field);
    else if constexpr (std::is_class_v<Field> && !std::is_same_v<Field, Range>)
      fields(*this, field);
  }
  void change(Condition&) {} // its text is a value
  void change(Setting&) {}   // has no text
  template <class Item>
  void change(std::optional<Item>& field) {
    if (field) change(*field);
  }
  template <class Item>
  void change(std::vector<Item>& list) {
    for (Item& item : list) change(item);
  }

  const Words& words_;
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

Json json_of(flexbuffers::Reference value) {
  if (value.IsNull()) return nullptr;
  if (value.IsBool()) return value.AsBool();
  if (value.IsUInt()) return value.AsUInt64();
  if (value.IsInt()) return value.AsInt64();
  if (value.IsFloat()) return value.AsDouble();
  if (value.IsString()) return value.AsString().str();
  Json json = value.IsMap() ? Json::object() : Json::array();
  const auto items = value.AsVector(); // the values, if it is a map
  for (std::size_t i = 0; i < items.size(); ++i)
    if (value.IsMap())
      json[value.AsMap().Keys()[i].AsKey()] = json_of(items[i]);
    else
      json.push_back(json_of(items[i]));
  return json;
}

Expected<flexbuffers::Map> map_in(std::span<const std::uint8_t> bytes) {
  if (flexbuffers::VerifyBuffer(bytes.data(), bytes.size()))
    if (const auto root = flexbuffers::GetRoot(bytes.data(), bytes.size()); root.IsMap()) return root.AsMap();
  return failure(ErrorKind::Engine, "a causal result is damaged");
}

/// `write`: adds the fields of a map.
std::vector<std::uint8_t> map_of(const std::function<void(Writer&)>& write) {
  flexbuffers::Builder builder;
  Writer out(builder);
  builder.Map([&] { write(out); });
  builder.Finish();
  return builder.GetBuffer();
}

} // namespace

std::vector<std::uint8_t> encode(const CausalResult& result) {
  CausalResult copy = result; // the fields are described for reading and for writing
  return map_of([&](Writer& out) {
    fields(out, copy);
    if (copy.groups) fields(out, *copy.groups);
  });
}

std::vector<std::uint8_t> encode(const GroupEstimates& estimates) {
  GroupEstimates copy = estimates;
  return map_of([&](Writer& out) { fields(out, copy); });
}

Expected<CausalResult> decode_result(std::span<const std::uint8_t> bytes) {
  const auto map = map_in(bytes);
  if (!map) return forward(map.error());
  CausalResult r;
  Reader in(*map);
  fields(in, r);
  if (!(*map)["variance_between"].IsNull()) fields(in, r.groups.emplace());
  r.advice_sentences = std::min(r.advice_sentences, r.sentences.size());
  return r;
}

Expected<GroupEstimates> decode_groups(std::span<const std::uint8_t> bytes) {
  const auto map = map_in(bytes);
  if (!map) return forward(map.error());
  GroupEstimates estimates;
  Reader in(*map);
  fields(in, estimates);
  return estimates;
}

void reword(CausalResult& result, const Rewording::Words& words) {
  Rewording rewording(words);
  fields(rewording, result);
  if (result.groups) fields(rewording, *result.groups);
}

void reword(GroupEstimates& estimates, const Rewording::Words& words) {
  Rewording rewording(words);
  fields(rewording, estimates);
}

nlohmann::json to_json(const CausalResult& result) {
  return json_of(flexbuffers::GetRoot(encode(result)));
}

nlohmann::json to_json(const GroupEstimates& estimates) {
  return json_of(flexbuffers::GetRoot(encode(estimates)));
}

} // namespace jitterscope::causal
