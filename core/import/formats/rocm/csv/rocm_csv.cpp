#include "core/import/formats/rocm/csv/rocm_csv.h"
#include "core/import/formats/gpu_trace/kinds.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include <fmt/core.h>

#include "core/import/formats/rocm/csv/csv_group.h"
#include "core/import/formats/rocm/csv/csv_traces.h"
#include "core/import/formats/rocm/csv/long_tables.h"
#include "core/import/formats/rocm/csv/wide_tables.h"
#include "core/import/text/csv/number.h"
#include "core/import/text/text.h"

namespace jitterscope::import::rocm {
namespace {

using store::Severity;

struct File {
  const Input* input;
  Header header;
};

bool is_timed(const File& file) {
  switch (file.header.kind) {
  case TableKind::KernelTrace:
  case TableKind::CopyTrace:
  case TableKind::ApiTrace:
  case TableKind::MarkerEvents:
  case TableKind::Allocations:
  case TableKind::Scratch:
    return true;
  case TableKind::Long:
    return file.header.has(Role::Start) && file.header.has(Role::End);
  default:
    return false;
  }
}

// Files that Omniperf and its successors put into one folder for one run. Tables with other names are
// separate runs, however many are in the folder.
bool belongs_to_workload(const std::string& file_name) {
  const auto stem = file_name.substr(0, file_name.find('.'));
  return stem.starts_with("pmc_perf") || stem.starts_with("SQ_") || stem == "timestamps" ||
         stem == "pmc_dispatch_info" || stem == "sysinfo" || stem == "roofline" ||
         (stem.size() > 10 && stem.ends_with("_error_log"));
}

// "…/pass_2" is a part of "…". If rocprofv3 is given no output file, the pass folder contains the folder of
// the host: "…/pass_2/node7" is then a part of "…/node7".
std::string without_pass_folder(const std::string& folder) {
  auto end = folder.size();
  for (int level = 0; level < 2; ++level) {
    const auto slash = end == 0 ? std::string::npos : folder.find_last_of("/!", end - 1);
    const auto begin = slash == std::string::npos ? 0 : slash + 1;
    const auto name = std::string_view(folder).substr(begin, end - begin);
    for (const std::string_view pass : {"pass_", "pmc_"})
      if (name.starts_with(pass) && name.size() > pass.size() &&
          name.find_first_not_of("0123456789", pass.size()) == std::string_view::npos) {
        const auto above = slash == std::string::npos ? std::string(".") : folder.substr(0, slash);
        return above + folder.substr(end);
      }
    if (slash == std::string::npos) break;
    end = slash;
  }
  return folder;
}

class GroupReader {
public:
  GroupReader(std::span<const Input> inputs, Draft& draft, store::Source& source, const Progress& progress)
      : group_(draft, source, progress), wide_(group_) {
    for (const auto& input : inputs) {
      files_.push_back({&input, header_in(input.head, input.whole())});
      if (files_.back().header.kind == TableKind::Wide)
        wide_.add(input, files_.back().header);
      else
        group_.meter.whole += input.disk_bytes;
    }
    group_.meter.whole += wide_.bytes();
    group_.workload = std::filesystem::path(inputs.front().name()).parent_path().filename().string();
  }

  Expected<void> read();

private:
  template <class Each>
  Expected<void> each(TableKind kind, Each&& read) {
    for (const auto& file : files_)
      if (file.header.kind == kind)
        if (auto done = read(file); !done) return done;
    return {};
  }
  bool any(TableKind kind) const {
    return std::any_of(files_.begin(), files_.end(), [&](const File& f) { return f.header.kind == kind; });
  }
  Expected<void> read_hardware();
  Expected<void> read_wide();
  Expected<void> read_traces(CsvTraces& traces);
  Expected<void> read_statistics(const File& file);
  Expected<void> finish();
  tl::unexpected<Error> nothing() const;

