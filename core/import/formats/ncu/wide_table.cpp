// One row per launch, one column per metric; below the header a row with the units of the columns.

#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "core/import/formats/ncu/ncu_reader.h"
#include "core/import/records/attribute_column.h"
#include "core/import/records/csv_rows.h"
#include "core/import/text/csv/number.h"
#include "core/import/text/text.h"

namespace jitterscope::import::ncu {
namespace {

using store::Severity;

constexpr std::size_t kMaxColumns = 65'536; // eight times the widest known report
constexpr std::string_view kDeviceName = "device__attribute_display_name";

class WideTable {
public:
  explicit WideTable(Table& table) : table_(table) {}

  Expected<void> read() {
    if (auto done = read_titles(); !done) return done;
    for (std::int64_t row = 1;; ++row) {
      const auto more = table_.csv.next();
      if (!more) return forward(more.error());
      if (!*more) break;
      if (row % 16 == 0)
        if (auto done = tick(table_); !done) return done;
      if (is_header(table_.csv.fields())) { // another report after the first
        if (auto done = read_titles(); !done) return done;
      } else if (expects_units_ && is_units_row()) {
        read_units();
      } else {
        read_row();
      }
    }
    report_truncation(table_.csv, table_.issues);
    for (auto& column : columns_) end_column(table_, column);
    return {};
  }

private:
  Expected<void> read_titles() {
    const auto titles = table_.csv.fields();
    if (titles.size() > kMaxColumns)
      return failure(ErrorKind::BadInput, fmt::format("the table has more than {} columns", kMaxColumns), {},
                     table_.csv.place(), "Export fewer metrics.");
    for (auto& column : columns_) end_column(table_, column);
    header_ = header_of(titles);
    expects_units_ = true;
    titles_.clear();
    columns_.clear();
    device_name_ = Header::kAbsent;
    for (std::size_t i = 0; i < titles.size(); ++i) {
      titles_.push_back(clean_text(readable_title(trimmed(titles[i]))));
      if (titles_.back() == kDeviceName) device_name_ = i;
    }
    for (const auto i : header_.others) columns_.emplace_back(titles_[i], "");
    return {};
  }

  // Cells that identify the launch are empty in the row of units.
  bool is_units_row() const {
    return trimmed(field(table_.csv, header_.id)).empty() &&
           trimmed(field(table_.csv, header_.kernel)).empty();
  }

  void read_units() {
    expects_units_ = false;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const auto unit = trimmed(field(table_.csv, header_.others[i]));
      columns_[i] = AttributeColumn(titles_[header_.others[i]], unit);
      if (columns_[i].unit().base == "ns")
        doubt_rounded_time(table_.issues, titles_[header_.others[i]], unit, table_.csv);
    }
  }

  void read_row() {
    const auto fields = table_.csv.fields();
    if (fields.size() <= header_.kernel || !parse_integer(field(table_.csv, header_.id))) {
      if (is_units_row() || field(table_.csv, 0).starts_with("==")) return;
      table_.issues.count(Severity::Drop, "not-a-row", [&] {
        return fmt::format("{} has {} fields and is not a row of the table", table_.csv.place(),
                           fields.size());
      });
      return;
    }
    if (fields.size() != titles_.size())
      table_.issues.count(Severity::Doubt, "ragged-row", [&] {
        return fmt::format("{} has {} fields for {} column names", table_.csv.place(), fields.size(),
                           titles_.size());
      });
    if (std::exchange(expects_units_, false) && !columns_.empty())
      table_.issues.count(Severity::Doubt, "no-units", [&] {
        return fmt::format("{} directly follows the header, without a row of units: ns is assumed for times, "
                           "other numbers are read as written",
                           table_.csv.place());
      });
    if (device_name_ < fields.size() && !is_missing(fields[device_name_]))
      table_.launches.name_device(parse_integer(field(table_.csv, header_.device)).value_or(0),
                                  fields[device_name_]);
    const auto launch = table_.launches.add(table_.csv, header_);
    for (std::size_t i = 0; i < columns_.size() && header_.others[i] < fields.size(); ++i)
      put(launch, columns_[i], fields[header_.others[i]]);
  }

  void put(std::uint32_t launch, AttributeColumn& column, std::string_view text) {
    if (text.empty()) return;
    if (const auto instances = text.find(" ("); // "12 (3; 4; 5)": the value, then those of its instances
        instances != std::string_view::npos && parse_number(text.substr(0, instances)))
      text = text.substr(0, instances);
    text = table_.value(text);
    if (column.put(table_.draft, launch, text) != AttributeColumn::Cell::Number) return;
    if (column.title().starts_with("launch__") || column.title().starts_with("gpu__time") ||
        column.title().starts_with("sm__cycles_elapsed"))
      table_.launches.learn(launch, column.title(), *column.kept(table_.draft, launch));
  }

  Table& table_;
  Header header_;
  std::vector<std::string> titles_;
  std::vector<AttributeColumn> columns_; // columns of header_.others
  std::size_t device_name_ = Header::kAbsent;
  bool expects_units_ = true;
};

} // namespace

Expected<void> read_wide(Table& table) {
  return WideTable(table).read();
}

} // namespace jitterscope::import::ncu
