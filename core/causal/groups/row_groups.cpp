#include "core/causal/groups/row_groups.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/ids.h"
#include "core/causal/statistics/moments.h"

namespace jitterscope::causal {
namespace {

/// Minimum fraction of the rows that are in the most frequent outer group of their value, for the values of a
/// column to be unique over the table.
constexpr double kAgree = 0.9;

/// Rows with the same values of all identifiers and of one configuration, in one block of rows.
struct Cell {
  std::vector<int> key; ///< configuration, then codes, −1 for unknown, then block
  GroupSums plain, logarithm;
  double smallest = 0; ///< minimum of the target
};

/// Maximum cells of the columns that are read together: 75 MB.
constexpr double kCellsTogether = 1 << 20;
constexpr std::int64_t kRowBlocks = 20; ///< blocks of rows of the jackknife, if there are few groups

/// Reads the rows once for several keys. Blocks are the same for any number of ranks and are merged in their
/// order.
class CellPass {
public:
  CellPass(const RowSource& source, const std::vector<ColumnRole>& roles,
           std::vector<std::vector<std::size_t>> keys, const std::string& target, std::int64_t row_blocks)
      : source_(source), roles_(roles), keys_(std::move(keys)), row_blocks_(row_blocks),
        packed_(keys_.size()) {
    for (std::size_t f = 0; f < source.features().size(); ++f)
      if (source.features()[f].name == target) target_ = static_cast<Eigen::Index>(f);
  }

  /// Cells by key.
  Expected<std::vector<std::vector<Cell>>> run(Communicator& communicator, const Job& job) {
    const auto plan =
        BlockPlan::for_table(source_.rows(), static_cast<std::int64_t>(source_.features().size()));
    const Share share = share_of(plan.blocks, communicator.rank(), communicator.size());
    for (std::int64_t b = share.first; b < share.last; ++b) {
      std::vector<std::map<std::vector<int>, Cell>> cells(keys_.size());
      const auto visit = [&](std::int64_t, const RowBlock& block) {
        for (std::int64_t r = 0; r < block.values.rows(); ++r)
          for (std::size_t k = 0; k < keys_.size(); ++k)
            add(block, r, keys_[k], static_cast<int>(b * row_blocks_ / plan.blocks), cells[k]);
      };
      if (auto done = read_tiles(source_, plan.first(b), plan.first(b + 1), job, visit); !done)
        return forward(done.error());
      for (std::size_t k = 0; k < keys_.size(); ++k)
        for (const auto& [key, cell] : cells[k]) pack(cell, packed_[k]);
    }
    std::vector<std::vector<Cell>> cells;
    for (std::size_t k = 0; k < keys_.size(); ++k) {
      auto all = communicator.all_gather<double>(packed_[k]);
      if (!all) return forward(all.error());
      cells.push_back(unpack(*all, keys_[k].size() + 2));
    }
    return cells;
  }

private:
  void add(const RowBlock& block, std::int64_t r, const std::vector<std::size_t>& features, int row_block,
           std::map<std::vector<int>, Cell>& cells) const {
    const double y = target_ >= 0                ? block.values(r, target_)
                     : block.duration_ns.empty() ? kMissing
                                                 : block.duration_ns[r];
    if (!std::isfinite(y) || (target_ < 0 && !(y > 0))) return;
    std::vector<int> key{target_ < 0 && !block.group.empty() ? static_cast<int>(block.group[r]) : 0};
    for (const auto f : features)
      key.push_back(roles_[f].find(block.values(r, static_cast<Eigen::Index>(f))));
    key.push_back(row_block);
    const auto [at, fresh] = cells.try_emplace(key, Cell{key, {}, {}, y});
    merge({{}, 1, y, 0}, at->second.plain);
    merge({{}, 1, y > 0 ? std::log(y) : 0, 0}, at->second.logarithm);
    at->second.smallest = std::min(at->second.smallest, y);
  }

  static void pack(const Cell& cell, std::vector<double>& to) {
    for (const int code : cell.key) to.push_back(code);
    for (const auto& sums : {cell.plain, cell.logarithm})
      to.insert(to.end(), {sums.n, sums.mean, sums.squares});
    to.push_back(cell.smallest);
  }

  static std::vector<Cell> unpack(const std::vector<double>& all, std::size_t width) {
    const std::size_t stride = width + 7;
    std::map<std::vector<int>, Cell> cells;
    for (std::size_t at = 0; at + stride <= all.size(); at += stride) {
      Cell cell;
      for (std::size_t k = 0; k < width; ++k) cell.key.push_back(static_cast<int>(all[at + k]));
      const double* v = all.data() + at + width;
      cell.plain = {{}, v[0], v[1], v[2]}, cell.logarithm = {{}, v[3], v[4], v[5]}, cell.smallest = v[6];
      const auto [known, fresh] = cells.try_emplace(cell.key, cell);
      if (fresh) continue;
      merge(cell.plain, known->second.plain), merge(cell.logarithm, known->second.logarithm);
      known->second.smallest = std::min(known->second.smallest, cell.smallest);
    }
    std::vector<Cell> result;
    for (auto& [key, cell] : cells) result.push_back(std::move(cell));
    return result;
  }

