#include "core/import/records/attributes.h"

#include <fmt/core.h>

#include "core/base/spill_vector.h"
#include "core/columns/column_spec.h"
#include "core/import/text/text.h"
#include "core/store/trace/trace_data.h"

namespace jitterscope::import {
std::size_t Attributes::column(std::string_view title, std::string_view unit, std::string_view description,
                               bool text) {
  const auto key = std::pair(std::string(title), text ? std::string(store::kTextUnit) : std::string(unit));
  if (const auto known = by_title_.find(key); known != by_title_.end()) return known->second;
  Attribute attribute;
  attribute.unit = text ? std::string() : std::string(unit);
  attribute.description = clean_text(description.empty() ? title : description);
  attribute.text = text;
  auto base = slug(title);
  if (base.front() >= '0' && base.front() <= '9')
    base.insert(0, "column_"); // else it would be a number in the filter language
  const auto free = [&](const std::string& name) {
    return !is_reserved_column(name) && !by_name_.contains(name);
  };
  attribute.name = is_reserved_column(base) ? fmt::format("recorded_{}", base) : base;
  if (!free(attribute.name) && !key.second.empty())
    attribute.name = slug(fmt::format("{} {}", title, key.second));
  if (!free(attribute.name))
    for (int& number = next_number_.try_emplace(base, 2).first->second; !free(attribute.name); ++number)
      attribute.name = fmt::format("{}_{}", base, number);
  const auto row = all_.size();
  by_name_.emplace(attribute.name, row);
  by_title_.emplace(key, row);
  all_.push_back(std::move(attribute));
  return row;
}

std::size_t Attributes::number(std::string_view title, std::string_view unit, std::string_view description) {
  return column(title, unit, description, false);
}

std::size_t Attributes::text(std::string_view title, std::string_view description) {
  return column(title, {}, description, true);
}

void Attributes::append(std::size_t column, std::size_t launch, NarrowNumbers values) {
  auto& numbers = all_[column].numbers;
  if (numbers.accepts_pieces(launch)) return numbers.append(launch, std::move(values));
  SpillVector<double> wide(values.size());
  values.read(wide.data());
  append(column, launch, std::span<const double>(wide));
}

void Attributes::shrink(std::size_t launches) {
  for (auto& attribute : all_) {
    if (auto& numbers = attribute.numbers.values(); numbers.size() > launches) numbers.resize(launches);
    if (attribute.strings.size() > launches) attribute.strings.resize(launches);
  }
}

void Attributes::keep_columns(std::size_t columns) {
  const auto beyond = [columns](const auto& entry) { return entry.second >= columns; };
  std::erase_if(by_title_, beyond);
  std::erase_if(by_name_, beyond);
  all_.resize(columns);
}

} // namespace jitterscope::import
