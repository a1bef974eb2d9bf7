#include "core/import/formats/table/table_reader.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <optional>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "core/base/pieces_in_order.h"
#include "core/base/spill_memory.h"
#include "core/import/formats/table/columns.h"
#include "core/import/formats/table/mapped_columns.h"
#include "core/import/formats/table/opened_table.h"
#include "core/import/formats/table/own_export.h"
#include "core/import/formats/table/parsed_rows.h"
#include "core/import/formats/table/parts.h"
#include "core/import/formats/table/row_appender.h"
#include "core/import/formats/table/shape.h"
#include "core/import/records/rounded_times.h"
#include "core/import/text/csv/csv_reader.h"
#include "core/import/text/csv/number.h"
#include "core/import/text/csv/record_pieces.h"
#include "core/import/text/csv/rest_of_pieces.h"
#include "core/import/text/text.h"

namespace jitterscope::import::table {
namespace {

using store::Severity;

// No memory is reserved for more rows: the first rows may not be representative.
constexpr double kMaxExpected = 1 << 26;
constexpr std::size_t kRowsOfPiece = 32; // minimum rows of a piece, for tables with many columns

// "runs/gemm.csv.gz" → "gemm".
std::string name_of(const Input& input) {
  auto name = input.file_name();
  for (const std::string_view ending : {".csv", ".tsv", ".txt", ".dat", ".CSV"})
    if (name.size() > ending.size() && name.ends_with(ending)) name.resize(name.size() - ending.size());
  return clean_text(name);
}

/// Some records, and their content as far as it does not depend on earlier ones.
struct TablePiece {
  RecordPiece records;
  ParsedRows rows;
  std::int64_t lines = 0;
  bool parsed = false; ///< false: not parsed, for example because a record continues after the piece

  void parse(const std::string& name, char separator, const RowPlan& plan) {
    parsed = records.whole && read_records(name, separator, plan);
    if (parsed && plan.rooms) rows.narrow_numbers(*plan.rooms);
  }

private:
  bool read_records(const std::string& name, char separator, const RowPlan& plan) {
    assert(records.bytes.size() >= records.size + CsvReader::kPadding); // whole blocks are examined
    if (rows.parse_plain({records.bytes.data(), records.size}, separator, records.quotes, plan)) {
      lines = rows.lines();
      return true;
    }
    if (!csv_) csv_.emplace(*nothing_, name, separator);
    // Doubled quotes are unescaped in place, and the original text may be needed again.
    if (records.quotes) text_ = records.bytes;
    auto& bytes = records.quotes ? text_ : records.bytes;
    csv_->read_instead(bytes, records.size);
    const auto done = rows.parse(*csv_, plan);
    lines = csv_->next_line() - 1;
    csv_->give_back(bytes);
    return done.has_value();
  }

  ByteStreamPointer nothing_ = open_memory({});
  std::optional<CsvReader> csv_;
  std::vector<char> text_;
};

class PlainTable {
public:
  PlainTable(const Input& input, const Plan& plan, Draft& draft, RowIssues& issues, const Progress& progress)
      : input_(input), plan_(plan), draft_(draft), issues_(issues), progress_(progress) {}

  Expected<void> read() {
    auto shape = plan_columns();
    if (!shape) return forward(shape.error());
    return read_rows(*shape);
  }

  Expected<Preview> preview(std::size_t max_rows) {
    const auto shape = plan_columns();
    if (!shape) return forward(shape.error());
    Preview preview;
    preview.titles = rows_plan_.titles;
    preview.timed = timed();
    for (std::size_t i = 0; i < columns().all.size(); ++i) preview.columns.push_back(preview_of(i));
    if (auto done = copy_rows(*shape, max_rows, preview.rows); !done) return forward(done.error());
    return preview;
  }

  bool timed() const { return rows_plan_.times.has_value(); }
  std::int64_t utc_ns() const { return utc_ns_; }

private:
  const Columns& columns() const { return rows_plan_.columns; }