  const RowSource& source_;
  const std::vector<ColumnRole>& roles_;
  std::vector<std::vector<std::size_t>> keys_;
  std::int64_t row_blocks_;
  Eigen::Index target_ = -1;
  std::vector<std::vector<double>> packed_; ///< packed cells of each key
};

/// Builds the levels from the cells, outermost first.
class Nesting {
public:
  Nesting(const std::vector<Cell>& cells, const std::vector<std::size_t>& key,
          const std::vector<ColumnRole>& roles)
      : cells_(cells), group_(cells.size(), -1) {
    for (std::size_t k = 0; k < key.size(); ++k) add(k + 1, key[k], roles[key[k]]);
  }

  const std::vector<GroupLevel>& levels() const { return levels_; }
  /// Groups of a cell at every level; empty if its innermost group is unknown.
  std::vector<int> path(std::size_t cell) const {
    std::vector<int> path;
    int group = group_[cell];
    for (std::size_t level = levels_.size(); level-- > 0 && group >= 0;) {
      path.push_back(group);
      if (level > 0) group = levels_[level].around[group];
    }
    return {path.rbegin(), path.rend()};
  }

private:
  void add(std::size_t position, std::size_t feature, const ColumnRole& role) {
    GroupLevel level{feature, role.place, {}, {}};
    std::vector<std::map<int, double>> rows(role.values.size()); // by value: number of rows by outer group
    double agreeing = 0, all = 0;
    for (std::size_t c = 0; c < cells_.size(); ++c)
      if (const int code = cells_[c].key[position]; code >= 0 && (levels_.empty() || group_[c] >= 0))
        rows[code][group_[c]] += cells_[c].plain.n;
    for (const auto& of_value : rows) {
      double maximum = 0;
      for (const auto& [group, n] : of_value) maximum = std::max(maximum, n), all += n;
      agreeing += maximum;
    }
    const bool global = levels_.empty() || agreeing >= kAgree * all;
    std::map<std::pair<int, int>, int> numbers;
    for (std::size_t c = 0; c < cells_.size(); ++c) {
      const int code = cells_[c].key[position];
      int around = group_[c];
      if (code >= 0 && global && !levels_.empty()) around = most_frequent(rows[code]);
      if (code < 0 || (!global && around < 0)) {
        group_[c] = -1;
        continue;
      }
      const auto [at, fresh] =
          numbers.try_emplace({global ? -1 : around, code}, static_cast<int>(level.code.size()));
      if (fresh) {
        level.code.push_back(code);
        if (!levels_.empty()) level.around.push_back(around >= 0 ? around : unnamed(levels_.size() - 1));
      }
      group_[c] = at->second;
    }
    levels_.push_back(std::move(level));
  }

  static int most_frequent(const std::map<int, double>& rows) {
    const auto rows_of = [](const auto& group) { return group.second; };
    return rows.empty() ? -1 : std::ranges::max_element(rows, {}, rows_of)->first;
  }

  /// A separate group for rows without a place: as independent of the others as possible.
  int unnamed(std::size_t level) {
    const int around = level > 0 ? unnamed(level - 1) : -1;
    levels_[level].code.push_back(-1);
    if (level > 0) levels_[level].around.push_back(around);
    return static_cast<int>(levels_[level].code.size()) - 1;
  }

  const std::vector<Cell>& cells_;
  std::vector<GroupLevel> levels_;
  std::vector<int> group_; ///< by cell: its group at the last level
};

/// Sums by configuration and by group, over all cells but those of one block of rows.
class CellSums {
public:
  /// `paths`: groups of each cell at the kept levels; empty if unknown.
  CellSums(const RowSource& source, const std::vector<Cell>& cells,
           const std::vector<std::vector<int>>& paths)
      : source_(source), cells_(cells), paths_(paths) {}

