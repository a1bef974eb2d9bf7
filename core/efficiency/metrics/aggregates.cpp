#include <algorithm>

#include "core/efficiency/metrics/evaluation.h"
#include "core/efficiency/metrics/tree.h"

namespace jitterscope::efficiency::metrics {
namespace {

/// From `time` on, a child of an aggregate has this value.
struct Change {
  std::int64_t time;
  std::size_t place;
  double value;
};

/// Sorts by time, then by run: runs [borders[i], borders[i + 1]) are sorted by time.
void merge_runs(std::vector<Change>& changes, const std::vector<std::size_t>& borders) {
  const auto earlier = [](const Change& a, const Change& b) { return a.time < b.time; };
  const auto runs = borders.size() - 1;
  const auto at = [&](std::size_t run) {
    return changes.begin() + static_cast<std::ptrdiff_t>(borders[std::min(run, runs)]);
  };
  for (std::size_t width = 1; width < runs; width *= 2)
    for (std::size_t run = 0; run + width < runs; run += 2 * width)
      std::inplace_merge(at(run), at(run + width), at(run + 2 * width), earlier);
}

} // namespace

// The value of an expression that is constant in time; nothing if it may vary or is not at the level of the
// application.
std::optional<double> Evaluation::constant(const Node& node) {
  const auto same_always = [&](const auto& self, const Node& of) -> bool {
    if (of.op == Op::Let) return self(self, bound_.definition().lets[of.index]);
    const bool known = of.op <= Op::Largest || of.op == Op::Recorded || of.op == Op::Across;
    return known && std::ranges::all_of(of.children, [&](const Node& child) { return self(self, child); });
  };
  if (node.level != Level::Application || !same_always(same_always, node)) return {};
  const auto begin = bound_.data().extent().begin.count;
  return this->of(node, 0, begin, begin + 1).front().value;
}

// Follows names (let) and conditions that are constant in time to the expression that is evaluated.
const Node& Evaluation::chosen(const Node& node) {
  if (node.op == Op::Let) return chosen(bound_.definition().lets[node.index]);
  if (node.op != Op::If) return node;
  const auto condition = constant(node.children[0]);
  return condition ? chosen(node.children[*condition != 0 ? 1 : 2]) : node;
}

const std::optional<Concurrent>& Evaluation::concurrent(const Node& node) {
  const auto found = concurrent_.find(&node);
  if (found != concurrent_.end()) return found->second;
  std::optional<Concurrent> made;
  const auto& child = node.children.front();
  if (const auto& behind = chosen(child); behind.level == child.level)
    made = Concurrent::make(bound_, node, behind);
  return concurrent_.emplace(&node, std::move(made)).first->second;
}

Steps Evaluation::across(const Node& node, std::uint32_t object, std::int64_t begin, std::int64_t end) {
  constexpr std::size_t kManyObjects = 64; // for fewer, preparation costs more than it saves
  const auto& child = node.children.front();
  if (node.level == Level::Application && bound_.data().objects().at(child.level).size() >= kManyObjects)
    if (const auto& all = concurrent(node)) {
      const auto of_records = [this](const Node& of, Source source, std::span<const Record> records) {
        return attribute(of, source, 0, records); // depends on the record alone
      };
      return all->steps(begin, end, of_records, halt_);
    }
  return each_of(node, object, begin, end);
}

Steps Evaluation::each_of(const Node& node, std::uint32_t object, std::int64_t begin, std::int64_t end) {
  const auto& child = node.children.front();
  std::vector<std::uint32_t> children{object};
  if (child.level != node.level) {
    const auto below = bound_.data().objects().below(node.level, object, child.level);
    children.assign(below.begin(), below.end());
  }
  std::vector<Change> changes;
  std::vector<std::size_t> borders{0}; ///< where the changes of each child begin
  std::vector<double> values;
  for (std::size_t i = 0; i < children.size(); ++i) {
    const auto steps = of(child, children[i], begin, end);
    values.push_back(steps.front().value);
    for (std::size_t s = 1; s < steps.size(); ++s) changes.push_back({steps[s].begin, i, steps[s].value});
    borders.push_back(changes.size());
  }
  merge_runs(changes, borders);
  AggregatorTree tree(node.aggregator, values);
  Steps steps{{begin, finite(tree.value())}};
  for (std::size_t i = 0; i < changes.size();) {
    const auto time = changes[i].time;
    for (; i < changes.size() && changes[i].time == time; ++i) tree.set(changes[i].place, changes[i].value);
    append_step(steps, time, finite(tree.value()));
  }
  return steps;
}

} // namespace jitterscope::efficiency::metrics
