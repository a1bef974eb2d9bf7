#include <algorithm>
#include <filesystem>
#include <set>

#include <unistd.h>

#include <fmt/core.h>

#include "core/analysis/export/chrome_export.h"
#include "core/analysis/export/csv_export.h"
#include "core/base/output_file.h"
#include "core/base/spill_memory.h"
#include "core/efficiency/cut/reduce.h"
#include "core/efficiency/efficiency_json.h"
#include "core/efficiency/paraver/paraver_export.h"
#include "core/engine/messages/export_options.h"
#include "core/engine/operations/operations.h"
#include "core/import/records/constants.h"
#include "core/store/format/store.h"

namespace jitterscope::engine {
namespace {

using nlohmann::json;
using namespace efficiency;

Expected<ReductionOptions> reduction_options(const ReduceOptions& options,
                                             const analysis::LaunchColumns& columns) {
  ReductionOptions requested;
  const auto range = range_of(options.begin_ns, options.end_ns);
  if (!range) return forward(range.error());
  requested.range = *range;
  requested.borders = options.clip ? Borders::Clip : Borders::Full;
  requested.from_zero = options.from_zero;
  requested.ranks = options.ranks;
  requested.devices = options.devices;
  requested.tracks = options.tracks;
  requested.kernels_above = options.kernels_above_ns;
  requested.bursts_above = options.bursts_above_ns;
  requested.software_counters = options.software_counters;
  if (!options.keep.empty()) {
    auto kinds = kinds_from(options.keep);
    if (!kinds) return forward(kinds.error());
    requested.kinds = *kinds;
    if (requested.kernels_above > 0) requested.kinds |= bit_of(RowKind::Kernels);
    if (requested.bursts_above > 0) requested.kinds |= bit_of(RowKind::Bursts);
  }
  auto where = analysis::Filter::parse(options.where, columns);
  if (!where) return forward(where.error());
  requested.where = std::move(*where);
  return requested;
}

/// A temporary store next to the output, from which another format is written; removed by the destructor.
class PassingStore {
public:
  explicit PassingStore(const std::string& output) : path_(fmt::format("{}.cut-{}.jts", output, getpid())) {}
  PassingStore(const PassingStore&) = delete;
  PassingStore& operator=(const PassingStore&) = delete;
  ~PassingStore() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  const std::string& path() const { return path_; }

private:
  std::string path_;
};

/// Efficiencies of a session; null if its rows determine none.
Expected<json> efficiencies_of(const analysis::Session& session, const Options& options, const Job& job,
                               std::optional<Interval>& range) {
  if (session.launch_order()) return json();
  const auto one = local_communicator();
  auto activity = Activity::make(session, *one, job);
  if (!activity) return forward(activity.error());
  auto result = efficiencies(*activity, session, options, *one, job);
  if (!result && result.error().kind == ErrorKind::BadUse) return json();
  if (!result) return forward(result.error());
  range = result->range;
  auto document = to_json(result->factors);
  document["range_ns"] = {{"begin", result->range.begin.count}, {"end", result->range.end.count}};
  document["devices"] = result->devices.size();
  document["hosts"] = result->hosts.size();
  return document;
}

/// Devices and host threads without rows in the smaller trace, whose efficiencies do not contain them; null
/// if there are none.
json missing_rows(const json& before, const json& after) {
  std::string missing;
  int count = 0;
  for (const auto& [key, one] : {std::pair{"devices", "device"}, {"hosts", "host thread"}}) {
    const auto lost = before.is_null() || after.is_null()
                          ? 0
                          : before.at(key).get<std::int64_t>() - after.at(key).get<std::int64_t>();
    if (lost <= 0) continue;
    missing += fmt::format("{}{} {}{}", missing.empty() ? "" : " and ", lost, one, lost == 1 ? "" : "s");
    count += static_cast<int>(std::min<std::int64_t>(lost, 2));
  }
  if (count == 0) return {};
  return fmt::format("{} {} no rows in the smaller trace: its efficiencies do not contain {}", missing,
                     count == 1 ? "has" : "have", count == 1 ? "it" : "them");
}

/// Efficiencies of both traces in the same range: the requested one, else the range of the activity in
/// `before`.
Expected<json> compare_efficiencies(const analysis::Session& before, const analysis::Session& after,
                                    const ReductionOptions& requested, const Reduction& reduction,
                                    const Job& job) {
  Options options;
  options.range = requested.range;
  options.ranks = requested.ranks;
  options.devices = requested.devices;
  job.progress(0, 0, "efficiencies");
  std::optional<Interval> range;
  auto first = efficiencies_of(before, options, job, range);
  if (!first) return forward(first.error());
  if (range && reduction.range) { // the smaller trace may have other times, and fewer events at the borders
    const auto moved = reduction.range->begin - options.range.value_or(*range).begin;
    range = Interval{range->begin + moved, range->end + moved};
  }
  options.range = options.recorded = range;
  auto second = efficiencies_of(after, options, job, range);
  if (!second) return forward(second.error());
  return json{{"before", *first}, {"after", *second}, {"note", missing_rows(*first, *second)}};
}

json tables_json(const Reduction& reduction) {
  static constexpr const char* kReasonNames[] = {"kept", "range", "track", "kind", "short", "where"};
  json tables = json::array();
  for (const auto& table : reduction.tables) {
    json dropped = json::object();
    for (int r = 1; r < kReasons; ++r) dropped[kReasonNames[r]] = table.rows_of[static_cast<std::size_t>(r)];
    tables.push_back({{"table", table.table},
                      {"rows", table.rows},
                      {"before", table.before},
                      {"kept", table.kept},
                      {"dropped", dropped}});
  }
  return tables;
}

std::int64_t bytes_of(const std::string& path) {
  std::error_code ignored;
  const auto bytes = std::filesystem::file_size(path, ignored);
  return ignored ? 0 : static_cast<std::int64_t>(bytes);
}

std::int64_t bytes_of_all(const std::vector<std::string>& paths) {
  std::int64_t bytes = 0;
  for (const auto& path : paths) bytes += bytes_of(path);
  return bytes;
}

/// Size of the files that the stores were imported from, as they were then.
std::int64_t bytes_of_sources(const analysis::Session& session) {
  std::int64_t bytes = 0;
  std::set<std::string> counted; // an archive may be the source of several traces
  for (const auto& trace : session.traces())
    for (const auto& source : trace.store.manifest().sources)
      if (counted.insert(source.path).second) bytes += source.bytes;
  return bytes;
}

/// Whether a source is compressed, by the end of its name.
bool has_compressed_source(const analysis::Session& session) {
  constexpr std::string_view kPackings[] = {".gz", ".bz2", ".xz", ".zst", ".tgz", ".zip"};
  return std::ranges::any_of(session.traces(), [&](const analysis::Trace& trace) {
    return std::ranges::any_of(trace.store.manifest().sources, [&](const store::Source& source) {
      return std::ranges::any_of(kPackings, [&](std::string_view end) { return source.path.ends_with(end); });
    });
  });
}

/// Format of the output, by the end of its name.
enum class Format { None, Store, Paraver, Chrome, Csv };
Format format_of(const std::string& output) {
  if (output.ends_with(".jts")) return Format::Store;
  if (output.ends_with(".prv")) return Format::Paraver;
  if (output.ends_with(".json")) return Format::Chrome;
  return output.ends_with(".csv") ? Format::Csv : Format::None;
}

/// Writes the smaller trace in a format other than a store. Adds left_out to the document and, for Paraver,
/// the files.
Expected<void> write_as(Format format, const analysis::Session& session, const std::string& output,
                        const Job& job, json& document) {
  const auto add = [&](const auto& report) { document["left_out"] = report.left_out; };
  if (format == Format::Paraver) {
    auto report = efficiency::export_paraver(session, output, job);
    if (!report) return forward(report.error());
    document["files"] = report->files;
    add(*report);
    return {};
  }
  const analysis::LaunchColumns columns(session);
  if (format == Format::Chrome) {
    auto report = analysis::export_chrome(session, columns, output, job);
    if (!report) return forward(report.error());
    add(*report);
    return {};
  }
  auto report = analysis::export_launches_csv(session, columns, output, job);
  if (!report) return forward(report.error());
  add(*report);
  return {};
}

/// reduce → {files, bytes_before: of the store, bytes_of_sources: of the
/// imported files, sources_compressed: bool, bytes_after: of all written files, tables:
/// [{table, rows: what they are, before, kept, dropped: {range, track, kind, short, where}}],
/// software_counters, report: added entries, left_out: [text] of other formats, efficiency: {before, after,
/// note}}: a smaller trace (core/efficiency/cut).
Expected<Answer> reduce(const Context& context, const ReduceOptions& options) {
  if (auto open = require_session(context.workspace); !open) return forward(open.error());
  const auto& session = *context.workspace.session;
  const auto& output = options.output;
  const auto format = format_of(output);
  if (format == Format::None)
    return failure(ErrorKind::BadUse, "the name of the output must end in .jts, .prv, .json or .csv", output,
                   {}, "Choose a name such as part.jts.");
  const auto outputs = paraver_files(output);
  if (auto kept = refuse_existing(outputs, options.overwrite); !kept) return forward(kept.error());
  for (const auto& file : outputs)
    if (auto kept = refuse_input(file); !kept) return forward(kept.error());
  const SpillMemory spill_memory; // must outlive the tables until they are written
  auto requested = reduction_options(options, *context.workspace.columns);
  if (!requested) return forward(requested.error());
  const auto entries_before = session.traces().front().store.manifest().report.size();
  auto reduction = efficiency::reduce(session, *context.workspace.columns, *requested, context.job);
  if (!reduction) return forward(reduction.error());
  reduction->data.manifest.constant_columns.clear();
  import::mark_constants(reduction->data);
  const PassingStore passing(output);
  const auto store = format == Format::Store ? output : passing.path();
  context.job.progress(0, 0, "writing the store");
  if (auto written = store::write_store(reduction->data, store, context.job); !written)
    return forward(written.error());
  auto after = analysis::Session::open({store}, context.job);
  if (!after) return forward(after.error());
  Answer answer;
  answer.document = {{"files", json::array({output})},
                     {"bytes_before", bytes_of(session.traces().front().store.path())},
                     {"bytes_of_sources", bytes_of_sources(session)},
                     {"sources_compressed", has_compressed_source(session)},
                     {"tables", tables_json(*reduction)},
                     {"software_counters", reduction->counters},
                     {"report", json::array()}};
  const auto& entries = reduction->data.manifest.report;
  for (std::size_t i = entries_before; i < entries.size(); ++i)
    answer.document["report"].push_back({{"severity", store::to_string(entries[i].severity)},
                                         {"code", entries[i].code},
                                         {"count", entries[i].count},
                                         {"text", entries[i].text}});
  if (format != Format::Store)
    if (auto written = write_as(format, *after, output, context.job, answer.document); !written)
      return forward(written.error());
  answer.document["bytes_after"] = bytes_of_all(outputs);
  auto compared = compare_efficiencies(session, *after, *requested, *reduction, context.job);
  if (!compared) return forward(compared.error());
  answer.document["efficiency"] = std::move(*compared);
  return answer;
}

} // namespace

std::vector<Operation> cut_operations() {
  return {{Reach::Alone, reduce}};
}

} // namespace jitterscope::engine