  CsvGroup group_;
  WideTables wide_;
  std::vector<File> files_;
};

Expected<void> GroupReader::read() {
  if (auto done = read_hardware(); !done) return done;
  if (auto done = read_wide(); !done) return done;
  const bool keep_index = any(TableKind::Long) || any(TableKind::PcSampling);
  CsvTraces traces(group_, keep_index);
  if (auto done = read_traces(traces); !done) return done;
  const bool timed = std::any_of(files_.begin(), files_.end(), is_timed);
  LongTables counters(group_, traces, timed);
  auto done =
      each(TableKind::Long, [&](const File& file) { return counters.read(*file.input, file.header); });
  if (!done) return done;
  if (any(TableKind::Long)) counters.finish();
  const bool statistics_only = group_.draft.sizes().launches == group_.from.launches &&
                               group_.draft.sizes().transfers == group_.from.transfers && !timed;
  done = each(TableKind::Statistics, [&](const File& file) -> Expected<void> {
    if (statistics_only) return read_statistics(file);
    group_.issues.count(Severity::Info, "statistics-not-needed", [&] {
      return fmt::format("{} only summarises the other tables and is not read", file.input->file_name());
    });
    return {};
  });
  if (!done) return done;
  return finish();
}

Expected<void> GroupReader::read_hardware() {
  using Step = Expected<void> (*)(CsvGroup&, const Input&);
  for (const auto& [kind, step] : {std::pair<TableKind, Step>{TableKind::SystemInfo, read_system_info},
                                   {TableKind::Roofline, read_roofline},
                                   {TableKind::AgentInfo, read_agents}})
    if (auto done = each(kind, [&, step = step](const File& f) { return step(group_, *f.input); }); !done)
      return done;
  return {};
}

Expected<void> GroupReader::read_wide() {
  if (wide_.empty()) return {};
  if (auto done = wide_.read(); !done) return done;
  if (!group_.source.timeless || std::none_of(files_.begin(), files_.end(), is_timed)) return {};
  group_.issues.count(Severity::Drop, "no-common-axis", [&] {
    return std::string("counter tables without usable times are left out, since other tables of the folder "
                       "have times");
  });
  group_.draft.shrink(group_.from);
  group_.source.timeless = false;
  return {};
}

Expected<void> GroupReader::read_traces(CsvTraces& traces) {
  using Step = Expected<void> (CsvTraces::*)(const Input&);
  for (const auto& [kind, step] : {std::pair<TableKind, Step>{TableKind::ApiTrace, &CsvTraces::read_calls},
                                   {TableKind::MarkerEvents, &CsvTraces::read_markers},
                                   {TableKind::KernelTrace, &CsvTraces::read_kernels},
                                   {TableKind::CopyTrace, &CsvTraces::read_copies},
                                   {TableKind::Allocations, &CsvTraces::read_allocations},
                                   {TableKind::Scratch, &CsvTraces::read_scratch},
                                   {TableKind::PcSampling, &CsvTraces::read_samples}})
    if (auto done = each(kind, [&, step = step](const File& f) { return (traces.*step)(*f.input); }); !done)
      return done;
  return {};
}

// Only sums over launches are available: a table with one row per kernel.
Expected<void> GroupReader::read_statistics(const File& file) {
  auto table = CsvTable::open(*file.input, group_.meter);
  if (!table) return forward(table.error());
  auto& draft = group_.draft;
  const auto stream =
      group_.places.stream(group_.places.device(group_.places.process(-1, group_.workload), 0), 0);
  const auto calls = draft.attributes.number("calls", "", "Number of executions");
  const auto total = draft.attributes.number("total_duration", "ns", "Total duration of all executions");
  struct More {
    std::string_view plain, name, unit;
    int column;
  };
  std::array<More, 4> more_columns{More{"percentage", "share", "%", -1}, More{"minns", "shortest", "ns", -1},
                                   More{"maxns", "longest", "ns", -1},
                                   More{"stddev", "standard_deviation", "ns", -1}};
  for (std::size_t column = 0; column < (*table)->header().titles.size(); ++column)
    for (auto& requested : more_columns)
      if (plain_title((*table)->header().titles[column]) == requested.plain)
        requested.column = static_cast<int>(column);
  auto done = (*table)->for_each(group_.issues, [&] {
    const auto name = (*table)->text(Role::Name);
    if (name.empty()) return;
    Configuration configuration;
    const bool call = gpu_trace::names_function(name);
    configuration.kernel = group_.kernels.of(call ? "(host calls)" : name).kernel;
    const auto mean = parse_number((*table)->text(Role::MeanDuration)).value_or(-1);
    const auto duration = mean >= 0 && mean < static_cast<double>(kMaxTime) ? static_cast<std::int64_t>(mean)
                                                                            : store::kMissingDuration;
    const auto row = draft.add_untimed_launch(draft.configuration(configuration), stream, duration);
    if (call) {
      draft.attributes.set_text(draft.attributes.text("function", "Host function that was called"), row,
                                draft.strings.intern(clean_text(name)).value);
      group_.issues.count(Severity::Doubt, "no-kernels", [&] {
        return fmt::format("row \"{}\" of {} represents calls of the host, not a kernel", clean_text(name),
                           file.input->file_name());
      });
    }
    if (const auto value = parse_number((*table)->text(Role::Calls)))
      draft.attributes.set(calls, row, *value);
    if (const auto value = parse_number((*table)->text(Role::TotalDuration)))
      draft.attributes.set(total, row, *value);
    for (const auto& requested : more_columns)
      if (requested.column >= 0)
        if (const auto value = parse_number((*table)->field(static_cast<std::size_t>(requested.column))))
          draft.attributes.set(draft.attributes.number(requested.name, requested.unit), row, *value);
  });
  if (!done) return done;
  group_.source.timeless = true;
  group_.issues.count(Severity::Info, "statistics-only", [&] {
    return fmt::format(
        "{} contains sums over a run, not individual launches: each row is one kernel or function "
        "with its mean duration",
        file.input->file_name());
  });
  return {};
}

Expected<void> GroupReader::finish() {
  auto& draft = group_.draft;
  if (!group_.source.timeless)
    if (auto done = link_calls(draft, group_.from, group_.issues, group_.meter.progress.job); !done)
      return done;
  const auto now = draft.sizes();
  const bool has_transfers = now.transfers > group_.from.transfers;
  const bool has_host = now.calls > group_.from.calls || now.ranges > group_.from.ranges;
  if (now.launches == group_.from.launches && !has_transfers && !has_host) return nothing();
  if (now.launches == group_.from.launches)
    group_.issues.count(Severity::Doubt, "no-kernels", [&] {
      return has_transfers
                 ? fmt::format("{} contains memory operations but no kernels",
                               files_.front().input->file_name())
                 : fmt::format("{} contains host calls but neither kernels nor copies: record with rocprofv3 "
                               "--kernel-trace and open the kernel_trace.csv together with it",
                               files_.front().input->file_name());
    });
  group_.issues.move_to(draft.report);
  return {};
}

tl::unexpected<Error> GroupReader::nothing() const {
  const auto given =
      std::find_if(files_.begin(), files_.end(), [](const auto& file) { return file.input->named; });
  const auto name =
      (given == files_.end() ? files_.front() : *given).input->name(); // not the name of a table next to it
  const auto bad = [&](std::string message, std::string hint) {
    return failure(ErrorKind::BadInput, std::move(message), name, {}, std::move(hint));
  };
  if (any(TableKind::Wide) || any(TableKind::Long) || any(TableKind::KernelTrace)) {
    if (group_.issues.rows_of("missing-time") + group_.issues.rows_of("negative-duration") +
            group_.issues.rows_of("impossible-time") + group_.issues.rows_of("short-row") +
            group_.issues.rows_of("missing-name") + group_.issues.rows_of("timestamps-lost-precision") >
        0)
      return bad("no usable dispatch: every row of the tables is invalid",
                 "Copy the files again as the profiler wrote them; do not save them from a spreadsheet.");
    return bad("no dispatch was recorded: the tables contain only their headers",
               "A filter for kernels or dispatches may have matched nothing: profile again without it.");
  }
  if (any(TableKind::ApiTrace) || any(TableKind::MarkerEvents) || any(TableKind::Allocations) ||
      any(TableKind::Scratch))
    return bad("these tables contain host calls, but no usable row",
               "Record with rocprofv3 --kernel-trace and open the kernel_trace.csv together with this file.");
  if (any(TableKind::PcSampling))
    return bad("these are program counter samples without the launches that they belong to",
               "Record with rocprofv3 --kernel-trace as well and open both files together.");
  if (any(TableKind::Instructions))
    return bad("these are sums over the instructions of kernels (a thread trace), not launches",
               "Record with rocprofv3 --kernel-trace and open the kernel_trace.csv.");
  if (any(TableKind::Statistics))
    return bad("the statistics contain no rows", "Profile again: the program may not have used the GPU.");
  return bad("this table describes the machine or lists names, but contains no launches",
             "Open the folder with pmc_perf.csv or a kernel trace.");
}

bool recognises_csv(const Input& input) {
  const std::string_view head = input.head;
  if (head.empty() || head.find('\0') != std::string_view::npos || head.front() == '{' || head.front() == '[')
    return false;
  return header_in(head, input.whole()).kind != TableKind::None;
}

std::string group_of_csv(const Input& input) {
  const auto header = header_in(input.head, input.whole());
  const auto folder = without_pass_folder(input.folder());
  if (header.kind != TableKind::Wide) return folder + "/";
  // Passes are also recognised by their layout: device, queue and times come before the counters.
  const auto times = header.column(Role::End);
  const bool pass = times >= 0 && !header.counters.empty() &&
                    static_cast<std::size_t>(times) < header.counters.front() && header.has(Role::Queue);
  return pass || belongs_to_workload(input.file_name()) ? folder + "/" : std::string();
}

std::vector<std::string> companions_of_csv(const Input& input) {
  if (!input.member.empty() || input.memory) return {};
  const auto kind = header_in(input.head, input.whole()).kind;
  const auto folder = std::filesystem::path(input.path).parent_path();
  std::vector<std::string> paths;
  const auto add = [&](const std::string& name) { paths.push_back((folder / name).string()); };
  if ((kind == TableKind::Wide || kind == TableKind::Long) && belongs_to_workload(input.file_name())) {
    add("sysinfo.csv");
    add("roofline.csv");
  }
  const auto prefix = trace_prefix(input.file_name());
  if (kind == TableKind::KernelTrace && !prefix.empty())
    for (const auto* other :
         {"hip_api_trace.csv", "hip_runtime_trace.csv", "hip_trace.csv", "rccl_api_trace.csv",
          "marker_api_trace.csv", "memory_copy_trace.csv", "scratch_memory_trace.csv", "agent_info.csv"})
      add(prefix + other);
  return paths;
}

Expected<void> read_csv(std::span<const Input> inputs, Draft& draft, store::Source& source,
                        const Progress& progress) {
  GroupReader reader(inputs, draft, source, progress);
  return reader.read();
}

} // namespace

const Reader kCsvReader = {"ROCm profiler tables (CSV)", recognises_csv, read_csv, group_of_csv,
                           companions_of_csv};

} // namespace jitterscope::import::rocm
