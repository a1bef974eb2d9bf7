#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/causal/base/result.h"

namespace jitterscope::causal {
namespace {

using Json = nlohmann::json;

/// JSON has no NaN and no infinity: both are written as null.
Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json feature_to_json(const FeatureReport& f) {
  Json json = {{"name", f.name},
               {"label", f.label},
               {"unit", f.unit},
               {"tier", f.tier},
               {"status", to_string(f.status)},
               {"reason", f.reason}};
  if (!f.representative.empty()) json["representative"] = f.representative;
  if (f.status != FeatureStatus::used) return json;
  json["reading"] = f.reading;
  json["mean"] = number(f.mean), json["min"] = number(f.minimum), json["max"] = number(f.maximum);
  json["total_effect"] = number(f.total_effect);
  json["total_effect_ci_low"] = number(f.total_effect_ci.low);
  json["total_effect_ci_high"] = number(f.total_effect_ci.high);
  json["target_std_if_fixed"] = number(f.target_std_if_fixed);
  json["target_std_if_fixed_ci_low"] = number(f.target_std_if_fixed_ci.low);
  json["target_std_if_fixed_ci_high"] = number(f.target_std_if_fixed_ci.high);
  json["total_effect_least"] = number(f.effect_range.low);
  json["total_effect_most"] = number(f.effect_range.high);
  json["intrinsic_percent"] = number(f.intrinsic_percent);
  json["intrinsic_ci_low"] = number(f.intrinsic_ci.low);
  json["intrinsic_ci_high"] = number(f.intrinsic_ci.high);
  return json;
}

Json edge_to_json(const Edge& e) {
  Json agreement = Json::object();
  for (const auto& [method, opinion] : e.agreement) agreement[method] = to_string(opinion);
  return {{"from", e.from},
          {"to", e.to},
          {"directed", e.directed},
          {"sign", e.sign},
          {"coefficient", number(e.coefficient)},
          {"coefficient_units", number(e.coefficient_units)},
          {"ci_low", number(e.ci_low)},
          {"ci_high", number(e.ci_high)},
          {"stability", number(e.stability)},
          {"agreement", agreement}};
}

Json contribution_to_json(const Contribution& c) {
  Json json = {{"feature", c.feature},
               {"label", c.label},
               {"members", c.members},
               {"twins", c.twins},
               {"under", c.under.empty() ? Json(nullptr) : Json(c.under)},
               {"role", to_string(c.role)},
               {"undirected", c.undirected},
               {"drifts", c.drifts},
               {"of_earlier_work", c.of_earlier_work},
               {"of_length", c.of_length},
               {"event", c.event},
               {"sign", c.sign},
               {"stability", number(c.stability)},
               {"percent", number(c.percent)},
               {"ci_low", number(c.ci_low)},
               {"ci_high", number(c.ci_high)},
               {"alone_percent", number(c.alone_percent)},
               {"attributable_percent", nullptr}};
  if (!c.attributable_percent) return json;
  json["attributable_percent"] = number(*c.attributable_percent);
  json["attributable_ci_low"] = number(c.attributable_ci_low);
  json["attributable_ci_high"] = number(c.attributable_ci_high);
  json["attributable_rest_percent"] = number(c.rest_percent);
  json["affected_launches"] = c.affected;
  json["compared_launches"] = c.compared;
  json["of_launches"] = c.of_rows;
  json["mean_extra_ns"] = number(c.mean_extra_ns);
  json["in_one_stretch"] = c.in_one_stretch;
  if (!c.apart_from.empty()) json["apart_from"] = c.apart_from;
  if (const auto& on = c.only_on)
    json["only_on"] = {{"kernels", on->acts},
                       {"not_on", on->spares},
                       {"not_affected_launches", on->not_affected},
                       {"percent", number(on->percent)}};
  if (const auto& where = c.only_where)
    json["only_where"] = {{"feature", where->feature},
                          {"text", where->text},
                          {"is_event", where->is_event},
                          {"value", number(where->value)},
                          {"percent", number(where->percent)}};
  if (c.reference) json["reference"] = number(*c.reference);
  for (const Setting& s : c.settings)
    json["settings"].push_back({{"value", number(s.value)},
                                {"left_percent", number(100 * s.left)},
                                {"left_ci_low", number(100 * s.left_interval.low)},
                                {"left_ci_high", number(100 * s.left_interval.high)},
                                {"std_percent", number(100 * s.std)},
                                {"std_ci_low", number(100 * s.std_interval.low)},
                                {"std_ci_high", number(100 * s.std_interval.high)},
                                {"duration_change_ns", number(s.duration_change_ns)},
                                {"duration_change_ci_low", number(s.duration_interval.low)},
                                {"duration_change_ci_high", number(s.duration_interval.high)}});
  return json;
}

Json intervention_to_json(const Intervention& i) {
  Json json = {{"feature", i.feature},
               {"value", number(i.value)},
               {"mean_before", number(i.mean_before)},
               {"mean_after", number(i.mean_after)},
               {"ci_low", number(i.ci_low)},
               {"ci_high", number(i.ci_high)},
               {"std_before", number(i.std_before)},
               {"std_after", number(i.std_after)},
               {"std_ci_low", number(i.std_ci.low)},
               {"std_ci_high", number(i.std_ci.high)},
               {"around_median", i.around_median},
               {"extrapolates", i.extrapolates}};
  if (!i.duration_change_ns) return json;
  json["duration_change_ns"] = number(*i.duration_change_ns);
  json["duration_change_ci_low"] = number(i.duration_interval.low);
  json["duration_change_ci_high"] = number(i.duration_interval.high);
  return json;
}

Json counterfactual_to_json(const Counterfactual& c) {
  Json json = {{"row", c.row},
               {"feature", c.feature},
               {"from", number(c.from)},
               {"to", number(c.to)},
               {"target_before", number(c.target_before)},
               {"target_after", number(c.target_after)},
               {"ci_low", number(c.ci_low)},
               {"ci_high", number(c.ci_high)},
               {"extrapolates", c.extrapolates},
               {"impossible", c.impossible}};
  if (c.duration_after) json["duration_after"] = number(*c.duration_after);
  return json;
}

Json numbers(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double v : values) list.push_back(number(v));
  return list;
}

Json nonlinear_to_json(const Nonlinear& n) {
  Json curves = Json::array();
  for (const Curve& c : n.curves)
    curves.push_back({{"feature", c.feature},
                      {"label", c.label},
                      {"values", numbers(c.values)},
                      {"expected", numbers(c.expected)}});
  return {{"rows", n.rows},
          {"linear_r2", number(n.linear_r2)},
          {"boosted_r2", number(n.boosted_r2)},
          {"standard_error", number(n.standard_error)},
          {"part", number(n.part)},
          {"curves", curves}};
}

/// Reads keys of one object; records the first key that is missing or of the wrong type.
class Reader {
public:
  Reader(const Json& json, std::string where, std::string& problem)
      : json_(json), where_(std::move(where)), problem_(problem) {
    if (!json.is_object()) complain("");
  }

