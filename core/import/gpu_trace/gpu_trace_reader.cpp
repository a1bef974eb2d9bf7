#include "core/import/gpu_trace/gpu_trace_reader.h"

#include <algorithm>
#include <memory>
#include <variant>

#include <fmt/core.h>

#include "core/import/csv/cut_off.h"
#include "core/import/csv/decimal_commas.h"
#include "core/import/csv/number.h"
#include "core/import/gpu_trace/activity_rows.h"
#include "core/import/gpu_trace/host_rows.h"
#include "core/import/gpu_trace/nvprof_sums.h"
#include "core/import/rows/rounded_times.h"
#include "core/import/table/table_reader.h"
#include "core/import/text.h"

namespace jitterscope::import::gpu_trace {
namespace {

using store::Severity;

enum class Kind {
  None,
  Activities,
  NvprofActivities,
  Ranges,
  Calls,
  Messages, ///< MPI calls
  LaunchAndExecution,
  Summary,       ///< sums over launches
  NvprofSums,    ///< one metric or event of a kernel per row, over all its launches
  NvprofMetrics, ///< metrics or events of one launch per row
};

Kind kind_of(const Titles& titles) {
  const auto has = [&](std::string_view name) { return titles.has(name); };
  if (has("kernelstart") && has("kernelname")) return Kind::LaunchAndExecution;
  if (has("origstart") && has("origduration") && has("name")) return Kind::Ranges;
  if (has("start") && has("duration") && has("event") && has("peerrank")) return Kind::Messages;
  if (has("start") && has("duration") && has("name")) {
    if (has("gridx") && (has("staticsmem") || has("registersperthread"))) return Kind::NvprofActivities;
    if (has("grdx")) return Kind::Activities;
    if (has("durchild") || has("rangestack") || has("rangeid")) return Kind::Ranges;
    if (has("end") && (has("tid") || has("pid"))) return Kind::Ranges;
    if (has("correlationid") && titles.size() <= 5) return Kind::NvprofActivities; // calls alone
    if (has("corrid") || (has("result") && has("tid"))) return Kind::Calls;
  }
  if ((has("time") && (has("totaltime") || has("calls")) &&
       (has("name") || has("operation") || has("range"))) ||
      (has("total") && has("count") && has("operation")) || (has("aavg") && has("kernelname")))
    return Kind::Summary;
  if (is_nvprof_sums(titles)) return Kind::NvprofSums;
  if (has("device") && has("context") && has("kernel") && has("correlationid")) return Kind::NvprofMetrics;
  return Kind::None;
}

bool is_sums(Kind kind) {
  return kind == Kind::Summary || kind == Kind::NvprofSums || kind == Kind::NvprofMetrics;
}

// Commas, or what spreadsheets put in their place.
char separator_of(std::string_view line) {
  if (line.find(',') != std::string_view::npos) return ',';
  return line.find('\t') != std::string_view::npos  ? '\t'
         : line.find(';') != std::string_view::npos ? ';'
                                                    : ',';
}

// Titles hold no commas.
Titles titles_of(std::string_view line) {
  const char separator = separator_of(line);
  std::vector<std::string_view> titles;
  for (std::size_t at = 0; at <= line.size() && titles.size() < 100;) {
    const auto end = std::min(line.find(separator, at), line.size());
    auto title = trimmed(line.substr(at, end - at));
    if (title.size() >= 2 && title.front() == '"' && title.back() == '"')
      title = title.substr(1, title.size() - 2);
    titles.push_back(title);
    at = end + 1;
  }
  return Titles(titles);
}

// The kind of table whose titles a line is.
Kind kind_of_line(std::string_view line) {
  if (line.find("Start") == std::string_view::npos && line.find("Time") == std::string_view::npos &&
      line.find("Total") == std::string_view::npos && line.find("Avg") == std::string_view::npos &&
      line.find("Correlation_ID") == std::string_view::npos)
    return Kind::None;
  const auto titles = titles_of(line);
  const auto kind = titles.size() < 3 ? Kind::None : kind_of(titles);
  return separator_of(line) != ',' && is_sums(kind) ? Kind::None : kind; // any table
}

bool is_timed(Kind kind) {
  return kind == Kind::Activities || kind == Kind::Ranges || kind == Kind::Calls || kind == Kind::Messages ||
         kind == Kind::LaunchAndExecution;
}

// Of several tables one behind the other, the first with times, else the first.
Kind kind_of_head(std::string_view head) {
  Kind first = Kind::None;
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  for (std::size_t at = 0; at < head.size();) {
    const auto end = std::min(head.find_first_of("\r\n", at), head.size());
    const auto kind = kind_of_line(head.substr(at, end - at));
    if (kind != Kind::None && !is_sums(kind)) return kind;
    if (first == Kind::None) first = kind;
    at = end + 1;
  }
  return first;
}

// "==4242== NVPROF is profiling process 4242, command: …": only the number is looked at.
std::optional<std::int64_t> process_in(std::string_view line) {
  if (!line.starts_with("==")) return {};
  const auto end = line.find("==", 2);
  return end == std::string_view::npos ? std::nullopt : parse_integer(line.substr(2, end - 2));
}

using Rows = std::variant<std::monostate, ActivityRows, HostRows>;

// Tables of one file; one may follow the other.
class File {
public:
  File(const Input& input, Tables& tables, const Progress& progress)
      : input_(input), tables_(tables), progress_(progress) {}

