#pragma once

#include <string>

#include "core/analysis/filter/selection.h"
#include "tests/support/open_session.h"

namespace jitterscope::test {

/// A trace of `rows` launches of one kernel, every 10 ns, in 4 configurations, on streams 7, 8 and 9, with
/// durations of 1 to 97 ns.
inline store::TraceData trace_of(int rows) {
  auto data = empty_trace(3);
  add_kernel(data, "a", 4);
  std::vector<LaunchRow> launches;
  for (int i = 0; i < rows; ++i)
    launches.push_back(
        {i * 10, 1 + i % 97, static_cast<std::uint32_t>(i % 4), static_cast<std::uint32_t>(2 + i % 3)});
  add_launches(data, launches);
  return data;
}

/// The selection of a filter text, over all times.
inline analysis::Selection selection(const OpenSession& open, const std::string& where) {
  analysis::Selection s;
  s.filter = std::move(*analysis::Filter::parse(where, *open.columns));
  return s;
}

} // namespace jitterscope::test
