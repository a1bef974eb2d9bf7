#include "core/causal/table/table_rows.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "core/base/similar_names.h"
#include "core/causal/base/note_specs.h"
#include "core/causal/groups/column_roles.h"

namespace jitterscope::causal {
namespace {

int find(const TableColumns& table, std::string_view name) {
  const auto found = std::find(table.names.begin(), table.names.end(), name);
  return found == table.names.end() ? -1 : static_cast<int>(found - table.names.begin());
}

std::size_t rows_of(const TableColumns& table) {
  return table.values.empty() ? 0 : table.values.front().size();
}

std::string unit_of(std::string_view name) {
  if (name.ends_with("_ns")) return "ns";
  if (name.ends_with("_bytes")) return "B";
  return {};
}

Expected<void> number_groups(const TableColumns& table, const TableOptions& options, const std::string& file,
                             MemoryRows& rows, std::set<int>& used_up) {
  std::vector<int> keys;
  for (const auto& name : options.group) {
    keys.push_back(find(table, name));
    if (keys.back() < 0)
      return failure(ErrorKind::BadUse, fmt::format("there is no column \"{}\"", name), file);
  }
  const int kernel = find(table, options.kernel.empty() ? "kernel" : options.kernel);
  if (keys.empty()) return {};
  std::map<std::vector<double>, std::uint32_t> numbers;
  std::map<double, std::uint32_t> kernels;
  for (std::size_t r = 0; r < rows_of(table); ++r) {
    std::vector<double> key;
    const auto value = [&](int c) {
      const double v = table.values[static_cast<std::size_t>(c)][r];
      return std::isnan(v) ? -0x1p300 : v;
    };
    for (const int c : keys) key.push_back(value(c));
    const double k = kernel < 0 ? 0.0 : value(kernel);
    key.push_back(k);
    const auto [entry, fresh] = numbers.emplace(std::move(key), static_cast<std::uint32_t>(numbers.size()));
    if (fresh) {
      const auto [kernel_entry, first_seen] = kernels.emplace(k, static_cast<std::uint32_t>(kernels.size()));
      rows.kernel_of_group.push_back(kernel_entry->second);
      if (first_seen) {
        const bool named = kernel >= 0 && k >= 0 &&
                           k < static_cast<double>(table.labels[static_cast<std::size_t>(kernel)].size());
        rows.kernel_names.push_back(
            named ? table.labels[static_cast<std::size_t>(kernel)][static_cast<std::size_t>(k)]
                  : std::string());
      }
    }
    rows.group.push_back(entry->second);
  }
  if (kernel >= 0) used_up.insert(kernel);
  return {};
}

std::string target_of(const TableColumns& table, const TableOptions& options) {
  if (!options.target.empty()) return options.target;
  std::vector<std::string> numbers, varying;
  for (std::size_t c = 0; c < table.names.size(); ++c) {
    if (!table.labels[c].empty()) continue;
    double first = kMissing;
    const bool varies = std::any_of(table.values[c].begin(), table.values[c].end(), [&](double v) {
      if (std::isnan(first)) first = v;
      return !std::isnan(v) && v != first;
    });
    numbers.push_back(table.names[c]);
    if (varies) varying.push_back(table.names[c]);
  }
  return guess_target(numbers, varying);
}

} // namespace

Expected<MemoryRows> rows_of_table(TableColumns table, const TableOptions& options, const std::string& file) {
  const auto count = rows_of(table);
  if (count == 0)
    return failure(ErrorKind::BadInput, "the table has a header but no rows", file, "line 2",
                   "Export the table again.");
  MemoryRows rows;
  std::set<int> used_up;
  if (auto done = number_groups(table, options, file, rows, used_up); !done) return forward(done.error());
  const int duration = find(table, options.duration.empty() ? "duration_ns" : options.duration);
  if (!options.duration.empty() && duration < 0)
    return failure(ErrorKind::BadUse, fmt::format("there is no column \"{}\"", options.duration), file, {},
                   did_you_mean(options.duration, table.names));
  if (duration >= 0 && !rows.group.empty()) {
    rows.duration_ns = table.values[static_cast<std::size_t>(duration)];
    used_up.insert(duration);
  }
  rows.target = rows.duration_ns.empty() ? target_of(table, options) : options.target;
  std::vector<std::size_t> kept;
  for (std::size_t c = 0; c < table.names.size(); ++c)
    if (!used_up.contains(static_cast<int>(c))) kept.push_back(c);
  rows.values.resize(static_cast<Eigen::Index>(count), static_cast<Eigen::Index>(kept.size()));
  for (std::size_t k = 0; k < kept.size(); ++k) {
    const std::size_t c = kept[k];
    FeatureInfo info;
    info.name = table.names[c];
    info.unit = table.units[c].empty() ? unit_of(info.name) : table.units[c];
    info.tier = options.all_in_one_tier ? 0 : -1, info.of_plain_table = true;
    if (!table.labels[c].empty()) info.role = FeatureRole::category, info.labels = std::move(table.labels[c]);
    rows.columns.push_back(std::move(info));
    rows.values.col(static_cast<Eigen::Index>(k)) =
        Eigen::Map<const Eigen::VectorXd>(table.values[c].data(), static_cast<Eigen::Index>(count));
    table.values[c] = {};
  }
  for (auto& remark : table.remarks) rows.notes.push_back(note<notes::kTable>(std::move(remark)));
  return rows;
}

} // namespace jitterscope::causal
