#include "core/causal/table/frame.h"

#include <algorithm>
#include <cmath>

#include "core/causal/base/wording.h"

namespace jitterscope::causal {
namespace {

constexpr std::int64_t kTileRows = 4'096;

double design_value(const Column& column, double value) {
  if (std::isnan(value) || column.kind == Column::Kind::value) return value;
  if (column.kind == Column::Kind::positive) return value > 0 ? 1.0 : 0.0;
  const auto code = static_cast<std::size_t>(value);
  return code < column.levels.size() && column.levels[code] ? 1.0 : 0.0;
}

} // namespace

Expected<void> Frame::walk(const Job& job, const std::string& what,
                           const std::function<void(std::int64_t, const Tile&)>& visit) const {
  RowBlock block;
  Tile tile;
  const auto total = static_cast<std::int64_t>(local.used.size());
  for (std::int64_t b = local.first_block; b < local.last_block; ++b) {
    const std::int64_t last = plan.first(b + 1);
    for (std::int64_t at = plan.first(b); at < last; at += kTileRows) {
      if (job.cancelled()) return Job::cancelled_error();
      job.progress(at - local.first_row, total, what);
      const std::int64_t count = std::min(kTileRows, last - at);
      if (auto done = source_->read(at, count, block); !done) return forward(done.error());
      tile.row.clear();
      std::vector<Eigen::Index> lines;
      for (std::int64_t r = 0; r < count; ++r) {
        const auto i = static_cast<std::size_t>(at - local.first_row + r);
        if (local.used[i]) tile.row.push_back(i), lines.push_back(r);
      }
      if (lines.empty()) continue;
      tile.raw.resize(static_cast<Eigen::Index>(lines.size()), static_cast<Eigen::Index>(columns.size()));
      for (std::size_t c = 0; c < columns.size(); ++c) {
        const auto from = block.values.col(static_cast<Eigen::Index>(columns[c].source));
        auto to = tile.raw.col(static_cast<Eigen::Index>(c));
        if (columns[c].kind == Column::Kind::value && lines.size() == static_cast<std::size_t>(count))
          to = from;
        else
          for (std::size_t k = 0; k < lines.size(); ++k)
            to(static_cast<Eigen::Index>(k)) = design_value(columns[c], from(lines[k]));
      }
      visit(b, tile);
    }
  }
  return {};
}

FeatureReport& Frame::report(const std::string& name, const std::string& unit, int tier, FeatureStatus status,
                             std::string reason) {
  FeatureReport& r = reports.emplace_back();
  r.name = name, r.label = words_for(name), r.unit = unit, r.tier = tier, r.status = status;
  r.reason = std::move(reason);
  return r;
}

Expected<FrameRow> Frame::row(std::int64_t row) const {
  RowBlock block;
  if (auto done = source_->read(row, 1, block); !done) return forward(done.error());
  FrameRow result;
  result.values.resize(static_cast<Eigen::Index>(columns.size()));
  for (std::size_t c = 0; c < columns.size(); ++c)
    result.values(static_cast<Eigen::Index>(c)) =
        design_value(columns[c], block.values(0, static_cast<Eigen::Index>(columns[c].source)));
  if (target_kind == TargetKind::column)
    result.target = result.values(static_cast<Eigen::Index>(target_column));
  if (target_kind == TargetKind::duration) result.target = block.duration_ns.front();
  if (target_kind != TargetKind::variability) return result;
  const auto g = block.group.front();
  if (g >= groups.count || groups.rows[g] < 2) return result;
  result.launch = LaunchTime{block.duration_ns.front(), groups.mean[g]};
  result.target = std::fabs(result.launch->duration - result.launch->centre);
  return result;
}

Expected<std::vector<std::vector<double>>> Frame::sample(Communicator& communicator, const Job& job) const {
  std::vector<std::vector<double>> mine(columns.size());
  // Growing would copy all values at once.
  for (auto& column : mine) column.reserve(std::min<std::size_t>(local.used.size(), kExactRanks));
  auto walked = walk(job, "sample", [&](std::int64_t, const Tile& tile) {
    for (std::size_t k = 0; k < tile.row.size(); ++k) {
      if (!in_sample(tile.row[k])) continue;
      for (std::size_t c = 0; c < columns.size(); ++c)
        mine[c].push_back(tile.raw(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(c)));
    }
  });
  if (!walked) return forward(walked.error());
  std::vector<std::vector<double>> all;
  for (auto& column : mine) {
    if (job.cancelled()) return Job::cancelled_error();
    auto done = assign(all.emplace_back(), communicator.all_gather<double>(column));
    if (!done) return forward(done.error());
    column = {};
  }
  return all;
}

double Frame::target_value(const Tile& tile, Eigen::Index row) const {
  if (target_kind == TargetKind::column) return tile.raw(row, static_cast<Eigen::Index>(target_column));
  const std::size_t i = tile.row[row];
  if (target_kind == TargetKind::duration) return local.duration[i];
  const auto g = local.group[i];
  return std::fabs(local.duration[i] - groups.mean[g]);
}

} // namespace jitterscope::causal