  // Finds the table and the interpretation of its columns.
  Expected<Shape> plan_columns() {
    auto shape = plan_.is_titles ? Expected<Shape>({Shape::Kind::Table, plan_.separator, 0, 0, false, {}})
                                 : require_table(input_);
    if (!shape) return shape;
    separator_ = shape->separator;
    const auto before = issues_;
    if (auto done = judge_columns(*shape); !done) return forward(done.error());
    if (columns().mixed && !plan_.is_titles && !shape->titles_are_comment)
      if (auto done = read_longest_part(*shape, before); !done) return forward(done.error());
    if (auto done = choose_kernel_column(); !done) return forward(done.error());
    rows_plan_.find_attributes();
    set_fields();
    return shape;
  }

  void set_fields() {
    for (const auto& [title, field] : plan_.fields) {
      const auto column = find_column(columns(), rows_plan_.titles, title);
      if (column < columns().all.size() && rows_plan_.is_attribute[column] &&
          columns().all[column].kind == Column::Kind::Number)
        rows_plan_.fields[column] = field;
    }
  }

  PreviewColumn preview_of(std::size_t column) const {
    const auto& judged = columns().all[column];
    const auto& titles = rows_plan_.titles;
    PreviewColumn shown{titles[column], judged.unit, PreviewColumn::Holds::Nothing, role_of(column),
                        rows_plan_.is_configuration(column)};
    if (judged.untitled || std::count(titles.begin(), titles.end(), titles[column]) > 1)
      shown.name = judged.title;
    if (judged.kind == Column::Kind::Number) shown.holds = PreviewColumn::Holds::Numbers;
    if (judged.kind == Column::Kind::Text)
      shown.holds = judged.dates ? PreviewColumn::Holds::Dates : PreviewColumn::Holds::Texts;
    return shown;
  }

  std::optional<ColumnRole> role_of(std::size_t column) const {
    const auto& plan = rows_plan_;
    const auto& parts = plan.kernel_parts;
    if (column == plan.kernel || std::find(parts.begin(), parts.end(), column) != parts.end())
      return ColumnRole::Kernel;
    if (plan.times && column == plan.times->start) return ColumnRole::Start;
    if (plan.times && plan.times->second_is_end && column == plan.times->second) return ColumnRole::End;
    if (column == plan.duration.column) return ColumnRole::Duration;
    if (plan.times && column == plan.places.device) return ColumnRole::Device;
    if (plan.times && column == plan.places.stream) return ColumnRole::Stream;
    if (plan.times && column == plan.places.rank) return ColumnRole::Rank;
    return {};
  }

  Expected<void> copy_rows(const Shape& shape, std::size_t maximum,
                           std::vector<std::vector<std::string>>& rows) {
    constexpr std::size_t kLongestCell = 200; // maximum length of a cell in the preview [B]
    auto opened = open_table(input_, shape, progress_.job, plan_.is_titles);
    if (!opened) return forward(opened.error());
    for (bool units = columns().has_units_row; rows.size() < maximum; units = false) {
      const auto more = opened->csv->next();
      if (!more) return forward(more.error());
      if (!*more) break;
      const auto fields = opened->csv->fields();
      if (units || is_rule(fields)) continue;
      auto& row = rows.emplace_back();
      for (const auto field : fields) row.push_back(clean_text(trimmed(field).substr(0, kLongestCell)));
    }
    return {};
  }

  Expected<void> judge_columns(const Shape& shape) {
    auto opened = open_table(input_, shape, progress_.job, plan_.is_titles);
    if (!opened) return forward(opened.error());
    report_other_lines(shape);
    rows_plan_.titles = std::move(opened->titles);
    rows_plan_.kernel_name = plan_.kernel_name;
    rows_plan_.own_export = is_own_export(rows_plan_.titles);
    auto judged = judge(*opened->csv, rows_plan_.titles, plan_.mapping, separator_, issues_);
    if (!judged) return forward(judged.error());
    rows_plan_.columns = std::move(*judged);
    auto mapped = MappedColumns::of(plan_.mapping, columns(), rows_plan_.titles, input_.name());
    if (!mapped) return forward(mapped.error());
    mapped->use_units(rows_plan_.columns);
    rows_plan_.attributes.reserve(columns().all.size());
    for (const auto& column : columns().all) rows_plan_.attributes.emplace_back(column.title, column.unit);
    return choose_times(*mapped);
  }

