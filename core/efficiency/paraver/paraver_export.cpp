#include "core/efficiency/paraver/paraver_export.h"

#include <algorithm>
#include <ctime>

#include <fmt/core.h>

#include "core/base/output_file.h"
#include "core/efficiency/paraver/paraver_records.h"

namespace jitterscope::efficiency {
namespace {

constexpr std::int64_t kRowsOfSlice = 131'072; ///< a row has about two records of 35 B

/// Borders of slices with about the same number of rows.
std::vector<std::int64_t> borders_of(const ParaverRecords& records, Interval span) {
  std::vector<std::int64_t> borders{span.begin.count};
  while (borders.back() < span.end.count) {
    const auto requested = records.rows_before(borders.back()) + kRowsOfSlice;
    auto low = borders.back() + 1, high = span.end.count + 1;
    while (low < high) { // last border with at most `requested` rows before it
      const auto middle = low + (high - low + 1) / 2;
      if (records.rows_before(middle) <= requested)
        low = middle;
      else
        high = middle - 1;
    }
    borders.push_back(low);
  }
  return borders;
}

/// Numbers of states and ranges in the imported Paraver traces; of two names of one number the first.
store::ParaverNumbers numbers_of(const analysis::Session& session) {
  store::ParaverNumbers all;
  for (const auto& trace : session.traces()) {
    const auto& of = trace.store.manifest().paraver;
    all.states.insert(of.states.begin(), of.states.end());
    all.range_types.insert(of.range_types.begin(), of.range_types.end());
  }
  return all;
}

std::string date() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  return fmt::format("{:02}/{:02}/{} at {:02}:{:02}", local.tm_mday, local.tm_mon + 1, local.tm_year + 1900,
                     local.tm_hour, local.tm_min);
}

Expected<void> write_body(ParaverRecords& records, Interval span, BufferedOutput& writer,
                          ParaverReport& report, const Job& job) {
  Stop stop(job);
  auto borders = borders_of(records, span);
  borders.push_back(INT64_MAX / 4);
  const auto all = records.rows();
  for (std::size_t s = 1; s < borders.size(); ++s) {
    const auto slice = records.slice(borders[s], stop);
    if (stop.requested()) return Job::cancelled_error();
    for (std::size_t i = 0; i < slice.size(); ++i) {
      if (stop.at(i)) return Job::cancelled_error();
      if (auto done = writer.add(records.line(slice[i])); !done) return done;
    }
    report.records += static_cast<std::int64_t>(slice.size());
    job.progress(records.rows_before(borders[s]), all, "records");
  }
  return {};
}

Expected<BufferedOutput> created(const std::string& path) {
  auto file = OutputFile::create(path, OutputFile::Special::Refused);
  if (!file) return forward(file.error());
  return BufferedOutput(std::move(*file));
}

} // namespace

std::vector<std::string> paraver_files(const std::string& path) {
  if (!path.ends_with(".prv")) return {path};
  const auto stem = path.substr(0, path.size() - 4);
  return {path, stem + ".pcf", stem + ".row"};
}

Expected<ParaverReport> export_paraver(const analysis::Session& session, const std::string& path,
                                       const Job& job) {
  if (session.launch_order())
    return failure(ErrorKind::BadUse, "tables without times cannot be written as a Paraver trace", path, {},
                   "Open a trace that records when kernels and calls ran.");
  if (!path.ends_with(".prv"))
    return failure(ErrorKind::BadUse, "the name of a Paraver trace must end in .prv", path, {},
                   "Choose a name such as trace.prv.");
  const auto files = paraver_files(path);
  const ParaverObjects objects(session);
  ParaverLabels labels(numbers_of(session));
  ParaverRecords records(session, objects, labels);
  const auto span = records.span();
  auto body = created(files[0]), names = created(files[1]), rows = created(files[2]);
  for (const auto* file : {&body, &names, &rows})
    if (!*file) return forward(file->error());
  ParaverReport report;
  auto done =
      body->add(fmt::format("#Paraver ({}):{}_ns:{}\n{}\n{}", date(), span.end.count + records.shift(),
                            objects.header(), objects.ranks(), objects.recorded_in_whole(session)));
  if (done) done = write_body(records, span, *body, report, job);
  if (done) done = names->add(labels.text());
  if (done) done = rows->add(objects.rows());
  // The long file is finished first: if it fails, an older trace keeps its names.
  if (done) done = body->finish(job);
  if (done) done = names->finish({});
  if (done) done = rows->finish({});
  if (!done) return forward(done.error());
  report.bytes = body->bytes();
  report.files = files;
  report.left_out = records.left_out();
  return report;
}

} // namespace jitterscope::efficiency