  Expected<void> read() {
    auto stream = input_.open();
    if (!stream) return forward(stream.error());
    CsvReader csv(**stream, input_.name());
    char separator = ',';
    const auto found = csv.skip_to([&](std::string_view line) {
      if (const auto process = process_in(line)) tables_.process_number = *process;
      separator = separator_of(line);
      return kind_of_line(line) != Kind::None;
    });
    if (!found) return forward(found.error());
    if (!*found) return failure(ErrorKind::BadInput, "it holds no table of a timeline", input_.name());
    csv.set_separator(separator);
    csv.set_decimal_comma(has_decimal_commas(separator));
    for (std::int64_t row = 0;; ++row) {
      const auto more = csv.next();
      if (!more) return forward(more.error());
      if (!*more) break;
      if (row % 4096 == 0 && !progress_.report(csv.consumed(), input_.disk_bytes, "GPU trace"))
        return Job::cancelled_error();
      read_record(csv);
    }
    tell_cut_off(csv, tables_.issues);
    finish_rows();
    return {};
  }

private:
  // Numbers of a spreadsheet in a German or French locale.
  bool has_decimal_commas(char separator) {
    if (separator == ',') return false;
    const auto stream = open_memory(input_.head);
    CsvReader csv(*stream, {}, separator);
    DecimalCommas commas(separator);
    for (auto more = csv.next(); more && *more; more = csv.next())
      for (std::size_t i = 0; i < csv.fields().size(); ++i)
        if (!commas.take(i, csv.fields()[i])) return false;
    const auto meaning = commas.meaning();
    if (meaning == CommaMeaning::Decimal)
      tables_.issues.count(Severity::Info, "decimal-comma", [&] {
        return fmt::format("{} writes numbers as in \"1.234,5\": they are read so", input_.name());
      });
    else if (meaning != CommaMeaning::None)
      tables_.issues.count(Severity::Doubt, "decimal-comma",
                           [&] { return fmt::format("{}: {}", input_.name(), doubt_of(meaning)); });
    return meaning == CommaMeaning::Decimal || meaning == CommaMeaning::PerhapsDecimal;
  }

  void read_record(const CsvReader& csv) {
    const auto fields = csv.fields();
    const auto& first = fields[0];
    if (const auto process = process_in(first)) tables_.process_number = *process;
    if (!expects_units_ && !first.empty() && (first[0] == '-' || (first[0] >= '0' && first[0] <= '9')))
      return take(csv);
    if (fields.size() >= 3 && begin_table(csv)) return;
    if (expects_units_) {
      expects_units_ = false;
      if (parse_number(first)) {
        tables_.issues.count(Severity::Doubt, "no-units", [&] {
          return fmt::format("{} follows the titles at once, without a row of units: times are taken as ns, "
                             "sizes as B",
                             csv.place());
        });
        return take(csv);
      }
      units(fields);
      return;
    }
    // Times of a kernel may be absent, its name and what launched it are not.
    if (fields.size() >= titles_ && titles_ > 0) return take(csv);
    if (fields.size() == 1 || first.starts_with("==") || first.starts_with("Processing")) return; // remarks
    tables_.issues.count(Severity::Drop, "not-a-row", [&] {
      return fmt::format("{} is no row of the table: \"{}\"", csv.place(), clean_text(first.substr(0, 80)));
    });
  }

  void take(const CsvReader& csv) {
    if (auto* activities = std::get_if<ActivityRows>(&rows_)) activities->read(csv);
    if (auto* host = std::get_if<HostRows>(&rows_)) host->read(csv);
  }