  void text(const char* key, std::string& to) {
    if (const Json* v = value(key, &Json::is_string)) to = v->get<std::string>();
  }
  void optional_text(const char* key, std::string& to) {
    if (has(key)) text(key, to);
  }
  void flag(const char* key, bool& to) {
    if (const Json* v = value(key, &Json::is_boolean)) to = v->get<bool>();
  }
  template <class Integer>
  void integer(const char* key, Integer& to) {
    if (const Json* v = value(key, &Json::is_number)) to = static_cast<Integer>(v->get<double>());
  }
  void real(const char* key, double& to) {
    if (has(key) && json_[key].is_null())
      to = std::nan("");
    else if (const Json* v = value(key, &Json::is_number))
      to = v->get<double>();
  }
  void texts(const char* key, std::vector<std::string>& to) {
    const Json* list = value(key, &Json::is_array);
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
      if (!(*list)[i].is_string()) return complain(key);
      to.push_back((*list)[i].get<std::string>());
    }
  }
  void reals(const char* key, std::vector<double>& to) {
    const Json* list = value(key, &Json::is_array);
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
      if (!(*list)[i].is_number() && !(*list)[i].is_null()) return complain(key);
      to.push_back((*list)[i].is_null() ? std::nan("") : (*list)[i].get<double>());
    }
  }
  template <class Read>
  void list(const char* key, const Read& read) {
    const Json* items = value(key, &Json::is_array);
    for (std::size_t i = 0; items != nullptr && i < items->size(); ++i) {
      Reader item((*items)[i], fmt::format("{}{}[{}].", where_, key, i), problem_);
      if (!problem_.empty()) return;
      read(item);
    }
  }
  template <class Read>
  void object(const char* key, const Read& read) {
    if (const Json* v = value(key, &Json::is_object)) {
      Reader inner(*v, fmt::format("{}{}.", where_, key), problem_);
      if (problem_.empty()) read(inner);
    }
  }
  /// Reads pairs of texts. A missing key is not an error, because results of earlier versions do not have it.
  template <class Read>
  void dictionary(const char* key, const Read& read) {
    if (!has(key)) return;
    const Json* items = value(key, &Json::is_object);
    if (items == nullptr) return;
    for (const auto& [name, text] : items->items()) {
      if (!text.is_string()) return complain(key);
      read(name, text.template get<std::string>());
    }
  }
  bool has(const char* key) const { return json_.is_object() && json_.contains(key); }
  bool is_null(const char* key) const { return !has(key) || json_[key].is_null(); }

