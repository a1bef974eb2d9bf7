#include "core/model/network/collectives.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace jitterscope::model {
namespace {

/// Sum over all messages of the part of each flight before a moment t: F(t) = Σ clip(t − start, 0, length).
class FlightSum {
public:
  explicit FlightSum(std::span<const Flight> messages) {
    for (const auto& m : messages) starts_.push_back(m.start), ends_.push_back(m.end);
    std::sort(starts_.begin(), starts_.end());
    std::sort(ends_.begin(), ends_.end());
    const std::int64_t zero = starts_.empty() ? 0 : starts_.front();
    zero_ = zero;
    start_sum_ = sums(starts_);
    end_sum_ = sums(ends_);
  }
  /// `t` must not precede the first start, to which times are relative to keep the sums small.
  std::int64_t before(std::int64_t t) const {
    const auto begun = std::upper_bound(starts_.begin(), starts_.end(), t) - starts_.begin();
    const auto ended = std::upper_bound(ends_.begin(), ends_.end(), t) - ends_.begin();
    return (begun - ended) * (t - zero_) - start_sum_[static_cast<std::size_t>(begun)] +
           end_sum_[static_cast<std::size_t>(ended)];
  }
  std::int64_t in_flight(std::int64_t t) const {
    return (std::upper_bound(starts_.begin(), starts_.end(), t) - starts_.begin()) -
           (std::lower_bound(ends_.begin(), ends_.end(), t) - ends_.begin());
  }

private:
  std::vector<std::int64_t> sums(const std::vector<std::int64_t>& times) const {
    std::vector<std::int64_t> out(times.size() + 1, 0);
    for (std::size_t i = 0; i < times.size(); ++i) out[i + 1] = out[i] + (times[i] - zero_);
    return out;
  }
  std::int64_t zero_ = 0;
  std::vector<std::int64_t> starts_, ends_, start_sum_, end_sum_;
};

} // namespace

double collective_time(Collective collective, double processes, double bytes, const MessageModel& slowest) {
  if (!(processes >= 2)) return 0;
  switch (collective) {
  case Collective::all_reduce:
    return 2 * (processes - 1) * slowest.time(bytes / processes);
  case Collective::all_gather:
  case Collective::reduce_scatter:
    return (processes - 1) * slowest.time(bytes / processes);
  case Collective::broadcast:
    break;
  }
  return std::ceil(std::log2(processes)) * slowest.time(bytes);
}

std::vector<double> concurrency_of(std::span<const Flight> messages) {
  const FlightSum sum(messages);
  std::vector<double> out;
  out.reserve(messages.size());
  for (const auto& m : messages) {
    const double length = static_cast<double>(m.end - m.start);
    const double k = m.end > m.start ? static_cast<double>(sum.before(m.end) - sum.before(m.start)) / length
                                     : static_cast<double>(sum.in_flight(m.start));
    out.push_back(std::max(k, 1.0));
  }
  return out;
}

} // namespace jitterscope::model
