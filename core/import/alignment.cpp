#include "core/import/alignment.h"

#include <algorithm>

#include <fmt/core.h>

namespace jitterscope::import {
namespace {

using store::Severity;
using store::Source;

bool all_know_their_time(const std::vector<Source>& sources) {
  return std::all_of(sources.begin(), sources.end(), [](const Source& s) { return s.utc_ns >= 0; });
}

void align_by_capture_start(std::vector<Source>& sources, store::ImportReport& report) {
  for (auto& source : sources) {
    source.shift_ns = 0;
    source.alignment = "start of the capture: the absolute time of at least one file is unknown";
    if (source.utc_ns < 0)
      report.add(
          Severity::Doubt, "alignment-unknown",
          fmt::format("{} does not say when it was recorded; all files are laid on top of each other at the "
                      "start of their captures",
                      source.path));
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
  if (latest_first > earliest_last)
    report.add(
        Severity::Doubt, "captures-apart",
        fmt::format("at least two of the files were not recorded at the same time: one ends {:.3f} s before "
                    "another begins; runs are compared better as separate stores",
                    static_cast<double>(latest_first - earliest_last) * 1e-9));
}

void doubt_same_capture(const std::vector<Source>& sources, store::ImportReport& report) {
  for (std::size_t i = 0; i < sources.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if ((!sources[i].sha256.empty() && sources[i].sha256 == sources[j].sha256) ||
          (sources[i].utc_ns >= 0 && sources[i].utc_ns == sources[j].utc_ns))
        report.add(Severity::Doubt, "same-capture",
                   fmt::format("{} and {} seem to be the same capture: everything in it is there twice",
                               sources[j].path, sources[i].path));
}

} // namespace

std::int64_t align(std::vector<Source>& sources, const std::vector<FileSpan>& spans,
                   store::ImportReport& report) {
  if (sources.size() == 1) {
    sources[0].alignment = "single file: zero is the start of the capture";
    return sources[0].utc_ns;
  }
  doubt_same_capture(sources, report);
  if (!all_know_their_time(sources)) {
    align_by_capture_start(sources, report);
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
    source.alignment = "launch order: the file has no times, its rows follow those of the files before it";
  }
  return -1;
}

} // namespace jitterscope::import