private:
  const Json* value(const char* key, bool (Json::*is)() const noexcept) {
    if (has(key) && (json_[key].*is)()) return &json_[key];
    complain(key);
    return nullptr;
  }
  void complain(const std::string& key) {
    if (problem_.empty()) problem_ = where_ + key;
  }

  const Json& json_;
  std::string where_;
  std::string& problem_;
};

void read_feature(Reader& in, FeatureReport& f) {
  std::string status;
  in.text("name", f.name), in.text("label", f.label), in.text("unit", f.unit), in.integer("tier", f.tier);
  in.text("status", status), in.text("reason", f.reason),
      in.optional_text("representative", f.representative);
  f.status = status == "used"     ? FeatureStatus::used
             : status == "merged" ? FeatureStatus::merged
                                  : FeatureStatus::dropped;
  if (f.status != FeatureStatus::used) return;
  in.text("reading", f.reading);
  in.real("mean", f.mean), in.real("min", f.minimum), in.real("max", f.maximum);
  in.real("total_effect", f.total_effect);
  in.real("total_effect_ci_low", f.total_effect_ci.low),
      in.real("total_effect_ci_high", f.total_effect_ci.high);
  in.real("target_std_if_fixed", f.target_std_if_fixed);
  if (in.has("target_std_if_fixed_ci_low"))
    in.real("target_std_if_fixed_ci_low", f.target_std_if_fixed_ci.low),
        in.real("target_std_if_fixed_ci_high", f.target_std_if_fixed_ci.high);
  if (!in.has("intrinsic_percent")) return; // a result of an earlier version
  in.real("total_effect_least", f.effect_range.low), in.real("total_effect_most", f.effect_range.high);
  in.real("intrinsic_percent", f.intrinsic_percent);
  in.real("intrinsic_ci_low", f.intrinsic_ci.low), in.real("intrinsic_ci_high", f.intrinsic_ci.high);
}

void read_counterfactual(Reader& in, Counterfactual& c) {
  in.integer("row", c.row), in.text("feature", c.feature);
  in.real("from", c.from), in.real("to", c.to);
  in.real("target_before", c.target_before), in.real("target_after", c.target_after);
  in.real("ci_low", c.ci_low), in.real("ci_high", c.ci_high), in.flag("extrapolates", c.extrapolates);
  if (in.has("impossible")) in.flag("impossible", c.impossible);
  if (in.has("duration_after")) in.real("duration_after", c.duration_after.emplace());
}

