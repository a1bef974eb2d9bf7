#include "core/causal/table/table_rows.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "core/causal/base/note_specs.h"
#include "core/causal/groups/column_roles.h"

namespace jitterscope::causal {
namespace {

std::string unit_of(std::string_view name) {
  if (name.ends_with("_ns")) return "ns";
  if (name.ends_with("_bytes")) return "B";
  return {};
}

std::string target_of(const TableColumns& table) {
  std::vector<std::string> numbers, varying;
  for (std::size_t c = 0; c < table.names.size(); ++c) {
    if (!table.labels[c].empty()) continue;
    double first = kMissing;
    const bool varies = std::ranges::any_of(table.values[c], [&](double v) {
      if (std::isnan(first)) first = v;
      return !std::isnan(v) && v != first;
    });
    numbers.push_back(table.names[c]);
    if (varies) varying.push_back(table.names[c]);
  }
  return guess_target(numbers, varying);
}

} // namespace

Expected<MemoryRows> rows_of_table(TableColumns table, const std::string& target, const std::string& file) {
  const auto count = table.values.empty() ? 0 : table.values.front().size();
  if (count == 0)
    return failure(ErrorKind::BadInput, "the table has a header but no rows", file, "line 2",
                   "Export the table again.");
  MemoryRows rows;
  rows.target = target.empty() ? target_of(table) : target;
  rows.values.resize(static_cast<Eigen::Index>(count), static_cast<Eigen::Index>(table.names.size()));
  for (std::size_t c = 0; c < table.names.size(); ++c) {
    FeatureInfo info;
    info.name = table.names[c];
    info.unit = table.units[c].empty() ? unit_of(info.name) : table.units[c];
    info.tier = -1, info.of_plain_table = true;
    if (!table.labels[c].empty()) info.role = FeatureRole::category, info.labels = std::move(table.labels[c]);
    rows.columns.push_back(std::move(info));
    rows.values.col(static_cast<Eigen::Index>(c)) =
        Eigen::Map<const Eigen::VectorXd>(table.values[c].data(), static_cast<Eigen::Index>(count));
    table.values[c] = {};
  }
  for (auto& remark : table.remarks) rows.notes.push_back(note<notes::kTable>(std::move(remark)));
  return rows;
}

} // namespace jitterscope::causal
