#include "core/import/formats/table/all_columns.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <span>

#include <fmt/core.h>

#include "core/import/formats/table/columns.h"
#include "core/import/formats/table/json_records.h"
#include "core/import/formats/table/opened_table.h"
#include "core/import/formats/table/parts.h"
#include "core/import/formats/table/quantity.h"
#include "core/import/records/row_issues.h"
#include "core/import/records/units.h"
#include "core/import/text/csv/number.h"
#include "core/import/text/json/records.h"
#include "core/import/text/text.h"
#include "core/import/text/text_table.h"

namespace jitterscope::import::table {
namespace {

using store::Severity;

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

std::vector<std::string> names_of(const std::vector<std::string>& titles) {
  std::vector<std::string> names;
  std::set<std::string> taken;
  for (const auto& title : titles) {
    auto name = title.empty() ? fmt::format("column_{}", names.size() + 1) : clean_text(title);
    while (!taken.insert(name).second) name += fmt::format(" (column {})", names.size() + 1);
    names.push_back(std::move(name));
  }
  return names;
}

std::string sentence(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

class Reading {
public:
  Reading(std::string name, Columns columns, const std::vector<std::string>& titles)
      : name_(std::move(name)), columns_(std::move(columns)), titles_(titles) {
    read_.titles = names_of(titles);
    read_.values.resize(width()), read_.labels.resize(width());
    for (const auto& column : columns_.all) units_.push_back(normalised_unit(column.unit));
    for (std::size_t c = 0; c < width(); ++c)
      read_.units.push_back(columns_.all[c].quantities    ? units_[c].base
                            : columns_.all[c].unit_in_row ? "ns"
                                                          : std::string());
  }

  Expected<void> read(CsvReader& csv, RowIssues& issues, std::size_t max_cells) {
    if (columns_.has_units_row)
      if (auto units = csv.next(); !units) return forward(units.error());
    for (;;) {
      const auto more = csv.next();
      if (!more) return forward(more.error());
      if (!*more) break;
      const auto fields = csv.fields().size();
      if (fields == 1 && csv.fields()[0].starts_with('#')) continue; // a comment
      if (csv.ended_by_text() && fields < std::min(fields_before_, width())) {
        issues.count(Severity::Drop, "cut-off-row", [&] {
          return fmt::format("{} has fewer fields than the row before it and no line break: the file may be "
                             "truncated, and the row was left out",
                             csv.place());
        });
        break;
      }
      fields_before_ = fields;
      add(csv, issues);
      if (read_.values.front().size() * width() > max_cells)
        return failure(
            ErrorKind::BadInput,
            fmt::format("the table has more than {} values, too many to be analysed in memory", max_cells),
            name_, csv.place(), "Remove rows, or columns that are not needed.");
    }
    if (csv.cut_off())
      issues.count(Severity::Drop, "cut-off-row", [] {
        return "the last line ends within quotes and was left out: the file may be truncated";
      });
    return {};
  }

  AllColumns finish(RowIssues& issues) {
    for (std::size_t c = 0; c < width(); ++c) sort_labels(c);
    for (const auto& [c, other] : others_)
      read_.remarks.push_back(
          other.count == 1
              ? fmt::format("1 cell of column \"{}\" is not a number (\"{}\") and counts as missing",
                            read_.titles[c], other.example)
              : fmt::format("{} cells of column \"{}\" are not numbers (the first is \"{}\") and "
                            "count as missing",
                            other.count, read_.titles[c], other.example));
    store::ImportReport report;
    issues.move_to(report);
    for (const auto& entry : report.entries())
      if (entry.severity != Severity::Info) read_.remarks.push_back(sentence(entry.text));
    return std::move(read_);
  }

private:
  std::size_t width() const { return columns_.all.size(); }

  void add(const CsvReader& csv, RowIssues& issues) {
    auto fields = csv.fields();
    if (is_rule(fields) || are_titles(fields)) return;
    while (fields.size() > width() && trimmed(fields.back()).empty())
      fields = fields.first(fields.size() - 1);
    if (fields.size() > width())
      issues.count(Severity::Drop, "too-many-fields", [&] {
        return fmt::format("{} has {} fields for {} column names; surplus fields of rows are left out",
                           csv.place(), fields.size(), width());
      });
    const auto unit =
        columns_.unit_column < fields.size() ? nanoseconds_in(fields[columns_.unit_column]) : std::nullopt;
    for (std::size_t c = 0; c < width(); ++c)
      read_.values[c].push_back(c < fields.size() ? value_of(c, trimmed(fields[c]), unit) : kNoNumber);
  }

  bool are_titles(std::span<const std::string_view> fields) const {
    return fields.size() == width() && std::equal(fields.begin(), fields.end(), titles_.begin(),
                                                  [](std::string_view field, const std::string& title) {
                                                    return trimmed(field) == title;
                                                  });
  }

  // `unit`: ns per unit of the row's times.
  double value_of(std::size_t c, std::string_view written, std::optional<std::int64_t> unit) {
    const Column& column = columns_.all[c];
    if (column.kind == Column::Kind::Text) return is_missing_text(written) ? kNoNumber : label_of(c, written);
    const std::string pointed = columns_.decimal_comma ? decimal_point(written) : std::string();
    const std::string_view cell = columns_.decimal_comma ? pointed : written;
    const auto number = column.quantities     ? number_of_quantity(cell, units_[c])
                        : !column.unit_in_row ? parse_number(cell)
                        : unit                ? parse_number(cell, static_cast<double>(*unit))
                                              : std::nullopt;
    if (number) return *number;
    if (!is_missing(cell)) {
      auto& other = others_[c];
      if (++other.count == 1) other.example = clean_text(written.substr(0, kLongestExample));
    }
    return kNoNumber;
  }

  double label_of(std::size_t c, std::string_view cell) {
    cell = without_formula(cell);
    auto& codes = texts_[c];
    auto* known = codes.find(cell);
    if (!known) {
      known = &codes.add(cell, static_cast<double>(read_.labels[c].size()));
      read_.labels[c].push_back(clean_text(cell));
    }
    return *known;
  }

  // Codes of texts do not depend on the order of rows.
  void sort_labels(std::size_t c) {
    auto& labels = read_.labels[c];
    std::vector<std::size_t> order(labels.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return labels[a] < labels[b]; });
    std::vector<std::string> sorted;
    std::vector<double> code(labels.size());
    for (const auto place : order) {
      if (sorted.empty() || sorted.back() != labels[place]) sorted.push_back(labels[place]);
      code[place] = static_cast<double>(sorted.size() - 1);
    }
    labels = std::move(sorted);
    if (!code.empty())
      for (double& value : read_.values[c])
        if (!std::isnan(value)) value = code[static_cast<std::size_t>(value)];
  }

  static constexpr std::size_t kLongestExample = 40; ///< bytes
  struct Others {                                    ///< cells of a column of numbers that are none
    std::int64_t count = 0;
    std::string example;
  };
  std::string name_; ///< of the input
  Columns columns_;
  const std::vector<std::string>& titles_;
  AllColumns read_;
  std::size_t fields_before_ = 0; ///< of the row before
  std::vector<Unit> units_;
  std::map<std::size_t, TextTable<double>> texts_; ///< by column: codes in the order of first appearance
  std::map<std::size_t, Others> others_;
};

Expected<Columns> judge_table(const Input& input, const Shape& shape, const Job& job, RowIssues& issues) {
  auto opened = open_table(input, shape, job);
  if (!opened) return forward(opened.error());
  return judge(*opened->csv, opened->titles, {}, shape.separator, issues);
}

} // namespace

Expected<AllColumns> read_all_columns(const Input& input, const Job& job, std::size_t max_cells) {
  if (!input.records && json::begins_like_json(input.head)) {
    const auto records = json_records(input);
    if (!records) return forward(records.error());
    if (*records) return read_all_columns(**records, job, max_cells);
  }
  auto shape = require_table(input);
  if (!shape) return forward(shape.error());
  RowIssues issues;
  auto columns = judge_table(input, *shape, job, issues);
  if (!columns) return forward(columns.error());
  if (columns->mixed && !shape->titles_are_comment) {
    RowIssues of_part;
    const auto several = choose_part(input, *shape, of_part);
    if (!several) return forward(several.error());
    if (*several) {
      issues = std::move(of_part);
      columns = judge_table(input, *shape, job, issues);
      if (!columns) return forward(columns.error());
    }
  }
  auto opened = open_table(input, *shape, job);
  if (!opened) return forward(opened.error());
  Reading reading(input.name(), std::move(*columns), opened->titles);
  if (auto done = reading.read(*opened->csv, issues, max_cells); !done) return forward(done.error());
  if (const auto damage = input.torn ? input.torn->error() : std::nullopt) return forward(*damage);
  return reading.finish(issues);
}

} // namespace jitterscope::import::table
