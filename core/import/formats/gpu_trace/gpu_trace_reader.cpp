#include "core/import/formats/gpu_trace/gpu_trace_reader.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/core.h>

#include "core/base/spill_vector.h"
#include "core/import/formats/gpu_trace/activity_rows.h"
#include "core/import/formats/gpu_trace/file_readers.h"
#include "core/import/formats/gpu_trace/kinds.h"
#include "core/import/formats/table/table_reader.h"
#include "core/import/records/rounded_times.h"
#include "core/import/text/csv/number.h"
#include "core/import/text/text.h"

namespace jitterscope::import::gpu_trace {
namespace {

using store::Severity;

/// Words of file names that are removed, because reports of one run differ in them. A report of nsys stats is
/// recognised by one of the first list; the words of the second also occur in other names.
constexpr std::array<std::string_view, 5> kOfReports = {"gpu", "api", "kern", "exec", "nvtx"};
constexpr std::array<std::string_view, 2> kOfAnyReport = {"cuda", "trace"};

/// The first call with each number. If the largest number is at most about 8 times the number of calls,
/// numbers are indices into a vector, else keys of a hash table.
class CallsByNumber {
public:
  CallsByNumber(const CallRows& calls, std::size_t first) {
    std::uint32_t maximum = 0;
    for (auto row = first; row < calls.start.size(); ++row)
      maximum = std::max(maximum, calls.correlation[row]);
    if (maximum / kMaxPlaces <= calls.start.size() - first) rows_.resize(std::size_t{maximum} + 1, kNone);
    for (auto row = first; row < calls.start.size(); ++row)
      add(calls.correlation[row], static_cast<std::uint32_t>(row));
  }

  /// kNone when absent.
  std::uint32_t operator[](std::uint32_t number) const {
    if (!rows_.empty()) return number < rows_.size() ? rows_[number] : kNone;
    const auto found = others_.find(number);
    return found != others_.end() ? found->second : kNone;
  }

private:
  static constexpr std::uint32_t kMaxPlaces = 8; // elements of the vector per call

  void add(std::uint32_t number, std::uint32_t row) {
    if (number == 0) return;
    if (rows_.empty())
      others_.try_emplace(number, row);
    else if (rows_[number] == kNone)
      rows_[number] = row;
  }

