#include "core/import/table/columns.h"

#include <algorithm>
#include <array>
#include <memory>
#include <set>

#include <fmt/core.h>

#include "core/import/csv/decimal_commas.h"
#include "core/import/csv/number.h"
#include "core/import/csv/plain_fields.h"
#include "core/import/plain_number.h"
#include "core/import/table/date_time.h"
#include "core/import/table/quantity.h"
#include "core/import/text.h"
#include "core/import/text_table.h"

namespace jitterscope::import::table {
namespace {

using store::Severity;

constexpr std::int64_t kSampledRecords = 65'536;

struct Seen {
  std::int64_t numbers = 0, texts = 0;
  std::int64_t dates = 0;     ///< of the texts: those that say a day and a time of it
  std::int64_t time_units = 0; ///< of the texts: "ns", "ms" …
  std::int64_t fractions = 0; ///< of the numbers: those that are not written as whole
  std::int64_t with_comma = 0; ///< of the numbers: "1,125", where commas do not separate fields
  std::int64_t quantities = 0; ///< numbers with their units (quantity.h)
  std::string unit;            ///< of the first of these
  std::string quantity;        ///< the first of these
  bool units_differ = false;   ///< these are of different things: "5 W", "6 %"
  std::int64_t almost = 0;     ///< of the texts: a number with something else in its cell
  std::string example;         ///< the first text
  std::int64_t grouped = 0;   ///< "1.306.219": a number where commas are decimal, else a text

