#include "core/import/import.h"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "core/base/spill_memory.h"
#include "core/import/analysis_rows/present.h"
#include "core/import/assemble/alignment.h"
#include "core/import/assemble/assemble.h"
#include "core/import/assemble/background_task.h"
#include "core/import/assemble/checksums.h"
#include "core/import/assemble/context.h"
#include "core/import/assemble/device_logs.h"
#include "core/import/assemble/ranks.h"
#include "core/import/assemble/runs.h"
#include "core/import/assemble/same_run.h"
#include "core/import/recognition.h"
#include "core/import/records/clock_offset.h"
#include "core/import/records/constants.h"
#include "core/import/records/draft.h"
#include "core/import/records/left_out.h"
#include "core/import/registry.h"
#include "core/import/text/text.h"
#include "core/store/tracks/track_index_tables.h"

namespace jitterscope::import {
namespace {

using store::Severity;
using store::Source;
using store::TraceData;

FileSpan span_of(const Draft& draft, const FilePart& part) {
  FileSpan span;
  bool first = true;
  const auto widen = [&](const auto& start, const auto& duration, std::size_t from, std::size_t to) {
    for (auto row = from; row < to; ++row, first = false) {
      span.first = first ? start[row] : std::min(span.first, start[row]);
      span.last = first ? start[row] + duration[row] : std::max(span.last, start[row] + duration[row]);
      ++span.rows;
      span.duration = static_cast<std::int64_t>(static_cast<std::uint64_t>(span.duration) +
                                                static_cast<std::uint64_t>(duration[row]));
    }
  };
  widen(draft.launches.start, draft.launches.duration, part.from.launches, part.to.launches);
  widen(draft.transfers.start, draft.transfers.duration, part.from.transfers, part.to.transfers);
  if (first) { // no activity of a GPU
    widen(draft.calls.start, draft.calls.duration, part.from.calls, part.to.calls);
    widen(draft.ranges.start, draft.ranges.duration, part.from.ranges, part.to.ranges);
  }
  return span;
}

// Devices are distinguished by their process; hosts have no name in most files, so several hosts are named
// after a file.
void name_hosts(Draft& draft, const std::vector<std::pair<std::uint32_t, std::string>>& first_file_of_host) {
  if (first_file_of_host.size() < 2) return;
  std::map<std::string, int> hosts_of; // hosts without a name of each file
  for (const auto& [host, path] : first_file_of_host) hosts_of[path] += draft.resources[host].name.empty();
  for (const auto& [host, path] : first_file_of_host) {
    auto& resource = draft.resources[host];
    if (!resource.name.empty()) continue;
    const auto file = std::filesystem::path(path).filename().string();
    resource.name = hosts_of[path] > 1 ? fmt::format("host {} of {}", resource.number, file)
                                       : fmt::format("host of {}", file);
  }
}

// For several files that are read together, their folder is more informative than the one that the user
// named.
std::string name_of(const Group& group) {
  const auto named = std::ranges::find_if(group.inputs, &Input::named);
  const auto& one = named == group.inputs.end() ? group.inputs.front() : *named;
  const auto folder = std::filesystem::path(one.path).parent_path();
  return group.inputs.size() > 1 && one.member.empty() && folder.has_filename() ? folder.string()
                                                                                : one.name();
}

std::int64_t bytes_of(const Group& group) {
  std::int64_t bytes = 0;
  for (const auto& input : group.inputs) bytes += input.disk_bytes;
  return bytes;
}

// Reads all groups into one draft, one part each.
class Reading {
public:
  Reading(Draft& draft, const Job& job) : draft_(draft), progress_{job} {}

  Expected<void> read(std::vector<Group> groups) {
    for (const auto& group : groups) progress_.total_bytes += bytes_of(group);
    for (auto& group : groups) {
      progress_.file_bytes = bytes_of(group);
      if (auto done = read(group); !done) return done;
      progress_.done_before += progress_.file_bytes;
    }
    if (groups_.empty()) return forward(first_failure_);
    name_hosts(draft_, first_file_of_host_);
    return {};
  }

