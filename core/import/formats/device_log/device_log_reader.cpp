#include "core/import/formats/device_log/device_log_reader.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "core/import/formats/device_log/log_columns.h"
#include "core/import/formats/device_log/log_writer.h"
#include "core/import/formats/device_log/sample_time.h"
#include "core/import/formats/table/columns.h"
#include "core/import/formats/table/date_time.h"
#include "core/import/formats/table/opened_table.h"
#include "core/import/formats/table/shape.h"
#include "core/import/formats/table/table_reader.h"
#include "core/import/records/csv_rows.h"
#include "core/import/text/csv/csv_reader.h"
#include "core/import/text/csv/number.h"
#include "core/import/text/text.h"

namespace jitterscope::import::device_log {
namespace {

using Kind = LogColumn::Kind;
using table::PreviewColumn;

constexpr std::size_t kPreviewedRows = 64;
constexpr std::int64_t kRowsPerReport = 1'024;
constexpr auto kQuery =
    "nvidia-smi --query-gpu=timestamp,index,clocks.sm,power.draw,temperature.gpu --format=csv -lms 10 > "
    "clocks.csv";

std::string_view first_line(const Input& input) {
  std::string_view text = input.head;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  return text.substr(0, line_end(text));
}

// Splits a line at its commas, or at blanks if it has no comma.
std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  if (line.find(',') != std::string_view::npos) {
    for (std::size_t from = 0; from <= line.size();) {
      const auto comma = std::min(line.find(',', from), line.size());
      fields.push_back(trimmed(line.substr(from, comma - from)));
      from = comma + 1;
    }
    return fields;
  }
  for (std::size_t from = 0; (from = line.find_first_not_of(" \t\r", from)) != std::string_view::npos;) {
    const auto end = std::min(line.find_first_of(" \t\r", from), line.size());
    fields.push_back(line.substr(from, end - from));
    from = end;
  }
  return fields;
}

// "#Date        Time         gpu", "# gpu   pwr".
std::vector<std::string> header_of(std::string_view line) {
  line = trimmed(line);
  if (line.starts_with('#')) line.remove_prefix(1);
  std::vector<std::string> titles;
  for (const auto field : fields_of(line)) titles.emplace_back(field);
  return titles;
}

Expected<void> no_samples(const Input& input) {
  return failure(ErrorKind::BadInput, "no row of the log has a usable time and a number", input.name(), {},
                 fmt::format("Record a log with times: {}", kQuery));
}

Expected<void> finish(LogWriter& writer, const Input& input, RowIssues& issues, Draft& draft,
                      store::Source& source) {
  if (!writer.finish()) return no_samples(input);
  source.utc_ns = writer.utc_ns();
  issues.move_to(draft.report);
  return {};
}

/// Reads the lines of dmon, whose header is repeated.
class Dmon {
public:
  Dmon(const Input& input, Draft& draft, store::Source& source, const Progress& progress)
      : input_(input), draft_(draft), source_(source), progress_(progress) {}

  Expected<void> read() {
    auto stream = input_.open();
    if (!stream) return forward(stream.error());
    CsvReader lines(**stream, input_.name(), '\x1F'); // a separator that does not occur: a field for a line
    std::vector<std::string> titles;
    for (std::int64_t line = 0;; ++line) {
      const auto more = lines.next();
      if (!more) return forward(more.error());
      if (!*more) break;
      if (line % kRowsPerReport == 0 && !progress_.report(lines.consumed(), input_.disk_bytes, "samples"))
        return Job::cancelled_error();
      const auto text = trimmed(lines.fields()[0]);
      if (!text.starts_with('#')) {
        if (writer_) writer_->add(fields_of(text), [&] { return lines.place() + " of " + input_.name(); });
      } else if (titles.empty()) {
        titles = header_of(text);
      } else if (!writer_) {
        if (auto done = begin(titles, header_of(text)); !done) return done;
      }
    }
    return writer_ ? finish(*writer_, input_, issues_, draft_, source_) : no_samples(input_);
  }

private:
  Expected<void> begin(const std::vector<std::string>& titles, const std::vector<std::string>& units) {
    auto columns = columns_of_dmon(titles, units);
    for (const auto kind : {Kind::Date, Kind::Time})
      if (std::none_of(columns.begin(), columns.end(), [&](const auto& c) { return c.kind == kind; }))
        return failure(ErrorKind::BadInput, "this log of nvidia-smi dmon lacks the date or the time",
                       input_.name(), {}, "Record it with both: nvidia-smi dmon -o DT -s pucm > dmon.txt");
    writer_.emplace(draft_, std::move(columns), input_.name(), issues_);
    return {};
  }

