#include "core/analysis/export/chrome_export.h"
#include "core/analysis/export/csv_export.h"
#include "core/base/output_file.h"
#include "core/efficiency/paraver/paraver_export.h"
#include "core/engine/messages/export_options.h"
#include "core/engine/operations/operations.h"

namespace jitterscope::engine {
namespace {

/// export_paraver → {files, records, bytes, left_out: [text]}: the session as
/// a Paraver trace.
Expected<Answer> export_paraver(const Context& context, const ExportParaverOptions& options) {
  if (auto open = require_session(context.workspace); !open) return forward(open.error());
  const auto& path = options.path;
  if (auto kept = refuse_existing(efficiency::paraver_files(path), options.overwrite); !kept)
    return forward(kept.error());
  auto report = efficiency::export_paraver(*context.workspace.session, path, context.job);
  if (!report) return forward(report.error());
  Answer answer;
  answer.document = {{"files", report->files},
                     {"records", report->records},
                     {"bytes", report->bytes},
                     {"left_out", report->left_out}};
  return answer;
}

/// export_chrome → {files, records, bytes, left_out: [text]}: the session as a Chrome trace.
Expected<Answer> export_chrome(const Context& context, const ExportChromeOptions& options) {
  if (auto open = require_session(context.workspace); !open) return forward(open.error());
  const auto& path = options.path;
  auto report =
      analysis::export_chrome(*context.workspace.session, *context.workspace.columns, path, context.job);
  if (!report) return forward(report.error());
  Answer answer;
  answer.document = {{"files", {path}},
                     {"records", report->events},
                     {"bytes", report->bytes},
                     {"left_out", report->left_out}};
  return answer;
}

/// export_csv → {files, records: launches, bytes, left_out: [text], columns: [header]}: the launches
/// as a table.
Expected<Answer> export_csv(const Context& context, const ExportCsvOptions& options) {
  if (auto open = require_session(context.workspace); !open) return forward(open.error());
  const auto& path = options.path;
  auto report = analysis::export_launches_csv(*context.workspace.session, *context.workspace.columns, path,
                                              context.job);
  if (!report) return forward(report.error());
  Answer answer;
  answer.document = {{"files", {path}},
                     {"records", report->launches},
                     {"bytes", report->bytes},
                     {"left_out", report->left_out},
                     {"columns", report->columns}};
  return answer;
}

} // namespace

std::vector<Operation> export_operations() {
  return {{Reach::Alone, export_paraver}, {Reach::Alone, export_chrome}, {Reach::Alone, export_csv}};
}

} // namespace jitterscope::engine
