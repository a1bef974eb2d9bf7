#include <cmath>

#include "core/analysis/distributions/comparison.h"
#include "core/engine/messages/table_options.h"
#include "core/engine/operations/configuration_text.h"
#include "core/engine/operations/operations.h"

namespace jitterscope::engine {
namespace {

using nlohmann::json;

json number(double value) {
  return std::isnan(value) ? json() : json(value);
}

json identity(const analysis::Session& session, std::size_t run, std::uint32_t configuration) {
  const auto& c = session.configurations()[configuration];
  const auto& kernel = session.kernels()[c.kernel];
  return {{"run", run},
          {"name", kernel.name},
          {"short_name", kernel.short_name},
          {"configuration", configuration_text(session, c)}};
}

json document_of(const analysis::Session& session, const analysis::ComparedConfiguration& c) {
  json item = identity(session, c.run, c.configuration);
  item.update({{"n_a", c.a.n},
               {"n_b", c.b.n},
               {"median_a_ns", number(c.a.median)},
               {"median_b_ns", number(c.b.median)},
               {"median_ratio", number(c.ratio)},
               {"ci_low", number(c.low)},
               {"ci_high", number(c.high)},
               {"p", number(c.p)},
               {"q", number(c.q)},
               {"verdict", to_string(c.verdict)},
               {"mean_a_ns", c.a.mean},
               {"mean_b_ns", c.b.mean},
               {"sum_a_ns", c.a.sum},
               {"sum_b_ns", c.b.sum},
               {"change_ns", c.change_ns()},
               {"cv_a", number(c.a.cv)},
               {"cv_b", number(c.b.cv)}});
  return item;
}

json document_of(const analysis::Session& session, const std::vector<analysis::SingleConfiguration>& list) {
  json items = json::array();
  for (const auto& single : list) {
    items.push_back(identity(session, single.run, single.configuration));
    items.back().update({{"n", single.launches}, {"sum_ns", single.duration_sum_ns}});
  }
  return items;
}

/// compare → {tolerance, min_launches, runs: [{traces,
/// repeated}], kernels, new, gone} (comparison.h). Traces are numbers of the session; the first run is the
/// baseline, and "run" of an entry is the index of the other run.
Expected<Answer> compare(const Context& context, const CompareOptions& options) {
  if (auto open = require_session(context.workspace); !open) return forward(open.error());
  const auto& session = *context.workspace.session;
  auto selection = selection_of(context, options);
  if (!selection) return forward(selection.error());
  analysis::ComparisonOptions requested;
  for (const auto& run : options.runs) requested.runs.emplace_back(run.traces.begin(), run.traces.end());
  requested.tolerance = options.tolerance;
  auto result = analysis::compare_runs(session, *context.workspace.columns, *selection, requested,
                                       context.communicator, context.job);
  if (!result) return forward(result.error());
  Answer answer;
  answer.document = {{"schema_version", 1},
                     {"tolerance", requested.tolerance},
                     {"min_launches", analysis::kMinCompared},
                     {"runs", json::array()},
                     {"kernels", json::array()},
                     {"new", document_of(session, result->appeared)},
                     {"gone", document_of(session, result->gone)}};
  for (std::size_t r = 0; r < result->repeated.size(); ++r) {
    json names = json::array();
    for (const auto trace : requested.runs[r]) names.push_back(session.traces()[trace].name);
    answer.document["runs"].push_back(
        {{"traces", names}, {"repeated", static_cast<bool>(result->repeated[r])}});
  }
  for (const auto& each : result->compared) answer.document["kernels"].push_back(document_of(session, each));
  return answer;
}

} // namespace

std::vector<Operation> comparison_operations() {
  return {{Reach::AllRanks, compare}};
}

} // namespace jitterscope::engine