  const Input& input_;
  Draft& draft_;
  store::Source& source_;
  const Progress& progress_;
  RowIssues issues_;
  std::optional<LogWriter> writer_;
};

/// The records of a table of samples after its header.
class SampleTable {
public:
  SampleTable(const Input& input, Draft& draft, store::Source& source, const Progress& progress)
      : input_(input), draft_(draft), source_(source), progress_(progress) {}

  Expected<void> read() {
    const auto shape = table::shape_of(input_);
    if (shape.kind != table::Shape::Kind::Table)
      return failure(ErrorKind::BadInput, "this is not a table of numbers with column names", input_.name(),
                     {}, "Write the table as CSV with a line of column names.");
    auto columns = columns_of_table(shape.titles, draft_.options.mapping);
    if (std::none_of(columns.begin(), columns.end(), [](const auto& c) { return c.kind == Kind::Time; }))
      return failure(ErrorKind::BadInput, "the table has no column with the times of samples", input_.name(),
                     {}, "Name the column: --map samples=COLUMN");
    LogWriter writer(draft_, std::move(columns), input_.name(), issues_);
    RowIssues of_columns; // of a table of launches
    auto sampled = table::open_table(input_, shape, progress_.job);
    if (!sampled) return forward(sampled.error());
    const auto judged = table::judge(*sampled->csv, sampled->titles, {}, shape.separator, of_columns);
    if (!judged) return forward(judged.error());
    if (judged->decimal_comma) {
      writer.set_decimal_comma(true);
      issues_.count(store::Severity::Info, "decimal-comma",
                    [] { return "numbers have a decimal comma, as in \"1.234,5\", and are read that way"; });
    }
    if (auto done = read_rows(shape, writer); !done) return done;
    return finish(writer, input_, issues_, draft_, source_);
  }

private:
  Expected<void> read_rows(const table::Shape& shape, LogWriter& writer) {
    auto stream = input_.open();
    if (!stream) return forward(stream.error());
    CsvReader csv(**stream, input_.name(), shape.separator);
    return each_row(csv, progress_, input_.disk_bytes, "samples", [&] {
      if (csv.line() <= shape.lines_before || is_header(csv.fields(), shape)) return;
      writer.add(csv.fields(), [&] { return csv.place() + " of " + input_.name(); });
    });
  }

  // A log that was continued has its header again.
  static bool is_header(std::span<const std::string_view> fields, const table::Shape& shape) {
    if (fields.size() != shape.titles.size()) return fields.empty() || trimmed(fields[0]).starts_with('#');
    for (std::size_t i = 0; i < fields.size(); ++i) {
      auto field = trimmed(fields[i]);
      if (i == 0 && field.starts_with('#')) field = trimmed(field.substr(1));
      if (field != shape.titles[i]) return false;
    }
    return true;
  }

  const Input& input_;
  Draft& draft_;
  store::Source& source_;
  const Progress& progress_;
  RowIssues issues_;
};

// Launch tables state when launches ended or how long they took, which kernel they ran, or its configuration.
// The column of times is not examined: absolute times in ns may have been given the role of a duration.
bool describes_launches(const table::Preview& preview, const std::vector<LogColumn>& columns, bool of_query) {
  if (preview.timed) return true;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto& column = preview.columns[i];
    if (columns[i].kind == Kind::Time || (of_query && is_query_field(column.name))) continue;
    if (column.role || column.configuration) return true;
  }
  return false;
}

bool only_numbers(const table::Preview& preview, const std::vector<LogColumn>& columns) {
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (columns[i].kind == Kind::Counter && preview.columns[i].holds != PreviewColumn::Holds::Numbers &&
        preview.columns[i].holds != PreviewColumn::Holds::Nothing)
      return false;
  return true;
}