  bool begin_table(const CsvReader& csv) {
    Titles titles(csv.fields());
    const auto kind = kind_of(titles);
    if (kind == Kind::None) return false;
    finish_rows();
    expects_units_ = kind == Kind::NvprofActivities;
    titles_ = titles.size();
    if (is_sums(kind))
      tables_.issues.count(Severity::Info, "summary-not-read", [&] {
        return fmt::format("{} begins a table of sums over launches, which the file lists one by one: it is "
                           "not read",
                           csv.place());
      });
    else if (kind == Kind::NvprofActivities)
      nvprof_titles_ = std::move(titles);
    else if (kind == Kind::Activities)
      rows_.emplace<ActivityRows>(tables_, std::move(titles), false);
    else if (kind == Kind::Ranges)
      rows_.emplace<HostRows>(tables_, std::move(titles), HostRows::Kind::Range);
    else if (kind == Kind::Calls)
      rows_.emplace<HostRows>(tables_, std::move(titles), HostRows::Kind::Call);
    else if (kind == Kind::Messages)
      rows_.emplace<HostRows>(tables_, std::move(titles), HostRows::Kind::Message);
    else if (kind == Kind::LaunchAndExecution)
      rows_.emplace<HostRows>(tables_, std::move(titles), HostRows::Kind::LaunchAndExecution);
    if (expects_units_) rows_.emplace<ActivityRows>(tables_, nvprof_titles_, true);
    return true;
  }

  void units(std::span<const std::string_view> fields) {
    nvprof_titles_.set_units(fields);
    rows_.emplace<ActivityRows>(tables_, nvprof_titles_, true);
  }

  void finish_rows() {
    if (auto* activities = std::get_if<ActivityRows>(&rows_)) activities->finish();
    rows_.emplace<std::monostate>();
  }