  /// Fills `groups`, whose levels and scale are known.
  void fill(RowGroups& groups) {
    logarithm_ = groups.logarithm;
    for (std::size_t level = 0; level < groups.levels.size(); ++level) {
      std::map<int, std::set<int>> of; // by configuration: its groups
      for (std::size_t c = 0; c < cells_.size(); ++c)
        if (!paths_[c].empty()) of[cells_[c].key.front()].insert(paths_[c][level]);
      groups.levels[level].compared =
          std::ranges::any_of(of, [](const auto& c) { return c.second.size() > 1; });
      for (const auto& [configuration, in] : of)
        if (level == groups.unit && in.size() > 1) compared_.insert(configuration);
    }
    for (std::size_t c = 0; c < cells_.size(); ++c)
      if (!paths_[c].empty() && !compared_.contains(cells_[c].key.front()))
        groups.not_compared += static_cast<std::int64_t>(cells_[c].plain.n);
    groups.configurations = configurations(-1), groups.sums = sums(-1);
    std::set<int> blocks, kernels, outermost;
    for (const Cell& cell : cells_) blocks.insert(cell.key.back());
    for (const auto& of : groups.configurations) kernels.insert(of.path.front());
    for (const auto& of : groups.sums) outermost.insert(of.path.front());
    for (const int block : blocks) {
      if (blocks.size() < kMinGroups) break;
      if (outermost.size() < kMinGroups) groups.sums_without.push_back(sums(block));
      if (kernels.size() < kMinGroups && !groups.configurations.empty())
        groups.configurations_without.push_back(configurations(block));
    }
  }

private:
  std::map<int, GroupSums> by_configuration(int without) const {
    std::map<int, GroupSums> of;
    for (const Cell& cell : cells_)
      if (cell.key.back() != without) merge(values_of(cell), of[cell.key.front()]);
    return of;
  }

  std::vector<GroupSums> configurations(int without) const {
    std::vector<GroupSums> all;
    const auto of = by_configuration(without);
    if (of.size() < 2) return all;
    for (const auto& [configuration, rows] : of) {
      const int kernel = configuration >= 0
                             ? static_cast<int>(source_.kernel_of(static_cast<std::uint32_t>(configuration)))
                             : -1;
      all.push_back(rows), all.back().path = {kernel, configuration};
    }
    std::ranges::sort(all, {}, &GroupSums::path);
    return all;
  }

  /// By path: means of cells are replaced by deviations from the mean of their configuration.
  std::vector<GroupSums> sums(int without) const {
    const auto of = by_configuration(without);
    std::map<std::vector<int>, GroupSums> merged;
    for (std::size_t c = 0; c < cells_.size(); ++c) {
      const int configuration = cells_[c].key.front();
      if (paths_[c].empty() || cells_[c].key.back() == without || !compared_.contains(configuration))
        continue;
      GroupSums of_cell = values_of(cells_[c]);
      if (of.size() > 1) of_cell.mean -= of.at(configuration).mean;
      auto& into = merged[paths_[c]];
      into.path = paths_[c];
      merge(of_cell, into);
    }
    std::vector<GroupSums> all;
    for (auto& [path, rows] : merged) all.push_back(std::move(rows));
    return all;
  }

  const GroupSums& values_of(const Cell& cell) const { return logarithm_ ? cell.logarithm : cell.plain; }

  const RowSource& source_;
  const std::vector<Cell>& cells_;
  const std::vector<std::vector<int>>& paths_;
  std::set<int> compared_; ///< configurations that ran on several units
  bool logarithm_ = true;
};

/// Levels with few groups, with hardly more rows than groups, or with the same groups as the next level have
/// no component.
std::vector<std::size_t> levels_to_keep(const Nesting& nesting, const std::vector<Cell>& cells,
                                        std::size_t least_units) {
  const auto& levels = nesting.levels();
  std::vector<std::set<int>> groups(levels.size());
  double rows = 0;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const auto path = nesting.path(c);
    for (std::size_t level = 0; level < path.size(); ++level) groups[level].insert(path[level]);
    if (!path.empty()) rows += cells[c].plain.n;
  }
  std::vector<std::size_t> kept;
  for (std::size_t level = 0; level < levels.size(); ++level)
    if (groups[level].size() >= std::min(kMinGroups, least_units) &&
        1.5 * static_cast<double>(groups[level].size()) <= rows &&
        (level + 1 == levels.size() || groups[level].size() < groups[level + 1].size()))
      kept.push_back(level);
  return kept;
}

std::optional<RowGroups> groups_of(const RowSource& source, const std::vector<ColumnRole>& roles,
                                   const std::vector<Cell>& cells, const std::vector<std::size_t>& key,
                                   std::size_t least_units) {
  const Nesting nesting(cells, key, roles);
  const auto kept = levels_to_keep(nesting, cells, least_units);
  if (kept.empty()) return std::nullopt;
  RowGroups groups;
  groups.key = key;
  groups.minimum = std::ranges::min(cells, {}, &Cell::smallest).smallest;
  groups.logarithm = groups.minimum > 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    groups.levels.push_back(nesting.levels()[kept[i]]);
    auto& level = groups.levels.back();
    const bool is_time = level.place == Place::day || level.place == Place::run;
    if (!is_time || kept.size() == 1) groups.unit = i;
    if (i == 0) level.around.clear();
    for (int& group : level.around)
      for (std::size_t between = kept[i] - 1; between > kept[i - 1]; --between)
        group = nesting.levels()[between].around[group];
  }
  const auto units = groups.levels[groups.unit].code.size();
  if (units < least_units) return std::nullopt;
  groups.unit_values.resize(units), groups.unit_logarithms.resize(units);
  groups.unnamed.assign(kept.size(), 0), groups.still_unnamed.assign(kept.size(), 0);
  std::vector<std::vector<int>> paths(cells.size());
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const auto whole = nesting.path(c);
    const auto rows = static_cast<std::int64_t>(cells[c].plain.n);
    auto& path = paths[c];
    for (std::size_t i = 0; i < kept.size(); ++i) {
      if (!whole.empty()) path.push_back(whole[kept[i]]);
      if (cells[c].key[kept[i] + 1] < 0) groups.unnamed[i] += rows;
      if (whole.empty() || groups.levels[i].code[path[i]] < 0) groups.still_unnamed[i] += rows;
    }
    if (whole.empty()) continue;
    groups.unit_of[{cells[c].key.begin() + 1, cells[c].key.end() - 1}] = path[groups.unit];
    groups.rows += rows;
    merge(cells[c].plain, groups.unit_values[path[groups.unit]]);
    merge(cells[c].logarithm, groups.unit_logarithms[path[groups.unit]]);
  }
  CellSums(source, cells, paths).fill(groups);
  return groups;
}

} // namespace

