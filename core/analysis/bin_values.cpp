#include "core/analysis/bin_values.h"

#include <map>

#include "core/base/vector_clones.h"

namespace jitterscope::analysis {
namespace {

JITTERSCOPE_VECTOR_CLONES
bool any_missing(const double* values, std::size_t count) {
  unsigned missing = 0;
  for (std::size_t i = 0; i < count; ++i) missing |= values[i] != values[i];
  return missing != 0;
}

} // namespace

const std::vector<BinPart>& BinValues::read(const std::vector<Segment>& segments) {
  std::size_t rows = 0;
  for (const auto& segment : segments) rows += static_cast<std::size_t>(segment.rows());
  if (values_.size() < rows) values_.resize(rows);
  if (question_.groups && codes_.size() < rows) codes_.resize(rows);
  std::size_t selected = 0;
  for (const auto& segment : segments) {
    if (question_.selection.everything()) {
      read_all(segment, selected);
      selected += static_cast<std::size_t>(segment.rows());
    } else {
      selected += read_selected(segment, selected);
    }
  }
  parts_.clear();
  if (question_.groups)
    divide(selected);
  else if (selected > 0)
    parts_.push_back(part_of({values_.data(), selected}));
  return parts_;
}

void BinValues::describe(const std::vector<Segment>& segments, KeptBin& kept) {
  kept.last_end_ns = kept.bin.start_ns;
  double largest = -1;
  for (const auto& segment : segments) add(segment, kept, largest);
  double most = -1;
  for (const auto kernel : seen_) {
    if (kernel_sums_[kernel] > most || (kernel_sums_[kernel] == most && kernel < kept.top_kernel)) {
      most = kernel_sums_[kernel];
      kept.top_kernel = kernel;
    }
    kernel_sums_[kernel] = 0;
  }
  seen_.clear();
  kept.top_kernel_share = kept.bin.statistics.sum > 0 ? most / kept.bin.statistics.sum : 0;
}

void BinValues::read_all(const Segment& segment, std::size_t at) {
  question_.reader.read(segment, values_.data() + at);
  if (question_.groups) question_.groups->read(segment, codes_.data() + at);
}

std::size_t BinValues::read_selected(const Segment& segment, std::size_t at) {
  if (!question_.selection.may_meet(question_.session, segment)) return 0;
  const auto mask = question_.selection.select(question_.session, question_.columns, segment);
  if (std::find(mask.begin(), mask.end(), 1) == mask.end()) return 0;
  read_all(segment, at);
  std::size_t kept = at;
  for (std::size_t i = 0; i < mask.size(); ++i) {
    if (!mask[i]) continue;
    values_[kept] = values_[at + i];
    if (question_.groups) codes_[kept] = codes_[at + i];
    ++kept;
  }
  return kept - at;
}

BinPart BinValues::part_of(std::span<double> values) {
  BinPart part;
  part.launches = static_cast<std::int64_t>(values.size());
  auto kept = values.size();
  if (any_missing(values.data(), kept))
    kept = static_cast<std::size_t>(
        std::remove_if(values.begin(), values.end(), [](double v) { return v != v; }) - values.begin());
  part.values = values.first(kept);
  return part;
}

// Values are dealt out to their groups, in the order of the rows.
void BinValues::divide(std::size_t count) {
  const auto key = [](double code) {
    return std::isnan(code) ? std::numeric_limits<double>::infinity() : code;
  };
  std::map<double, std::vector<double>*> groups;
  std::size_t used = 0;
  for (std::size_t i = 0; i < count; ++i) {
    auto& values = groups[key(codes_[i])];
    if (!values) {
      if (used == group_values_.size()) group_values_.push_back(std::make_unique<std::vector<double>>());
      values = group_values_[used++].get();
      values->clear();
    }
    values->push_back(values_[i]);
  }
  for (auto& [code, values] : groups) {
    parts_.push_back(part_of(*values));
    if (std::isfinite(code)) parts_.back().group = code;
  }
}

void BinValues::add(const Segment& segment, KeptBin& kept, double& largest) {
  const Trace& trace = question_.session.traces()[segment.trace];
  const auto starts = trace.starts();
  const auto durations = trace.durations();
  const auto configurations = trace.configurations();
  const auto mask = question_.selection.select(question_.session, question_.columns, segment);
  if (values_.size() < mask.size()) values_.resize(mask.size());
  question_.reader.read(segment, values_.data());
  if (codes_.size() < mask.size()) codes_.resize(mask.size());
  if (question_.groups) question_.groups->read(segment, codes_.data());
  for (std::size_t i = 0; i < mask.size(); ++i) {
    if (!mask[i] || !in_group(codes_[i], kept.bin.group)) continue;
    const auto row = static_cast<std::size_t>(segment.first) + i;
    kept.last_end_ns =
        std::max(kept.last_end_ns, starts[row] + trace.extent(durations[row]) + trace.shift_ns);
    const double value = values_[i];
    if (std::isnan(value)) continue;
    const auto kernel = question_.session.configurations()[trace.configuration[configurations[row]]].kernel;
    if (kernel_sums_[kernel] == 0) seen_.push_back(kernel);
    kernel_sums_[kernel] += value;
    if (value > largest) {
      largest = value;
      kept.top_launch = trace.first_launch + static_cast<std::int64_t>(row);
    }
  }
}

} // namespace jitterscope::analysis
