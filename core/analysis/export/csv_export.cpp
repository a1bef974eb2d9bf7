#include "core/analysis/export/csv_export.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <span>

#include <fmt/core.h>

#include "core/analysis/columns/launch_reader.h"
#include "core/analysis/export/place_labels.h"
#include "core/base/output_file.h"

namespace jitterscope::analysis {
namespace {

constexpr std::size_t kCellsOfBlock = 1 << 16; // a few milliseconds
constexpr std::array<std::string_view, 3> kNumbersOfSession = {"kernel", "configuration", "row"};

/// Replaces control characters other than tabs and line breaks, which many tools reject, by the Unicode
/// control pictures (U+2400 …).
std::string without_controls(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r')
      out.append("\xE2\x90").append(1, static_cast<char>(0x80 + c));
    else
      out += c;
  return out;
}

std::string quoted(std::string_view name) {
  const auto text = without_controls(name);
  // The importer takes ="text" as a text protected from spreadsheets: one more layer keeps such a name.
  const bool formula = text.size() >= 3 && text.starts_with("=\"") && text.ends_with('"');
  const auto cell = formula ? fmt::format("=\"{}\"", text) : text;
  if (cell.find_first_of(",\"\r\n") == std::string::npos && (cell.empty() || cell.front() != '#'))
    return cell;
  std::string out = "\"";
  for (const char c : cell) out.append(c == '"' ? 2 : 1, c);
  return out + '"';
}

/// One column of the file.
class Cells {
public:
  Cells(const Session& session, const LaunchColumns& columns, const PlaceLabels& places,
        const LaunchColumn& column)
      : session_(session), places_(places), reader_(session, columns, column.name) {
    if (column.name == "start" && !session.launch_order()) way_ = Way::Start;
    if (column.name == "duration") way_ = Way::Duration;
    if (column.name == "end") way_ = Way::End;
    if (column.name == "device") way_ = Way::Device;
    if (column.name == "stream") way_ = Way::Stream;
    if (column.kind != ColumnKind::Text) return;
    way_ = Way::Text;
    for (const auto& text : columns.texts(column.name)) texts_.push_back(quoted(text));
  }

  void read(const Segment& segment) {
    segment_ = segment;
    const auto& trace = session_.traces()[segment.trace];
    shift_ = trace.shift_ns;
    starts_ = trace.starts();
    durations_ = trace.durations();
    streams_ = trace.store.column<std::uint32_t>("launches", "stream");
    if (way_ != Way::Number && way_ != Way::Text) return;
    values_.resize(static_cast<std::size_t>(segment.rows()));
    reader_.read(segment, values_.data());
  }

  /// Appends the value of the segment's row.
  void append(std::size_t row, std::string& line) const {
    const auto at = static_cast<std::size_t>(segment_.first) + row;
    const auto start = [&] { return starts_[at] + shift_; };
    switch (way_) {
    case Way::Start:
      return put(start(), line);
    case Way::Duration:
      if (durations_[at] != store::kMissingDuration) put(durations_[at], line);
      return;
    case Way::End:
      return put(start() + durations_[at], line);
    case Way::Device:
      line += quoted(places_.device(segment_.trace, streams_[at]));
      return;
    case Way::Stream:
      line += quoted(places_.stream(segment_.trace, streams_[at]));
      return;
    case Way::Text:
      if (values_[row] >= 0 && values_[row] < static_cast<double>(texts_.size()))
        line += texts_[static_cast<std::size_t>(values_[row])];
      return;
    case Way::Number:
      if (!std::isnan(values_[row])) put(values_[row], line);
    }
  }

private:
  enum class Way { Number, Text, Start, Duration, End, Device, Stream };
  template <class Number>
  static void put(Number number, std::string& line) {
    fmt::format_to(std::back_inserter(line), "{}", number);
  }

  const Session& session_;
  const PlaceLabels& places_;
  LaunchReader reader_;
  Way way_ = Way::Number;
  Segment segment_;
  std::int64_t shift_ = 0; ///< added to starts [ns]; like the next three members, of the trace of segment_
  std::span<const std::int64_t> starts_;
  store::Values<std::int64_t> durations_;
  store::Values<std::uint32_t> streams_;
  std::vector<double> values_;
  std::vector<std::string> texts_; ///< quoted texts of the column, by code
};

bool is_written(const LaunchColumn& column, const Session& session) {
  if (column.fitted) return false;
  if (column.name == "start" && session.launch_order()) return false; // the order of the rows
  return std::find(kNumbersOfSession.begin(), kNumbersOfSession.end(), column.name) ==
         kNumbersOfSession.end();
}

/// The columns with the name of the kernel first.
std::vector<const LaunchColumn*> columns_of(const Session& session, const LaunchColumns& columns) {
  std::vector<const LaunchColumn*> chosen;
  for (const auto& column : columns.list())
    if (is_written(column, session)) chosen.push_back(&column);
  std::stable_partition(chosen.begin(), chosen.end(),
                        [](const LaunchColumn* column) { return column->name == "name"; });
  return chosen;
}

Expected<void> write_rows(const Session& session, std::vector<Cells>& cells, BufferedOutput& output,
                          const Job& job) {
  const auto rows = static_cast<std::int64_t>(std::max<std::size_t>(kCellsOfBlock / cells.size(), 1));
  std::string lines;
  for (std::int64_t first = 0; first < session.launches(); first += rows) {
    if (job.cancelled()) return Job::cancelled_error();
    job.progress(first, session.launches(), "rows");
    for (const auto& segment : session.segments(first, std::min(first + rows, session.launches()))) {
      for (auto& column : cells) column.read(segment);
      lines.clear();
      for (std::size_t row = 0; row < static_cast<std::size_t>(segment.rows()); ++row) {
        for (std::size_t i = 0; i < cells.size(); ++i) {
          if (i > 0) lines += ',';
          cells[i].append(row, lines);
        }
        lines += "\r\n";
      }
      if (auto done = output.add(lines); !done) return done;
    }
  }
  return {};
}

} // namespace

Expected<CsvReport> export_launches_csv(const Session& session, const LaunchColumns& columns,
                                        const std::string& path, const Job& job) {
  if (auto known = columns.prepare_call_sites(job); !known) return forward(known.error());
  const auto chosen = columns_of(session, columns);
  const PlaceLabels places(session);
  CsvReport report;
  std::string header;
  std::vector<Cells> cells;
  cells.reserve(chosen.size());
  for (const auto* column : chosen) {
    const auto title =
        column->unit.empty() ? column->name : fmt::format("{} [{}]", column->name, column->unit);
    report.columns.push_back(title);
    header += header.empty() ? quoted(title) : "," + quoted(title);
    cells.emplace_back(session, columns, places, *column);
  }
  auto file = OutputFile::create(path);
  if (!file) return forward(file.error());
  BufferedOutput output(std::move(*file));
  auto done = output.add(header + "\r\n");
  if (done) done = write_rows(session, cells, output, job);
  for (std::size_t t = 0; done && t < session.traces().size(); ++t)
    done = session.traces()[t].store.check_intact();
  if (done) done = output.finish(job);
  if (!done) return forward(done.error());
  report.launches = session.launches();
  report.bytes = output.bytes();
  const auto fitted = std::count_if(columns.list().begin(), columns.list().end(),
                                    [](const LaunchColumn& column) { return column.fitted; });
  if (fitted > 0)
    report.left_out.push_back(fmt::format(
        "{} columns that divide the excess between its causes are left out: they need a model of durations, "
        "which is not fitted for an export",
        fitted));
  return report;
}

} // namespace jitterscope::analysis