Expected<std::optional<RowGroups>> find_groups(const RowSource& source, const std::vector<ColumnRole>& roles,
                                               const std::string& target, std::size_t least_units,
                                               Communicator& communicator, const Job& job) {
  std::vector<std::size_t> places, others;
  for (std::size_t f = 0; f < roles.size(); ++f) {
    if (roles[f].kind != ColumnRole::Kind::identifier || source.features()[f].name == target ||
        roles[f].values.size() < 2)
      continue;
    if (roles[f].place != Place::other)
      places.push_back(f);
    else if (roles[f].values.size() > kMaxLevels)
      others.push_back(f);
  }
  // By place, then by number of values: of the columns for one place, the one with the most values is
  // innermost.
  std::ranges::sort(places, [&](std::size_t a, std::size_t b) {
    return std::tuple(roles[a].place, roles[a].values.size(), a) <
           std::tuple(roles[b].place, roles[b].values.size(), b);
  });
  std::optional<RowGroups> best;
  std::vector<std::vector<std::size_t>> keys;
  if (!places.empty()) keys.push_back(places);
  for (const auto f : others) keys.push_back({f});
  const auto plan = BlockPlan::for_table(source.rows(), static_cast<std::int64_t>(roles.size()));
  const auto cells_of = [&](const std::vector<std::size_t>& key) {
    const double rows = static_cast<double>(source.rows()), blocks = static_cast<double>(plan.blocks);
    return key == places ? kCellsTogether // read alone: if it has groups, the others are not needed
                         : std::min(rows, blocks * static_cast<double>(roles[key.front()].values.size()));
  };
  auto cells_of_places = static_cast<double>(std::max(source.groups(), 1u));
  for (const auto f : places) cells_of_places *= static_cast<double>(roles[f].values.size());
  const bool few =
      std::min(static_cast<double>(source.rows()), kRowBlocks * cells_of_places) <= kCellsTogether;
  const std::int64_t row_blocks = !places.empty() && few ? kRowBlocks : 1;
  for (std::size_t first = 0, last = 0; first < keys.size(); first = last) {
    for (double together = 0; last < keys.size(); ++last)
      if (together += cells_of(keys[last]); together > kCellsTogether && last > first) break;
    const auto at = keys.begin();
    auto cells = CellPass(source, roles,
                          {at + static_cast<std::ptrdiff_t>(first), at + static_cast<std::ptrdiff_t>(last)},
                          target, first == 0 ? row_blocks : 1)
                     .run(communicator, job);
    if (!cells) return forward(cells.error());
    for (std::size_t k = first; k < last; ++k) {
      const auto& of_key = (*cells)[k - first];
      if (of_key.empty()) continue;
      auto found = groups_of(source, roles, of_key, keys[k], least_units);
      if (!found) continue;
      if (!found->sums.empty())
        found->between = variance_shares(found->sums, found->unit + 1, found->sums_without).back();
      const bool differ =
          keys[k] == places || (found->between.share >= kMinShareBetween && found->between.interval.low > 0);
      if (differ && (!best || found->between.share > best->between.share)) best = std::move(found);
      if (best && keys[k] == places) return best;
    }
  }
  return best;
}

} // namespace jitterscope::causal
