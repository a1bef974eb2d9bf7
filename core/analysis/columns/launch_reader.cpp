#include "core/analysis/columns/launch_reader.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "core/base/vector_clones.h"

namespace jitterscope::analysis {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

// |duration − mean of the configuration| for the common storage types of the two columns. Wrong for escaped
// durations.
#define JITTERSCOPE_DEVIATIONS(Duration, Configuration)                                                      \
  JITTERSCOPE_VECTOR_CLONES                                                                                  \
  void deviations_of(const Duration* durations, const Configuration* configurations, const double* means,    \
                     std::size_t count, double* out) {                                                       \
    for (std::size_t i = 0; i < count; ++i)                                                                  \
      out[i] = std::abs(static_cast<double>(durations[i]) - means[configurations[i]]);                       \
  }                                                                                                          \
  static_assert(true)
JITTERSCOPE_DEVIATIONS(std::uint32_t, std::uint16_t);
JITTERSCOPE_DEVIATIONS(std::uint32_t, std::uint8_t);
JITTERSCOPE_DEVIATIONS(std::uint16_t, std::uint16_t);
JITTERSCOPE_DEVIATIONS(std::uint16_t, std::uint8_t);
JITTERSCOPE_DEVIATIONS(std::int64_t, std::uint32_t);
#undef JITTERSCOPE_DEVIATIONS

JITTERSCOPE_VECTOR_CLONES
std::uint32_t largest_of(const std::uint32_t* codes, std::size_t count) {
  std::uint32_t maximum = 0;
  for (std::size_t i = 0; i < count; ++i) maximum = std::max(maximum, codes[i]);
  return maximum;
}

JITTERSCOPE_VECTOR_CLONES
std::uint16_t largest_of(const std::uint16_t* codes, std::size_t count) {
  std::uint16_t maximum = 0;
  for (std::size_t i = 0; i < count; ++i) maximum = std::max(maximum, codes[i]);
  return maximum;
}

// Number of configuration codes for which means are needed: all codes that the column can hold.
std::size_t codes_of(const store::Values<std::uint32_t>& configurations, std::size_t known) {
  if (configurations.stored() == store::ElementType::UInt8) return 256;
  if (configurations.stored() == store::ElementType::UInt16) return 65'536;
  return known;
}

} // namespace

LaunchReader::LaunchReader(const Session& session, const LaunchColumns& columns, const std::string& name)
    : columns_(&columns), name_(name), may_miss_(session.launch_order()) {
  if (name == "duration") way_ = Way::Duration;
  if (name == "kernel_variability") way_ = Way::Variability;
  if (const auto* column = columns.find(name); column && column->stored && column->kind == ColumnKind::Number)
    way_ = Way::View;
  if (name == "copy_kind") way_ = Way::View; // stored under another name
  for (std::size_t t = 0; t < session.traces().size(); ++t) {
    const auto& trace = session.traces()[t];
    Source source{trace.durations(), trace.configurations(), {}, {}, {}, nullptr};
    if (fill_table(session, columns, t, source)) way_ = Way::Table;
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

template <class Duration, class Configuration>
void LaunchReader::deviations(const Source& source, std::size_t first, std::size_t last, double* out) {
  const auto* durations = source.durations.as<Duration>() + first;
  const auto* configurations = source.configurations.as<Configuration>() + first;
  const auto count = last - first;
  deviations_of(durations, configurations, source.means.data(), count, out);
  constexpr Duration kMeaning = store::kTopCode<Duration> - 1;
  constexpr std::size_t kFew = 64; // escapes are rare and clustered
  for (std::size_t from = 0; from < count; from += kFew) {
    const auto to = std::min(from + kFew, count);
    if (largest_of(durations + from, to - from) < kMeaning) continue;
    for (std::size_t i = from; i < to; ++i) {
      if (durations[i] < kMeaning) continue;
      const auto duration = source.durations[first + i];
      out[i] = duration == store::kMissingDuration
                   ? kMissing
                   : std::abs(static_cast<double>(duration) - source.means[configurations[i]]);
    }
  }
}

bool LaunchReader::fill_table(const Session& session, const LaunchColumns& columns, std::size_t t,
                              Source& source) {
  const auto* column = columns.find(name_);
  if (!column || column->stored) return false;
  const auto& trace = session.traces()[t];
  if (LaunchColumns::depends_on_configuration(name_)) {
    source.ids = trace.configurations();
    source.of_id = columns.of_configurations(name_, t);
    return true;
  }
  if (!LaunchColumns::depends_on_stream(name_)) return false;
  source.ids = trace.store.column<std::uint32_t>("launches", "stream");
  source.of_id = columns.of_resources(name_, t);
  return true;
}

void LaunchReader::read_variability(const Source& source, std::size_t first, std::size_t last, double* out) {
  using enum store::ElementType;
  const auto durations = source.durations.stored(), configurations = source.configurations.stored();
  if (durations == UInt32 && configurations == UInt16)
    return deviations<std::uint32_t, std::uint16_t>(source, first, last, out);
  if (durations == UInt32 && configurations == UInt8)
    return deviations<std::uint32_t, std::uint8_t>(source, first, last, out);
  if (durations == UInt16 && configurations == UInt16)
    return deviations<std::uint16_t, std::uint16_t>(source, first, last, out);
  if (durations == UInt16 && configurations == UInt8)
    return deviations<std::uint16_t, std::uint8_t>(source, first, last, out);
  constexpr std::size_t kPiece = 1'024;
  std::int64_t wide[kPiece];
  std::uint32_t ids[kPiece];
  for (; first < last; first += kPiece, out += kPiece) {
    const auto count = std::min(kPiece, last - first);
    source.durations.read(first, first + count, wide);
    source.configurations.read(first, first + count, ids);
    deviations_of(wide, ids, source.means.data(), count, out);
    for (std::size_t i = 0; i < count; ++i)
      if (wide[i] == store::kMissingDuration) out[i] = kMissing;
  }
}

void LaunchReader::read(const Segment& segment, double* out) const {
  const auto& source = sources_[segment.trace];
  const auto first = static_cast<std::size_t>(segment.first), last = static_cast<std::size_t>(segment.last);
  switch (way_) {
  case Way::Variability:
    return read_variability(source, first, last, out);
  case Way::Duration:
    source.durations.read_numbers(first, last, out);
    if (!may_miss_) return;
    for (std::size_t i = 0; i < last - first; ++i)
      if (out[i] == static_cast<double>(store::kMissingDuration)) out[i] = kMissing;
    return;
  case Way::View:
    if (source.view)
      source.view->read(first, last, out);
    else
      std::fill(out, out + (last - first), kMissing);
    return;
  case Way::Table: {
    constexpr std::size_t kPiece = 1'024;
    std::uint32_t ids[kPiece];
    for (auto row = first; row < last; row += kPiece) {
      const auto count = std::min(kPiece, last - row);
      source.ids.read(row, row + count, ids);
      for (std::size_t i = 0; i < count; ++i) *out++ = source.of_id[ids[i]];
    }
    return;
  }
  case Way::Column:
    break;
  }
  const auto values = columns_->read(name_, segment);
  std::copy(values.begin(), values.end(), out);
}

} // namespace jitterscope::analysis
