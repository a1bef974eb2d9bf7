#include "core/analysis/bins/bin_contents.h"

#include <algorithm>
#include <cmath>

namespace jitterscope::analysis {
namespace {

constexpr std::size_t kMaxSums = std::size_t{1} << 20;
constexpr std::int64_t kRowsAtOnce = 32'768;

} // namespace

BinContents::BinContents(const BinQuestion& question) : question_(question) {
  for (const auto& trace : question.session.traces()) {
    auto& kernels = kernels_.emplace_back();
    for (const auto configuration : trace.configuration)
      kernels.push_back(question.session.configurations()[configuration].kernel);
  }
}

std::size_t BinContents::max_parts() const {
  return std::max<std::size_t>(kMaxSums / std::max<std::size_t>(question_.session.kernels().size(), 1), 1);
}

BinContents::Piece BinContents::read(std::span<const Segment> segments, std::span<const KeptBin> parts) {
  Piece piece;
  piece.parts.resize(parts.size());
  const auto kernels = question_.session.kernels().size();
  if (sums_.size() < parts.size() * kernels) sums_.resize(parts.size() * kernels), seen_.resize(sums_.size());
  if (question_.groups) {
    part_of_group_.resize(question_.groups->count(), kNone);
    for (std::uint32_t part = 0; part < parts.size(); ++part)
      part_of_group_[question_.groups->number(parts[part].bin.group)] = part;
  }
  for (Segment rest : segments)
    while (rest.first < rest.last) {
      const Segment next{rest.trace, rest.first, std::min(rest.first + kRowsAtOnce, rest.last)};
      add(next, piece);
      rest.first = next.last;
    }
  if (question_.groups)
    for (const auto& part : parts) part_of_group_[question_.groups->number(part.bin.group)] = kNone;
  std::sort(touched_.begin(), touched_.end());
  for (const auto at : touched_) {
    piece.sums.push_back(
        {static_cast<std::uint32_t>(at / kernels), static_cast<std::uint32_t>(at % kernels), sums_[at]});
    sums_[at] = 0;
    seen_[at] = 0;
  }
  touched_.clear();
  return piece;
}

void BinContents::add(const Segment& segment, Piece& piece) {
  const auto rows = static_cast<std::size_t>(segment.rows());
  if (mask_.size() < rows) mask_.resize(rows);
  if (!question_.filter.select(segment, mask_.data(), buffers_)) return;
  const Trace& trace = question_.session.traces()[segment.trace];
  const auto first = static_cast<std::size_t>(segment.first);
  const auto starts = trace.starts().subspan(first, rows);
  if (values_.size() < rows)
    values_.resize(rows), durations_.resize(rows), configurations_.resize(rows), numbers_.resize(rows);
  question_.reader.read(segment, values_.data());
  trace.durations().read(first, first + rows, durations_.data());
  trace.configurations().read(first, first + rows, configurations_.data());
  if (question_.groups) question_.groups->read(segment, numbers_.data(), numbers_buffer_);
  if (trace.extent(0) == trace.extent(2))
    std::fill(durations_.begin(), durations_.begin() + segment.rows(), trace.extent(0));
  const auto& kernels = kernels_[segment.trace];
  for (std::size_t i = 0; i < rows; ++i) {
    if (!mask_[i]) continue;
    const auto number = question_.groups ? part_of_group_[numbers_[i]] : 0;
    if (number == kNone) continue;
    auto& last_end = piece.parts[number].last_end_ns;
    last_end = std::max(last_end, starts[i] + durations_[i] + trace.shift_ns);
    if (!std::isnan(values_[i]))
      add_value(piece, number, kernels[configurations_[i]], values_[i],
                trace.first_launch + segment.first + static_cast<std::int64_t>(i));
  }
}

inline void BinContents::add_value(Piece& piece, std::uint32_t number, std::uint32_t kernel, double value,
                                   std::int64_t launch) {
  auto& part = piece.parts[number];
  const auto at = number * question_.session.kernels().size() + kernel;
  if (!seen_[at]) {
    seen_[at] = 1;
    touched_.push_back(static_cast<std::uint32_t>(at));
  }
  sums_[at] += value;
  if (value > part.largest || part.top_launch < 0) {
    part.largest = value;
    part.top_launch = launch;
  }
}

void BinContents::finish(std::span<const Piece> pieces, std::span<KeptBin> parts) {
  std::vector<KernelSum> sums;
  std::vector<double> largest(parts.size(), 0);
  for (auto& part : parts) part.last_end_ns = part.bin.start_ns, part.top_launch = -1;
  for (const auto& piece : pieces) {
    sums.insert(sums.end(), piece.sums.begin(), piece.sums.end());
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const auto& next = piece.parts[p];
      parts[p].last_end_ns = std::max(parts[p].last_end_ns, next.last_end_ns);
      if (next.top_launch < 0 || (parts[p].top_launch >= 0 && next.largest <= largest[p])) continue;
      parts[p].top_launch = next.top_launch;
      largest[p] = next.largest;
    }
  }
  const auto before = [](const KernelSum& a, const KernelSum& b) {
    return a.part != b.part ? a.part < b.part : a.kernel < b.kernel;
  };
  if (pieces.size() > 1) std::stable_sort(sums.begin(), sums.end(), before);
  std::vector<double> maximum(parts.size(), 0), all(parts.size(), 0);
  for (std::size_t i = 0; i < sums.size();) {
    KernelSum sum = sums[i];
    for (++i; i < sums.size() && sums[i].part == sum.part && sums[i].kernel == sum.kernel; ++i)
      sum.sum += sums[i].sum;
    auto& part = parts[sum.part];
    all[sum.part] += std::abs(sum.sum);
    if (part.top_kernel != kNone && sum.sum <= maximum[sum.part]) continue; // ties: the first kernel
    part.top_kernel = sum.kernel;
    maximum[sum.part] = sum.sum;
  }
  for (std::size_t p = 0; p < parts.size(); ++p)
    parts[p].top_kernel_share = all[p] > 0 ? std::abs(maximum[p]) / all[p] : 0;
}

} // namespace jitterscope::analysis
