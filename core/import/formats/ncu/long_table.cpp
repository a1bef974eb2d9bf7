// One row per launch and metric, each with its unit: sections of a report, or metrics requested by name.

#include <map>
#include <string>
#include <unordered_map>

#include <fmt/core.h>

#include "core/import/formats/ncu/ncu_reader.h"
#include "core/import/records/attribute_column.h"
#include "core/import/records/csv_rows.h"
#include "core/import/text/csv/number.h"
#include "core/import/text/text.h"

namespace jitterscope::import::ncu {
namespace {

using store::Severity;

// Maximum number of metrics, each of which takes a column; no known report has more.
constexpr std::size_t kMaxMetrics = 65'536;

// A metric in one of the spellings of its unit. The same metric may be scaled differently in every row; its
// column has the unit that all rows are converted to.
struct Metric {
  AttributeColumn* column = nullptr;
  double factor = 1;
  std::string name;
};

class LongTable {
public:
  explicit LongTable(Table& table) : table_(table), header_(header_of(table.csv.fields())) {
    for (const auto title : table.csv.fields()) titles_.emplace_back(title);
  }

  Expected<void> read() {
    for (std::int64_t row = 1;; ++row) {
      const auto more = table_.csv.next();
      if (!more) return forward(more.error());
      if (!*more) break;
      if (row % 4096 == 0)
        if (auto done = tick(table_); !done) return done;
      if (auto done = read_row(); !done) return done;
    }
    report_truncation(table_.csv, table_.issues);
    for (auto& [key, column] : columns_) end_column(table_, column);
    return {};
  }

private:
  Expected<void> read_row() {
    const auto& csv = table_.csv;
    if (is_repeated_header()) {
      header_ = header_of(csv.fields());
      titles_.assign(csv.fields().begin(), csv.fields().end());
      table_.launches.begin_report();
      return {};
    }
    if (csv.fields().size() <= header_.value ||
        (!header_.is_summary() && !parse_integer(field(csv, header_.id)))) {
      leave_out();
      return {};
    }
    const auto name = trimmed(field(csv, header_.metric));
    const auto launch = table_.launches.of(csv, header_);
    put_ranges(launch);
    if (name.empty()) { // advice of a rule
      table_.issues.count(Severity::Info, "rule-rows", [&] {
        return fmt::format("{}: results of profiler rules are not measurements and were left out",
                           csv.place());
      });
      return {};
    }
    auto* metric = find(name, field(csv, header_.unit), field(csv, header_.section));
    if (!metric)
      return failure(ErrorKind::BadInput, fmt::format("there are more than {} metrics", kMaxMetrics), {},
                     csv.place(), "Export fewer metrics.");
    put(launch, *metric, field(csv, header_.value));
    return header_.is_summary() ? put_summary(launch, name) : Expected<void>();
  }

  void put_ranges(std::uint32_t launch) {
    for (const auto column : header_.ranges) {
      const auto text = field(table_.csv, column);
      if (trimmed(text).empty()) continue;
      auto& attributes = table_.draft.attributes;
      attributes.set_text(attributes.text(readable_title(trimmed(titles_[column]))), launch,
                          table_.draft.strings.intern(clean_text(text)).value);
    }
  }

  // The mean is used as the metric's value; minimum and maximum become separate columns.
  Expected<void> put_summary(std::uint32_t launch, std::string_view name) {
    const auto& csv = table_.csv;
    const auto write = [&](std::size_t column, const char* which, std::string_view unit,
                           std::string_view section) {
      auto* metric =
          column == Header::kAbsent ? nullptr : find(fmt::format("{}{}", name, which), unit, section);
      if (metric) put(launch, *metric, field(csv, column));
    };
    write(header_.minimum, " minimum", field(csv, header_.unit), field(csv, header_.section));
    write(header_.maximum, " maximum", field(csv, header_.unit), field(csv, header_.section));
    if (const auto count = parse_number(field(csv, header_.invocations)))
      table_.draft.attributes.set(
          table_.draft.attributes.number("Invocations", "", "Number of launches of the kernel"), launch,
          *count);
    return {};
  }

  void put(std::uint32_t launch, Metric& metric, std::string_view written) {
    const auto& csv = table_.csv;
    // "12 (3; 4; 5)": the value, followed by those of its instances.
    const auto text = table_.value(written);
    const auto instances = text.find(" (");
    const auto value_text = instances != std::string_view::npos && parse_number(text.substr(0, instances))
                                ? text.substr(0, instances)
                                : text;
    const auto before = metric.column->kept(table_.draft, launch);
    const auto value = parse_number(value_text, metric.factor);
    if (before && value && *before != *value)
      table_.issues.count(Severity::Doubt, "repeated-metric", [&] {
        return fmt::format("{}: {} of the launch already has the value {}; the later value is kept",
                           csv.place(), metric.name, *before);
      });
    metric.column->put(table_.draft, launch, value_text, metric.factor);
    if (!value) return;
    table_.launches.learn(launch, metric.name, *value);
    if (metric.column->unit().base == "ns")
      doubt_rounded_time(table_.issues, metric.name, field(csv, header_.unit), csv);
  }

  // The column for a metric of a section. Two sections may have a metric with the same name and unit: the
  // title of the second one then ends with its section, in parentheses.
  Metric* find(std::string_view name, std::string_view spelling, std::string_view section) {
    key_.assign(name).append(1, '\n').append(spelling).append(1, '\n').append(section);
    if (const auto known = metrics_.find(key_); known != metrics_.end()) return &known->second;
    if (metrics_.size() >= kMaxMetrics) return nullptr;
    const auto unit = normalised_unit(spelling);
    Metric metric;
    metric.name = clean_text(name);
    metric.factor = unit.factor;
    const auto [first, is_first] = section_of_.try_emplace({metric.name, unit.base}, std::string(section));
    auto title = metric.name;
    if (!is_first && first->second != section) title += fmt::format(" ({})", clean_text(section));
    const auto [column, added] = columns_.try_emplace({title, unit.base});
    if (added)
      column->second = AttributeColumn(
          title, unit.base,
          section.empty() ? metric.name : fmt::format("{}, {}", metric.name, clean_text(section)));
    metric.column = &column->second;
    return &metrics_.emplace(key_, std::move(metric)).first->second;
  }

  bool is_repeated_header() const {
    const auto first = trimmed(field(table_.csv, header_.is_summary() ? header_.kernel : header_.id));
    return (first == "ID" || first == "Kernel Name") && is_header(table_.csv.fields());
  }

  void leave_out() {
    const auto first = field(table_.csv, 0);
    if (first.starts_with("==")) return; // status lines of the profiler
    table_.issues.count(Severity::Drop, "not-a-row", [&] {
      return fmt::format("{} has {} fields and is not a row of the table: \"{}\"", table_.csv.place(),
                         table_.csv.fields().size(), clean_text(first.substr(0, 80)));
    });
  }

  Table& table_;
  Header header_;
  std::vector<std::string> titles_;
  std::string key_;
  std::unordered_map<std::string, Metric> metrics_;
  std::map<std::pair<std::string, std::string>, AttributeColumn> columns_; // by title and unit
  std::map<std::pair<std::string, std::string>, std::string> section_of_;  // by name and unit: the first
};

} // namespace

Expected<void> read_long(Table& table) {
  return LongTable(table).read();
}

} // namespace jitterscope::import::ncu
