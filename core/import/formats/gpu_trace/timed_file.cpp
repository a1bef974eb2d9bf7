#include "core/import/formats/gpu_trace/file_readers.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/pieces_in_order.h"
#include "core/base/spill_memory.h"
#include "core/import/formats/gpu_trace/records.h"
#include "core/import/records/csv_rows.h"
#include "core/import/text/csv/record_pieces.h"
#include "core/import/text/csv/rest_of_pieces.h"

namespace jitterscope::import::gpu_trace {
namespace {

// No memory is reserved for more rows: the first rows may not be representative.
constexpr double kMaxExpected = 1 << 26;

/// The format of a file's text.
struct Writing {
  std::string name;
  char separator = ',';
  bool decimal_comma = false;

  void set(CsvReader& csv) const {
    csv.set_separator(separator);
    csv.set_decimal_comma(decimal_comma);
  }
};

/// Reads texts that are stored elsewhere and stay unchanged.
class TextReader {
public:
  explicit TextReader(const Writing& writing) : csv_(*nothing_, writing.name) { writing.set(csv_); }

  /// Passes each record to `process`; the first line has the number `line`. False when the text does not end
  /// with a record.
  template <class Process>
  bool read(std::string_view text, std::int64_t line, Process&& process) {
    copy_.resize(std::max(copy_.size(), text.size() + CsvReader::kPadding));
    std::copy(text.begin(), text.end(), copy_.begin());
    csv_.read_instead(copy_, text.size());
    csv_.go_on_at(line);
    auto more = csv_.next();
    for (; more && *more; more = csv_.next()) process(csv_);
    next_line_ = csv_.next_line();
    csv_.give_back(copy_);
    return more.has_value();
  }
  std::int64_t next_line() const { return next_line_; }

private:
  ByteStreamPointer nothing_ = open_memory({});
  CsvReader csv_;
  std::vector<char> copy_;
  std::int64_t next_line_ = 1;
};

/// Some records, and their content as far as it does not depend on earlier ones.
struct Piece {
  RecordPiece records;
  ParsedRecords rows;
  std::shared_ptr<const RecordPlan> plan; ///< the plan that the rows were parsed with, null: not parsed
  bool whole = false;                     ///< a record ends at the end of the piece

  std::string_view text() const { return {records.bytes.data(), records.size}; }

  void parse(const Writing& writing, std::shared_ptr<const RecordPlan> requested) {
    plan = nullptr;
    whole = records.whole;
    if (!whole) return;
    assert(records.bytes.size() >= records.size + CsvReader::kPadding); // whole blocks are examined
    if (requested && rows.parse(text(), records.quotes, *requested))
      plan = rows.repeat() ? std::move(requested) : nullptr;
    else if (records.quotes && !rows.is_regular(text(), writing.separator))
      whole = TextReader(writing).read(text(), 1, [](const CsvReader&) {});
  }
};

/// The plan shared by the threads, set by one of them.
class SharedPlan {
public:
  void set(std::shared_ptr<const RecordPlan> plan) {
    const std::lock_guard guard(lock_);
    plan_ = std::move(plan);
  }
  std::shared_ptr<const RecordPlan> get() {
    const std::lock_guard guard(lock_);
    return plan_;
  }

private:
  std::mutex lock_;
  std::shared_ptr<const RecordPlan> plan_;
};

class TimedFile {
public:
  TimedFile(const Input& input, Tables& tables, const Progress& progress, Writing writing)
      : input_(input), tables_(tables), progress_(progress), writing_(std::move(writing)),
        records_(tables, writing_.name, writing_.separator), first_(tables.draft.sizes()) {
    records_.judge_numbers(input.head);
    writing_.decimal_comma = records_.has_decimal_commas();
    reader_.emplace(writing_);
  }

  /// `csv` is at the header.
  Expected<void> read(ByteStream& stream, CsvReader& csv) {
    writing_.set(csv);
    const auto titles = csv.next();
    if (!titles) return forward(titles.error());
    if (*titles) {
      read_record(csv);
      if (auto done = read_pieces(stream, csv); !done) return done;
    }
    report_truncation(csv, tables_.issues);
    records_.finish_rows();
    return {};
  }

private:
  // Pieces are parsed on all processors, then used in order.
  Expected<void> read_pieces(ByteStream& stream, const CsvReader& titles) {
    RecordCutter cutter(stream, titles.rest());
    std::atomic<bool> one_text{tables_.draft.options.one_by_one};
    PiecesInOrder<Piece> pieces(
        reading_threads(tables_.draft.options), [&](Piece& piece) { return cutter.cut(piece.records); },
        [&](Piece& piece) {
          if (!one_text) piece.parse(writing_, shared_plan_.get());
        });
    line_ = titles.next_line();
    while (auto* piece = pieces.next()) {
      if (!progress_.report(piece->records.consumed, input_.disk_bytes, "GPU trace"))
        return Job::cancelled_error();
      if (!piece->whole) {
        one_text = true;
        RestOfPieces rest(*piece, pieces);
        return read_one_by_one(rest);
      }
      process(*piece);
      expect_rows(piece->records.consumed);
      if (piece->records.problem) return forward(*piece->records.problem);
      if (piece->records.unended == 0) continue;
      const auto last =
          open_memory({piece->records.bytes.data() + piece->records.size, piece->records.unended});
      return read_one_by_one(*last);
    }
    return {};
  }