  const std::vector<Group>& groups() const { return groups_; }
  std::vector<FilePart>& parts() { return parts_; }
  const std::vector<RunPart>& runs() const { return runs_; }
  const std::vector<FileSpan>& spans() const { return spans_; }

private:
  // A file that the user did not name may fail if others do not: it is left out and reported.
  Expected<void> read(Group& group) {
    FilePart part;
    const auto mark = draft_.mark();
    part.from = mark.rows;
    auto done = group.reader->read(group.inputs, draft_, group.source, progress_);
    if (!done) {
      if (done.error().kind != ErrorKind::BadInput || group.named()) return done;
      if (first_failure_.message.empty()) first_failure_ = done.error();
      draft_.rewind(mark);
      add_left_out(done.error(), draft_.report);
      return {};
    }
    note_rank_of_name(draft_, mark.resources, group.inputs.front());
    if (const auto rank = rank_of(group.inputs.front()); rank && group.reader->of_monitor)
      for (auto& device : draft_.logs.back().devices)
        if (device.rank < 0) device.rank = *rank;
    for (const Input& input : group.inputs)
      if (const auto damage = input.torn ? input.torn->error() : std::nullopt)
        draft_.report.add(Severity::Drop, "cut-off-file",
                          fmt::format("the end of {} is lost: {}", input.name(), describe(*damage)));
    part.to = draft_.sizes();
    join_clocks(draft_, part.from, part.to, group.source);
    progress_.report(1, 1, std::string(group.reader->format)); // readers report in steps
    for (auto row = static_cast<std::uint32_t>(mark.resources); row < draft_.resources.size(); ++row)
      if (draft_.resources[row].kind == store::ResourceKind::Host)
        first_file_of_host_.emplace_back(row, name_of(group));
    spans_.push_back(span_of(draft_, part));
    for (auto row = draft_.resources.size(); row-- > mark.resources;)
      if (draft_.resources[row].kind == store::ResourceKind::Process)
        spans_.back().rank = draft_.resources[row].rank;
    parts_.push_back(part);
    const auto& first = group.inputs.front();
    runs_.push_back({first.member.empty() ? name_of(group) : first.member, part.from, part.to, mark.resources,
                     draft_.resources.size()});
    groups_.push_back(std::move(group));
    return {};
  }

