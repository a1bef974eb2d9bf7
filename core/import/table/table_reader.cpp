#include "core/import/table/table_reader.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "core/import/csv/attribute_column.h"
#include "core/import/csv/csv_reader.h"
#include "core/import/csv/number.h"
#include "core/import/plain_number.h"
#include "core/import/rows/kernel_names.h"
#include "core/import/table/columns.h"
#include "core/import/table/shape.h"
#include "core/import/table/time_columns.h"
#include "core/import/text.h"

namespace jitterscope::import::table {
namespace {

using store::Severity;

constexpr double kExact = 9007199254740992.0; // 2^53: above, a double skips whole numbers

// Memory is not asked for in advance for more rows: the first ones may not be like the rest.
constexpr double kMostExpected = 1 << 26;

// "runs/gemm.csv.gz" → "gemm".
std::string name_of(const Input& input) {
  auto name = input.file_name();
  for (const std::string_view ending : {".csv", ".tsv", ".txt", ".dat", ".CSV"})
    if (name.size() > ending.size() && name.ends_with(ending)) name.resize(name.size() - ending.size());
  return clean_text(name);
}

// "sep=;" tells spreadsheets how fields are separated.
bool is_separator_line(std::string_view line) {
  if (line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  return line.starts_with("sep=") && line.size() <= 5;
}

/// The records of an input from below its titles.
struct Opened {
  ByteStreamPointer stream;
  std::unique_ptr<CsvReader> csv;
  std::vector<std::string> titles;
};

Expected<Opened> open(const Input& input, const Shape& shape, const Plan& plan) {
  auto stream = input.open();
  if (!stream) return forward(stream.error());
  Opened opened{std::move(*stream), nullptr, {}};
  opened.csv = std::make_unique<CsvReader>(*opened.stream, input.name(), shape.separator);
  const auto at_titles = opened.csv->skip_to([&](std::string_view line) {
    if (plan.is_titles) return plan.is_titles(line);
    return shape.titles_are_remark || (line[0] != '#' && !trimmed(line).empty() && !is_separator_line(line));
  });
  if (!at_titles) return forward(at_titles.error());
  // Remarks before the titles when those are a remark themselves: the last one counts.
  for (std::int64_t line = 0;; ++line) {
    const auto more = opened.csv->next();
    if (!more) return forward(more.error());
    if (!*more) return failure(ErrorKind::BadInput, "the table has no titles", input.name());
    if (!shape.titles_are_remark || opened.csv->line() > shape.lines_before) break;
  }
  if (opened.csv->fields().size() > kMostColumns)
    return failure(ErrorKind::BadInput, fmt::format("the table has more than {} columns", kMostColumns),
                   input.name(), opened.csv->place(), "Keep the columns that matter.");
  for (const auto field : opened.csv->fields()) opened.titles.emplace_back(trimmed(field));
  if (shape.titles_are_remark && !opened.titles.empty() && opened.titles[0].starts_with('#'))
    opened.titles[0] = std::string(trimmed(std::string_view(opened.titles[0]).substr(1)));
  return opened;
}

class PlainTable {
public:
  PlainTable(const Input& input, const Plan& plan, Draft& draft, RowIssues& issues, const Progress& progress)
      : input_(input), plan_(plan), draft_(draft), issues_(issues), progress_(progress) {}

  Expected<void> read() {
    auto shape = shape_of(input_.head, input_.whole());
    if (plan_.is_titles) shape = {Shape::Kind::Table, ',', 0, false, {}};
    if (shape.kind == Shape::Kind::Headerless)
      return failure(ErrorKind::BadInput, "the table has no titles: its first line holds numbers",
                     input_.name(), "line 1",
                     "Put a line with the names of the columns first: time_ms,clock_mhz,…");
    if (shape.kind != Shape::Kind::Table)
      return failure(ErrorKind::BadInput, "this is no table of numbers with titles", input_.name());
    separator_ = shape.separator;
    if (auto done = judge_columns(shape); !done) return done;
    if (auto done = choose_kernel_column(); !done) return done;
    return read_rows(shape);
  }

  bool timed() const { return times_.has_value(); }
  std::int64_t utc_ns() const { return clock_.utc_ns(); }

private:
  Expected<void> judge_columns(const Shape& shape) {
    auto opened = open(input_, shape, plan_);
    if (!opened) return forward(opened.error());
    titles_ = std::move(opened->titles);
    auto columns = judge(*opened->csv, titles_, separator_, issues_);
    if (!columns) return forward(columns.error());
    columns_ = std::move(*columns);
    attributes_.reserve(columns_.all.size());
    for (const auto& column : columns_.all) attributes_.emplace_back(column.title, column.unit);
    quick_columns_.assign(columns_.all.size(), kNone);
    duration_ =
        plan_.finds_duration ? duration_column(columns_, issues_) : DurationColumn{columns_.all.size(), 1};
    if (plan_.finds_times) times_ = time_columns(columns_, duration_, issues_);
    if (times_) places_.emplace(draft_, columns_, name_of(input_));
    return {};
  }

  Expected<void> choose_kernel_column() {
    kernel_column_ = columns_.all.size();
    static const std::vector<std::string> kOfTraces = {"kernel", "kernel_name", "name", "operation",
                                                       "function"};
    const auto& known = times_ && plan_.kernel_columns.empty() ? kOfTraces : plan_.kernel_columns;
    for (std::size_t i = known.size(); plan_.kernel_column.empty() && i-- > 0;)
      if (const auto found = find_column(columns_, titles_, known[i]); found < columns_.all.size())
        kernel_column_ = found;
    if (plan_.kernel_column.empty()) return {};
    kernel_column_ = find_column(columns_, titles_, plan_.kernel_column);
    if (kernel_column_ < columns_.all.size() || !plan_.kernel_required) return {};
    std::string all;
    for (const auto& title : titles_) {
      if (all.size() > 300) break;
      all += (all.empty() ? "" : ", ") + clean_text(title);
    }
    return failure(
        ErrorKind::BadInput,
        fmt::format("there is no column \"{}\" that could name the kernels", clean_text(plan_.kernel_column)),
        input_.name(), {}, "Its columns are: " + all);
  }

  Expected<void> read_rows(const Shape& shape) {
    auto opened = open(input_, shape, plan_);
    if (!opened) return forward(opened.error());
    auto& csv = *opened->csv;
    if (!times_) stream_ = draft_.add_table_stream(name_of(input_));
    first_ = draft_.launches.start.size();
    expect_rows();
    for (std::int64_t row = 0;; ++row) {
      const auto more = csv.next();
      if (!more) return forward(more.error());
      if (!*more) break;
      if (row % 1024 == 0 && !progress_.report(csv.consumed(), input_.disk_bytes, "rows"))
        return Job::cancelled_error();
      if (row == 0 && columns_.has_units_row) continue;
      read_row(csv);
    }
    if (draft_.launches.start.size() == first_)
      return failure(ErrorKind::BadInput,
                     times_ ? "no row of the table has a start and an end that can be used"
                            : "the table has titles, but no rows",
                     input_.name());
    for (std::size_t i = 0; i < attributes_.size(); ++i)
      if (!columns_.all[i].untitled && is_attribute(i)) attributes_[i].ensure(draft_);
    return {};
  }

  // Columns that grow by doubling are written twice and take twice the memory.
  void expect_rows() {
    if (columns_.sampled_bytes <= 0) return;
    const auto rows = static_cast<double>(columns_.sampled_rows) * static_cast<double>(input_.disk_bytes) /
                      static_cast<double>(columns_.sampled_bytes);
    const auto most = first_ + static_cast<std::size_t>(std::min(1.05 * rows, kMostExpected)) + 64;
    draft_.attributes.expect(most);
    draft_.reserve_launches(most);
  }

  void read_row(const CsvReader& csv) {
    const auto fields = csv.fields();
    if (fields.size() == titles_.size() && fields[0] == titles_[0] &&
        std::equal(fields.begin(), fields.end(), titles_.begin(),
                   [](auto field, const auto& title) { return trimmed(field) == title; })) {
      issues_.count(Severity::Info, "repeated-titles",
                    [&] { return fmt::format("{} repeats the titles of the columns", csv.place()); });
      return;
    }
    if (fields.size() == 1 && titles_.size() > 1 && fields[0].starts_with('#')) return; // a remark
    if (fields.size() > titles_.size() && !trimmed(fields[titles_.size()]).empty())
      issues_.count(Severity::Doubt, "ragged-row", [&] {
        return fmt::format("{} has {} fields under {} titles; those without a title are left out",
                           csv.place(), fields.size(), titles_.size());
      });
    const auto launch = launch_of(csv);
    if (!launch) return;
    for (std::size_t i = 0, cells = std::min(fields.size(), columns_.all.size()); i < cells; ++i) {
      if (quick_columns_[i] != kNone && put_digits(*launch, i, fields[i])) continue;
      if (is_attribute(i)) put(csv, *launch, i, fields[i]);
    }
  }

  // All columns but those that say which kernel ran, when and where.
  bool is_attribute(std::size_t column) const {
    if (column == kernel_column_ || column == duration_.column) return false;
    return !times_ || (column != times_->start && column != times_->second && !places_->is_place(column));
  }

  std::optional<std::uint32_t> launch_of(const CsvReader& csv) {
    const auto fields = csv.fields();
    if (!times_) return draft_.add_untimed_launch(configuration_of(fields), stream_, duration_of(csv));
    const auto time = [&](std::size_t column, std::int64_t scale) {
      return column < fields.size() ? parse_decimal(with_point(fields[column]), scale) : std::nullopt;
    };
    const auto start = time(times_->start, times_->start_scale);
    const auto second = time(times_->second, times_->second_scale);
    const auto times =
        clock_.times(start, second, times_->second_is_end, issues_, [&] { return csv.place(); });
    if (!times) return {};
    const auto row = static_cast<std::uint32_t>(draft_.launches.start.size());
    push_launch(draft_, *times, configuration_of(fields), places_->stream_of(fields, issues_), 0);
    return row;
  }

  // Nearly every cell of nearly every table: nothing here may call or wait for memory.
  [[gnu::always_inline]] bool put_digits(std::uint32_t launch, std::size_t i, std::string_view text) {
    std::uint64_t digits = 0;
    if (!read_padded_digits(text, digits)) return false;
    auto& values = draft_.attributes.all()[quick_columns_[i]].numbers;
    const auto number = static_cast<double>(static_cast<std::int64_t>(digits));
    if (values.size() == launch && launch < values.capacity())
      values.push_back(number);
    else
      draft_.attributes.set(quick_columns_[i], launch, number);
    return true;
  }

  std::uint32_t configuration_of(std::span<const std::string_view> fields) {
    const auto text = kernel_column_ < fields.size() ? trimmed(fields[kernel_column_]) : std::string_view();
    if (text == last_kernel_ && last_configuration_) return *last_configuration_;
    last_kernel_ = text;
    const auto name = text.empty() ? name_of(input_) : clean_text(text);
    Configuration configuration;
    const bool signature = name.find('(') != std::string::npos || name.find('<') != std::string::npos;
    configuration.kernel =
        draft_.kernel({draft_.strings.intern(name).value,
                       draft_.strings.intern(signature ? short_kernel_name(name) : name).value});
    last_configuration_ = draft_.configuration(configuration);
    return *last_configuration_;
  }

  std::int64_t duration_of(const CsvReader& csv) {
    const auto fields = csv.fields();
    if (duration_.column >= fields.size()) return store::kMissingDuration;
    const auto text = with_point(fields[duration_.column]);
    const auto value = parse_decimal(text, duration_.scale);
    if (value && *value >= 0) return *value;
    if (is_missing(text)) return store::kMissingDuration;
    issues_.count(Severity::Drop, "bad-duration", [&] {
      return fmt::format("{}: \"{}\" is no duration; it is taken as missing", csv.place(),
                         clean_text(text.substr(0, 80)));
    });
    return store::kMissingDuration;
  }

  std::string_view with_point(std::string_view text) {
    if (!columns_.decimal_comma || text.find_first_of(",.") == std::string_view::npos) return text;
    point_.assign(text);
    std::erase(point_, '.'); // of thousands
    std::replace(point_.begin(), point_.end(), ',', '.');
    return point_;
  }

  void put(const CsvReader& csv, std::uint32_t launch, std::size_t i, std::string_view text) {
    const auto kind = columns_.all[i].kind;
    auto& attribute = attributes_[i];
    if (kind == Column::Kind::Text) {
      if (!is_missing_text(text)) attribute.put_text(draft_, launch, text);
      return;
    }
    text = with_point(text);
    if (const auto value = attribute.number(text)) {
      attribute.put_number(draft_, launch, *value);
      if (attribute.unit().factor == 1) quick_columns_[i] = attribute.number_column();
      if (text.size() >= 16) note_rounded(csv, text, *value);
    } else if (!is_missing(text)) {
      put_other(csv, launch, i, text);
    }
  }

  // A cell that is neither number nor missing, where numbers were expected.
  void put_other(const CsvReader& csv, std::uint32_t launch, std::size_t i, std::string_view text) {
    if (columns_.all[i].kind != Column::Kind::Number) return attributes_[i].put_text(draft_, launch, text);
    issues_.count(Severity::Drop, "not-a-number", [&] {
      return fmt::format("{}: \"{}\" stands in column \"{}\", which holds numbers; it is taken as missing",
                         csv.place(), clean_text(text.substr(0, 80)), columns_.all[i].title);
    });
  }

  void note_rounded(const CsvReader& csv, std::string_view text, double value) {
    if (std::abs(value) > kExact && trimmed(text).find_first_not_of("+-0123456789") == std::string_view::npos)
      issues_.count(Severity::Doubt, "rounded-integer", [&] {
        return fmt::format("{}: {} has more digits than a column of numbers keeps", csv.place(), text);
      });
  }

  const Input& input_;
  const Plan& plan_;
  Draft& draft_;
  RowIssues& issues_;
  const Progress& progress_;
  char separator_ = ',';
  std::vector<std::string> titles_;
  Columns columns_;
  std::vector<AttributeColumn> attributes_;
  /// Attributes of the columns whose numbers are kept as they are written, from their first number on.
  std::vector<std::uint32_t> quick_columns_;
  DurationColumn duration_{0, 1};
  std::optional<TimeColumns> times_;
  std::optional<TablePlaces> places_; // where there are times
  TableClock clock_;
  std::size_t kernel_column_ = 0, first_ = 0;
  std::uint32_t stream_ = 0;
  std::string last_kernel_, point_;
  std::optional<std::uint32_t> last_configuration_;
};

} // namespace

bool recognises(const Input& input) {
  return shape_of(input.head, input.whole()).kind != Shape::Kind::None;
}

Expected<void> read_plain(const Input& input, const Plan& plan, Draft& draft, RowIssues& issues,
                          const Progress& progress) {
  return PlainTable(input, plan, draft, issues, progress).read();
}

Expected<void> read(std::span<const Input> inputs, Draft& draft, store::Source& source,
                    const Progress& progress) {
  Plan plan{draft.options.kernel_column};
  plan.finds_times = true;
  RowIssues issues;
  PlainTable table(inputs.front(), plan, draft, issues, progress);
  if (auto done = table.read(); !done) return done;
  source.timeless = !table.timed();
  source.utc_ns = table.utc_ns();
  issues.move_to(draft.report);
  return {};
}

} // namespace jitterscope::import::table