void read_edge(Reader& in, Edge& e) {
  in.text("from", e.from), in.text("to", e.to), in.flag("directed", e.directed), in.integer("sign", e.sign);
  in.real("coefficient", e.coefficient), in.real("coefficient_units", e.coefficient_units);
  in.real("ci_low", e.ci_low), in.real("ci_high", e.ci_high), in.real("stability", e.stability);
  in.dictionary("agreement", [&](const std::string& method, const std::string& word) {
    for (const Opinion o :
         {Opinion::same, Opinion::undirected, Opinion::directed, Opinion::reversed, Opinion::absent})
      if (word == to_string(o)) e.agreement.emplace_back(method, o);
  });
}

template <class Item, class Read>
void read_list(Reader& in, const char* key, std::vector<Item>& to, const Read& read) {
  in.list(key, [&](Reader& item) { read(item, to.emplace_back()); });
}

void read_contribution(Reader& in, Contribution& c) {
  std::string role;
  in.text("feature", c.feature), in.text("label", c.label), in.texts("members", c.members),
      in.texts("twins", c.twins), in.text("role", role);
  c.role = role == "cause" ? Role::cause : Role::associated;
  if (in.has("under") && !in.is_null("under")) in.text("under", c.under);
  if (in.has("undirected")) in.flag("undirected", c.undirected);
  if (in.has("drifts")) in.flag("drifts", c.drifts);
  if (in.has("of_earlier_work")) in.flag("of_earlier_work", c.of_earlier_work);
  if (in.has("of_length")) in.flag("of_length", c.of_length);
  if (in.has("event")) in.flag("event", c.event);
  in.integer("sign", c.sign), in.real("stability", c.stability), in.real("percent", c.percent);
  in.real("ci_low", c.ci_low), in.real("ci_high", c.ci_high);
  if (in.has("alone_percent")) in.real("alone_percent", c.alone_percent);
  if (in.is_null("attributable_percent")) return;
  double share = 0;
  in.real("attributable_percent", share);
  c.attributable_percent = share;
  in.real("attributable_ci_low", c.attributable_ci_low),
      in.real("attributable_ci_high", c.attributable_ci_high);
  in.real("attributable_rest_percent", c.rest_percent);
  in.integer("affected_launches", c.affected), in.integer("compared_launches", c.compared),
      in.integer("of_launches", c.of_rows);
  in.real("mean_extra_ns", c.mean_extra_ns);
  if (in.has("in_one_stretch")) in.flag("in_one_stretch", c.in_one_stretch);
  if (in.has("apart_from")) in.text("apart_from", c.apart_from);
  if (!in.is_null("only_on"))
    in.object("only_on", [&](Reader& on) {
      OnKernels& reported = c.only_on.emplace();
      on.texts("kernels", reported.acts), on.texts("not_on", reported.spares);
      on.integer("not_affected_launches", reported.not_affected), on.real("percent", reported.percent);
    });
  if (!in.is_null("only_where"))
    in.object("only_where", [&](Reader& where) {
      Condition& condition = c.only_where.emplace();
      where.text("feature", condition.feature), where.text("text", condition.text);
      where.real("value", condition.value), where.real("percent", condition.percent);
      if (where.has("is_event")) where.flag("is_event", condition.is_event);
    });
  if (in.has("reference")) in.real("reference", c.reference.emplace());
  if (in.has("settings"))
    read_list(in, "settings", c.settings, [](Reader& item, Setting& s) {
      item.real("value", s.value), item.real("left_percent", s.left);
      item.real("left_ci_low", s.left_interval.low), item.real("left_ci_high", s.left_interval.high);
      item.real("std_percent", s.std), item.real("std_ci_low", s.std_interval.low),
          item.real("std_ci_high", s.std_interval.high);
      for (double* percent : {&s.left, &s.left_interval.low, &s.left_interval.high, &s.std,
                              &s.std_interval.low, &s.std_interval.high})
        *percent /= 100;
      item.real("duration_change_ns", s.duration_change_ns);
      item.real("duration_change_ci_low", s.duration_interval.low);
      item.real("duration_change_ci_high", s.duration_interval.high);
    });
}