  Draft& draft_;
  Progress progress_;
  Error first_failure_{ErrorKind::BadInput, {}, {}, {}, {}};
  std::vector<Group> groups_;
  std::vector<FilePart> parts_;
  std::vector<RunPart> runs_;
  std::vector<FileSpan> spans_;
  std::vector<std::pair<std::uint32_t, std::string>> first_file_of_host_;
};

// One entry per file on disk, with the information from its group's reader.
Expected<std::vector<Source>> sources_of(const std::vector<Group>& groups, const std::vector<Source>& aligned,
                                         Checksums& checksums, const Job& job) {
  std::vector<Source> sources;
  std::set<std::string> seen;
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (const auto& input : groups[g].inputs) {
      if (!seen.insert(fmt::format("{} {}", g, input.path)).second) continue;
      Source source = aligned[g];
      source.path = input.path;
      std::error_code ignored;
      source.bytes = static_cast<std::int64_t>(std::filesystem::file_size(input.path, ignored));
      const auto same = std::find_if(sources.begin(), sources.end(),
                                     [&](const Source& other) { return other.path == input.path; });
      if (same != sources.end()) {
        source.sha256 = same->sha256;
      } else {
        job.progress(0, 0, "checksum");
        auto sum = checksums.of(source.path, job);
        if (!sum) return forward(sum.error());
        source.sha256 = std::move(*sum);
      }
      sources.push_back(std::move(source));
    }
  return sources;
}

// Results of a machine benchmark are not on the axis, and logs follow the axis of the traces.
bool on_axis(const Group& group) {
  return !group.reader->of_machine && !group.reader->of_monitor;
}

// Tables have an order, traces have times: one axis cannot hold both. Among the files of a folder or archive,
// traces are kept.
Expected<void> keep_one_axis(std::vector<Group>& groups, store::ImportReport& report) {
  const auto timeless = [](const Group& group) { return on_axis(group) && group.source.timeless; };
  const auto timed = [](const Group& group) { return on_axis(group) && !group.source.timeless; };
  const auto table = std::find_if(groups.begin(), groups.end(), timeless);
  const auto trace = std::find_if(groups.begin(), groups.end(), timed);
  if (table == groups.end() || trace == groups.end()) return {};
  for (const auto& group : groups)
    if (timeless(group) && group.named())
      return failure(
          ErrorKind::BadInput,
          fmt::format("the rows of the file have no start and duration, but {} has times; they cannot "
                      "share a time axis",
                      trace->inputs.front().name()),
          group.inputs.front().name(), {},
          "If it is a log, name the column of the times of its samples: --map samples=COLUMN. Open "
          "other tables separately.");
  for (const auto& group : groups)
    if (timeless(group))
      report.add(
          Severity::Drop, "no-common-axis",
          fmt::format("{} was left out: its rows have no start and duration, unlike other files; if it is "
                      "a log, name the column of its times (--map samples=COLUMN), else open it "
                      "separately",
                      group.inputs.front().name()));
  std::erase_if(groups, timeless);
  return {};
}

// The track index does not depend on the context: both are computed concurrently.
Expected<void> add_context_and_index(TraceData& data, store::ImportReport& report, const Job& job) {
  BackgroundTask<Expected<std::vector<store::Table>>> index(
      job, [&](const Job& own) { return store::track_index_tables(data, own); });
  const auto wait = [&] {
    job.progress(0, 0, "tracks and tiles");
    index.wait();
  };
  job.progress(0, 0, "gaps and overlaps of launches");
  if (auto done = add_context(data, report, job, wait); !done) return done;
  auto tables = index.result();
  if (!tables) return forward(tables.error());
  store::set_track_index(data, std::move(*tables));
  return {};
}

struct Axis {
  bool launch_order = true;
  std::int64_t origin_utc_ns = -1;
};

// Puts all sources that have an order or times on one axis.
Axis align_axis(std::vector<Source>& sources, const Reading& reading, store::ImportReport& report) {
  std::vector<std::size_t> places;
  std::vector<Source> of_runs;
  std::vector<FileSpan> spans;
  for (std::size_t g = 0; g < sources.size(); ++g) {
    if (reading.groups()[g].reader->of_monitor) continue;
    if (!on_axis(reading.groups()[g])) {
      sources[g].alignment = "not on the time axis: the file describes a machine, not a run";
      continue;
    }
    places.push_back(g);
    of_runs.push_back(sources[g]);
    spans.push_back(reading.spans()[g]);
  }
  if (of_runs.empty()) return {};
  Axis axis;
  axis.launch_order = of_runs.front().timeless;
  axis.origin_utc_ns = axis.launch_order ? align_tables(of_runs) : align(of_runs, spans, report);
  for (std::size_t i = 0; i < places.size(); ++i) sources[places[i]] = std::move(of_runs[i]);
  return axis;
}

TracesOfLogs traces_of(const Reading& reading, const std::vector<Source>& sources) {
  TracesOfLogs traces;
  for (std::size_t g = 0; g < sources.size(); ++g)
    if (on_axis(reading.groups()[g])) {
      traces.sources.push_back(sources[g]);
      traces.spans.push_back(reading.spans()[g]);
    }
  return traces;
}

// Indices of the groups that are logs, in the order of Draft::logs.
std::vector<std::size_t> logs_of(const std::vector<Group>& groups) {
  std::vector<std::size_t> logs;
  for (std::size_t g = 0; g < groups.size(); ++g)
    if (groups[g].reader->of_monitor) logs.push_back(g);
  return logs;
}

// Logs follow the axis that the traces have.
Expected<void> place_logs(Draft& draft, Reading& reading, std::vector<Source>& sources,
                          store::ImportReport& report) {
  const auto logs = logs_of(reading.groups());
  const auto traces = traces_of(reading, sources);
  for (std::size_t i = 0; i < logs.size(); ++i) {
    auto& source = sources[logs[i]];
    const auto placement = place_log(draft.logs[i], source, draft, traces);
    if (!placement) return forward(placement.error());
    align_log(*placement, traces, source);
    reading.parts()[logs[i]].shift_ns = source.shift_ns;
    if (placement->doubtful)
      report.add(Severity::Doubt, "alignment-unknown",
                 fmt::format("the position of {} on the time axis is uncertain; assumed: {}",
                             draft.logs[i].file, placement->alignment));
  }
  attach_logs(draft, reading.parts(), logs, traces, report);
  return {};
}

// Bytes that are no UTF-8 were replaced one by one (clean_text()).
void report_replaced_bytes(const store::StringTable& strings, store::ImportReport& report) {
  std::int64_t count = 0;
  std::string first;
  for (const auto& text : strings.all())
    if (const auto at = text.find(kReplacement); at != std::string::npos && count++ == 0)
      first = text.substr(0, at + kReplacement.size());
  if (count > 0)
    report.add(
        Severity::Doubt, "unreadable-bytes",
        fmt::format("{} names and texts contain bytes that are not UTF-8, shown as {}, e.g. \"{} …\": names "
                    "that differ only in such bytes are one name here",
                    count, kReplacement, first),
        count);
}

Expected<TraceData> finish(Draft&& draft, Reading& reading, Checksums& checksums, const Job& job) {
  std::vector<Source> aligned;
  for (const auto& group : reading.groups()) aligned.push_back(group.source);
  const auto sources = sources_of(reading.groups(), aligned, checksums, job);
  if (!sources) return forward(sources.error());
  for (std::size_t g = 0; g < aligned.size(); ++g) // duplicates are found by the checksums of all their files
    for (const auto& input : reading.groups()[g].inputs)
      for (const auto& source : *sources)
        if (input.member.empty() && source.path == input.path) {
          aligned[g].sha256 += source.sha256;
          break;
        }
  auto report = std::move(draft.report);
  const auto collective_kernels = draft.options.mapping.collective_kernels.value_or("");
  const auto [launch_order, origin] = align_axis(aligned, reading, report);
  for (std::size_t g = 0; g < aligned.size(); ++g) reading.parts()[g].shift_ns = aligned[g].shift_ns;
  if (auto done = place_logs(draft, reading, aligned, report); !done) return forward(done.error());
  distinguish_runs(draft, reading.runs());
  job.progress(0, 0, "sorting");
  auto data = assemble(std::move(draft), reading.parts(), job);
  if (!data) return forward(data.error());
  data->manifest.sources = *sources;
  std::size_t next = 0;
  for (std::size_t g = 0; g < aligned.size(); ++g)
    for (std::set<std::string> paths; const auto& input : reading.groups()[g].inputs) {
      if (!paths.insert(input.path).second) continue;
      data->manifest.sources[next].shift_ns = aligned[g].shift_ns;
      data->manifest.sources[next++].alignment = aligned[g].alignment;
    }
  data->manifest.origin_utc_ns = origin;
  data->manifest.launch_order = launch_order;
  data->manifest.collective_kernels = collective_kernels;
  if (!launch_order && data->find("launches")->rows() == 0)
    if (auto shown = present_rows(*data, store::AnalysisRows::Bursts, report, job); !shown)
      return forward(shown.error());
  if (launch_order) {
    mark_first_launches(*data);
    job.progress(0, 0, "tracks and tiles");
    if (auto done = store::add_track_index(*data, job); !done) return forward(done.error());
  } else if (auto done = add_context_and_index(*data, report, job); !done) {
    return forward(done.error());
  }
  mark_constants(*data);
  report_replaced_bytes(data->strings, report);
  data->manifest.report = report.entries();
  return data;
}

// Keeps one record of a run that was exported in several formats.
void keep_one_record_of_each_run(const Draft& draft, Reading& reading, std::vector<Group>& kept,
                                 store::ImportReport& report) {
  std::vector<RunRecord> records;
  for (std::size_t g = 0; g < kept.size(); ++g)
    records.push_back({&kept[g].inputs, name_of(kept[g]), kept[g].source.format, kept[g].source.timeless,
                       reading.parts()[g]});
  const auto repeated = repeated_runs(draft, records, report);
  for (auto g = kept.size(); g-- > 0;)
    if (repeated[g]) kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(g));
}

// A log that does not overlap the traces is an error if it was named, else it is left out.
Expected<void> leave_out_logs(const Draft& draft, const Reading& reading, std::vector<Group>& kept,
                              store::ImportReport& report) {
  std::vector<Source> sources;
  for (const auto& group : reading.groups()) sources.push_back(group.source);
  const auto traces = traces_of(reading, sources);
  const auto logs = logs_of(reading.groups());
  for (std::size_t i = 0; i < logs.size(); ++i) {
    const auto& group = reading.groups()[logs[i]];
    const auto placement = place_log(draft.logs[i], group.source, draft, traces);
    if (placement) continue;
    if (group.named()) return forward(placement.error());
    report.add(Severity::Drop, "log-left-out", "left out: " + describe(placement.error()));
    std::erase_if(kept, [&](const Group& other) {
      return identity(other.inputs.front()) == identity(group.inputs.front());
    });
  }
  return {};
}

std::vector<std::string> paths_of(const std::vector<Group>& groups) {
  std::set<std::string> paths;
  for (const auto& group : groups)
    for (const auto& input : group.inputs) paths.insert(input.path);
  return {paths.begin(), paths.end()};
}

bool is_in(const std::vector<Group>& groups, const Group& requested) {
  return std::any_of(groups.begin(), groups.end(), [&](const Group& group) {
    return identity(group.inputs.front()) == identity(requested.inputs.front());
  });
}

Expected<TraceData> import_groups(std::vector<Group> groups, const ImportOptions& options,
                                  store::ImportReport report, const Job& job) {
  auto again = groups;
  auto draft = std::make_unique<Draft>();
  draft->options = options;
  draft->report = report;
  auto reading = std::make_unique<Reading>(*draft, job);
  auto checksums = std::make_unique<Checksums>(paths_of(groups));
  if (auto done = reading->read(std::move(groups)); !done) return forward(done.error());
  const auto& all = reading->groups();
  auto kept = all;
  keep_one_record_of_each_run(*draft, *reading, kept, report);
  if (auto good = keep_one_axis(kept, report); !good) return forward(good.error());
  if (auto good = leave_out_logs(*draft, *reading, kept, report); !good) return forward(good.error());
  if (kept.size() == all.size()) return finish(std::move(*draft), *reading, *checksums, job);
  // Where tables, logs or repeated records were left out, the other files are read again: this is rare, and
  // simpler than removing rows.
  std::erase_if(again, [&](const Group& group) { return is_in(all, group) && !is_in(kept, group); });
  checksums.reset();
  reading.reset();
  draft.reset();
  return import_groups(std::move(again), options, std::move(report), job);
}

} // namespace

