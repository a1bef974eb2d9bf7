#include "core/analysis/distributions/comparison.h"
#include "core/engine/messages/comparison_answers.h"
#include "core/engine/messages/table_options.h"
#include "core/engine/operations/configuration_text.h"
#include "core/engine/operations/operations.h"

namespace jitterscope::engine {
namespace {

/// Sets the names of a configuration and of its run.
template <class Item>
Item named(Item item, const analysis::Session& session, const std::string& run, std::uint32_t configuration) {
  const auto& c = session.configurations()[configuration];
  const auto& kernel = session.kernels()[c.kernel];
  item.run = run;
  item.name = kernel.name;
  item.short_name = kernel.short_name;
  item.configuration = configuration_text(session, c);
  return item;
}

answers::ComparedKernelAnswer packed(const analysis::ComparedConfiguration& c) {
  return {.n_a = c.a.n,
          .n_b = c.b.n,
          .median_a_ns = c.a.median,
          .median_b_ns = c.b.median,
          .median_ratio = c.ratio,
          .ci_low = c.low,
          .ci_high = c.high,
          .p = c.p,
          .q = c.q,
          .verdict = static_cast<answers::Verdict>(c.verdict),
          .mean_a_ns = c.a.mean,
          .mean_b_ns = c.b.mean,
          .sum_a_ns = c.a.sum,
          .sum_b_ns = c.b.sum,
          .change_ns = c.change_ns(),
          .cv_a = c.a.cv,
          .cv_b = c.b.cv};
}

Expected<answers::CompareAnswer> compare(const Context& context, const CompareOptions& options) {
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
  answers::CompareAnswer answer;
  answer.tolerance = requested.tolerance, answer.min_launches = analysis::kMinCompared;
  for (std::size_t r = 0; r < result->repeated.size(); ++r) {
    auto& run = answer.runs.emplace_back(
        answers::ComparedRunAnswer{.name = options.runs[r].name, .repeated = result->repeated[r]});
    for (const auto trace : requested.runs[r]) run.traces.push_back(session.traces()[trace].name);
    if (run.name.empty()) run.name = run.traces.front();
  }
  for (const auto& each : result->compared)
    answer.kernels.push_back(named(packed(each), session, answer.runs[each.run].name, each.configuration));
  const auto singles = [&](const std::vector<analysis::SingleConfiguration>& list) {
    std::vector<answers::SingleKernelAnswer> items;
    for (const auto& single : list)
      items.push_back(
          named(answers::SingleKernelAnswer{.n = single.launches, .sum_ns = single.duration_sum_ns}, session,
                answer.runs[single.run].name, single.configuration));
    return items;
  };
  answer.new_ = singles(result->appeared), answer.gone = singles(result->gone);
  return answer;
}

} // namespace

std::vector<Operation> comparison_operations() {
  return {{Reach::AllRanks, compare}};
}

} // namespace jitterscope::engine
