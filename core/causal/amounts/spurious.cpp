#include "core/causal/amounts/judgement.h"

#include <algorithm>
#include <cmath>

#include "core/causal/amounts/changes.h"
#include "core/causal/base/tiers.h"
#include "core/causal/statistics/earlier.h"
#include "core/causal/table/warm_up.h"

namespace jitterscope::causal {
namespace {

constexpr std::int64_t kRowsOfTest = 8'192;      ///< maximum rows of a test
constexpr std::int64_t kRowsOfPrevious = 65'536; ///< maximum rows with their previous launches

/// Whether a suspect of a plain table counts things that happen at a steady rate during launches
/// (changes.h). Columns of profilers need no test: where it matters, they count over the typical duration of
/// a launch.
Expected<bool> counts_length(const RemainingLaunches& launches, std::size_t s) {
  const AttributionInput& input = launches.input();
  const Column& column = input.column(s);
  const std::vector<double>& x = input.x[s];
  const bool during =
      column.tier == static_cast<int>(Tier::context) || column.tier == static_cast<int>(Tier::counters);
  if (!column.of_plain_table || !during || is_device_state(column.name) || column.minimum < 0) return false;
  std::int64_t whole = 1;
  for (std::size_t i = 0; i < x.size(); ++i)
    whole = std::min<std::int64_t>(whole, !launches.used(i) || x[i] == std::floor(x[i]));
  if (auto done = input.communicator.minimum({&whole, 1}); !done) return forward(done.error());
  if (whole == 0) return false;
  const auto rows = launches.sample(x, kRowsOfTest);
  if (!rows) return forward(rows.error());
  return as_expected_by_time(*rows, launches.groups().count);
}

/// Whether a gap only reflects the length of the previous launch: the correlation nearly vanishes among
/// launches of a configuration whose previous launches deviated equally.
Expected<bool> reflects_earlier_launch(const RemainingLaunches& launches, std::size_t s) {
  // By row: relative deviation of the previous row. Ranks send the deviation of their last row, with the
  // row's number.
  const std::size_t n = launches.size();
  const std::vector<double>& median = launches.groups().median;
  const auto first_row = static_cast<double>(launches.rows().first_row);
  const auto deviation_of = [&](std::size_t i) {
    return launches.used(i) ? launches.duration(i) / median[launches.group(i)] - 1 : kMissing;
  };
  std::vector<double> last;
  if (n > 0) last = {first_row + static_cast<double>(n - 1), deviation_of(n - 1)};
  const auto all = launches.input().communicator.all_gather<double>(last);
  if (!all) return forward(all.error());
  std::vector<double> earlier(n, kMissing);
  for (std::size_t i = 1; i < n; ++i) earlier[i] = deviation_of(i - 1);
  for (std::size_t k = 0; n > 0 && k + 1 < all->size(); k += 2)
    if ((*all)[k] == first_row - 1) earlier[0] = (*all)[k + 1];
  const auto rows = launches.sample(launches.input().x[s], kRowsOfPrevious);
  if (!rows) return forward(rows.error());
  const auto previous = launches.sample(earlier, kRowsOfPrevious);
  if (!previous) return forward(previous.error());
  return only_reflects_previous(*rows, previous->x, median);
}

/// Whether a suspect and the durations change at the same moments (changes.h). A factor on which durations do
/// not depend in one direction, such as the number of a node, is compared by its fitted level.
Expected<bool> changes_with_durations(const RemainingLaunches& launches, std::size_t s,
                                      const AmountFit* fit) {
  const AttributionInput& input = launches.input();
  auto rows = launches.sample(input.x[s], kRowsOfTest);
  if (!rows) return forward(rows.error());
  if (fit && fit->shape == LevelShape::bent)
    for (double& x : rows->x) x = fit->level(x);
  if (!changes_together(*rows, launches.groups().median, input.x.size())) return false;
  return !begins_at_the_end_of_earlier_work(input.column(s).name) ||
         moves_with_durations(*rows, launches.groups().median);
}

} // namespace

Expected<Attribution> with_tests(const RemainingLaunches& launches, std::size_t s, Attribution result,
                                 const AmountFit* fit) {
  if (launches.input().column(s).factor) return result;
  const bool required = launches.input().suspects[s].required;
  const std::string& name = launches.input().column(s).name;
  bool together = false, of_length = false;
  auto done = assign(together, changes_with_durations(launches, s, fit));
  if (done && begins_at_the_end_of_earlier_work(name) && !required)
    done = assign(result.reflects_earlier, reflects_earlier_launch(launches, s));
  if (done) done = assign(of_length, counts_length(launches, s));
  if (!done) return forward(done.error());
  // That the age of a run changes with the durations was tested where the warm-up was found.
  result.changes_apart = !together && name != kLaunchAge;
  result.of_length = of_length && !required;
  return result;
}

} // namespace jitterscope::causal