Expected<TraceData> import_files(const std::vector<std::string>& files, const Job& job,
                                 const ImportOptions& options) {
  const SpillMemory spill_memory;
  try {
    store::ImportReport report;
    auto groups = recognise(files, options, report, job);
    if (!groups) return forward(groups.error());
    return import_groups(std::move(*groups), options, std::move(report), job);
  } catch (const std::bad_alloc&) {
    return failure(ErrorKind::Io, "not enough memory or temporary disk space to import the files", {}, {},
                   "Set TMPDIR to a folder on a disk with more free space (about three times the size of the "
                   "files, unpacked).");
  } catch (const std::exception& problem) {
    return failure(ErrorKind::Internal, fmt::format("import failed: {}", problem.what()));
  }
}

std::vector<std::string> companions_of(const std::string& file) {
  const auto input = file_alone(file);
  if (!input) return {};
  const auto reader = reader_for(*input);
  if (!reader || !(*reader)->companions) return {};
  std::vector<std::string> there;
  std::error_code ignored;
  for (auto& path : (*reader)->companions(*input))
    if (std::filesystem::is_regular_file(path, ignored)) there.push_back(std::move(path));
  return there;
}

bool is_readable(const std::string& file) {
  const auto inputs = expand(file, {});
  return inputs && std::any_of(inputs->begin(), inputs->end(),
                               [](const Input& input) { return reader_for(input).has_value(); });
}

} // namespace jitterscope::import
