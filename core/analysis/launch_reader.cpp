#include "core/analysis/launch_reader.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/vector_clones.h"

namespace jitterscope::analysis {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

// |duration - mean of the configuration|, for every way in which the two columns may lie.
template <class Duration, class Configuration>
void deviations_of(const Duration* durations, const Configuration* configurations, const double* means,
                   std::size_t count, double* out) {
  for (std::size_t i = 0; i < count; ++i)
    out[i] = std::abs(static_cast<double>(durations[i]) - means[configurations[i]]);
}

JITTERSCOPE_VECTOR_CLONES
void deviations_32_16(const std::uint32_t* durations, const std::uint16_t* configurations, const double* means,
                      std::size_t count, double* out) {
  for (std::size_t i = 0; i < count; ++i)
    out[i] = std::abs(static_cast<double>(durations[i]) - means[configurations[i]]);
}

JITTERSCOPE_VECTOR_CLONES
void deviations_32_8(const std::uint32_t* durations, const std::uint8_t* configurations, const double* means,
                     std::size_t count, double* out) {
  for (std::size_t i = 0; i < count; ++i)
    out[i] = std::abs(static_cast<double>(durations[i]) - means[configurations[i]]);
}

JITTERSCOPE_VECTOR_CLONES
std::uint32_t largest_of(const std::uint32_t* codes, std::size_t count) {
  std::uint32_t most = 0;
  for (std::size_t i = 0; i < count; ++i) most = std::max(most, codes[i]);
  return most;
}

// The configuration codes up to which means are needed: all that the column could hold.
std::size_t codes_of(const store::Values<std::uint32_t>& configurations, std::size_t known) {
  if (configurations.stored() == store::ElementType::UInt8) return 256;
  if (configurations.stored() == store::ElementType::UInt16) return 65'536;
  return known;
}

} // namespace

LaunchReader::LaunchReader(const Session& session, const LaunchColumns& columns, const std::string& name)
    : columns_(&columns), name_(name) {
  if (name == "duration") way_ = Way::Duration;
  if (name == "kernel_variability") way_ = Way::Variability;
  if (const auto* column = columns.find(name); column && column->stored && column->kind == ColumnKind::Number)
    way_ = Way::View;
  for (std::size_t t = 0; t < session.traces().size(); ++t) {
    const auto& trace = session.traces()[t];
    Source source{trace.durations(), trace.configurations(), {}, nullptr};
    if (way_ == Way::View) source.view = columns.stored_view(name, t);
    if (way_ == Way::Variability) {
      source.means.assign(codes_of(source.configurations, trace.configuration.size()), kMissing);
      for (std::size_t c = 0; c < trace.configuration.size(); ++c) {
        const auto& configuration = session.configurations()[trace.configuration[c]];
        if (configuration.measured > 1) source.means[c] = configuration.mean_ns();
      }
    }
    sources_.push_back(std::move(source));
  }
}

void LaunchReader::read_variability(const Source& source, const Segment& segment, double* out) const {
  using enum store::ElementType;
  constexpr std::size_t kPiece = 1'024;
  std::int64_t durations[kPiece];
  std::uint32_t configurations[kPiece];
  const auto last = static_cast<std::size_t>(segment.last);
  for (auto row = static_cast<std::size_t>(segment.first); row < last; row += kPiece, out += kPiece) {
    const auto count = std::min(kPiece, last - row);
    const auto* codes = source.durations.stored() == UInt32 ? source.durations.as<std::uint32_t>() + row : nullptr;
    const auto lies = source.configurations.stored();
    if (codes && lies != UInt32 && largest_of(codes, count) < store::kTopCode<std::uint32_t> - 1) {
      if (lies == UInt16)
        deviations_32_16(codes, source.configurations.as<std::uint16_t>() + row, source.means.data(), count, out);
      else
        deviations_32_8(codes, source.configurations.as<std::uint8_t>() + row, source.means.data(), count, out);
      continue;
    }
    source.durations.read(row, row + count, durations);
    source.configurations.read(row, row + count, configurations);
    deviations_of(durations, configurations, source.means.data(), count, out);
    for (std::size_t i = 0; i < count; ++i)
      if (durations[i] == store::kMissingDuration) out[i] = kMissing;
  }
}

void LaunchReader::read(const Segment& segment, double* out) const {
  const auto& source = sources_[segment.trace];
  const auto first = static_cast<std::size_t>(segment.first), last = static_cast<std::size_t>(segment.last);
  switch (way_) {
  case Way::Variability:
    return read_variability(source, segment, out);
  case Way::Duration:
    source.durations.read_numbers(first, last, out);
    for (std::size_t i = 0; i < last - first; ++i)
      if (out[i] == static_cast<double>(store::kMissingDuration)) out[i] = kMissing;
    return;
  case Way::View:
    if (source.view)
      source.view->read(first, last, out);
    else
      std::fill(out, out + (last - first), kMissing);
    return;
  case Way::Column:
    break;
  }
  const auto values = columns_->read(name_, segment);
  std::copy(values.begin(), values.end(), out);
}

} // namespace jitterscope::analysis
