#include <array>
#include <cmath>

#include <fmt/format.h>

#include "core/analysis/contrast.h"
#include "core/causal/wording.h"

namespace jitterscope::analysis {
namespace {

std::string percent_words(double percent) {
  const double size = std::fabs(percent);
  return size > 0 && size < 1 ? fmt::format("{:.1f} %", percent) : fmt::format("{:.0f} %", percent);
}

std::string signed_ns(double ns) {
  return (ns < 0 ? "−" : "+") + causal::words_for_ns(std::fabs(ns));
}

std::string share_words(const Contrast& contrast, const Reason& reason) {
  auto low = contrast.percent(reason.low_ns), high = contrast.percent(reason.high_ns);
  if (low > high) std::swap(low, high);
  return fmt::format("{} ({:.0f}–{:.0f} %)", percent_words(contrast.percent(reason.excess_ns)), low, high);
}

/// "the GPC clock: 0.71 GHz here, 1.41 GHz elsewhere".
std::string cause_words(const Reason& reason) {
  switch (reason.role) {
  case causal::FeatureRole::event:
    return fmt::format("{}: {} here, {} elsewhere", reason.label, reason.here_text, reason.elsewhere_text);
  case causal::FeatureRole::category:
    return fmt::format("{} {}", reason.label, reason.here_text);
  case causal::FeatureRole::numeric:
    break;
  }
  return fmt::format("{}: {} here, {} elsewhere", reason.label, reason.here_text, reason.elsewhere_text);
}

bool counts(const Contrast& contrast, const Reason& reason) {
  const bool sure = reason.low_ns > 0 || reason.high_ns < 0;
  return sure && std::fabs(contrast.percent(reason.excess_ns)) >= 1;
}

} // namespace

std::string value_in_words(double value, const std::string& unit) {
  if (unit == "ns") return value < 0 ? "−" + causal::words_for_ns(-value) : causal::words_for_ns(value);
  if (unit == "Hz" || unit == "B") {
    constexpr std::array<const char*, 5> kDecimal = {"", "k", "M", "G", "T"}, kBinary = {"", "Ki", "Mi", "Gi", "Ti"};
    const double step = unit == "B" ? 1024 : 1000;
    std::size_t prefix = 0;
    for (; prefix + 1 < kDecimal.size() && std::fabs(value) >= step; ++prefix) value /= step;
    return fmt::format("{:.3g} {}{}", value, (unit == "B" ? kBinary : kDecimal)[prefix], unit);
  }
  const auto number = std::fabs(value) >= 1000 && std::fabs(value) < 1e9 ? causal::grouped(std::llround(value)) : fmt::format("{:.3g}", value);
  return unit.empty() ? number : number + " " + unit;
}

std::string short_reason(const Contrast& contrast) {
  const Reason* reason = contrast.leading();
  if (!reason) return {};
  if (reason->role == causal::FeatureRole::numeric) return fmt::format("{} {}, elsewhere {}", reason->label, reason->here_text, reason->elsewhere_text);
  if (reason->role == causal::FeatureRole::category) return fmt::format("{} {}", reason->label, reason->here_text);
  return fmt::format("{} {} with {}", causal::grouped(reason->launches), reason->launches == 1 ? "launch" : "launches", reason->label);
}

std::vector<std::string> sentences_of(const Contrast& contrast) {
  std::vector<std::string> text;
  const auto add_left_out = [&] {
    if (contrast.left_out > 0)
      text.push_back(fmt::format("{} launches were left out: fewer than {} launches of their configuration are outside the selection.",
                                 causal::grouped(contrast.left_out), LaunchReasons::kFewestPeers));
  };
  if (contrast.launches == 0) {
    text.push_back("No launch of the selection can be compared with launches of the same configuration elsewhere.");
    add_left_out();
    return text;
  }
  const double percent = 100 * contrast.excess_ns / contrast.expected_ns;
  if (!contrast.clear()) {
    text.push_back(fmt::format("{} launches did not take clearly longer or shorter than launches of the same configurations elsewhere ({}, {}): "
                               "there is no excess to explain. Ask what drives the variation inside the selection instead.",
                               causal::grouped(contrast.launches), signed_ns(contrast.excess_ns), percent_words(percent)));
    add_left_out();
    return text;
  }
  text.push_back(fmt::format("{} launches took {} {} than launches of the same configurations elsewhere ({}).", causal::grouped(contrast.launches),
                             percent_words(std::fabs(percent)), percent > 0 ? "longer" : "less time", signed_ns(contrast.excess_ns)));
  bool first = true;
  for (const Reason& reason : contrast.reasons) {
    if (!counts(contrast, reason)) continue;
    if (contrast.percent(reason.excess_ns) > 0)
      text.push_back(fmt::format("{} of {} comes from {}.", share_words(contrast, reason), first ? "that" : "the excess", cause_words(reason)));
    else
      text.push_back(fmt::format("Against that, {} changes them by {}.", cause_words(reason), signed_ns(reason.excess_ns)));
    first = false;
  }
  const double rest = contrast.percent(contrast.rest_ns);
  if (first)
    text.push_back("Nothing recorded explains it.");
  else if (rest >= 1)
    text.push_back(fmt::format("{} is not explained by anything recorded in this trace.", percent_words(rest)));
  for (const Difference& d : contrast.differences) {
    if (d.kind == Difference::Kind::may_explain)
      text.push_back(fmt::format("Also different here, and associated with duration elsewhere: {} ({} here, {} elsewhere). Its direction is not identified.",
                                 d.label, d.here_text, d.elsewhere_text));
    else if (d.kind == Difference::Kind::only_here)
      text.push_back(fmt::format("Differs only here: {} ({} here, {} elsewhere). A single occurrence does not show whether it is the cause.",
                                 d.label, d.here_text, d.elsewhere_text));
  }
  add_left_out();
  return text;
}

} // namespace jitterscope::analysis