  void process(const Piece& piece) {
    if (!piece.plan || piece.plan != records_.plan()) {
      read_text(piece.text());
      return;
    }
    const auto& rows = piece.rows;
    const auto& records = rows.records();
    const auto first_line = line_;
    find_known(rows.rests());
    auto size = rows.sizes().begin();
    for (std::size_t i = 0; i < records.size();) {
      if (const auto end = skip_repeated(records, i); end > i) {
        i = end;
        continue;
      }
      while (size != rows.sizes().end() && size->record < i) ++size;
      if (size != rows.sizes().end() && size->record == i &&
          kind_of(records[i]) == Repeated::Kind::Transfer) {
        records_.activities().repeat_transfer(records[i], *size, known_[records[i].rest]);
        ++i;
        continue;
      }
      const auto process = records_.process();
      line_ = first_line + static_cast<std::int64_t>(i);
      const auto found = read_text(rows.text_of(i));
      ++i;
      if (piece.plan != records_.plan()) { // the rest belongs to another table
        if (i < records.size()) read_text(rows.text_from(i));
        return;
      }
      if (process != records_.process()) forget();
      learn(rows.rests(), records[i - 1].rest, found);
    }
    line_ = first_line + static_cast<std::int64_t>(records.size());
  }

  Repeated::Kind kind_of(const ParsedRecords::Record& record) const {
    return record.rest != RowTexts::kNone ? known_[record.rest].kind : Repeated::Kind::Unknown;
  }

  // Adds known launches, calls or ranges from `begin` on; returns the first record of another kind.
  std::size_t skip_repeated(std::span<const ParsedRecords::Record> records, std::size_t begin) {
    using enum Repeated::Kind;
    const auto kind = kind_of(records[begin]);
    if (kind == Unknown || kind == Transfer) return begin;
    auto end = begin + 1;
    while (end < records.size() && kind_of(records[end]) == kind) ++end;
    const auto same = records.subspan(begin, end - begin);
    if (kind == Launch)
      records_.activities().repeat_launches(same, known_);
    else if (kind == Call)
      records_.host().repeat_calls(same, known_);
    else
      records_.host().repeat_ranges(same, known_);
    return end;
  }

  void find_known(const RowTexts& rests) {
    known_.clear();
    for (std::uint32_t rest = 0; rest < rests.size(); ++rest) {
      const auto* known = all_known_.find(rests[rest], rests.hash(rest));
      known_.push_back(known ? *known : Repeated{});
    }
  }

  void learn(const RowTexts& rests, std::uint32_t rest, const Repeated& found) {
    if (rest == RowTexts::kNone || found.kind == Repeated::Kind::Unknown) return;
    known_[rest] = found;
    all_known_.add(rests[rest], rests.hash(rest), found);
  }

  void forget() {
    std::fill(known_.begin(), known_.end(), Repeated{});
    all_known_.clear();
  }

  // Returns the meaning of the last record.
  Repeated read_text(std::string_view text) {
    Repeated found;
    reader_->read(text, line_, [&](const CsvReader& csv) { found = read_record(csv); });
    line_ = reader_->next_line();
    return found;
  }

  // Used where records do not end where their quotes indicate, are very long, or may be truncated.
  Expected<void> read_one_by_one(ByteStream& stream) {
    CsvReader csv(stream, writing_.name);
    writing_.set(csv);
    csv.go_on_at(line_);
    auto done = each_row(csv, progress_, input_.disk_bytes, "GPU trace", [&] { read_record(csv); });
    if (!done) return done;
    report_truncation(csv, tables_.issues);
    return {};
  }

  Repeated read_record(const CsvReader& csv) {
    const auto plan = records_.plan();
    const auto found = records_.read(csv);
    if (plan != records_.plan()) {
      forget();
      shared_plan_.set(records_.plan());
    }
    return found;
  }

  // Reserves memory: columns that grow by doubling are written twice and take twice the memory.
  void expect_rows(std::int64_t consumed) {
    if (expected_ || consumed <= 0) return;
    auto& draft = tables_.draft;
    const auto sizes = draft.sizes();
    const auto expected = [&](std::size_t now, std::size_t first) {
      const auto rows = static_cast<double>(now - first) * static_cast<double>(input_.disk_bytes) /
                        static_cast<double>(consumed);
      return first + static_cast<std::size_t>(std::min(1.05 * rows, kMaxExpected)) + 64;
    };
    const SpillMemory::Lazily lazily;
    if (sizes.launches > first_.launches) draft.reserve_launches(expected(sizes.launches, first_.launches));
    if (sizes.calls > first_.calls) draft.reserve_calls(expected(sizes.calls, first_.calls));
    if (sizes.ranges > first_.ranges) draft.reserve_ranges(expected(sizes.ranges, first_.ranges));
    expected_ =
        sizes.launches > first_.launches || sizes.calls > first_.calls || sizes.ranges > first_.ranges;
  }

  const Input& input_;
  Tables& tables_;
  const Progress& progress_;
  Writing writing_;
  Records records_;
  SharedPlan shared_plan_;
  std::optional<TextReader> reader_;
  std::int64_t line_ = 1;       ///< line of the next text to be read
  std::vector<Repeated> known_; ///< meaning of each text in the rests() of the current piece
  ByRowText<Repeated> all_known_;
  DraftSizes first_; ///< rows of the draft before this file
  bool expected_ = false;
};

} // namespace

Expected<void> read_timed_file(const Input& input, Tables& tables, const Progress& progress) {
  auto stream = input.open();
  if (!stream) return forward(stream.error());
  Writing writing{input.name()};
  CsvReader csv(**stream, writing.name);
  const auto found = csv.skip_to([&](std::string_view line) {
    if (const auto process = process_in(line)) tables.process_number = *process;
    writing.separator = separator_of(line);
    return kind_of_line(line) != Kind::None;
  });
  if (!found) return forward(found.error());
  if (!*found) return failure(ErrorKind::BadInput, "the file contains no table of a timeline", input.name());
  return TimedFile(input, tables, progress, std::move(writing)).read(**stream, csv);
}

} // namespace jitterscope::import::gpu_trace