bool has_absolute_times(const table::Preview& preview, const std::vector<LogColumn>& columns) {
  const auto found =
      std::find_if(columns.begin(), columns.end(), [](const auto& c) { return c.kind == Kind::Time; });
  if (found == columns.end() || preview.rows.empty()) return false;
  const auto at = static_cast<std::size_t>(found - columns.begin());
  SampleClock clock(found->unit);
  auto before = std::numeric_limits<std::int64_t>::min();
  std::size_t known = 0;
  for (const auto& row : preview.rows) {
    const auto time = at < row.size() ? clock.time_of(row[at]) : std::nullopt;
    if (!time) continue; // a second header, a truncated line
    if (*time < kEarliestAbsolute || *time < before) return false;
    before = *time;
    ++known;
  }
  return 2 * known > preview.rows.size();
}

bool names(const TableMapping& mapping, ColumnRole role, const table::Preview& preview) {
  const auto& column = mapping.column(role);
  return column && !column->empty() &&
         std::find(preview.titles.begin(), preview.titles.end(), *column) != preview.titles.end();
}

} // namespace

bool recognises_dmon(const Input& input) {
  const auto line = first_line(input);
  if (!trimmed(line).starts_with('#')) return false;
  const auto titles = header_of(line);
  const auto has = [&](std::string_view title) {
    return std::find(titles.begin(), titles.end(), title) != titles.end();
  };
  const std::string_view rest = std::string_view(input.head).substr(std::min(input.head.size(), line.size()));
  return has("gpu") && (has("pwr") || has("sm") || has("mclk") || has("pclk") || has("fb") || has("rxpci")) &&
         trimmed(rest).starts_with('#');
}

Expected<void> read_dmon(std::span<const Input> inputs, Draft& draft, store::Source& source,
                         const Progress& progress) {
  return Dmon(inputs.front(), draft, source, progress).read();
}

// "2026/11/26 16:20:59.789, 0, NVIDIA H100": nvidia-smi writes dates like this, and a blank after the comma.
bool recognises_headerless(const Input& input) {
  const auto line = first_line(input);
  const auto comma = line.find(", ");
  if (comma == std::string_view::npos) return false;
  const auto date = line.substr(0, comma);
  return date.size() == 23 && date[4] == '/' && date[19] == '.' && table::parse_date_time(date).has_value();
}

Expected<void> refuse_headerless(const Input& input) {
  return failure(ErrorKind::BadInput, "this log of nvidia-smi has no column names", input.name(), "line 1",
                 fmt::format("Record it without noheader: {} — or add a first line with the fields of "
                             "--query-gpu.",
                             kQuery));
}

Expected<void> refuse_headerless(std::span<const Input> inputs, Draft&, store::Source&, const Progress&) {
  return refuse_headerless(inputs.front());
}

bool recognises_table(const Input& input) {
  return table::recognises(input);
}

Expected<void> read_table(std::span<const Input> inputs, Draft& draft, store::Source& source,
                          const Progress& progress) {
  return SampleTable(inputs.front(), draft, source, progress).read();
}

bool is_table_of_samples(const Input& input, const ImportOptions& options) {
  const auto& mapping = options.mapping;
  if (mapping.samples && mapping.samples->empty()) return false;
  const auto preview = table::preview(input, {}, kPreviewedRows);
  if (!preview) return false;
  const auto columns = columns_of_table(preview->titles, mapping);
  if (columns.size() != preview->columns.size()) return false;
  if (mapping.samples)
    return std::any_of(columns.begin(), columns.end(), [](const auto& c) { return c.kind == Kind::Time; });
  for (const auto role : {ColumnRole::Kernel, ColumnRole::Start, ColumnRole::End, ColumnRole::Duration})
    if (names(mapping, role, *preview)) return false;
  const bool of_query = std::any_of(preview->titles.begin(), preview->titles.end(), is_query_field);
  return !describes_launches(*preview, columns, of_query) && (of_query || only_numbers(*preview, columns)) &&
         has_absolute_times(*preview, columns);
}

bool is_table_of_timed_launches(const Input& input, const ImportOptions& options) {
  const auto preview = table::preview(input, options, 1);
  return preview && preview->timed;
}

} // namespace jitterscope::import::device_log
