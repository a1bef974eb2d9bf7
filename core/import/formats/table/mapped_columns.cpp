#include "core/import/formats/table/mapped_columns.h"

#include <tuple>

#include <fmt/core.h>

#include "core/import/records/units.h"
#include "core/import/text/text.h"

namespace jitterscope::import::table {
namespace {

Expected<std::size_t> find(const std::string& requested, const Columns& columns,
                           const std::vector<std::string>& titles, const std::string& file) {
  const auto found = requested.empty() ? columns.all.size() : find_column(columns, titles, requested);
  if (requested.empty() || found < columns.all.size()) return found;
  return failure(ErrorKind::BadInput, fmt::format("there is no column \"{}\"", clean_text(requested)), file,
                 {}, "The table has the columns: " + list_of(titles));
}

} // namespace

std::string list_of(const std::vector<std::string>& titles) {
  constexpr std::size_t kMaxShown = 300;
  std::string all;
  for (const auto& title : titles) {
    if (all.size() > kMaxShown) return all + " …";
    all += (all.empty() ? "" : ", ") + clean_text(title);
  }
  return all;
}

Expected<MappedColumns> MappedColumns::of(const TableMapping& mapping, const Columns& columns,
                                          const std::vector<std::string>& titles, const std::string& file) {
  MappedColumns mapped;
  for (std::size_t role = 0; role < kColumnRoles; ++role) {
    const bool kernels = role == static_cast<std::size_t>(ColumnRole::Kernel); // may be several columns
    if (!mapping.columns[role] || (kernels && !mapping.columns[role]->empty())) continue;
    const auto column = find(*mapping.columns[role], columns, titles, file);
    if (!column) return forward(column.error());
    mapped.by_role_[role] = *column;
  }
  for (const auto& [title, unit] : mapping.units) {
    const auto column = find(title, columns, titles, file);
    if (!column) return forward(column.error());
    if (*column < columns.all.size()) mapped.units_.emplace_back(*column, clean_text(unit));
  }
  return mapped;
}

void MappedColumns::use_units(Columns& columns) const {
  for (const auto& [column, unit] : units_)
    if (!columns.all[column].quantities && !columns.all[column].unit_in_row) columns.all[column].unit = unit;
}

Expected<DurationColumn> MappedColumns::duration(const Columns& columns, const DurationColumn& found,
                                                 const std::string& file) const {
  const auto chosen = (*this)[ColumnRole::Duration];
  if (!chosen) return found;
  if (*chosen == columns.all.size()) return DurationColumn{*chosen, 1};
  const auto& column = columns.all[*chosen];
  const auto scale = nanoseconds_in(column.unit);
  if (scale && column.kind != Column::Kind::Text) return DurationColumn{*chosen, *scale};
  if (column.kind == Column::Kind::Text)
    return failure(ErrorKind::BadInput,
                   fmt::format("column \"{}\" contains text, not durations", column.title), file, {},
                   "Choose a column of numbers for the duration.");
  return failure(ErrorKind::BadInput,
                 fmt::format("the durations in column \"{}\" have no unit of time", column.title), file, {},
                 fmt::format("State the unit: --map \"unit:{}=us\".", column.title));
}

Expected<void> MappedColumns::check_times(const Columns& columns, const std::optional<TimeColumns>& times,
                                          const std::string& file) const {
  for (const auto role : {ColumnRole::Start, ColumnRole::End})
    if (const auto place = (*this)[role]; place && *place < columns.all.size())
      if (const auto& [title, unit] = std::tie(columns.all[*place].title, columns.all[*place].unit);
          !unit.empty() && !nanoseconds_in(unit))
        return failure(ErrorKind::BadInput,
                       fmt::format("the times in column \"{}\" have the unit {}, which is not a unit of time",
                                   title, unit),
                       file, {}, fmt::format("State their unit: --map \"unit:{}=us\".", title));
  constexpr std::pair<ColumnRole, const char*> kPlaces[] = {
      {ColumnRole::Device, "device"}, {ColumnRole::Stream, "stream"}, {ColumnRole::Rank, "rank"}};
  for (const auto& [role, name] : kPlaces)
    if (const auto column = (*this)[role]; column && *column < columns.all.size() && !times) {
      const auto& title = columns.all[*column].title;
      return failure(ErrorKind::BadInput,
                     fmt::format("column \"{}\" cannot be the {} of launches: without times, the rows of a "
                                 "table are launches of one stream",
                                 title, name),
                     file, {},
                     fmt::format("Leave out --map {}={}: filters and --by can use the column itself "
                                 "(jitterscope info --columns lists its name).",
                                 name, title));
    }
  const auto start = (*this)[ColumnRole::Start];
  if (!start || *start == columns.all.size() || times) return {};
  const auto& title = columns.all[*start].title;
  return failure(
      ErrorKind::BadInput,
      fmt::format("column \"{}\" cannot be the start of launches: its unit, or an end or a duration, "
                  "is missing",
                  title),
      file, {},
      fmt::format("State both: --map end=COLUMN (or duration=COLUMN) --map \"unit:{}=us\".", title));
}

} // namespace jitterscope::import::table