void read_intervention(Reader& in, Intervention& i) {
  in.text("feature", i.feature), in.real("value", i.value);
  in.real("mean_before", i.mean_before), in.real("mean_after", i.mean_after);
  in.real("ci_low", i.ci_low), in.real("ci_high", i.ci_high);
  in.real("std_before", i.std_before), in.real("std_after", i.std_after),
      in.flag("extrapolates", i.extrapolates);
  if (in.has("around_median")) in.flag("around_median", i.around_median);
  if (in.has("std_ci_low")) in.real("std_ci_low", i.std_ci.low), in.real("std_ci_high", i.std_ci.high);
  if (!in.has("duration_change_ns")) return;
  in.real("duration_change_ns", i.duration_change_ns.emplace());
  in.real("duration_change_ci_low", i.duration_interval.low),
      in.real("duration_change_ci_high", i.duration_interval.high);
}

void read_nonlinear(Reader& in, Nonlinear& n) {
  in.integer("rows", n.rows), in.real("linear_r2", n.linear_r2), in.real("boosted_r2", n.boosted_r2);
  in.real("standard_error", n.standard_error), in.real("part", n.part);
  read_list(in, "curves", n.curves, [](Reader& item, Curve& c) {
    item.text("feature", c.feature), item.text("label", c.label);
    item.reals("values", c.values), item.reals("expected", c.expected);
  });
}

} // namespace

nlohmann::json to_json(const CausalResult& r) {
  Json json = {{"target", r.target},
               {"target_label", r.target_label},
               {"target_unit", r.target_unit},
               {"rows", r.rows},
               {"n", r.n},
               {"n_eff", number(r.n_eff)},
               {"method", r.method},
               {"other_methods", r.other_methods},
               {"reading", r.reading},
               {"reading_text", r.reading_text},
               {"scale", r.scale},
               {"bootstrap", r.bootstrap},
               {"target_mean", number(r.target_mean)},
               {"variability_mean", number(r.variability_mean)},
               {"variability_std", number(r.variability_std)},
               {"target_std", number(r.target_std)},
               {"target_sum", number(r.target_sum)},
               {"unexplained_percent", number(r.unexplained_percent)},
               {"without_cause_percent", number(r.without_cause_percent)},
               {"own_percent", number(r.own_percent)},
               {"selected_by_target", r.selected_by_target}};
  const auto list = [&](const char* key, const auto& items, const auto& convert) {
    json[key] = Json::array();
    for (const auto& item : items) json[key].push_back(convert(item));
  };
  list("features", r.features, feature_to_json);
  list("edges", r.edges, edge_to_json);
  list("contributions", r.contributions, contribution_to_json);
  list("interventions", r.interventions, intervention_to_json);
  list("counterfactuals", r.counterfactuals, counterfactual_to_json);
  json["nonlinear"] = r.nonlinear ? nonlinear_to_json(*r.nonlinear) : Json(nullptr);
  json["rest"] = r.rest ? Json{{"kernel", r.rest->kernel},
                               {"percent", number(r.rest->percent)},
                               {"launches", r.rest->launches}}
                        : Json(nullptr);
  list("bends", r.bends, [](const Bend& b) {
    return Json{{"feature", b.feature}, {"label", b.label}, {"percent", number(b.percent)}};
  });
  list("pairs", r.pairs, [](const Pair& p) {
    return Json{{"features", {p.first, p.second}},
                {"labels", {p.first_label, p.second_label}},
                {"percent", number(p.percent)}};
  });
  list("spreads", r.spreads, [](const Spread& s) {
    return Json{{"feature", s.feature}, {"label", s.label}, {"percent", number(s.percent)}};
  });
  list("warnings", r.warnings, [](const Warning& w) { return Json{{"code", w.code}, {"text", w.text}}; });
  json["sentences"] = r.sentences;
  json["advice_sentences"] = r.advice_sentences;
  if (r.groups) add_json(*r.groups, json);
  return json;
}

