#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "core/analysis/collectives/arrivals.h"
#include "core/causal/base/wording.h"

namespace jitterscope::analysis {
namespace {

using causal::grouped;
using causal::words_for_ns;

const char* words_for(Part part) {
  switch (part) {
  case Part::Kernels:
    return "its other kernels run longer";
  case Part::Copies:
    return "copies and memsets run on its device while no kernel runs";
  case Part::NotLaunched:
    return "its device is idle because the host has not launched the next work yet";
  case Part::Queued:
    return "its device is idle although the next work has been launched: it waits for another stream, or "
           "this is launch latency";
  case Part::Unknown:
    break;
  }
  return "its device is idle, but calls are not recorded, so a late host cannot be distinguished from other "
         "waits";
}

// Median with its interval; empty if there are fewer than two values.
std::string spread_words(const Spread& spread) {
  if (spread.n < 2) return "";
  return fmt::format("median {}, {} {} to {}", words_for_ns(spread.median),
                     spread.n < Spread::kMinForInterval ? fmt::format("range of the {} values", spread.n)
                                                        : "95 % interval",
                     words_for_ns(spread.low), words_for_ns(spread.high));
}

std::string more_or_less(double ns) {
  return fmt::format("{} {}", words_for_ns(std::fabs(ns)), ns < 0 ? "less" : "more");
}

/// Lists the other participants that come last: "; rank 5 to 2 (30 ms), rank 4 to 1 (9 ms)".
std::string other_last_ones(const Arrivals& arrivals, std::size_t but) {
  std::vector<std::size_t> order;
  for (std::size_t p = 0; p < arrivals.participants.size(); ++p)
    if (p != but && arrivals.participants[p].last > 0) order.push_back(p);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return arrivals.participants[a].waited_for_ns > arrivals.participants[b].waited_for_ns;
  });
  constexpr std::size_t kNamed = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(order.size(), kNamed); ++i) {
    const auto& one = arrivals.participants[order[i]];
    text += fmt::format("{}{} to {} ({})", i == 0 ? "; " : ", ", one.name, grouped(one.last),
                        words_for_ns(one.waited_for_ns));
  }
  if (order.size() > kNamed) text += fmt::format(", {} more", order.size() - kNamed);
  return text;
}

std::string kernel_words(const Session& session, const Lateness& why) {
  if (why.kernels.empty()) return "";
  const auto& maximum = why.kernels.front();
  const auto launches = std::round(maximum.launches * 10) / 10;
  return fmt::format("mostly {} ({}{})", session.kernels()[maximum.kernel].short_name,
                     more_or_less(maximum.duration_ns),
                     launches == 0 ? ""
                                   : fmt::format(", {} {} {}", std::fabs(launches),
                                                 std::fabs(launches) == 1 ? "launch" : "launches",
                                                 launches < 0 ? "fewer" : "more"));
}

/// "120 µs in aten::addmm (run 2 more times), 30 µs without recorded activity".
std::string names_words(const std::vector<HostExcess>& names) {
  std::string text;
  for (const auto& one : names) {
    const auto times = std::round(one.times * 10) / 10;
    text += fmt::format("{}{} {}{}", text.empty() ? "" : ", ", words_for_ns(one.time_ns),
                        one.name.empty() ? "without recorded activity" : "in " + one.name,
                        one.name.empty() || times == 0
                            ? ""
                            : fmt::format(" (run {} {} {})", std::fabs(times), times < 0 ? "fewer" : "more",
                                          std::fabs(times) == 1 ? "time" : "times"));
  }
  return text;
}

// Names the operators and calls that take longer, or states that none accounts for a tenth of the additional
// time.
std::string longer_words(const Lateness& why) {
  if (why.host_longer.empty()) return " No operator or call accounts for a tenth of the additional time.";
  double named = 0;
  for (const auto& one : why.host_longer) named += one.time_ns;
  return fmt::format(" The additional time includes {}, excluding nested calls{}.",
                     names_words(why.host_longer),
                     named < 0.5 * why.host_work.sum ? "; the rest is in other operators and calls" : "");
}

