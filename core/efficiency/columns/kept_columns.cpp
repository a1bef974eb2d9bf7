#include "core/efficiency/columns/kept_columns.h"

#include <algorithm>
#include <cmath>

namespace jitterscope::efficiency {
namespace {

bool is_constant(const std::vector<double>& values) {
  double low = INFINITY, high = -INFINITY;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  return low >= high;
}

} // namespace

KeptColumns::KeptColumns(const analysis::Session& session, std::vector<KeptColumn> columns)
    : session_(&session), columns_(std::move(columns)) {
  for (const auto& column : columns_) {
    TermColumn term{column.name, column.unit, column.description, column.tier};
    term.constant = is_constant(column.values);
    terms_.push_back(term);
  }
}

std::vector<double> KeptColumns::read_term(std::size_t term, const analysis::Segment& segment) const {
  const auto before = session_->traces()[segment.trace].first_launch;
  const auto first = columns_[term].values.begin() + before;
  return {first + segment.first, first + segment.last};
}

std::string column_name_of(const std::string& text, const std::string& prefix) {
  constexpr std::size_t kLongest = 64;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::string name;
  for (const char c : text) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool part = letter || is_digit(c);
    if (part)
      name += c;
    else if (!name.empty() && name.back() != '_')
      name += '_';
  }
  while (!name.empty() && name.back() == '_') name.pop_back();
  if (name.empty()) name = "metric";
  if (is_digit(name.front())) name = prefix + name;
  return name.substr(0, kLongest);
}

} // namespace jitterscope::efficiency