  /// Texts that were judged lately, by a hash of them: columns of names hold few different ones.
  struct Text {
    std::string text;
    bool known = false, almost = false, date = false, time_unit = false;
  };
  std::vector<Text> recent;
};

bool is_unit(std::string_view text) {
  const auto unit = normalised_unit(text);
  return unit.base != trimmed(text) || unit.base == "ns" || unit.base == "%" || unit.base == "B";
}

// Names of units and nothing else, below the titles.
bool is_units_row(std::span<const std::string_view> fields) {
  bool any = false;
  for (const auto field : fields) {
    if (trimmed(field).empty()) continue;
    if (parse_number(field) || !is_unit(field)) return false;
    any = true;
  }
  return any;
}

// A point that cannot stand between thousands, as "1.400" and "1.306.219" have it where commas are decimal.
bool has_decimal_point(std::string_view number) {
  if (number.starts_with('-')) number.remove_prefix(1);
  const auto first = number.find('.');
  if (first == std::string_view::npos) return false;
  if (first == 0 || first > 3 || number[0] == '0') return true;
  for (auto at = first; at != std::string_view::npos; at = number.find('.', at + 1))
    if (std::min(number.find('.', at + 1), number.size()) - at != 4) return true;
  return false;
}

bool is_grouped(std::string_view text) {
  return text.find_first_not_of("0123456789.-") == std::string_view::npos &&
         text.find('.') != std::string_view::npos && !has_decimal_point(text);
}

std::vector<Column> titled(const std::vector<std::string>& titles, RowIssues& issues) {
  std::vector<Column> columns;
  std::set<std::pair<std::string, std::string>> taken;
  for (std::size_t i = 0; i < titles.size(); ++i) {
    const auto split = split_unit(titles[i]);
    Column column;
    column.title = clean_text(split.title);
    column.unit = clean_text(split.unit);
    column.untitled = column.title.empty();
    if (column.untitled) column.title = fmt::format("column {}", i + 1);
    if (!taken.emplace(column.title, normalised_unit(column.unit).base).second) {
      if (titles[i].empty()) continue;
      issues.count(Severity::Doubt, "repeated-title", [&] {
        return fmt::format("several columns are titled \"{}\"; the later ones carry their number as well",
                           clean_text(titles[i]));
      });
      column.title += fmt::format(" (column {})", i + 1);
      taken.emplace(column.title, normalised_unit(column.unit).base);
    }
    columns.push_back(std::move(column));
  }
  return columns;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (auto& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

// "1'234", "8b": a number for whoever reads it.
bool is_almost_number(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const auto end = text.find_first_not_of("0123456789.,eE+-");
  if (end == 0) return false;
  if (end == std::string_view::npos) return false; // "1.2.3", "2024-05-01"
  auto rest = text.substr(end);
  const auto blank = rest.find_first_not_of(' ');
  rest = rest.substr(std::min(blank, rest.size()));
  if (!parse_number(text.substr(0, end))) return false;
  static constexpr std::array<std::string_view, 6> kBases = {"W", "J", "V", "C", "Hz", "B/s"};
  if (is_unit(rest) || std::find(kBases.begin(), kBases.end(), rest) != kBases.end()) return true;
  for (const std::string_view thousands : {"'", "\xE2\x80\x99", "\xE2\x80\xAF", "\xC2\xA0"})
    if (rest.size() >= thousands.size() + 3 && rest.starts_with(thousands))
      return rest.substr(thousands.size()).find_first_not_of("0123456789") != 0;
  return !rest.empty() && rest.front() >= '0' && rest.front() <= '9' && blank > 0; // "1 234"
}

// How well a title fits the duration of a launch: 0 not at all.
int duration_rank(std::string_view title) {
  auto words = slug(title);
  constexpr std::array kRanked = {
      "run_time", "kernel_time", "gpu_time", "exec_time", "elapsed_time", "execution_time",  "latency",
      "elapsed",  "runtime",     "time",     "dur",       "gpu_duration", "kernel_duration", "duration"};
  const auto* found = std::find(kRanked.begin(), kRanked.end(), words);
  return found == kRanked.end() ? 0 : static_cast<int>(found - kRanked.begin()) + 1;
}

} // namespace

bool is_missing_text(std::string_view text) {
  text = without_formula(trimmed(text));
  if (!is_missing(text)) return false;
  const auto word = lower(text);
  for (const auto* meaningful : {"-", "--", "none", "nil", "missing", "inf", "-inf"})
    if (word == meaningful) return false;
  return true;
}

bool is_rule(std::span<const std::string_view> fields) {
  bool any = false;
  for (const auto field : fields) {
    const auto text = trimmed(field);
    if (text.find_first_not_of(":-") != std::string_view::npos || (!text.empty() && text.size() < 3)) return false;
    any = any || !text.empty();
  }
  return any && fields.size() > 1;
}

std::string decimal_point(std::string_view text) {
  std::string number(text);
  std::erase(number, '.'); // of thousands
  std::replace(number.begin(), number.end(), ',', '.');
  return number;
}

namespace {

/// What is found out about the columns by their cells, one record after the other.
class Sample {
public:
  Sample(std::size_t columns, char separator)
      : seen_(columns), separator_(separator), plain_(columns > 1 && columns <= PlainFields::kMost / 4) {}

  void take(std::span<const std::string_view> fields) {
    for (std::size_t i = 0; i < std::min(fields.size(), seen_.size()); ++i) {
      if (digits_in_padded(fields[i]))
        ++seen_[i].numbers;
      else
        take_other(seen_[i], fields[i]);
    }
  }

  /// Takes what the reader has ready, many records at a time, up to one that needs a closer look; how many
  /// these were.
  std::int64_t take_ahead(CsvReader& csv, std::int64_t most) {
    const auto text = plain_ ? csv.lines_ahead() : std::string_view();
    const auto columns = seen_.size();
    std::int64_t taken = 0;
    std::size_t at = 0;
    while (taken < most && fields_->find(text, at, separator_, true, true)) {
      const auto wanted = std::min(fields_->records(), static_cast<std::size_t>(most - taken));
      std::size_t records = 0;
      while (records < wanted && fields_->fields_to(records) == (records + 1) * columns) ++records;
      take_plain(records);
      taken += static_cast<std::int64_t>(records);
      const bool all = records == fields_->records();
      at = all ? fields_->end() : fields_->begin_of(records * columns);
      if (!all) break;
    }
    csv.skip_ahead(at, taken);
    plain_ = taken > kWorthIt;
    return taken;
  }

  void conclude(Columns& columns, RowIssues& issues) {
    const auto commas = comma_ || point_ || thousands_ ? CommaMeaning::None : meaning();
    columns.decimal_comma =
        (comma_ && !point_) || commas == CommaMeaning::Decimal || commas == CommaMeaning::PerhapsDecimal;
    for (auto& column : seen_) column.fractions += columns.decimal_comma ? column.with_comma : 0;
    for (auto& column : seen_) (columns.decimal_comma ? column.numbers : column.texts) += column.grouped;
    for (std::size_t i = 0; i < seen_.size(); ++i) take_quantities(seen_[i], columns.all[i], issues);
    if (commas == CommaMeaning::PerhapsDecimal || commas == CommaMeaning::PerhapsThousands)
      issues.count(Severity::Doubt, "decimal-comma", [&] { return std::string(doubt_of(commas)); });
    else if (columns.decimal_comma)
      issues.count(Severity::Info, "decimal-comma",
                   [] { return "numbers are written as in \"1.234,5\" and read so"; });
    else if (comma_)
      issues.count(Severity::Doubt, "decimal-comma", [] {
        return "some numbers have a comma before their fraction, others a point: the former are left out";
      });
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      const auto& seen = seen_[i];
      columns.all[i].whole = seen.fractions == 0;
      columns.all[i].dates = seen.dates > 0 && 10 * seen.dates >= 9 * seen.texts;
      if (seen.numbers + seen.texts > 0)
        columns.all[i].kind = seen.numbers >= 9 * seen.texts ? Column::Kind::Number : Column::Kind::Text;
      if (columns.all[i].kind == Column::Kind::Text && seen.texts > 0 &&
          2 * (seen.almost + seen.numbers) > seen.texts + seen.numbers && seen.dates == 0)
        doubt_mixed(columns.all[i], seen, issues);
    }
    take_unit_column(columns, issues);
  }

private:
  static constexpr std::int64_t kWorthIt = 16; // records

  // Where most cells are quantities of one kind, in the unit of the title if it states one.
  static void take_quantities(Seen& seen, Column& column, RowIssues& issues) {
    if (seen.quantities == 0) return;
    const auto& kept = column.unit.empty() ? seen.unit : column.unit;
    const bool fits = seen.unit.empty() || normalised_unit(kept).base == normalised_unit(seen.unit).base;
    if (seen.units_differ || !fits || seen.numbers + seen.quantities < 9 * seen.texts) {
      seen.texts += seen.quantities, seen.almost += seen.quantities;
      if (seen.example.empty()) seen.example = seen.quantity;
      return;
    }
    column.quantities = true;
    const bool guessed = seen.numbers > 0 && column.unit.empty() && !seen.unit.empty();
    column.unit = kept;
    seen.numbers += seen.quantities;
    issues.count(guessed ? Severity::Doubt : Severity::Info, "units-in-cells", [&] {
      return fmt::format("column \"{}\" holds numbers as in \"{}\": they are read so{}", column.title, seen.quantity,
                         guessed ? fmt::format("; those without a unit are taken as {}", kept) : std::string());
    });
  }

  // Google Benchmark writes the unit of its times into each row.
  void take_unit_column(Columns& columns, RowIssues& issues) const {
    const auto titled_as = [](const Column& column, std::initializer_list<std::string_view> titles) {
      return column.unit.empty() && std::find(titles.begin(), titles.end(), slug(column.title)) != titles.end();
    };
    for (std::size_t i = 0; i < seen_.size(); ++i)
      if (titled_as(columns.all[i], {"time_unit"}) && columns.all[i].kind == Column::Kind::Text &&
          10 * seen_[i].time_units >= 9 * seen_[i].texts)
        columns.unit_column = i;
    if (columns.unit_column == kMostColumns) return;
    for (auto& column : columns.all) {
      if (column.kind != Column::Kind::Number || column.quantities || !titled_as(column, {"real_time", "cpu_time"}))
        continue;
      column.unit_in_row = true;
      column.unit = "ns";
      issues.count(Severity::Info, "units-in-rows", [&] {
        return fmt::format("column \"{}\" says in each row in which unit column \"{}\" is: its times are kept in ns",
                           columns.all[columns.unit_column].title, column.title);
      });
    }
  }

  static void doubt_mixed(const Column& column, const Seen& seen, RowIssues& issues) {
    issues.count(Severity::Doubt, "numbers-as-texts", [&] {
      return fmt::format(
          "column \"{}\" holds numbers for the most part, but \"{}\" as well: it is a column of texts; "
          "write a unit into the title, as in \"duration (us)\", and nothing but numbers below",
          column.title, seen.example);
    });
  }

  void take_plain(std::size_t records) {
    for (auto& column : seen_) column.numbers += static_cast<std::int64_t>(records);
    for (std::size_t i = 0; i < fields_->others() && fields_->other(i) < records * seen_.size(); ++i) {
      auto& column = seen_[fields_->other(i) % seen_.size()];
      --column.numbers;
      take_other(column, fields_->text(fields_->other(i)));
    }
    for (const auto field : fields_->fractions()) {
      if (field >= records * seen_.size()) break;
      ++seen_[field % seen_.size()].fractions;
      point_ = point_ || has_decimal_point(fields_->text(field));
    }
  }

  CommaMeaning meaning() const {
    auto meaning = CommaMeaning::None;
    for (const auto& column : seen_) {
      const auto own = meaning_of_commas(separator_, column.with_comma, column.numbers);
      if (own == CommaMeaning::Decimal || own == CommaMeaning::PerhapsDecimal) return own;
      if (own != CommaMeaning::None) meaning = own;
    }
    return meaning;
  }

  void take_other(Seen& column, std::string_view field) {
    constexpr std::size_t kRecent = 16, kLongest = 256;
    if (field.size() > kLongest) return judge_other(column, field, nullptr);
    if (column.recent.empty()) column.recent.resize(kRecent);
    auto& recent = column.recent[quick_hash(field) % kRecent];
    if (!recent.known || recent.text != field) return judge_other(column, field, &recent);
    ++column.texts;
    column.almost += recent.almost;
    column.dates += recent.date;
    column.time_units += recent.time_unit;
  }

  // `recent`: where a text that is nothing else is kept.
  void judge_other(Seen& column, std::string_view field, Seen::Text* recent) {
    if (is_missing(field)) return;
    const bool has_comma = field.find(',') != std::string_view::npos;
    const bool number = parse_number(field).has_value();
    if (number && has_comma && separator_ != ',') {
      const bool one = may_be_thousands(trimmed(field));
      column.with_comma += one;
      thousands_ = thousands_ || !one; // "1,234,567" or "1,234.5"
    }
    const bool decimal = !number && has_comma && separator_ != ',' &&
                         trimmed(field).find_first_not_of("0123456789+-.,eE") == std::string_view::npos;
    column.fractions += decimal || (number && field.find_first_of(".eE") != std::string_view::npos);
    comma_ = comma_ || decimal;
    point_ = point_ || (number && has_decimal_point(trimmed(field)));
    const bool grouped = !number && !decimal && separator_ != ',' && is_grouped(trimmed(field));
    if (!number && !decimal && !grouped && take_quantity(column, field)) return;
    ++(number || decimal ? column.numbers : grouped ? column.grouped : column.texts);
    if (number || decimal || grouped) return;
    const bool almost = is_almost_number(field), date = parse_date_time(field).has_value();
    column.almost += almost;
    column.dates += date;
    const bool time_unit = nanoseconds_in(trimmed(field)).has_value();
    column.time_units += time_unit;
    if (column.example.empty()) column.example = clean_text(trimmed(field).substr(0, 40));
    if (recent) *recent = {std::string(field), true, almost, date, time_unit};
  }

  static bool take_quantity(Seen& column, std::string_view field) {
    const auto found = quantity(field);
    if (!found) return false;
    if (column.quantities++ == 0) {
      column.unit = clean_text(found->unit);
      column.quantity = clean_text(trimmed(field).substr(0, 40));
    } else if (found->unit != column.unit) {
      column.units_differ =
          column.units_differ || normalised_unit(found->unit).base != normalised_unit(column.unit).base;
    }
    column.fractions += !found->unit.empty() || found->number.find_first_of(".eE") != std::string_view::npos;
    return true;
  }

  std::vector<Seen> seen_;
  char separator_;
  bool plain_, point_ = false, comma_ = false, thousands_ = false;
  std::unique_ptr<PlainFields> fields_ = std::make_unique<PlainFields>();
};

} // namespace

Expected<Columns> judge(CsvReader& csv, const std::vector<std::string>& titles, char separator,
                        RowIssues& issues) {
  Columns columns;
  columns.all = titled(titles, issues);
  Sample sample(columns.all.size(), separator);
  const auto before = csv.bytes_of_records();
  for (std::int64_t row = 0; row < kSampledRecords; ++row) {
    const auto more = csv.next();
    if (!more) return forward(more.error());
    if (!*more) break;
    const auto fields = csv.fields();
    if (row == 0 && is_units_row(fields)) {
      columns.has_units_row = true;
      for (std::size_t i = 0; i < std::min(fields.size(), columns.all.size()); ++i)
        if (columns.all[i].unit.empty()) columns.all[i].unit = clean_text(trimmed(fields[i]));
      continue;
    }
    if (is_rule(fields)) continue;
    sample.take(fields);
    const auto ahead = sample.take_ahead(csv, kSampledRecords - row - 1);
    columns.sampled_rows += 1 + ahead;
    row += ahead;
  }
  columns.sampled_bytes = csv.bytes_of_records() - before;
  sample.conclude(columns, issues);
  return columns;
}

DurationColumn duration_column(const Columns& columns, RowIssues& issues) {
  DurationColumn best{columns.all.size(), 1};
  int best_rank = 0;
  for (std::size_t i = 0; i < columns.all.size(); ++i) {
    const auto& column = columns.all[i];
    const int rank = column.kind == Column::Kind::Text ? 0 : duration_rank(column.title);
    if (rank <= best_rank) continue;
    const auto scale = nanoseconds_in(column.unit);
    if (!scale && rank > 0 && !column.unit.empty())
      issues.count(Severity::Info, "duration-in-other-unit", [&] {
        return fmt::format(
            "column \"{}\" is in \"{}\", in which durations are not read: write them in ns, us, ms or "
            "s to have them as the durations of launches",
            column.title, column.unit);
      });
    if (!scale && rank > 0 && column.unit.empty())
      issues.count(Severity::Info, "duration-without-unit", [&] {
        return fmt::format(
            "column \"{0}\" may be the duration, but does not say in which unit it is: title it "
            "\"{0} (ns)\" or the like",
            column.title);
      });
    if (!scale) continue;
    best = {i, *scale};
    best_rank = rank;
  }
  return best;
}

std::size_t find_column(const Columns& columns, const std::vector<std::string>& titles,
                        std::string_view wanted) {
  const auto same = [&](auto&& equal) {
    for (std::size_t i = 0; i < columns.all.size(); ++i)
      if (equal(i)) return i;
    return columns.all.size();
  };
  for (const auto found : {same([&](std::size_t i) { return titles[i] == wanted; }),
                           same([&](std::size_t i) { return columns.all[i].title == wanted; }),
                           same([&](std::size_t i) { return lower(titles[i]) == lower(trimmed(wanted)); }),
                           same([&](std::size_t i) { return slug(titles[i]) == slug(wanted); })})
    if (found < columns.all.size()) return found;
  return columns.all.size();
}

} // namespace jitterscope::import::table
