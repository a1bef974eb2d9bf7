#include "core/analysis/export/chrome_export.h"
#include "core/analysis/export/csv_export.h"
#include "core/base/output_file.h"
#include "core/efficiency/paraver/paraver_export.h"
#include "core/engine/messages/export_answers.h"
#include "core/engine/messages/export_options.h"
#include "core/engine/operations/operations.h"

namespace jitterscope::engine {
namespace {

Expected<answers::ExportParaverAnswer> export_paraver(const Context& context,
                                                      const ExportParaverOptions& options) {
  if (auto open = require_session(context.workspace); !open) return forward(open.error());
  if (auto kept = refuse_existing(efficiency::paraver_files(options.path), options.overwrite); !kept)
    return forward(kept.error());
  auto report = efficiency::export_paraver(*context.workspace.session, options.path, context.job);
  if (!report) return forward(report.error());
  return answers::ExportParaverAnswer{.files = std::move(report->files),
                                      .records = report->records,
                                      .bytes = report->bytes,
                                      .left_out = std::move(report->left_out)};
}

Expected<answers::ExportChromeAnswer> export_chrome(const Context& context,
                                                    const ExportChromeOptions& options) {
  if (auto open = require_session(context.workspace); !open) return forward(open.error());
  auto report = analysis::export_chrome(*context.workspace.session, *context.workspace.columns, options.path,
                                        context.job);
  if (!report) return forward(report.error());
  return answers::ExportChromeAnswer{.files = {options.path},
                                     .records = report->events,
                                     .bytes = report->bytes,
                                     .left_out = std::move(report->left_out)};
}

Expected<answers::ExportCsvAnswer> export_csv(const Context& context, const ExportCsvOptions& options) {
  if (auto open = require_session(context.workspace); !open) return forward(open.error());
  auto report = analysis::export_launches_csv(*context.workspace.session, *context.workspace.columns,
                                              options.path, context.job);
  if (!report) return forward(report.error());
  return answers::ExportCsvAnswer{.files = {options.path},
                                  .records = report->launches,
                                  .bytes = report->bytes,
                                  .left_out = std::move(report->left_out),
                                  .columns = std::move(report->columns)};
}

} // namespace

std::vector<Operation> export_operations() {
  return {{Reach::Alone, export_paraver}, {Reach::Alone, export_chrome}, {Reach::Alone, export_csv}};
}

} // namespace jitterscope::engine