  Expected<void> choose_times(const MappedColumns& mapped) {
    const auto none = columns().all.size();
    const bool finds = plan_.finds_duration && !mapped[ColumnRole::Duration];
    const auto duration = mapped.duration(
        columns(),
        finds ? duration_column(columns(), plan_.mapping.units.empty(), issues_) : DurationColumn{none, 1},
        input_.name());
    if (!duration) return forward(duration.error());
    rows_plan_.duration = *duration;
    report_parts_of_ns();
    rows_plan_.places = {none, none, none};
    if (!plan_.finds_times) return {};
    rows_plan_.times = time_columns(columns(), rows_plan_.duration, issues_,
                                    {mapped[ColumnRole::Start], mapped[ColumnRole::End]});
    if (auto done = mapped.check_times(columns(), rows_plan_.times, input_.name()); !done) return done;
    if (rows_plan_.times) choose_places(mapped);
    return {};
  }

  void choose_places(const MappedColumns& mapped) {
    auto& places = rows_plan_.places;
    places = place_columns(columns());
    places.device = mapped[ColumnRole::Device].value_or(places.device);
    places.stream = mapped[ColumnRole::Stream].value_or(places.stream);
    places.rank = mapped[ColumnRole::Rank].value_or(places.rank);
  }

  // Several tables one below the other: the longest is read.
  Expected<void> read_longest_part(Shape& shape, RowIssues before) {
    const auto several = choose_part(input_, shape, before);
    if (!several) return forward(several.error());
    if (!*several) return {};
    issues_ = std::move(before);
    rows_plan_ = {};
    return judge_columns(shape);
  }

  void report_other_lines(const Shape& shape) {
    if (shape.other_lines == 0) return;
    issues_.count(
        Severity::Info, "lines-before-titles",
        [&] {
          return fmt::format("the first {} line{} not part of the table, whose column names are in line {}",
                             shape.lines_before, shape.lines_before == 1 ? " is" : "s are",
                             shape.lines_before + 1);
        },
        shape.lines_before);
  }

  void report_parts_of_ns() {
    const auto [column, scale] = rows_plan_.duration;
    if (column >= columns().all.size() || scale > 1 || columns().all[column].integral) return;
    issues_.count(Severity::Doubt, "parts-of-ns", [&, at = column] {
      return fmt::format(
          "column \"{}\" contains fractions of a ns, as means do: durations are rounded to whole ns",
          columns().all[at].title);
    });
  }

  Expected<void> choose_kernel_column() {
    auto& chosen = rows_plan_.kernel;
    const auto& titles = rows_plan_.titles;
    const auto none = columns().all.size();
    chosen = none;
    if (rows_plan_.own_export && plan_.kernel_column.empty()) {
      chosen = 0;
      return {};
    }
    if (const auto& mapped = plan_.mapping.column(ColumnRole::Kernel); mapped && mapped->empty()) return {};
    static const std::vector<std::string> kOfTraces = {"kernel", "kernel_name", "name", "operation",
                                                       "function"};
    const auto& known = timed() && plan_.kernel_columns.empty() ? kOfTraces : plan_.kernel_columns;
    for (std::size_t i = known.size(); plan_.kernel_column.empty() && i-- > 0;)
      if (const auto found = find_column(columns(), titles, known[i]); found < none) chosen = found;
    if (plan_.kernel_column.empty()) {
      if (chosen == none && plan_.kernel_columns.empty()) choose_column_named_kernel();
      return {};
    }
    chosen = find_column(columns(), titles, plan_.kernel_column);
    if (chosen < none || choose_kernel_columns() || !plan_.kernel_required) return {};
    return failure(
        ErrorKind::BadInput,
        fmt::format("there is no column \"{}\" that could name the kernels", clean_text(plan_.kernel_column)),
        input_.name(), {}, "The table has the columns: " + list_of(titles));
  }

