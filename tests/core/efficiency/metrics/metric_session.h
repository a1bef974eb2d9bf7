#pragma once

#include <gtest/gtest.h>

#include "core/efficiency/metrics/sweep.h"
#include "tests/core/efficiency/program.h"
#include "tests/support/open_session.h"

namespace jitterscope::test {

namespace metrics = efficiency::metrics;

/// A session whose metrics are requested by their text.
struct MetricSession {
  OpenSession open;
  metrics::Data data;
  metrics::LaunchCalls calls;

  explicit MetricSession(const std::vector<store::TraceData>& traces)
      : open(traces), data(std::move(*metrics::Data::make(*open.session, {}, open.columns.get()))),
        calls(std::move(*metrics::LaunchCalls::make(data, {}))) {}

  Expected<metrics::Bound> bind(const std::string& text) const {
    auto definition = metrics::parse(text);
    if (!definition) return forward(definition.error());
    return metrics::Bound::make(std::make_shared<const metrics::Definition>(std::move(*definition)), data,
                                &calls, {});
  }

  /// The timelines of all objects at the metric's own level.
  std::vector<metrics::Steps> steps(const std::string& text, std::int64_t begin, std::int64_t end) const {
    auto bound = bind(text);
    if (!bound) throw std::runtime_error(describe(bound.error()));
    const metrics::Question question{{{begin}, {end}}, bound->definition().metric.level, {}};
    auto found = metrics::exact(*bound, question, 1'000'000, *open.communicator, {});
    if (!found) throw std::runtime_error(describe(found.error()));
    return *found;
  }
};

/// Steps as text: "[0,10)2 [10,20)3" is 2 from 0 to 10 ns and 3 from 10 to 20 ns.
inline std::string as_text(const metrics::Steps& steps, std::int64_t end) {
  std::string text;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto to = i + 1 < steps.size() ? steps[i + 1].begin : end;
    auto value = std::to_string(steps[i].value);
    value.erase(value.find_last_not_of('0') + 1);
    if (value.back() == '.') value.pop_back();
    text += (i ? " [" : "[") + std::to_string(steps[i].begin) + "," + std::to_string(to) + ")" + value;
  }
  return text;
}

} // namespace jitterscope::test
