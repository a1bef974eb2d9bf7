#include "core/analysis/bins/group_numbers.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

namespace jitterscope::analysis {

GroupNumbers::GroupNumbers(const Session& session, const LaunchColumns& columns, const std::string& name)
    : reader_(session, columns, name), of_id_(session.traces().size()) {
  // Texts and traces are already numbered from 0.
  const auto texts = name == "trace" ? std::vector<std::string>() : columns.texts(name);
  const auto known = name == "trace" ? session.traces().size() : texts.size();
  bool tables = true;
  for (std::size_t t = 0; t < of_id_.size(); ++t) tables = tables && reader_.table(t);
  if (!tables) {
    for (std::size_t value = 0; value < known; ++value) values_.push_back(static_cast<double>(value));
    std::map<std::string_view, std::uint32_t> first;
    for (const auto& text : texts)
      first_of_text_.push_back(
          first.emplace(text, static_cast<std::uint32_t>(first_of_text_.size())).first->second);
    return;
  }
  for (std::size_t t = 0; t < of_id_.size(); ++t)
    for (const double value : *reader_.table(t))
      if (!std::isnan(value)) values_.push_back(value);
  std::sort(values_.begin(), values_.end());
  values_.erase(std::unique(values_.begin(), values_.end()), values_.end());
  for (std::size_t t = 0; t < of_id_.size(); ++t)
    for (const double value : *reader_.table(t)) of_id_[t].push_back(number(value));
}

std::uint32_t GroupNumbers::number(double value) const {
  const auto at = std::lower_bound(values_.begin(), values_.end(), value);
  const bool found = at != values_.end() && *at == value;
  return one_of_text(
      static_cast<std::uint32_t>(found ? at - values_.begin() : values_.end() - values_.begin()));
}

void GroupNumbers::read(const Segment& segment, std::uint32_t* out, std::vector<double>& buffer) const {
  const auto first = static_cast<std::size_t>(segment.first), rows = static_cast<std::size_t>(segment.rows());
  if (reader_.table(segment.trace)) {
    const auto& of_id = of_id_[segment.trace];
    reader_.ids(segment.trace).read(first, first + rows, out);
    for (std::size_t i = 0; i < rows; ++i) out[i] = of_id[out[i]];
    return;
  }
  if (buffer.size() < rows) buffer.resize(rows);
  reader_.read(segment, buffer.data());
  const auto none = static_cast<double>(values_.size());
  for (std::size_t i = 0; i < rows; ++i)
    out[i] = one_of_text(static_cast<std::uint32_t>(buffer[i] >= 0 && buffer[i] < none ? buffer[i] : none));
}

} // namespace jitterscope::analysis