  // "kernel, M, N": one text column names kernels, whose launches are distinguished by the others. False
  // where a column is missing.
  bool choose_kernel_columns() {
    std::vector<std::size_t> found;
    for (std::string_view rest = plan_.kernel_column; !rest.empty();) {
      const auto comma = std::min(rest.find(','), rest.size());
      found.push_back(find_column(columns(), rows_plan_.titles, trimmed(rest.substr(0, comma))));
      if (found.back() == columns().all.size()) return false;
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
    if (columns().all[found.front()].kind == Column::Kind::Text) {
      rows_plan_.kernel = found.front();
      found.erase(found.begin());
    }
    rows_plan_.kernel_parts = std::move(found);
    return true;
  }

  // Tables without times need not be about launches: only a header that states it names kernels.
  void choose_column_named_kernel() {
    for (const auto* title : {"kernel_name", "kernel"})
      if (const auto found = find_column(columns(), rows_plan_.titles, title);
          found < columns().all.size() && columns().all[found].kind == Column::Kind::Text)
        rows_plan_.kernel = found;
  }

  Expected<void> read_rows(const Shape& shape) {
    auto opened = open_table(input_, shape, progress_.job, plan_.is_titles);
    if (!opened) return forward(opened.error());
    expect_rows();
    if (columns().has_units_row)
      if (auto units = opened->csv->next(); !units) return forward(units.error());
    rows_plan_.rooms = &rooms_;
    const auto before = draft_.sizes();
    RowAppender appender(rows_plan_, draft_, issues_, name_of(input_));
    for (const auto part : rows_plan_.kernel_parts)
      if (!rows_plan_.is_attribute[part])
        return failure(
            ErrorKind::BadInput,
            fmt::format("column \"{}\" states when, where or how long launches ran: it cannot name kernels",
                        columns().all[part].title),
            input_.name(), {}, "Choose other columns with --kernel-column.");
    if (auto done = read_pieces(*opened, appender); !done) return done;
    if (!appender.any())
      return failure(ErrorKind::BadInput,
                     timed() ? "no row of the table has a usable start and end"
                             : "the table has a header, but no rows",
                     input_.name(), {},
                     timed() ? "Check the columns of times, or name them: --map start=COLUMN --map end=COLUMN"
                             : "Export the table again.");
    appender.finish();
    if (timed() || plan_.finds_duration) doubt_rounded_times(draft_, before, input_.name(), issues_, timed());
    utc_ns_ = appender.utc_ns();
    return {};
  }

  // Bytes of the file on disk per row, estimated from the sample.
  std::size_t bytes_of_row() const {
    const auto rows = columns().sampled_rows;
    return rows > 0 ? static_cast<std::size_t>(columns().sampled_bytes / rows) : 0;
  }

  // Reserves memory: columns that grow by doubling are written twice and take twice the memory.
  void expect_rows() {
    if (columns().sampled_bytes <= 0) return;
    const auto rows = static_cast<double>(columns().sampled_rows) * static_cast<double>(input_.disk_bytes) /
                      static_cast<double>(columns().sampled_bytes);
    const auto maximum =
        draft_.launches.start.size() + static_cast<std::size_t>(std::min(1.05 * rows, kMaxExpected)) + 64;
    draft_.attributes.expect(maximum);
    const SpillMemory::Lazily lazily;
    draft_.reserve_launches(maximum);
  }

  Expected<void> check_titles(const RowAppender& appender) const {
    if (appender.reordered_titles() == 0) return {};
    return failure(ErrorKind::BadInput, "the column names are repeated in another order", input_.name(),
                   fmt::format("line {}", appender.reordered_titles()),
                   "Several tables were joined: split the file at this line and open the parts.");
  }

  // Pieces are split and their numbers parsed on all processors, then used in order.
  Expected<void> read_pieces(OpenedTable& opened, RowAppender& appender) {
    RecordCutter cutter(*opened.stream, opened.csv->rest(), kRowsOfPiece * bytes_of_row());
    std::atomic<bool> one_text{draft_.options.one_by_one};
    PiecesInOrder<TablePiece> pieces(
        reading_threads(draft_.options), [&](TablePiece& piece) { return cutter.cut(piece.records); },
        [&](TablePiece& piece) {
          if (!one_text) piece.parse(input_.name(), separator_, rows_plan_);
        });
    auto lines_before = opened.csv->next_line() - 1;
    while (auto* piece = pieces.next()) {
      if (!progress_.report(piece->records.consumed, input_.disk_bytes, "rows"))
        return Job::cancelled_error();
      if (!piece->parsed) {
        one_text = true;
        RestOfPieces rest(*piece, pieces);
        return read_one_by_one(rest, lines_before + 1, appender);
      }
      appender.add(piece->rows, lines_before);
      if (auto good = check_titles(appender); !good) return good;
      lines_before += piece->lines;
      if (piece->records.problem) return forward(*piece->records.problem);
      if (piece->records.unended == 0) continue;
      const auto last =
          open_memory({piece->records.bytes.data() + piece->records.size, piece->records.unended});
      return read_one_by_one(*last, lines_before + 1, appender, piece->rows.last_fields());
    }
    return {};
  }

  // Used where records do not end where their quotes indicate, are very long, or may be truncated. `fields`:
  // number of fields of the row before.
  Expected<void> read_one_by_one(ByteStream& stream, std::int64_t line, RowAppender& appender,
                                 std::size_t fields = 0) {
    CsvReader csv(stream, input_.name(), separator_);
    csv.go_on_at(line);
    ParsedRows rows;
    rows.go_on_behind(fields);
    for (std::int64_t record = 0;; ++record) {
      if (record % 1024 == 0 && !progress_.report(csv.consumed(), input_.disk_bytes, "rows"))
        return Job::cancelled_error();
      const auto ended = rows.parse(csv, rows_plan_, 1);
      if (!ended) return forward(ended.error());
      appender.add(rows, 0);
      if (auto good = check_titles(appender); !good) return good;
      if (*ended) return {};
    }
  }

  const Input& input_;
  const Plan& plan_;
  Draft& draft_;
  RowIssues& issues_;
  const Progress& progress_;
  char separator_ = ',';
  NumberBuffers rooms_;
  RowPlan rows_plan_;
  std::int64_t utc_ns_ = -1;
};

} // namespace

namespace {

Plan plan_of(const ImportOptions& options) {
  Plan plan{options.kernel_column.empty() ? options.mapping.kernel_column() : options.kernel_column};
  plan.finds_times = true;
  plan.mapping = options.mapping;
  return plan;
}

} // namespace

Expected<Preview> preview(const Input& input, const ImportOptions& options, std::size_t max_rows) {
  const auto plan = plan_of(options);
  Draft draft;
  draft.options = options;
  RowIssues issues;
  const Job job;
  auto shown = PlainTable(input, plan, draft, issues, Progress{job}).preview(max_rows);
  if (!shown) return shown;
  issues.move_to(shown->remarks);
  return shown;
}

bool recognises(const Input& input) {
  return shape_of(input).kind != Shape::Kind::None;
}

Expected<void> read_plain(const Input& input, const Plan& plan, Draft& draft, RowIssues& issues,
                          const Progress& progress) {
  return PlainTable(input, plan, draft, issues, progress).read();
}

Expected<void> read_timed(const Input& input, const Plan& plan, Draft& draft, store::Source& source,
                          RowIssues& issues, const Progress& progress) {
  PlainTable table(input, plan, draft, issues, progress);
  if (auto done = table.read(); !done) return done;
  source.timeless = !table.timed();
  source.utc_ns = table.utc_ns();
  return {};
}

Expected<void> read(std::span<const Input> inputs, Draft& draft, store::Source& source,
                    const Progress& progress) {
  RowIssues issues;
  if (auto done = read_timed(inputs.front(), plan_of(draft.options), draft, source, issues, progress); !done)
    return done;
  issues.move_to(draft.report);
  return {};
}

} // namespace jitterscope::import::table
