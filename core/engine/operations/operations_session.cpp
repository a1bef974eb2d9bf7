#include <algorithm>

#include "core/analysis/columns/info.h"
#include "core/analysis/filter/filter.h"
#include "core/analysis/prediction/launch_model.h"
#include "core/base/spill_memory.h"
#include "core/efficiency/cut/copy.h"
#include "core/engine/messages/session_answers.h"
#include "core/engine/messages/session_options.h"
#include "core/engine/operations/operations.h"
#include "core/engine/operations/report_entry.h"
#include "core/engine/operations/same_stores.h"
#include "core/import/analysis_rows/present.h"
#include "core/import/import.h"
#include "core/reasons/rows/table_target.h"
#include "core/store/format/verify.h"
#include "core/store/tracks/track_index_tables.h"

namespace jitterscope::engine {
namespace {

/// Names of the session's files, kernels, ranges and threads, if its rows are not launches.
NounNames names_in(const analysis::Session& session) {
  NounNames names;
  if (analysis::rows_name(session) == "launches") return names;
  for (const auto& trace : session.traces()) {
    names.add(trace.name), names.add(trace.store.path());
    for (const auto& source : trace.store.manifest().sources) names.add(source.path);
    for (const auto& resource : trace.store.resources()) names.add(resource.name);
    for (std::uint32_t id = 0; id < trace.store.strings(); ++id) names.add(trace.store.string({id}));
  }
  for (const auto& kernel : session.kernels()) names.add(kernel.name), names.add(kernel.short_name);
  return names;
}

/// open → info document, and in `default_target` the target of causal questions that name
/// none. The previous session stays open on all ranks unless all have opened the same files.
Expected<Answer> open(const Context& context, const OpenOptions& options) {
  using analysis::KernelNames;
  auto session = analysis::Session::open(options.stores, context.job,
                                         options.short_names ? KernelNames::Short : KernelNames::Full);
  if (!session) return forward(session.error());
  if (auto same = same_stores(*session, context.communicator); !same) return forward(same.error());
  Workspace opened;
  opened.session = std::make_unique<analysis::Session>(std::move(*session));
  opened.noun_names = names_in(*opened.session);
  opened.columns = std::make_unique<analysis::LaunchColumns>(*opened.session);
  opened.columns->add_terms(analysis::LaunchModel::of(*opened.session, *opened.columns));
  if (context.job.cancelled()) return Job::cancelled_error();
  Answer answer;
  if (context.communicator.rank() == 0) { // only rank 0 uses them
    opened.names = std::make_unique<analysis::NameTable>(*opened.session);
    if (context.job.cancelled()) return Job::cancelled_error();
    opened.tracks = std::make_unique<analysis::Tracks>(*opened.session);
    if (context.job.cancelled()) return Job::cancelled_error();
    answer.document = analysis::info(*opened.session, *opened.columns);
    answer.document["engine_ranks"] = context.communicator.size();
    answer.document["default_target"] = analysis::default_target(*opened.session, *opened.columns);
  }
  if (context.job.cancelled()) return Job::cancelled_error();
  if (auto agreed = all_ranks_succeeded(context.communicator); !agreed) return forward(agreed.error());
  context.workspace = std::move(opened);
  return answer;
}

/// Copies all tables of a store into the data of an import.
Expected<store::TraceData> copied(const std::string& path, const Job& job) {
  auto store = store::Store::open(path, store::Access::Mapped, job);
  if (!store) return forward(store.error());
  auto copy = efficiency::copy_rows(*store, efficiency::choose_everything(*store), {},
                                    efficiency::Borders::Full, 0, job);
  if (!copy) return forward(copy.error());
  if (auto intact = store->check_intact(); !intact) return forward(intact.error());
  return std::move(copy->data);
}

/// The data of profiler files, or of one store, with the requested analysis rows and collective kernels.
Expected<store::TraceData> read_files(const std::vector<std::string>& files,
                                      const import::ImportOptions& options, store::AnalysisRows rows,
                                      const Job& job) {
  const auto is_store = [](const std::string& file) { return file.ends_with(".jts"); };
  const bool other_rows = rows != store::AnalysisRows::Launches;
  const auto& collectives = options.mapping.collective_kernels;
  const bool changed = other_rows || collectives;
  if (changed && std::ranges::any_of(files, is_store) && files.size() > 1)
    return failure(ErrorKind::BadUse,
                   other_rows ? "analysis rows can be chosen for only one store at a time"
                              : "collective kernels can be chosen for only one store at a time",
                   files.front(), other_rows ? "rows" : "--collective-kernels",
                   "Import the profiler files into one store first.");
  const bool store = changed && !files.empty() && is_store(files.front());
  auto data = store ? copied(files.front(), job) : import::import_files(files, job, options);
  if (data && store && collectives) {
    data->manifest.collective_kernels = *collectives;
    if (!other_rows) // else made with the rows
      if (auto indexed = store::add_track_index(*data, job); !indexed) return forward(indexed.error());
  }
  if (!data || !other_rows) return data;
  if (auto shown = import::present_all(*data, rows, job); !shown) {
    auto error = shown.error();
    error.file = files.front();
    return forward(std::move(error));
  }
  return data;
}

/// A single store is accepted too if the mapping chooses other analysis rows.
Expected<answers::ImportAnswer> import(const Context& context, const ImportOptions& options) {
  const SpillMemory spill_memory; // must outlive the tables until they are written
  auto mapping = import::parse_mapping(options.mapping);
  if (!mapping) return forward(mapping.error());
  import::ImportOptions requested;
  requested.kernel_column = mapping->kernel_column();
  requested.mapping = std::move(*mapping);
  auto data = read_files(options.files, requested, import::rows_of_mapping(options.mapping), context.job);
  if (!data) return forward(data.error());
  context.job.progress(0, 0, "writing the store");
  if (auto written = store::write_store(*data, options.output, context.job); !written)
    return forward(written.error());
  answers::ImportAnswer answer{.store = options.output};
  for (const auto& source : data->manifest.sources)
    answer.inputs.push_back({.path = source.path, .bytes = source.bytes, .sha256 = source.sha256});
  for (const auto& entry : data->manifest.report) answer.report.push_back(report_entry(entry));
  return answer;
}

/// Compares the complete files with their checksums.
Expected<answers::VerifyStoresAnswer> verify_stores(const Context& context,
                                                    const VerifyStoresOptions& options) {
  answers::VerifyStoresAnswer answer;
  for (const auto& path : options.stores) {
    auto found = store::verify_store(path, context.job);
    if (!found) return forward(found.error());
    auto& made = answer.stores.emplace_back(answers::VerifiedStoreAnswer{
        .path = path, .checksums = found->has_checksums, .bytes = found->bytes, .intact = found->intact()});
    for (const auto& rows : found->rows)
      made.damaged.push_back(
          {.table = rows.table, .column = rows.column, .first = rows.first, .last = rows.last});
    for (const auto& range : found->other) made.other.push_back({.begin = range.begin, .end = range.end});
  }
  return answer;
}

Expected<answers::CheckFilterAnswer> check_filter(const Context& context, const CheckFilterOptions& options) {
  if (auto open = require_session(context.workspace); !open) return forward(open.error());
  auto filter = analysis::Filter::parse(options.where, *context.workspace.columns);
  if (!filter) return forward(filter.error());
  return answers::CheckFilterAnswer{.where = filter->text()};
}

} // namespace

std::vector<Operation> session_operations() {
  return {{Reach::AllRanks, open},
          {Reach::Alone, import},
          {Reach::Alone, verify_stores},
          {Reach::RankZero, check_filter}};
}

} // namespace jitterscope::engine
