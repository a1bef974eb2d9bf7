#include <algorithm>
#include <bit>
#include <cmath>

#include "core/efficiency/metrics/pieces.h"
#include "core/efficiency/metrics/sweep.h"

namespace jitterscope::efficiency::metrics {
namespace {

template <class Visit>
void each_step(const Piece& piece, const Steps& steps, bool zero, Visit&& visit) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].value == 0 && !zero) continue;
    visit(steps[i].value,
          (i + 1 < steps.size() ? steps[i + 1].begin : piece.range.end.count) - steps[i].begin);
  }
}

} // namespace

int bin_of(double value, double low, double high, int bins) {
  if (!(value >= low) || value > high) return -1;
  if (low == high) return 0;
  return std::min(bins - 1, static_cast<int>((value - low) / (high - low) * bins));
}

Expected<Histogram> histogram(const Bound& bound, const Question& question, const HistogramQuestion& asked,
                              Communicator& communicator, const Job& job) {
  if (auto valid = check(bound, question); !valid) return forward(valid.error());
  if (asked.given && !(asked.low <= asked.high))
    return failure(ErrorKind::BadUse, "the range of values is empty", {}, "values",
                   "Give the smaller value first.");
  const auto pieces = pieces_of(bound, question.range, 1);
  Histogram result{asked.low, asked.high, {}, {}};
  if (!asked.given) {
    auto extremes = sweep(
        bound, question, pieces,
        [&](const Piece& piece, std::size_t, const Steps& steps, Words& words) {
          each_step(piece, steps, asked.zero, [&](double value, std::int64_t) {
            if (words.empty())
              words = {std::bit_cast<std::int64_t>(value), std::bit_cast<std::int64_t>(value)};
            words[0] = std::bit_cast<std::int64_t>(std::min(std::bit_cast<double>(words[0]), value));
            words[1] = std::bit_cast<std::int64_t>(std::max(std::bit_cast<double>(words[1]), value));
          });
        },
        communicator, job);
    if (!extremes) return forward(extremes.error());
    bool any = false;
    for (const auto& words : *extremes) {
      if (words.empty()) continue;
      result.low =
          any ? std::min(result.low, std::bit_cast<double>(words[0])) : std::bit_cast<double>(words[0]);
      result.high =
          any ? std::max(result.high, std::bit_cast<double>(words[1])) : std::bit_cast<double>(words[1]);
      any = true;
    }
  }
  const auto bins = static_cast<std::size_t>(asked.bins);
  auto parts = sweep(
      bound, question, pieces,
      [&](const Piece& piece, std::size_t, const Steps& steps, Words& words) {
        const auto first = words.size();
        words.resize(first + bins + 1);
        each_step(piece, steps, asked.zero, [&](double value, std::int64_t length) {
          const int bin = bin_of(value, result.low, result.high, asked.bins);
          words[first + (bin < 0 ? bins : static_cast<std::size_t>(bin))] += length;
        });
      },
      communicator, job);
  if (!parts) return forward(parts.error());
  const auto objects =
      question.objects.empty() ? bound.data().objects().at(question.level).size() : question.objects.size();
  result.time.assign(objects, std::vector<std::int64_t>(bins));
  result.outside.assign(objects, 0);
  for (const auto& words : *parts)
    for (std::size_t object = 0; object < objects; ++object) {
      for (std::size_t bin = 0; bin < bins; ++bin)
        result.time[object][bin] += words[object * (bins + 1) + bin];
      result.outside[object] += words[object * (bins + 1) + bins];
    }
  return result;
}

} // namespace jitterscope::efficiency::metrics