Expected<CausalResult> result_from_json(const nlohmann::json& json) {
  CausalResult r;
  std::string problem;
  Reader in(json, "", problem);
  in.text("target", r.target), in.text("target_label", r.target_label), in.text("target_unit", r.target_unit);
  in.integer("rows", r.rows), in.integer("n", r.n), in.real("n_eff", r.n_eff), in.text("method", r.method);
  if (in.has("other_methods")) in.texts("other_methods", r.other_methods);
  in.text("reading", r.reading), in.text("reading_text", r.reading_text), in.text("scale", r.scale);
  in.integer("bootstrap", r.bootstrap), in.real("target_mean", r.target_mean),
      in.real("target_std", r.target_std);
  if (in.has("variability_mean"))
    in.real("variability_mean", r.variability_mean), in.real("variability_std", r.variability_std);
  in.real("target_sum", r.target_sum), in.real("unexplained_percent", r.unexplained_percent);
  read_list(in, "features", r.features, read_feature);
  read_list(in, "edges", r.edges, read_edge);
  read_list(in, "contributions", r.contributions, read_contribution);
  read_list(in, "interventions", r.interventions, read_intervention);
  if (in.has("without_cause_percent")) in.real("without_cause_percent", r.without_cause_percent);
  if (in.has("own_percent")) in.real("own_percent", r.own_percent);
  if (in.has("selected_by_target")) in.flag("selected_by_target", r.selected_by_target);
  if (in.has("counterfactuals")) read_list(in, "counterfactuals", r.counterfactuals, read_counterfactual);
  if (!in.is_null("nonlinear")) {
    Reader check(json["nonlinear"], "nonlinear.", problem);
    read_nonlinear(check, r.nonlinear.emplace());
  }
  if (in.has("rest") && !in.is_null("rest")) {
    Reader place(json["rest"], "rest.", problem);
    auto& rest = r.rest.emplace();
    place.text("kernel", rest.kernel), place.real("percent", rest.percent),
        place.integer("launches", rest.launches);
  }
  if (in.has("bends"))
    read_list(in, "bends", r.bends, [](Reader& item, Bend& b) {
      item.text("feature", b.feature), item.text("label", b.label), item.real("percent", b.percent);
    });
  if (in.has("pairs"))
    read_list(in, "pairs", r.pairs, [](Reader& item, Pair& p) {
      std::vector<std::string> names, labels;
      item.texts("features", names), item.texts("labels", labels), item.real("percent", p.percent);
      names.resize(2), labels.resize(2);
      p.first = names[0], p.second = names[1], p.first_label = labels[0], p.second_label = labels[1];
    });
  if (in.has("spreads"))
    read_list(in, "spreads", r.spreads, [](Reader& item, Spread& s) {
      item.text("feature", s.feature), item.text("label", s.label), item.real("percent", s.percent);
    });
  read_list(in, "warnings", r.warnings,
            [](Reader& w, Warning& warning) { w.text("code", warning.code), w.text("text", warning.text); });
  in.texts("sentences", r.sentences);
  if (const auto advice = json.find("advice_sentences"); advice != json.end() && advice->is_number_unsigned())
    r.advice_sentences = std::min(advice->get<std::size_t>(), r.sentences.size());
  r.groups = group_estimates_of(json);
  if (!problem.empty())
    return failure(ErrorKind::BadInput, "this is not a causal result: a key is missing or of the wrong type",
                   {}, problem);
  return r;
}

} // namespace jitterscope::causal
