#include "core/analysis/statistics/quantile_search.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "core/analysis/statistics/order_statistics.h"
#include "core/base/ids.h"

namespace jitterscope::analysis {
namespace {

constexpr std::size_t kMaxBuckets = 65'536; // per node
constexpr std::size_t kMaxCounts = 1 << 20; // shared by all nodes of a pass

} // namespace

QuantileSearch::QuantileSearch(std::vector<Group> groups, std::vector<double> probabilities,
                               std::size_t threads, Values kind, std::int64_t max_collected)
    : groups_(std::move(groups)), probabilities_(std::move(probabilities)), roots_(groups_.size(), kNone),
      thread_counts_(threads), thread_items_(threads), max_collected_(max_collected),
      integers_(kind == Values::Integers) {
  targets_.resize(groups_.size() * probabilities_.size() * 2);
  std::vector<std::uint32_t> roots;
  for (std::uint32_t g = 0; g < groups_.size(); ++g) {
    const auto& group = groups_[g];
    if (group.n == 0) continue;
    if (group.low < group.high) {
      roots_[g] = static_cast<std::uint32_t>(nodes_.size());
      roots.push_back(roots_[g]);
      nodes_.push_back({});
      nodes_.back().first = key_of(group.low);
      nodes_.back().last = key_of(group.high);
      nodes_.back().count = group.n;
    }
    for (std::size_t p = 0; p < probabilities_.size(); ++p) {
      const QuantilePosition position(probabilities_[p], static_cast<std::size_t>(group.n));
      for (std::size_t above = 0; above < 2; ++above) {
        auto& target = targets_[target_of(g, p) + above];
        target.rank = std::min(static_cast<std::int64_t>(position.below + above), group.n - 1);
        target.found = roots_[g] == kNone;
        target.value = group.low;
        target.node = roots_[g];
      }
    }
  }
  plan_pass(std::move(roots));
}

// Nodes with few values collect them; the others share the memory for counts.
void QuantileSearch::plan_pass(std::vector<std::uint32_t> nodes) {
  open_ = !nodes.empty();
  std::stable_sort(nodes.begin(), nodes.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return nodes_[a].count < nodes_[b].count; });
  std::int64_t collected = 0;
  std::vector<std::uint32_t> counting;
  for (const auto n : nodes) {
    auto& node = nodes_[n];
    if (collected + node.count <= max_collected_) {
      node.state = Node::State::Collecting;
      collected += node.count;
    } else {
      counting.push_back(n);
    }
  }
  const auto buckets =
      std::clamp(kMaxCounts / std::max<std::size_t>(counting.size(), 1), std::size_t{16}, kMaxBuckets);
  std::size_t at = 0;
  for (const auto n : counting) {
    auto& node = nodes_[n];
    node.state = Node::State::Counting;
    node.shift = static_cast<int>(std::bit_width((node.last - node.first) / (buckets - 1)));
    node.counts_at = at;
    at += ((node.last >> node.shift) - (node.first >> node.shift)) + 1;
  }
  counts_.assign(at, 0);
  for (auto& counts : thread_counts_) counts.assign(at, 0);
  for (auto& items : thread_items_) items.clear();
}

void QuantileSearch::add(std::size_t thread, std::uint32_t group, double value) {
  auto at = roots_[group];
  if (at == kNone) return;
  const auto key = key_of(value);
  for (;;) {
    const auto& node = nodes_[at];
    if (node.state == Node::State::Done) return;
    if (node.state == Node::State::Collecting) return thread_items_[thread].push_back({at, 0, value});
    const auto bucket = static_cast<std::size_t>((key >> node.shift) - (node.first >> node.shift));
    if (node.state == Node::State::Counting) {
      ++thread_counts_[thread][node.counts_at + bucket];
      return;
    }
    const auto inside = node.inside[bucket];
    if (inside == 0) return;
    at = inside - 1;
  }
}

void QuantileSearch::add(std::size_t thread, std::uint32_t group, std::span<const double> values) {
  const auto root = roots_[group];
  if (root == kNone) return;
  const auto& node = nodes_[root];
  const auto first = node.first >> node.shift;
  const int shift = node.shift;
  if (node.state == Node::State::Counting) {
    auto* counts = thread_counts_[thread].data() + node.counts_at;
    for (const double value : values) ++counts[(key_of(value) >> shift) - first];
  } else if (node.state == Node::State::Divided) {
    const auto* inside = node.inside.data();
    for (const double value : values)
      if (inside[(key_of(value) >> shift) - first] != 0) add(thread, group, value);
  } else {
    for (const double value : values) add(thread, group, value);
  }
}

