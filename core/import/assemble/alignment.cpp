#include "core/import/assemble/alignment.h"

#include <algorithm>

#include <fmt/core.h>

namespace jitterscope::import {
namespace {

using store::Severity;
using store::Source;

bool all_know_their_time(const std::vector<Source>& sources) {
  return std::all_of(sources.begin(), sources.end(), [](const Source& s) { return s.utc_ns >= 0; });
}

// Clocks that count from the start of the machine, or from any other moment, place the first event days after
// their zero. Times that follow each other closely belong to one clock; each clock begins at its first event.
constexpr std::int64_t kFarFromZero = std::int64_t{3'600} * 1'000'000'000; // an hour
constexpr std::int64_t kOneClock = std::int64_t{600} * 1'000'000'000;      // ten minutes

void align_machine_clocks(std::vector<Source>& sources, const std::vector<FileSpan>& spans) {
  std::vector<std::size_t> far;
  for (std::size_t i = 0; i < sources.size(); ++i)
    if (sources[i].utc_ns < 0 && spans[i].first > kFarFromZero) far.push_back(i);
  std::stable_sort(far.begin(), far.end(),
                   [&](std::size_t a, std::size_t b) { return spans[a].first < spans[b].first; });
  std::int64_t first = 0, last = 0;
  for (std::size_t k = 0; k < far.size(); ++k) {
    const auto& span = spans[far[k]];
    if (k == 0 || span.first - last > kOneClock) first = span.first;
    last = std::max(k == 0 ? span.last : last, span.last);
    sources[far[k]].shift_ns = -first;
    sources[far[k]].alignment =
        fmt::format("zero is the first activity, at {} ns on the clock of the file", first);
  }
}

void doubt_captures_apart(const std::vector<Source>& sources, const std::vector<FileSpan>& spans,
                          store::ImportReport& report) {
  std::int64_t latest_first = spans[0].first + sources[0].shift_ns;
  std::int64_t earliest_last = spans[0].last + sources[0].shift_ns;
  for (std::size_t i = 1; i < sources.size(); ++i) {
    latest_first = std::max(latest_first, spans[i].first + sources[i].shift_ns);
    earliest_last = std::min(earliest_last, spans[i].last + sources[i].shift_ns);
  }
  if (const auto apart = latest_first - earliest_last; apart > 0)
    report.add(Severity::Doubt, "captures-apart",
               fmt::format("at least two of the files were not recorded at the same time: one file ends {} "
                           "before another begins. To compare runs, import them as separate stores",
                           apart < 1'000'000 ? fmt::format("{} ns", apart)
                                             : fmt::format("{:.3f} s", static_cast<double>(apart) * 1e-9)));
}

// Files with known absolute times keep their relative positions.
void align_by_capture_start(std::vector<Source>& sources, const std::vector<FileSpan>& spans,
                            store::ImportReport& report) {
  std::int64_t origin = -1;
  for (const auto& source : sources)
    if (source.utc_ns >= 0 && (origin < 0 || source.utc_ns < origin)) origin = source.utc_ns;
  for (auto& source : sources) {
    const bool known = source.utc_ns >= 0;
    source.shift_ns = known ? source.utc_ns - origin : 0;
    source.alignment = known ? "absolute time, relative to the earliest file that states one"
                             : "start of the capture: its absolute time is unknown";
    if (!known)
      report.add(
          Severity::Doubt, "alignment-unknown",
          fmt::format("{} does not state when it was recorded; it is placed at the start of the session",
                      source.path));
  }
  align_machine_clocks(sources, spans);
  std::vector<Source> known;
  std::vector<FileSpan> of_known;
  for (std::size_t i = 0; i < sources.size(); ++i)
    if (sources[i].utc_ns >= 0) {
      known.push_back(sources[i]);
      of_known.push_back(spans[i]);
    }
  if (known.size() > 1) doubt_captures_apart(known, of_known, report);
}

// Reports files that seem to hold the same capture. Equal starts are not enough: ranks of one program start
// together, but do not end at the same ns.
void doubt_same_capture(const std::vector<Source>& sources, const std::vector<FileSpan>& spans,
                        store::ImportReport& report) {
  const auto differ = [](const FileSpan& a, const FileSpan& b) {
    return a.rows != b.rows || a.duration != b.duration || (a.rank != b.rank && a.rank >= 0 && b.rank >= 0);
  };
  for (std::size_t i = 0; i < sources.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if ((!sources[i].sha256.empty() && sources[i].sha256 == sources[j].sha256) ||
          (sources[i].utc_ns >= 0 && sources[i].utc_ns == sources[j].utc_ns &&
           spans[i].first == spans[j].first && spans[i].last == spans[j].last && !differ(spans[i], spans[j])))
        report.add(Severity::Doubt, "same-capture",
                   fmt::format("{} and {} seem to be the same capture, so its content is imported twice: "
                               "open only one of them",
                               sources[j].path, sources[i].path));
}

} // namespace

std::int64_t align(std::vector<Source>& sources, const std::vector<FileSpan>& spans,
                   store::ImportReport& report) {
  if (sources.size() == 1) {
    sources[0].alignment = "single file: zero is the start of the capture";
    align_machine_clocks(sources, spans);
    return sources[0].utc_ns;
  }
  doubt_same_capture(sources, spans, report);
  if (!all_know_their_time(sources)) {
    align_by_capture_start(sources, spans, report);
    return -1;
  }
  const auto origin = std::min_element(sources.begin(), sources.end(), [](const Source& a, const Source& b) {
                        return a.utc_ns < b.utc_ns;
                      })->utc_ns;
  for (auto& source : sources) {
    source.shift_ns = source.utc_ns - origin;
    source.alignment = "absolute time of the start of the capture (host clock, UTC)";
  }
  doubt_captures_apart(sources, spans, report);
  return origin;
}

std::int64_t align_tables(std::vector<Source>& sources) {
  for (auto& source : sources) {
    source.shift_ns = 0;
    source.alignment =
        "launch order: the file has no times, and its rows follow the rows of the previous files";
  }
  return -1;
}

} // namespace jitterscope::import