  SpillVector<std::uint32_t> rows_; // by number: row of the call
  std::unordered_map<std::uint32_t, std::uint32_t> others_;
};

// Links launches to the calls with the same numbers, which are in another table.
void link_calls(Draft& draft, const DraftSizes& from) {
  if (draft.launches.start.size() == from.launches && draft.transfers.start.size() == from.transfers) return;
  const CallsByNumber call_of(draft.calls, from.calls);
  const auto link = [&](auto& calls, const auto& correlations, std::size_t first) {
    for (auto row = first; row < calls.size(); ++row)
      if (calls[row] == kNone) calls[row] = call_of[correlations[row]];
  };
  link(draft.launches.call, draft.launches.correlation, from.launches);
  link(draft.transfers.call, draft.transfers.correlation, from.transfers);
}

// True where kernels are in a table of activities: the same kernels from two tables would be duplicates.
bool has_activities(std::span<const Input> inputs) {
  return std::any_of(inputs.begin(), inputs.end(),
                     [](const Input& input) { return kind_of_head(input.head) == Kind::Activities; });
}

// "======== Warning: 376746 records have invalid timestamps due to insufficient device buffer space."
void report_losses(const Input& input, RowIssues& issues) {
  for (std::string_view rest = input.head; !rest.empty();) {
    const auto end = std::min(rest.find('\n'), rest.size());
    const auto line = trimmed(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const auto has = [&](std::string_view part) { return line.find(part) != std::string_view::npos; };
    if (!line.starts_with("==") || !has("Warning: ")) continue;
    if (has("invalid timestamps") || has("not recorded") || has("dropped") || has("buffer space") ||
        has("incomplete"))
      issues.count(Severity::Doubt, "profiler-warning", [&] {
        return fmt::format("nvprof did not record everything that {} should contain: \"{}\"", input.name(),
                           clean_text(line.substr(line.find("Warning: ") + 9, 200)));
      });
  }
}

Expected<void> read_timed(std::span<const Input> inputs, Draft& draft, const Progress& progress) {
  RowIssues issues;
  Tables tables(draft, issues);
  const auto before = draft.sizes();
  const bool twice = has_activities(inputs);
  for (const auto& input : inputs) {
    if (twice && kind_of_head(input.head) == Kind::LaunchAndExecution) {
      issues.count(Severity::Info, "same-launches", [&] {
        return fmt::format("{} repeats launches of another table of the report: it was left out",
                           input.name());
      });
      continue;
    }
    report_losses(input, issues);
    if (auto done = read_timed_file(input, tables, progress); !done) return done;
  }
  link_calls(draft, before);
  doubt_rounded_times(draft, before, inputs.front().name(), issues);
  const auto after = draft.sizes();
  const bool has_gpu = after.launches > before.launches || after.transfers > before.transfers;
  if (!has_gpu && after.ranges == before.ranges && after.calls == before.calls &&
      after.samples == before.samples && after.messages == before.messages)
    return failure(ErrorKind::BadInput, "the table has no usable row", inputs.front().name(), {},
                   "Export the table again.");
  if (after.launches == before.launches)
    issues.count(Severity::Doubt, "no-kernels",
                 [&] { return fmt::format("{} contains no kernels", inputs.front().name()); });
  issues.move_to(draft.report);
  return {};
}

/// One of several consecutive tables in a file.
struct Section {
  Input input;
  Kind kind = Kind::None;
  std::string titles;
  std::int64_t line = 0; ///< line of the table's header
};

constexpr std::size_t kMaxSummary = std::size_t{256} << 20; // maximum size of a text with summaries [B]

/// Rows of a table whose last column is a name that may contain separators without being quoted: "k(int,
/// int)".
class UnquotedNames {
public:
  explicit UnquotedNames(std::string_view line) {
    const Titles titles = titles_of(line);
    if (titles.size() > 1 && titles.find({"name"}) == titles.size() - 1) columns_ = titles.size();
    separator_ = separator_of(line);
  }

  /// The line with quotes around its name, nothing if it already has quotes.
  std::optional<std::string> quoted(std::string_view line) const {
    if (columns_ == 0 || line.find('"') != std::string_view::npos) return {};
    std::size_t at = 0;
    for (std::size_t column = 1; column < columns_; ++column) {
      at = line.find(separator_, at);
      if (at == std::string_view::npos) return {};
      ++at;
    }
    if (line.find(separator_, at) == std::string_view::npos) return {};
    return fmt::format("{}\"{}\"", line.substr(0, at), line.substr(at));
  }

private:
  std::size_t columns_ = 0; ///< number of columns; 0 if the last column is not a name
  char separator_ = ',';
};

// Text that nsys stats prints between its tables: " ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum):".
bool is_between_tables(std::string_view line) {
  return line.starts_with("Processing [") || line.starts_with("==") || line.starts_with("**") ||
         line.starts_with("SKIPPED:") || line.starts_with("Generating ") || line.starts_with("NOTICE:");
}

// "[CUDA memcpy HtoD]", "[CUDA memset]", "[CUDA Unified Memory memcpy DtoH]".
bool is_of_memory(std::string_view line) {
  return line.find("[CUDA mem") != std::string_view::npos ||
         line.find("[CUDA Unified Memory") != std::string_view::npos;
}

// nsys stats prints all its reports to one stream, separated by status lines and empty lines.
Expected<std::vector<Section>> sections_of(const Input& input, RowIssues& issues) {
  auto stream = input.open();
  if (!stream) return forward(stream.error());
  std::string text(std::size_t{1} << 20, '\0');
  std::size_t size = 0;
  for (;;) {
    const auto got = (*stream)->read(std::span(text).subspan(size));
    if (!got) return forward(got.error());
    if (*got == 0) break;
    size += *got;
    if (size > kMaxSummary)
      return failure(ErrorKind::BadInput, "this table of sums is larger than 256 MiB", input.name(), {},
                     "Export a trace of launches: nsys stats --report cuda_gpu_trace --format csv");
    if (size == text.size()) text.resize(2 * size);
  }
  text.resize(size);
  if (const auto end = text.find_last_not_of('\0'); end != std::string::npos) text.resize(end + 1);
  std::vector<Section> sections;
  std::string content;
  std::string copies; // rows of memory operations among those of kernels
  std::int64_t copy_rows = 0, other_rows = 0;
  const auto close = [&] {
    if (other_rows == 0) content += copies;
    if (other_rows > 0 && copy_rows > 0)
      issues.count(
          Severity::Info, "memory-operations",
          [&] {
            return fmt::format(
                "{} contains sums over memory operations, which are not kernels: they were left out",
                input.name());
          },
          copy_rows);
    copies.clear();
    copy_rows = other_rows = 0;
    if (!sections.empty() && !content.empty()) {
      auto made = Input::from_memory(input.name(), std::move(content));
      sections.back().input = std::move(made);
    }
    content.clear();
  };
  bool open = false, unknown = false;
  std::optional<UnquotedNames> names;
  std::int64_t line_number = 0;
  for (std::size_t at = 0; at < text.size(); ++line_number) {
    const auto end = std::min(text.find('\n', at), text.size());
    auto line = std::string_view(text).substr(at, end - at);
    while (!line.empty() && (line.back() == '\r' || line.back() == ' '))
      line.remove_suffix(1); // tabs separate fields
    while (line.starts_with(' ')) line.remove_prefix(1);
    if (const auto kind = kind_of_line(line); is_sums(kind)) {
      close();
      sections.push_back({{}, kind, std::string(line), line_number + 1});
      names.emplace(line);
      open = true;
    } else if (is_between_tables(line)) {
      open = false;
      unknown = false;
    } else if (!open && !unknown && !sections.empty() && std::count(line.begin(), line.end(), ',') > 1) {
      unknown = true; // "Unified Memory profiling result"
      issues.count(Severity::Drop, "other-tables", [&] {
        return fmt::format("line {} begins a table that does not list kernels: it is not read",
                           line_number + 1);
      });
    }
    if (open && !line.empty()) {
      const auto quoted = names->quoted(line);
      if (quoted)
        issues.count(Severity::Repair, "unquoted-name", [&] {
          return fmt::format(
              "line {} has more fields than column names: the surplus fields are read as part of the name",
              line_number + 1);
        });
      const bool titles = content.empty();
      const bool copy = !titles && sections.back().kind == Kind::Summary && is_of_memory(line);
      copy_rows += copy;
      other_rows += !copy && !titles && line.find_first_of("\"0123456789") != std::string_view::npos;
      (copy ? copies : content).append(quoted ? *quoted : line).append(1, '\n');
    }
    at = end + 1;
  }
  close();
  return sections;
}

// Level of detail of a table of sums over kernels, 0 for other tables. Tables with more detail contain the
// same kernels.
int detail_of(const Section& section) {
  if (section.kind != Kind::Summary) return 0;
  const Titles titles = titles_of(section.titles);
  const auto rows = rows_of_sums(titles);
  if (rows == kMixedRows) return 1;
  if (!rows.empty()) return 0;
  return titles.has("kernelname") ? 2 : titles.has("gridxyz") ? 4 : 3;
}

// Rows of kernels and rows of calls or copies have different meanings: where there are kernels, only they are
// read, and from one kind of report.
void leave_out_others(std::vector<Section>& sections, RowIssues& issues) {
  if (sections.size() < 2) return;
  const auto of_kernels = [](const Section& section) {
    return section.kind != Kind::Summary || detail_of(section) > 0;
  };
  if (std::none_of(sections.begin(), sections.end(), of_kernels)) return;
  int best = 0;
  for (const auto& section : sections) best = std::max(best, detail_of(section));
  const auto kept = [&](const Section& section) {
    return section.kind != Kind::Summary || (best > 0 && detail_of(section) == best);
  };
  for (const auto& section : sections) {
    if (!of_kernels(section))
      issues.count(Severity::Drop, "other-tables", [&] {
        return fmt::format("the table at line {} does not list kernels and was left out: open it separately",
                           section.line);
      });
    else if (!kept(section))
      issues.count(Severity::Info, "same-kernels", [&] {
        return fmt::format(
            "the table at line {} sums over kernels that another table of the file lists: it was left out",
            section.line);
      });
  }
  std::erase_if(sections, [&](const Section& section) { return !kept(section); });
}

// Reports sums over calls, memory operations and ranges: their rows have the same columns as those of
// kernels.
void doubt_other_rows(const Section& section, RowIssues& issues) {
  if (section.kind != Kind::Summary) return;
  const Titles titles = titles_of(section.titles);
  const auto rows = rows_of_sums(titles);
  if (rows.empty()) return;
  if (rows == kMixedRows)
    return issues.count(Severity::Doubt, "mixed-rows", [&] {
      return fmt::format("the rows of {} are {}: column \"{}\" states the kind of each", section.input.name(),
                         rows, titles.title(titles.find({"category", "type"})));
    });
  issues.count(Severity::Doubt, "no-kernels",
               [&] { return fmt::format("the rows of {} are {}, not kernels", section.input.name(), rows); });
}

Expected<void> read_section(const Section& section, Draft& draft, RowIssues& issues,
                            const Progress& progress) {
  if (section.kind != Kind::NvprofMetrics)
    issues.count(Severity::Doubt, "sums-over-launches", [&] {
      return fmt::format(
          "{} contains sums over launches, not individual launches: it cannot show how they vary",
          section.input.name());
    });
  doubt_other_rows(section, issues);
  if (section.kind == Kind::NvprofSums)
    return read_nvprof_sums(section.input, separator_of(section.titles), draft, issues, progress);
  table::Plan plan;
  plan.kernel_column = draft.options.kernel_column;
  plan.kernel_required = !plan.kernel_column.empty();
  plan.kernel_columns = {"Kernel Name", "Kernel", "Name", "Operation", "Range"};
  plan.finds_duration = false;
  if (section.kind == Kind::NvprofMetrics)
    plan.kernel_name = [](std::string_view cell) {
      std::string_view ignored;
      return without_number(cell, ignored);
    };
  plan.is_titles = [](std::string_view line) { return is_sums(kind_of_line(line)); };
  plan.separator = separator_of(section.titles);
  return table::read_plain(section.input, plan, draft, issues, progress);
}

} // namespace

bool recognises_nsys(const Input& input) {
  return is_timed(kind_of_head(input.head));
}

bool recognises_nvprof(const Input& input) {
  const auto kind = kind_of_head(input.head);
  return kind == Kind::NvprofActivities || kind == Kind::NvprofMetrics;
}

bool recognises_summary(const Input& input) {
  return is_sums(kind_of_head(input.head));
}

// "runs/report1_cuda_gpu_trace.csv" and "runs/report1_nvtx_pushpop_trace.csv" belong to one report, and so do
// "a-gpu.csv" and "a-api.csv", which users named when they redirected the output of nsys.
std::string nsys_group(const Input& input) {
  auto name = input.file_name();
  for (const std::string_view mark : {"_cuda_", "_nvtx_", "_gputrace", "_kernexectrace", "_apitrace",
                                      "_cudaapitrace", "_osrt_", "_nvtxpptrace", "_mpi_"})
    if (const auto at = name.find(mark); at != std::string::npos && at > 0) {
      name.resize(at);
      return input.folder() + '\n' + name;
    }
  name.resize(std::min(name.size(), name.find_last_of('.')));
  bool named_so = false;
  while (!name.empty()) {
    const auto between = name.find_last_of("_-.");
    const auto last = between == std::string::npos ? 0 : between + 1;
    const auto is_of = [&](const auto& words) {
      return std::find(words.begin(), words.end(), std::string_view(name).substr(last)) != words.end();
    };
    const bool names_report = is_of(kOfReports);
    if (!names_report && !is_of(kOfAnyReport)) break;
    name.resize(last > 0 ? last - 1 : 0);
    named_so = named_so || names_report;
  }
  return named_so ? input.folder() + '\n' + name : std::string();
}

Expected<void> read_nsys(std::span<const Input> inputs, Draft& draft, store::Source&,
                         const Progress& progress) {
  return read_timed(inputs, draft, progress);
}

Expected<void> read_nvprof(std::span<const Input> inputs, Draft& draft, store::Source& source,
                           const Progress& progress) {
  if (kind_of_head(inputs.front().head) == Kind::NvprofMetrics)
    return read_summary(inputs, draft, source, progress);
  return read_timed(inputs, draft, progress);
}

Expected<void> read_summary(std::span<const Input> inputs, Draft& draft, store::Source& source,
                            const Progress& progress) {
  source.timeless = true;
  for (const auto& input : inputs) {
    RowIssues issues;
    auto sections = sections_of(input, issues);
    if (!sections) return forward(sections.error());
    leave_out_others(*sections, issues);
    for (const auto& section : *sections)
      if (auto done = read_section(section, draft, issues, progress); !done) return done;
    issues.move_to(draft.report);
  }
  return {};
}

} // namespace jitterscope::import::gpu_trace
