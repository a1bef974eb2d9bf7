#include "core/import/analysis_rows/present.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "core/import/analysis_rows/rows.h"
#include "core/import/assemble/context.h"
#include "core/import/records/constants.h"
#include "core/store/tracks/track_index_tables.h"

namespace jitterscope::import {
namespace {

using store::AnalysisRows;
using store::TraceData;

template <class T>
SpillVector<T>& column(TraceData& data, const char* table, const char* name) {
  return std::get<SpillVector<T>>(const_cast<store::Column*>(data.find(table)->find(name))->values);
}

// Columns after the common ones belong to the launches that are replaced.
void remove_own_columns(TraceData& data) {
  auto& columns = data.find("launches")->columns;
  const auto flags = std::ranges::find(columns, "flags", &store::Column::name);
  if (flags != columns.end()) columns.erase(flags + 1, columns.end());
}

// One kernel and one configuration for each name.
SpillVector<std::uint32_t> replace_kernels(TraceData& data, const SpillVector<std::uint32_t>& names) {
  std::vector<std::uint32_t> kernel_of(data.strings.all().size(), kNone); // by name
  SpillVector<std::uint32_t> kernels, configurations;
  configurations.reserve(names.size());
  for (const auto name : names) {
    auto& kernel = kernel_of[name];
    if (kernel == kNone) {
      kernel = static_cast<std::uint32_t>(kernels.size());
      kernels.push_back(name);
    }
    configurations.push_back(kernel);
  }
  for (auto& of : data.find("configurations")->columns)
    of.values = SpillVector<std::uint32_t>(kernels.size(), of.name == "variant" ? 0u : 1u);
  for (const char* none : {"static_shared_memory", "dynamic_shared_memory", "registers"})
    column<std::uint32_t>(data, "configurations", none) = SpillVector<std::uint32_t>(kernels.size(), 0u);
  auto& of = column<std::uint32_t>(data, "configurations", "kernel");
  for (std::uint32_t k = 0; k < kernels.size(); ++k) of[k] = k;
  column<std::uint32_t>(data, "kernels", "short_name") = kernels;
  column<std::uint32_t>(data, "kernels", "name") = std::move(kernels);
  return configurations;
}

void replace_launches(TraceData& data, PresentedRows&& rows) {
  const auto count = rows.size();
  auto configurations = replace_kernels(data, rows.name);
  remove_own_columns(data);
  column<std::int64_t>(data, "launches", "start") = std::move(rows.start);
  column<std::int64_t>(data, "launches", "duration") = std::move(rows.duration);
  column<std::uint32_t>(data, "launches", "configuration") = std::move(configurations);
  column<std::uint32_t>(data, "launches", "stream") = std::move(rows.thread);
  column<std::uint32_t>(data, "launches", "call") = SpillVector<std::uint32_t>(count, kNone);
  column<std::uint32_t>(data, "launches", "range") = std::move(rows.range);
  column<std::uint32_t>(data, "launches", "correlation") = SpillVector<std::uint32_t>::zeros(count);
  column<std::uint8_t>(data, "launches", "flags") = SpillVector<std::uint8_t>(count, std::uint8_t{0});
}

} // namespace

Expected<std::int64_t> present_rows(TraceData& data, AnalysisRows requested, store::ImportReport& report,
                                    const Job& job) {
  if (requested == AnalysisRows::Launches)
    return failure(ErrorKind::BadUse, "the rows of the trace are already launches", {}, "rows",
                   "Omit --rows.");
  Stop stop(job);
  job.progress(0, 0, std::string(store::to_string(requested)));
  auto rows = collect_rows(data, requested, stop);
  const auto count = rows.size();
  if (stop.requested()) return Job::cancelled_error();
  if (count == 0) return 0;
  if (const auto launches = data.find("launches")->rows(); launches > 0)
    report.add(store::Severity::Drop, "launches-not-presented",
               fmt::format("the {} previous analysis rows were replaced: the analysis rows are now {}",
                           launches, store::to_string(requested)),
               static_cast<std::int64_t>(launches));
  if (rows.empty > 0)
    report.add(store::Severity::Info, "bursts-of-length-0",
               fmt::format("{} bursts of length 0 are no analysis rows", rows.empty), rows.empty);
  auto bytes = std::move(rows.bytes);
  replace_launches(data, std::move(rows));
  if (!bytes.empty())
    data.find("launches")
        ->add("bytes", "B", "Number of bytes that the MPI call sends or receives", std::move(bytes));
  add_thread_counters(data, report, stop);
  if (stop.requested()) return Job::cancelled_error();
  std::erase_if(data.tables,
                [](const store::Table& table) { return table.name == store::kAnalysisRowsTable; });
  data.add_table(std::string(store::kAnalysisRowsTable))
      .add<std::uint8_t>("kind", "",
                         "Kind of the rows in table launches: 0 launches, 1 bursts, 2 ranges, 3 calls",
                         SpillVector<std::uint8_t>(1, static_cast<std::uint8_t>(requested)));
  report.add(store::Severity::Info, fmt::format("rows-are-{}", store::to_string(requested)),
             fmt::format("the analysis rows are {} {} of host threads", count, store::to_string(requested)));
  return static_cast<std::int64_t>(count);
}

store::AnalysisRows rows_of_mapping(std::span<const std::string> entries) {
  constexpr std::string_view kKey = "rows=";
  auto rows = AnalysisRows::Launches;
  for (const auto& entry : entries)
    if (entry.starts_with(kKey))
      rows = store::analysis_rows_from(std::string_view(entry).substr(kKey.size())).value_or(rows);
  return rows;
}

Expected<void> present_all(TraceData& data, AnalysisRows requested, const Job& job) {
  if (data.manifest.launch_order)
    return failure(ErrorKind::BadUse, "tables without times contain only launches", {}, "rows",
                   "Omit --rows.");
  store::ImportReport report;
  auto count = present_rows(data, requested, report, job);
  if (!count) return forward(count.error());
  if (*count == 0)
    return failure(
        ErrorKind::BadUse, fmt::format("the trace has no {}", store::to_string(requested)), {}, "rows",
        requested == AnalysisRows::Bursts ? "Bursts are derived from recorded states or MPI calls." : "");
  if (auto done = add_context(data, report, job); !done) return done;
  data.manifest.constant_columns.clear();
  mark_constants(data);
  for (const auto& entry : report.entries()) data.manifest.report.push_back(entry);
  return store::add_track_index(data, job);
}

} // namespace jitterscope::import