  const Input& input_;
  Tables& tables_;
  const Progress& progress_;
  Rows rows_;
  Titles nvprof_titles_;
  std::size_t titles_ = 0;
  bool expects_units_ = false;
};

// Launches of the same numbers belong to the calls of another table.
void link_calls(Draft& draft, const DraftSizes& from) {
  std::unordered_map<std::uint32_t, std::uint32_t> call_of;
  for (auto row = from.calls; row < draft.calls.start.size(); ++row)
    if (draft.calls.correlation[row] != 0)
      call_of.try_emplace(draft.calls.correlation[row], static_cast<std::uint32_t>(row));
  const auto link = [&](auto& calls, const auto& correlations, std::size_t first) {
    for (auto row = first; row < calls.size(); ++row)
      if (const auto found = call_of.find(correlations[row]); found != call_of.end() && calls[row] == kNone)
        calls[row] = found->second;
  };
  link(draft.launches.call, draft.launches.correlation, from.launches);
  link(draft.transfers.call, draft.transfers.correlation, from.transfers);
}

// The same kernels from two tables of one report would be there twice.
bool has_activities(std::span<const Input> inputs) {
  return std::any_of(inputs.begin(), inputs.end(),
                     [](const Input& input) { return kind_of_head(input.head) == Kind::Activities; });
}

Expected<void> read_timed(std::span<const Input> inputs, Draft& draft, const Progress& progress) {
  RowIssues issues;
  Tables tables(draft, issues);
  const auto before = draft.sizes();
  const bool twice = has_activities(inputs);
  for (const auto& input : inputs) {
    if (twice && kind_of_head(input.head) == Kind::LaunchAndExecution) {
      issues.count(Severity::Info, "same-launches", [&] {
        return fmt::format("{} lists launches that another table of the report lists: it was left out",
                           input.name());
      });
      continue;
    }
    if (auto done = File(input, tables, progress).read(); !done) return done;
  }
  link_calls(draft, before);
  doubt_rounded_times(draft, before, inputs.front().name(), issues);
  const auto after = draft.sizes();
  const bool has_gpu = after.launches > before.launches || after.transfers > before.transfers;
  if (!has_gpu && after.ranges == before.ranges && after.calls == before.calls &&
      after.samples == before.samples && after.messages == before.messages)
    return failure(ErrorKind::BadInput, "the table has no usable row", inputs.front().name());
  if (after.launches == before.launches)
    issues.count(Severity::Doubt, "no-kernels",
                 [&] { return fmt::format("{} holds no kernel", inputs.front().name()); });
  issues.move_to(draft.report);
  return {};
}

/// One table of a file that may hold several, one behind the other.
struct Section {
  Input input;
  Kind kind = Kind::None;
  std::string titles;
  std::int64_t line = 0; ///< of its titles
};

constexpr std::size_t kMostSummary = std::size_t{256} << 20; // B of text

// nsys stats prints all its reports to one stream, with remarks and empty lines between.
Expected<std::vector<Section>> sections_of(const Input& input) {
  auto stream = input.open();
  if (!stream) return forward(stream.error());
  std::string text(std::size_t{1} << 20, '\0');
  std::size_t size = 0;
  for (;;) {
    const auto got = (*stream)->read(std::span(text).subspan(size));
    if (!got) return forward(got.error());
    if (*got == 0) break;
    size += *got;
    if (size > kMostSummary)
      return failure(ErrorKind::BadInput, "a table of sums of this size is not known", input.name(), {},
                     "Export a trace of launches: nsys stats --report cuda_gpu_trace --format csv");
    if (size == text.size()) text.resize(2 * size);
  }
  text.resize(size);
  std::vector<Section> sections;
  std::string content;
  const auto close = [&] {
    if (!sections.empty() && !content.empty()) {
      auto made = Input::from_memory(input.name(), std::move(content));
      sections.back().input = std::move(made);
    }
    content.clear();
  };
  bool open = false;
  std::int64_t line_number = 0;
  for (std::size_t at = 0; at < text.size(); ++line_number) {
    const auto end = std::min(text.find('\n', at), text.size());
    const auto line = trimmed(std::string_view(text).substr(at, end - at));
    if (const auto kind = kind_of_line(line); kind != Kind::None) {
      close();
      sections.push_back({{}, kind, std::string(line), line_number + 1});
      open = true;
    } else if (line.starts_with("Processing [") || line.starts_with("==")) {
      open = false;
    }
    if (open && !line.empty()) content.append(line).append(1, '\n');
    at = end + 1;
  }
  close();
  return sections;
}

// Rows of kernels and rows of calls or copies mean different things: where kernels are told, they are read.
void leave_out_others(std::vector<Section>& sections, RowIssues& issues) {
  const auto of_kernels = [](const Section& section) {
    return section.kind != Kind::Summary || section.titles.find("Instances") != std::string::npos ||
           section.titles.find("Kernel Name") != std::string::npos;
  };
  if (sections.size() < 2 || std::none_of(sections.begin(), sections.end(), of_kernels)) return;
  for (const auto& section : sections)
    if (!of_kernels(section))
      issues.count(Severity::Drop, "other-tables", [&] {
        return fmt::format("the table of line {} is not of kernels and was left out: open it by itself",
                           section.line);
      });
  std::erase_if(sections, [&](const Section& section) { return !of_kernels(section); });
}

// Times of "sgemm" and of "cudaMemcpy", "poll" or "[CUDA memset]" look alike but for their names.
void doubt_other_rows(const Section& section, RowIssues& issues) {
  const Titles titles = titles_of(section.titles);
  if (section.kind != Kind::Summary || titles.has("instances") || titles.has("kernelname") ||
      titles.has("calls"))
    return;
  const char* what = titles.has("operation") ? "copies and memsets"
                     : titles.has("range")   ? "ranges"
                                             : "calls";
  issues.count(Severity::Doubt, "no-kernels", [&] {
    return fmt::format("the rows of {} stand for {}, not for kernels", section.input.name(), what);
  });
}

Expected<void> read_section(const Section& section, Draft& draft, RowIssues& issues,
                            const Progress& progress) {
  if (section.kind != Kind::NvprofMetrics)
    issues.count(Severity::Doubt, "sums-over-launches", [&] {
      return fmt::format("{} holds sums over launches, not launches: it cannot show how they vary",
                         section.input.name());
    });
  doubt_other_rows(section, issues);
  if (section.kind == Kind::NvprofSums) return read_nvprof_sums(section.input, draft, issues, progress);
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

// "runs/report1_cuda_gpu_trace.csv" and "runs/report1_nvtx_pushpop_trace.csv" are of one report.
std::string nsys_group(const Input& input) {
  auto name = input.file_name();
  for (const std::string_view mark : {"_cuda_", "_nvtx_", "_gputrace", "_kernexectrace", "_apitrace",
                                      "_cudaapitrace", "_osrt_", "_nvtxpptrace", "_mpi_"})
    if (const auto at = name.find(mark); at != std::string::npos && at > 0) {
      name.resize(at);
      return input.folder() + '\n' + name;
    }
  return {};
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
    auto sections = sections_of(input);
    if (!sections) return forward(sections.error());
    leave_out_others(*sections, issues);
    for (const auto& section : *sections)
      if (auto done = read_section(section, draft, issues, progress); !done) return done;
    issues.move_to(draft.report);
  }
  return {};
}

} // namespace jitterscope::import::gpu_trace
