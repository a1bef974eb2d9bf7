#include "core/import/formats/gpu_trace/titles.h"

#include <algorithm>

#include "core/import/text/csv/number.h"
#include "core/import/text/text.h"

namespace jitterscope::import::gpu_trace {
namespace {

std::string plain(std::string_view title) {
  std::string out;
  for (const char c : title) {
    if (c >= 'A' && c <= 'Z') out += static_cast<char>(c - 'A' + 'a');
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) out += c;
  }
  return out;
}

// "Start:ts_ns", "Bytes:mem_B": column names of reports before formatting.
TitledUnit split(std::string_view title) {
  const auto colon = title.find(':');
  if (colon == std::string_view::npos) return split_unit(title);
  const auto kind = title.substr(colon + 1);
  const auto unit = kind.find('_');
  return {title.substr(0, colon),
          unit == std::string_view::npos ? std::string_view() : kind.substr(unit + 1)};
}

} // namespace

Titles::Titles(std::span<const std::string_view> titles) {
  for (const auto title : titles) {
    const auto parts = split(trimmed(title));
    titles_.push_back(clean_text(trimmed(title)));
    names_.push_back(plain(parts.title));
    units_.push_back(clean_text(parts.unit));
  }
  find_time_scales();
}

std::size_t Titles::find(std::initializer_list<std::string_view> names) const {
  for (const auto name : names)
    if (const auto found = std::find(names_.begin(), names_.end(), name); found != names_.end())
      return static_cast<std::size_t>(found - names_.begin());
  return kAbsent;
}

void Titles::set_units(std::span<const std::string_view> units) {
  for (std::size_t i = 0; i < std::min(units.size(), units_.size()); ++i)
    if (!trimmed(units[i]).empty()) units_[i] = clean_text(trimmed(units[i]));
  find_time_scales();
}

void Titles::find_time_scales() {
  time_scales_.clear();
  for (const auto& unit : units_) time_scales_.push_back(nanoseconds_in(unit).value_or(1));
}

std::string_view field(const CsvReader& csv, std::size_t column) {
  return column < csv.fields().size() ? trimmed(csv.fields()[column]) : std::string_view();
}

} // namespace jitterscope::import::gpu_trace