// The bucket that contains the target becomes a node, which is searched further unless it holds a single key.
void QuantileSearch::narrow(Target& target, std::vector<std::uint32_t>& next) {
  const auto parent = target.node;
  const auto first_bucket = nodes_[parent].first >> nodes_[parent].shift;
  const auto* counts = counts_.data() + nodes_[parent].counts_at;
  std::int64_t before = nodes_[parent].before;
  std::size_t bucket = 0;
  while (before + counts[bucket] <= target.rank) before += counts[bucket++];
  auto& known = nodes_[parent].inside[bucket];
  if (known == 0) {
    const int shift = nodes_[parent].shift;
    Node node;
    node.first = std::max((first_bucket + bucket) << shift, nodes_[parent].first);
    node.last =
        std::min(((first_bucket + bucket) << shift) + ((std::uint64_t{1} << shift) - 1), nodes_[parent].last);
    node.before = before;
    node.count = counts[bucket];
    known = static_cast<std::uint32_t>(nodes_.size()) + 1;
    if (node.first != node.last) next.push_back(known - 1);
    nodes_.push_back(std::move(node)); // `known` may dangle from here on
    target.node = static_cast<std::uint32_t>(nodes_.size()) - 1;
  } else {
    target.node = known - 1;
  }
  const auto& node = nodes_[target.node];
  if (node.first != node.last) return;
  target.value = value_of(node.first);
  target.found = true;
}

Expected<void> QuantileSearch::finish_collecting(Communicator& communicator, const Job& job) {
  std::size_t count = 0;
  for (const auto& items : thread_items_) count += items.size();
  std::vector<Item> mine;
  mine.reserve(count);
  for (auto& items : thread_items_) {
    if (job.cancelled()) return Job::cancelled_error();
    mine.insert(mine.end(), items.begin(), items.end());
  }
  if (job.cancelled()) return Job::cancelled_error();
  auto all = communicator.gather<Item>(mine);
  if (!all) return forward(all.error());
  const auto before = [](const Item& a, const Item& b) {
    return a.node != b.node ? a.node < b.node : a.value < b.value;
  };
  Stop stop(job);
  if (!stop.requested()) sort_stably(*all, before, stop);
  if (stop.requested()) return Job::cancelled_error();
  for (auto& target : targets_) {
    if (target.found || target.node == kNone || nodes_[target.node].state != Node::State::Collecting)
      continue;
    target.found = true;
    const auto first =
        std::lower_bound(all->begin(), all->end(), target.node,
                         [](const Item& item, std::uint32_t node) { return item.node < node; });
    const auto at = (first - all->begin()) + (target.rank - nodes_[target.node].before);
    if (communicator.rank() == 0 && at < static_cast<std::ptrdiff_t>(all->size()))
      target.value = (*all)[static_cast<std::size_t>(at)].value;
  }
  return {};
}

Expected<void> QuantileSearch::close_pass(Communicator& communicator, const Job& job) {
  for (const auto& counts : thread_counts_)
    for (std::size_t i = 0; i < counts.size(); ++i) counts_[i] += counts[i];
  if (auto done = communicator.sum(counts_); !done) return done;
  if (auto done = finish_collecting(communicator, job); !done) return done;
  std::vector<std::uint32_t> next;
  for (auto& node : nodes_)
    if (node.state == Node::State::Counting)
      node.inside.assign(((node.last >> node.shift) - (node.first >> node.shift)) + 1, 0);
  const auto counted = nodes_.size();
  for (auto& node : nodes_)
    if (node.state == Node::State::Collecting) node.state = Node::State::Done;
  for (auto& target : targets_)
    if (!target.found && target.node != kNone) narrow(target, next);
  for (std::size_t n = 0; n < counted; ++n)
    if (nodes_[n].state == Node::State::Counting) nodes_[n].state = Node::State::Divided;
  for (std::size_t n = counted; n < nodes_.size(); ++n)
    if (nodes_[n].first == nodes_[n].last) nodes_[n].state = Node::State::Done; // one value
  plan_pass(std::move(next));
  return {};
}

double QuantileSearch::quantile(std::uint32_t group, std::size_t p) const {
  const auto n = groups_[group].n;
  if (n == 0) return std::numeric_limits<double>::quiet_NaN();
  const QuantilePosition position(probabilities_[p], static_cast<std::size_t>(n));
  const auto at = target_of(group, p);
  return between(targets_[at].value, targets_[at + 1].value, position.fraction);
}

} // namespace jitterscope::analysis
