#include <array>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

#include "core/causal/base/wording.h"
#include "core/reasons/contrast.h"

namespace jitterscope::analysis {
namespace {

constexpr double kAllPercent = 101;    ///< percent; larger parts are given as time
constexpr double kLeastPercent = 0.05; ///< percent; smaller values would be printed as 0
constexpr double kManyTimes = 200;     ///< percent; above this a factor is easier to read

std::string percent_words(double percent) {
  const double size = std::fabs(percent);
  const auto number = fmt::format("{:.{}f} %", size, size > 0 && size < 1 ? 1 : 0);
  return percent < 0 && number.find_first_of("123456789") != std::string::npos ? "−" + number : number;
}

std::string signed_ns(double ns) {
  return (ns < 0 ? "−" : "+") + causal::words_for_ns(std::fabs(ns));
}

std::string share_words(const Contrast& contrast, const Reason& reason) {
  auto low = contrast.percent(reason.low_ns), high = contrast.percent(reason.high_ns);
  if (low > high) std::swap(low, high);
  return fmt::format("{} ({:.0f}–{:.0f} %)", percent_words(contrast.percent(reason.excess_ns)), low, high);
}

/// Keeps both ends of a long name. Counts bytes, assuming ASCII.
std::string shortened(const std::string& name) {
  constexpr std::size_t kMax = 40, kEnd = 12;
  return name.size() <= kMax ? name : name.substr(0, kMax - kEnd - 1) + "…" + name.substr(name.size() - kEnd);
}

std::string launches_in_words(std::int64_t launches) {
  return launches == 1 ? std::string("1 launch") : causal::grouped(launches) + " launches";
}

/// "GPC clock: 0.71 GHz here, 1.41 GHz elsewhere".
std::string cause_words(const Reason& reason) {
  if (reason.absent())
    return fmt::format("the absence of {}: no launch here has it, {} of the peers have it", reason.label,
                       reason.elsewhere_text);
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

/// "GPC clock (0.71 GHz here, 1.41 GHz elsewhere) accounts".
std::string accounts(const Reason& reason) {
  if (reason.absent())
    return fmt::format("The absence of {} (no launch here has it, {} of the peers have it) accounts",
                       reason.label, reason.elsewhere_text);
  auto words = reason.label;
  if (!words.empty()) words[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(words[0])));
  return reason.role == causal::FeatureRole::category
             ? words + " " + reason.here_text + " accounts"
             : fmt::format("{} ({} here, {} elsewhere) accounts", words, reason.here_text,
                           reason.elsewhere_text);
}

/// "97 % of the time is waiting for other devices in a collective"; empty if it is less than half.
std::string waiting_of_left_out(const Contrast& contrast) {
  if (!(contrast.left_out_waiting_ns > 0.5 * contrast.left_out_ns)) return {};
  return percent_words(100 * contrast.left_out_waiting_ns / contrast.left_out_ns) + " of the time is " +
         causal::words_for(std::string(kCollectiveWait));
}

bool counts(const Contrast& contrast, const Reason& reason) {
  const bool sure = reason.low_ns > 0 || reason.high_ns < 0;
  return sure && std::fabs(contrast.percent(reason.excess_ns)) >= 1;
}

} // namespace

std::string excess_words(double percent) {
  if (percent == 0) return "as long as";
  if (std::fabs(percent) < kLeastPercent)
    return percent > 0 ? "up to 0.1 % longer than" : "up to 0.1 % less time than";
  if (percent >= kManyTimes) return fmt::format("{:.3g} times as long as", 1 + percent / 100);
  return fmt::format("{} {} than", percent_words(std::fabs(percent)), percent > 0 ? "longer" : "less time");
}

std::string work_in_words(const DifferentWork& work) {
  if (work.typical_ns.size() == 2)
    return fmt::format("`{}` at two call sites, typically {} and {}", shortened(work.kernel),
                       causal::words_for_ns(work.typical_ns[0]), causal::words_for_ns(work.typical_ns[1]));
  return fmt::format("`{}` at {} call sites, typically {} to {}", shortened(work.kernel),
                     work.typical_ns.size(), causal::words_for_ns(work.typical_ns.front()),
                     causal::words_for_ns(work.typical_ns.back()));
}

std::string label_of(const Reason& reason) {
  return reason.absent() ? "the absence of " + reason.label : reason.label;
}

std::string short_reason(const Contrast& contrast) {
  if (contrast.of_work()) return "different work: " + work_in_words(contrast.work);
  const Reason* reason = contrast.leading();
  if (!reason) return {};
  const auto words = causal::short_words_for(reason->feature);
  if (reason->role == causal::FeatureRole::numeric)
    return fmt::format("{} {}, elsewhere {}", words, reason->here_text, reason->elsewhere_text);
  if (reason->role == causal::FeatureRole::category) return fmt::format("{} {}", words, reason->here_text);
  if (reason->absent())
    return fmt::format("the absence of {} ({} of the peers have it)", words, reason->elsewhere_text);
  if (reason->rarer() && reason->excess_ns < 0)
    return fmt::format("fewer launches with {} ({} here, {} elsewhere)", words,
                       causal::share_in_words(reason->here), reason->elsewhere_text);
  return fmt::format("{}: {}", words, launches_in_words(reason->launches));
}

std::string note_of(const Contrast& contrast) {
  if (contrast.launches > 0 && !contrast.clear())
    return "within the variation of the same launches elsewhere";
  if (const auto* only = contrast.only_here())
    return fmt::format("differs only here: {} {}, elsewhere {}", only->label, only->here_text,
                       only->elsewhere_text);
  if (const auto* other = contrast.may_explain())
    return fmt::format("associated: {} {}, elsewhere {}; its direction is not identified", other->label,
                       other->here_text, other->elsewhere_text);
  if (contrast.launches > 0) return "nothing recorded explains it";
  const auto waiting = waiting_of_left_out(contrast);
  return "too few launches to compare with" + (waiting.empty() ? waiting : "; " + waiting);
}

std::string meaning_of_elsewhere(const std::string& against) {
  return fmt::format("Here, \"elsewhere\" means only the launches with {}.", against);
}

std::vector<std::string> sentences_of(const Contrast& contrast) {
  std::vector<std::string> text;
  const auto add_sample = [&] {
    if (contrast.selected > 0)
      text.push_back(fmt::format("These launches are a sample of {}; times are sums over the sample.",
                                 causal::grouped(contrast.selected)));
  };
  const auto add_left_out = [&] {
    const auto were_left_out = [](std::int64_t launches) {
      return launches_in_words(launches) + (launches == 1 ? " was left out" : " were left out");
    };
    if (contrast.left_out > 0)
      text.push_back(fmt::format("{}, because fewer than {} launches of the same configuration and call site "
                                 "are outside the selection{}.",
                                 were_left_out(contrast.left_out), LaunchReasons::kMinPeers,
                                 contrast.from == Contrast::From::filter   ? " and pass the filter"
                                 : contrast.from == Contrast::From::sample ? " and in the sample"
                                                                           : ""));
    if (contrast.without_duration > 0)
      text.push_back(were_left_out(contrast.without_duration) + ", because no duration is recorded.");
    if (const auto waiting = waiting_of_left_out(contrast); !waiting.empty())
      text.push_back("For the launches left out, " + waiting + ".");
  };
  if (contrast.of_work())
    text.push_back(fmt::format("Different work: the same kernel is launched at several call sites ({}). This "
                               "makes these launches {} than the mean of their configurations ({}).",
                               work_in_words(contrast.work), contrast.work.ns > 0 ? "longer" : "shorter",
                               signed_ns(contrast.work.ns)));
  if (contrast.launches == 0) {
    text.push_back("No launch of the selection has enough launches of the same configuration and call site "
                   "elsewhere to compare with.");
    add_left_out();
    return text;
  }
  const double percent = 100 * contrast.excess_ns / contrast.expected_ns;
  if (!contrast.clear()) {
    text.push_back(fmt::format(
        "{} did not take clearly more or less time than the same launches elsewhere ({}, {}): "
        "there is no excess to explain.",
        launches_in_words(contrast.launches), signed_ns(contrast.excess_ns), percent_words(percent)));
    add_sample();
    add_left_out();
    return text;
  }
  text.push_back(fmt::format("{} took {} the same launches elsewhere ({}).",
                             launches_in_words(contrast.launches), excess_words(percent),
                             signed_ns(contrast.excess_ns)));
  add_sample();
  bool first = true;
  for (const Reason& reason : contrast.reasons) {
    if (!counts(contrast, reason)) continue;
    const double percent_of_it = contrast.percent(reason.excess_ns);
    if (percent_of_it > kAllPercent)
      text.push_back(fmt::format("{} for {} ({} to {}), which is more than {}.", accounts(reason),
                                 signed_ns(reason.excess_ns), signed_ns(reason.low_ns),
                                 signed_ns(reason.high_ns), first ? "that" : "the excess"));
    else if (percent_of_it > 0)
      text.push_back(fmt::format("{} of {} comes from {}.", share_words(contrast, reason),
                                 first ? "that" : "the excess", cause_words(reason)));
    else
      text.push_back(fmt::format("In the other direction, {} comes from {}.", signed_ns(reason.excess_ns),
                                 cause_words(reason)));
    first = false;
  }
  const double rest = contrast.percent(contrast.rest_ns);
  if (first)
    text.push_back("Nothing recorded explains the excess.");
  else if (std::fabs(rest) >= 1)
    text.push_back(fmt::format("{} is not explained by anything recorded.",
                               rest > 0 ? percent_words(rest)
                                        : signed_ns(contrast.rest_ns) + " in the other direction"));
  for (const Difference& d : contrast.differences) {
    if (d.kind == Difference::Kind::may_explain)
      text.push_back(fmt::format("Also different here, and associated with duration elsewhere: {} ({} here, "
                                 "{} elsewhere). Its direction is not identified.",
                                 d.label, d.here_text, d.elsewhere_text));
    else if (d.kind == Difference::Kind::only_here)
      text.push_back(fmt::format("Clearly different only here: {} ({} here, {} on average elsewhere). "
                                 "Nothing elsewhere shows whether it is the cause.",
                                 d.label, d.here_text, d.elsewhere_text));
  }
  add_left_out();
  return text;
}

} // namespace jitterscope::analysis
