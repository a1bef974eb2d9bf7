#include "core/import/formats/table/opened_table.h"

#include <utility>

#include <fmt/core.h>

#include "core/import/formats/table/column_kinds.h"
#include "core/import/formats/table/parts.h"
#include "core/import/text/csv/number.h"

namespace jitterscope::import::table {
namespace {

// "sep=;" states the separator for spreadsheets.
bool is_separator_line(std::string_view line) {
  if (line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  return line.starts_with("sep=") && line.size() <= 5;
}

/// A stream that ends with an error once the job is cancelled.
class UntilCancelled : public ByteStream {
public:
  UntilCancelled(ByteStreamPointer stream, const Job& job) : stream_(std::move(stream)), job_(job) {}

  Expected<std::size_t> read(std::span<char> into) override {
    if (job_.cancelled()) return Job::cancelled_error();
    return stream_->read(into);
  }
  std::int64_t consumed() const override { return stream_->consumed(); }
  bool cut_off() const override { return stream_->cut_off(); }

private:
  ByteStreamPointer stream_;
  const Job& job_;
};

} // namespace

Expected<Shape> require_table(const Input& input) {
  auto shape = shape_of(input);
  if (shape.kind == Shape::Kind::Headerless)
    return failure(ErrorKind::BadInput, "the table has no column names: its first line is a row of values",
                   input.name(), "line 1", "Add a first line with the column names: time_ms,clock_mhz,…");
  if (shape.kind != Shape::Kind::Table)
    return failure(ErrorKind::BadInput, "this is not a table of numbers with column names", input.name(), {},
                   "Write the table as CSV with a line of column names.");
  return shape;
}

Expected<OpenedTable> open_table(const Input& input, const Shape& shape, const Job& job,
                                 const std::function<bool(std::string_view line)>& is_titles) {
  auto stream = input.open();
  if (!stream) return forward(stream.error());
  if (shape.last_line >= 0) *stream = first_lines(std::move(*stream), shape.last_line);
  OpenedTable opened{std::make_unique<UntilCancelled>(std::move(*stream), job), nullptr, {}};
  opened.csv = std::make_unique<CsvReader>(*opened.stream, input.name(), shape.separator);
  const auto at_titles = opened.csv->skip_to([&](std::string_view line) {
    if (is_titles) return is_titles(line);
    if (shape.other_lines > 0) return opened.csv->line() > shape.lines_before;
    return shape.titles_are_comment || (line[0] != '#' && !trimmed(line).empty() && !is_separator_line(line));
  });
  if (!at_titles) return forward(at_titles.error());
  // Skips the comments before a header that is a comment itself: the last one counts.
  for (std::int64_t line = 0;; ++line) {
    const auto more = opened.csv->next();
    if (!more) return forward(more.error());
    if (!*more)
      return failure(ErrorKind::BadInput, "the table has no column names", input.name(), {},
                     "Add a first line with the column names: time_ms,clock_mhz,…");
    if (!shape.titles_are_comment || opened.csv->line() > shape.lines_before) break;
  }
  if (opened.csv->fields().size() > kMaxColumns)
    return failure(ErrorKind::BadInput, fmt::format("the table has more than {} columns", kMaxColumns),
                   input.name(), opened.csv->place(), "Remove the columns that are not needed.");
  for (const auto field : opened.csv->fields()) opened.titles.emplace_back(trimmed(field));
  if (shape.titles_are_comment && !opened.titles.empty() && opened.titles[0].starts_with('#'))
    opened.titles[0] = std::string(trimmed(std::string_view(opened.titles[0]).substr(1)));
  return opened;
}

} // namespace jitterscope::import::table