std::string meanwhile_words(const Lateness& why) {
  if (why.host_meanwhile.empty()) return "";
  return fmt::format(" Of the additional idle time of its device, its host spent {}, excluding nested calls.",
                     names_words(why.host_meanwhile));
}

// States whether the host itself is slow or was already late at the previous collective.
std::string host_words(const Lateness& why) {
  if (why.host_work.n == 0)
    return "What its host does while the device is idle is unknown, because calls are not recorded.";
  const double idle = why.host_idle.sum, own = why.host_work.sum;
  const std::string known =
      why.host_work.n < why.since_previous.n
          ? fmt::format(" (at the {} collectives whose calls are all recorded)", grouped(why.host_work.n))
          : "";
  const std::string behind = "it was already late at the launch of the previous collective, and stayed late";
  if (own < 0.2 * idle)
    return fmt::format("Its host does not work longer than the other hosts from the call for one collective "
                       "to the call for the next ({}){}: {}.{}",
                       more_or_less(own), known, behind, meanwhile_words(why));
  const std::string where = fmt::format(
      "from the call for one collective to the call for the next, excluding calls that wait ({}){}",
      more_or_less(own), known);
  if (own > 0.8 * idle) return fmt::format("Its host itself works longer {}.{}", where, longer_words(why));
  return fmt::format("In part, its host works longer {}; in part, {}.{}", where, behind, longer_words(why));
}

// Adds the sentences on the time since the previous collective: known and unknown parts.
void add_reasons(const Session& session, const Lateness& why, std::vector<std::string>& text) {
  if (why.since_previous.n == 0) return;
  const auto total = why.since_previous.sum;
  const auto part_of = [&](Part part) -> const Spread& { return why.parts[static_cast<std::size_t>(part)]; };
  const auto leading =
      static_cast<Part>(std::max_element(why.parts.begin(), why.parts.end(),
                                         [](const Spread& a, const Spread& b) { return a.sum < b.sum; }) -
                        why.parts.begin());
  const auto& maximum = part_of(leading);
  const auto where = why.since_previous.n == 1
                         ? std::string("since the previous collective")
                         : fmt::format("since the previous collective (at the {} collectives that have one)",
                                       grouped(why.since_previous.n));
  const auto lost = std::string(words_for_ns(total));
  if (total <= 0 || maximum.sum < 0.5 * total) {
    std::string parts;
    for (int part = 0; part < kParts; ++part)
      if (std::fabs(why.parts[static_cast<std::size_t>(part)].sum) >= 0.05 * std::fabs(total))
        parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", to_string(static_cast<Part>(part)),
                             more_or_less(why.parts[static_cast<std::size_t>(part)].sum));
    text.push_back(fmt::format("No single reason accounts for most of the {} that it lost {}: {}.", lost,
                               where, parts.empty() ? "all parts are small" : parts));
  } else {
    const auto spread = spread_words(maximum);
    const bool regular = maximum.n < 2 || maximum.low > 0;
    text.push_back(fmt::format(
        "{:.0f} % of the {} that it lost {} has this reason: {}{}{}.",
        std::min(100 * maximum.sum / total, 100.0), lost, where, words_for(leading),
        spread.empty() ? "" : fmt::format(" ({}{})", spread, regular ? "" : ", not at every collective"),
        leading == Part::Kernels
            ? (why.kernels.empty() ? "" : ", " + kernel_words(session, why))
            : fmt::format("; its other kernels take {}", more_or_less(part_of(Part::Kernels).sum))));
  }
  if (part_of(Part::NotLaunched).sum > 0.2 * total && total > 0) text.push_back(host_words(why));
}

void add_first(const Lateness& why, bool shifted, std::vector<std::string>& text) {
  if (!why.first_late_ns) return;
  const auto late = *why.first_late_ns;
  if (why.recording_later_ns && *why.recording_later_ns > 0.5 * late)
    text.push_back(fmt::format("It is {} late to the first collective, and its recording begins {} after the "
                               "mean of the others, so it was already late, for an unrecorded reason.",
                               words_for_ns(late), words_for_ns(*why.recording_later_ns)));
  else
    text.push_back(fmt::format(
        "It is {} late to the first collective; no earlier collective shows when the delay began{}.",
        words_for_ns(late), shifted ? ", and the clocks of the files do not agree" : ""));
}

