#include "core/causal/groups/grouped_rows.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/ids.h"
#include "core/causal/base/note_specs.h"
#include "core/causal/base/tiers.h"
#include "core/causal/base/wording.h"

namespace jitterscope::causal {
namespace {

/// Maximum values of an identifier in a launch table; columns with more are left out.
constexpr std::size_t kMaxLevelsOfLaunches = 200;
constexpr std::int64_t kTileRows = 4'096; ///< rows per cached tile
constexpr std::int64_t kFewRows = 8;      ///< smaller requests bypass the cache

/// Whether the identifiers could name `least` units. If not, groups need not be searched for.
bool may_have_units(const std::vector<ColumnRole>& roles, std::size_t least) {
  std::size_t units = 1;
  bool many = false;
  for (const ColumnRole& role : roles) {
    if (role.kind != ColumnRole::Kind::identifier || role.values.empty()) continue;
    if (role.place != Place::other) units *= std::min<std::size_t>(role.values.size(), least);
    many = many || role.values.size() > kMaxLevels;
    units = std::min(units, least);
  }
  return many || units >= least;
}

} // namespace

std::string target_of(const RowSource& source, const Options& options) {
  if (!options.target.empty()) return options.target;
  if (source.has_durations() && source.groups() > 0) return "kernel_variability";
  if (!source.default_target().empty()) return source.default_target();
  return source.features().empty() ? std::string() : source.features().back().name;
}

Expected<GroupedRows> GroupedRows::make(const RowSource& source, const Options& options,
                                        Communicator& communicator, const Job& job, std::size_t least_units) {
  GroupedRows rows(source);
  Options asked = options;
  asked.target = target_of(source, options);
  auto done = assign(rows.roles_, column_roles(source, asked, communicator, job));
  if (done && may_have_units(rows.roles_, least_units))
    done =
        assign(rows.groups_, find_groups(source, rows.roles_, asked.target, least_units, communicator, job));
  if (!done) return forward(done.error());
  const bool of_launches = asked.target == "kernel_variability" && source.has_durations();
  rows.by_unit_ = rows.groups_ && !of_launches && options.reading == Reading::automatic &&
                  rows.groups_->configurations.empty() &&
                  rows.groups_->levels[rows.groups_->unit].code.size() > kMaxLevels &&
                  rows.groups_->between.share >= kMinShareBetween;
  rows.assign_roles(asked.target, of_launches);
  return rows;
}

void GroupedRows::assign_roles(const std::string& target, bool of_launches) {
  recoded_.assign(features_.size(), false);
  for (std::size_t f = 0; f < features_.size(); ++f) {
    FeatureInfo& info = features_[f];
    const ColumnRole& role = roles_[f];
    if (info.name == target || role.kind == ColumnRole::Kind::amount) continue;
    const auto values = role.values.size();
    const bool is_level =
        by_unit_ && std::ranges::any_of(groups_->levels, [&](const GroupLevel& l) { return l.feature == f; });
    if (role.kind == ColumnRole::Kind::timestamp)
      info.leaves = "a point in time: it shows when, not why";
    else if (is_level)
      info.leaves = fmt::format("names {} {}: rows are compared between and within them",
                                grouped(static_cast<std::int64_t>(values)), words_for(role.place));
    else if (info.of_plain_table && values > (of_launches ? kMaxLevelsOfLaunches : kMaxLevels))
      info.leaves = fmt::format("identifies rows by {} unordered values, too many to compare one by one",
                                grouped(static_cast<std::int64_t>(values)));
    // A launch does not choose the place where it runs.
    if (info.of_plain_table && info.tier < 0 && role.place != Place::other && role.place != Place::day &&
        role.kind == ColumnRole::Kind::identifier && identified_by_name(info.name) &&
        !tier_by_name(info.name))
      info.tier = static_cast<int>(Tier::environment);
    recoded_[f] =
        info.role == FeatureRole::numeric && role.kind == ColumnRole::Kind::identifier && values > 1;
    if (!recoded_[f]) continue;
    info.role = FeatureRole::category;
    for (const double value : role.values) info.labels.push_back(fmt::format("{}", value));
  }
}

std::vector<Warning> GroupedRows::remarks() const {
  auto remarks = source_->remarks();
  for (std::size_t f = 0; f < roles_.size(); ++f)
    if (roles_[f].missing_zeros > 0)
      remarks.push_back(note<notes::kZerosMissing>(words_for(source_->features()[f].name),
                                                   grouped(roles_[f].missing_zeros), grouped(rows())));
  return remarks;
}

std::string GroupedRows::name_of(std::size_t feature, int code) const {
  if (code < 0) return {};
  const auto c = static_cast<std::size_t>(code);
  const double value = roles_[feature].values[c];
  const FeatureInfo& info = source_->features()[feature];
  return info.role == FeatureRole::category ? info.labels[value] : fmt::format("{}", value);
}

int GroupedRows::unit_of(const RowBlock& block, Eigen::Index row) const {
  std::vector<int> key;
  for (const auto f : groups_->key)
    key.push_back(roles_[f].find(block.values(row, static_cast<Eigen::Index>(f))));
  const auto unit = groups_->unit_of.find(key);
  return unit == groups_->unit_of.end() ? -1 : unit->second;
}

Expected<void> GroupedRows::read_source(std::int64_t first, std::int64_t count, RowBlock& block) const {
  if (auto done = source_->read(first, count, block); !done) return done;
  if (by_unit_) {
    block.group.assign(static_cast<std::size_t>(count), kNone);
    for (std::int64_t r = 0; r < count; ++r)
      if (const int unit = unit_of(block, r); unit >= 0) block.group[r] = static_cast<std::uint32_t>(unit);
  }
  for (std::size_t f = 0; f < recoded_.size(); ++f) {
    if (roles_[f].minus_one_is_missing && !recoded_[f])
      for (double& v : block.values.col(static_cast<Eigen::Index>(f)))
        if (v == -1) v = kMissing;
    if (roles_[f].missing_zeros > 0)
      for (double& v : block.values.col(static_cast<Eigen::Index>(f)))
        if (v == 0) v = kMissing;
    if (!recoded_[f]) continue;
    for (double& v : block.values.col(static_cast<Eigen::Index>(f)))
      if (const int code = roles_[f].find(v); !std::isnan(v)) v = code < 0 ? kMissing : code;
  }
  return {};
}

/// One tile of kTileRows rows; null if the cache has no room for it.
Expected<const RowBlock*> GroupedRows::tile(std::int64_t number) const {
  if (tiles_.empty()) tiles_.resize(static_cast<std::size_t>((rows() + kTileRows - 1) / kTileRows));
  auto& kept = tiles_[number];
  const std::size_t bytes = static_cast<std::size_t>(kTileRows) * (features_.size() + 2) * sizeof(double);
  if (!kept && kept_bytes_ + bytes <= kMaxKeptBytes) {
    auto block = std::make_unique<RowBlock>();
    const auto first = number * kTileRows;
    if (auto done = read_source(first, std::min(kTileRows, rows() - first), *block); !done)
      return forward(done.error());
    kept_bytes_ += bytes;
    kept = std::move(block);
  }
  return kept.get();
}

Expected<void> GroupedRows::read(std::int64_t first, std::int64_t count, RowBlock& block) const {
  if (count < kFewRows) return read_source(first, count, block);
  block.values.resize(count, static_cast<Eigen::Index>(features_.size()));
  block.group.clear(), block.duration_ns.clear();
  for (std::int64_t at = first; at < first + count;) {
    const auto part = tile(at / kTileRows);
    if (!part) return forward(part.error());
    if (!*part) return read_source(first, count, block);
    const auto from = at % kTileRows, rows = std::min(kTileRows - from, first + count - at);
    block.values.middleRows(at - first, rows) = (*part)->values.middleRows(from, rows);
    const auto append = [&](auto& to, const auto& of) {
      if (!of.empty()) to.insert(to.end(), of.begin() + from, of.begin() + from + rows);
    };
    append(block.group, (*part)->group), append(block.duration_ns, (*part)->duration_ns);
    at += rows;
  }
  return {};
}

} // namespace jitterscope::causal