void add_limits(const Arrivals& arrivals, const Lateness& why, std::vector<std::string>& text) {
  if (why.late.n > 0 && why.late.n < Spread::kMinForInterval)
    text.push_back(fmt::format("This is based on {}, too few to show whether other steps are similar.",
                               why.late.n == 1 ? "1 collective" : fmt::format("{} collectives", why.late.n)));
  std::string rests =
      fmt::format("The devices of a collective end within {} of each other (median){}",
                  words_for_ns(arrivals.ends_apart_ns),
                  arrivals.shifted ? fmt::format(" after moving the clocks of the files by up to {}",
                                                 words_for_ns(arrivals.largest_shift_ns))
                                   : " by the clocks of the files");
  rests += ". The lateness of a device is the mean time of the others in a collective minus its own.";
  if (arrivals.apart > 0)
    rests += fmt::format(" Collectives that do not run at the same time on all devices are left out ({}).",
                         grouped(arrivals.apart));
  if (arrivals.unmatched > 0)
    rests +=
        fmt::format(" {} launches of kernels that did not run equally often on all devices are left out.",
                    grouped(arrivals.unmatched));
  if (arrivals.examined < arrivals.collectives)
    rests += fmt::format(" {} of {} collectives were analysed.", grouped(arrivals.examined),
                         grouped(arrivals.collectives));
  text.push_back(std::move(rests));
}

} // namespace

std::vector<std::string> sentences(const Session& session, const Arrivals& arrivals) {
  const auto& all = arrivals.participants;
  if (all.empty()) return {};
  if (all.size() == 1)
    return {
        fmt::format("Only {} is open. To see which device arrives last at its collectives, open the traces "
                    "of the others as well.",
                    all.front().name.empty() ? "one device" : all.front().name)};
  if (arrivals.collectives == 0 || arrivals.apart == arrivals.examined)
    return {fmt::format("{} devices run collectives, but no collective runs equally often and concurrently "
                        "on all of them, so the device that arrives last cannot be determined.",
                        all.size())};
  const auto concurrent = arrivals.examined - arrivals.apart;
  if (!arrivals.slowest)
    return {fmt::format("No device is late to the {} collectives of {} devices: the differences are below "
                        "the spread of the end times ({}).",
                        grouped(concurrent), all.size(), words_for_ns(arrivals.ends_apart_ns))};
  const auto& slowest = all[*arrivals.slowest];
  std::vector<std::string> text;
  const auto spread = spread_words(slowest.why.late);
  text.push_back(fmt::format(
      "{} arrives last at {} of the {} {}collectives of {} devices; the others wait {} for it in total{}{}.",
      slowest.name, grouped(slowest.last), grouped(concurrent),
      arrivals.examined < arrivals.collectives ? "analysed " : "", all.size(),
      words_for_ns(slowest.waited_for_ns), spread.empty() ? "" : fmt::format(" ({})", spread),
      other_last_ones(arrivals, *arrivals.slowest)));
  text.front().front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front().front())));
  add_reasons(session, slowest.why, text);
  add_first(slowest.why, arrivals.shifted, text);
  add_limits(arrivals, slowest.why, text);
  return text;
}

std::vector<std::string> sentences_of_one(const Session& session, const Arrivals& arrivals) {
  if (!arrivals.at || arrivals.participants.size() < 2) return {};
  const auto& at = *arrivals.at;
  const auto& last = arrivals.participants[at.last].name;
  std::vector<std::string> text;
  const auto which =
      fmt::format("collective {} of {}", grouped(at.number + 1), grouped(arrivals.collectives));
  if (at.together)
    return {fmt::format("No device is late to {}. The last to arrive is {}, by {}, which is less than the "
                        "spread of the end times.",
                        which, last, words_for_ns(at.late_ns))};
  text.push_back(fmt::format("Of {} devices, {} arrives last at {}: the others wait {} for it on average.",
                             arrivals.participants.size(), last, which, words_for_ns(at.late_ns)));
  add_reasons(session, at.why, text);
  add_first(at.why, arrivals.shifted, text);
  return text;
}

} // namespace jitterscope::analysis
