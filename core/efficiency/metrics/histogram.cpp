#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "core/efficiency/metrics/pieces.h"
#include "core/efficiency/metrics/sweep.h"

namespace jitterscope::efficiency::metrics {
namespace {

constexpr double kNoData = std::numeric_limits<double>::quiet_NaN();

template <class Visit>
void each_step(const Piece& piece, const Steps& steps, bool zero, Visit&& visit) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].value == 0 && !zero) continue;
    visit(i, i + 1 < steps.size() ? steps[i + 1].begin : piece.range.end.count);
  }
}

/// Integral, minimum and maximum of a metric in a cell.
struct DataCell {
  double integral = 0, minimum = kNoData, maximum = kNoData;

  void join(const DataCell& other) {
    integral += other.integral;
    minimum = std::fmin(minimum, other.minimum);
    maximum = std::fmax(maximum, other.maximum);
  }
};

struct Cell {
  std::int64_t time = 0, bursts = 0;
  DataCell data;
};

/// One object in one piece.
struct Part {
  std::vector<Cell> cells; ///< by bin
  std::int64_t outside = 0;
  double first = kNoData, last = kNoData; ///< values at the ends of the piece

  explicit Part(std::size_t bins) : cells(bins) {}

  /// Writes only cells with time: an object has few values in a piece.
  void write(Words& words) const {
    words.insert(words.end(), {outside, std::bit_cast<std::int64_t>(first), std::bit_cast<std::int64_t>(last),
                               std::ranges::count_if(cells, [](const Cell& cell) { return cell.time > 0; })});
    for (std::size_t bin = 0; bin < cells.size(); ++bin) {
      const auto& [time, bursts, data] = cells[bin];
      if (time == 0) continue;
      words.insert(words.end(), {static_cast<std::int64_t>(bin), time, bursts});
      for (const double value : {data.integral, data.minimum, data.maximum})
        words.push_back(std::bit_cast<std::int64_t>(value));
    }
  }

  /// Adds the next piece; `word` points to its words and is moved behind them.
  template <class Continued>
  void add(const std::int64_t*& word, const Continued& continued) {
    outside += *word++;
    if (const int bin = continued(last, std::bit_cast<double>(*word++)); bin >= 0)
      --cells[static_cast<std::size_t>(bin)].bursts;
    last = std::bit_cast<double>(*word++);
    for (auto used = *word++; used > 0; --used) {
      auto& cell = cells[static_cast<std::size_t>(*word++)];
      cell.time += *word++;
      cell.bursts += *word++;
      const auto value = [&] { return std::bit_cast<double>(*word++); };
      cell.data.join(DataCell{value(), value(), value()});
    }
  }
};

class Binning {
public:
  Binning(const Histogram& limits, const HistogramQuestion& asked) : edges_(limits.edges), asked_(asked) {}

  Part part() const { return Part(edges_.size() - 1); }

  Part of(const Piece& piece, std::span<const Steps> metrics) const {
    Part result = part();
    const auto& steps = metrics.front();
    std::size_t at = 0;
    each_step(piece, steps, asked_.zero, [&](std::size_t i, std::int64_t end) {
      const int place = bin_of(steps[i].value, edges_, asked_.logarithmic);
      if (place < 0) {
        result.outside += end - steps[i].begin;
        return;
      }
      auto& cell = result.cells[static_cast<std::size_t>(place)];
      cell.time += end - steps[i].begin;
      if (i == 0 || steps[i - 1].value != steps[i].value) ++cell.bursts;
      if (asked_.data) cell.data.join(data_between(metrics.back(), at, steps[i].begin, end));
    });
    if (!steps.empty()) result.first = steps.front().value, result.last = steps.back().value;
    return result;
  }

  /// The bin of an interval that continues from the piece before; −1: none does, or it is not counted.
  int continued(double before, double after) const {
    if (before != after || (after == 0 && !asked_.zero)) return -1;
    return bin_of(after, edges_, asked_.logarithmic);
  }

private:
  /// `at`: a step at or before `begin`; moves on with the time.
  static DataCell data_between(const Steps& steps, std::size_t& at, std::int64_t begin, std::int64_t end) {
    DataCell cell;
    while (at + 1 < steps.size() && steps[at + 1].begin <= begin) ++at;
    for (auto i = at; begin < end && i < steps.size() && steps[i].begin < end; ++i) {
      const auto from = std::max(begin, steps[i].begin),
                 to = i + 1 < steps.size() ? std::min(end, steps[i + 1].begin) : end;
      const double value = steps[i].value;
      cell.join({value * static_cast<double>(to - from), value, value});
    }
    return cell;
  }

  const std::vector<double>& edges_;
  const HistogramQuestion& asked_;
};

/// 2 instead of 2.0000000000000004: integer values are compared with limits.
double without_rounding_errors(double value) {
  const auto text = fmt::format("{:.14g}", value);
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

Expected<void> check_limits(const HistogramQuestion& asked) {
  if (asked.low && asked.high && !(*asked.low <= *asked.high))
    return failure(ErrorKind::BadUse, "the range of values is empty", {}, "values",
                   "Give the smaller value first.");
  if (asked.logarithmic && ((asked.low && *asked.low <= 0) || (asked.high && *asked.high <= 0)))
    return failure(ErrorKind::BadUse, "a logarithmic axis cannot show values of 0 and below", {}, "values",
                   "Give limits above 0.");
  return {};
}

struct Extremes {
  double low = 0, high = 0;
  bool whole = false; ///< all values are whole numbers
};

/// Minimum and maximum of the counted values; 0 without any.
Expected<Extremes> extremes_of(const Bound& bound, const Question& question, const std::vector<Piece>& pieces,
                               const HistogramQuestion& asked, Communicator& communicator, const Job& job) {
  auto extremes = sweep(
      bound, question, pieces,
      [&](const Piece& piece, std::size_t, const Steps& steps, Words& words) {
        each_step(piece, steps, asked.zero, [&](std::size_t i, std::int64_t) {
          const double value = steps[i].value;
          if (asked.logarithmic && !(value > 0)) return;
          if (words.empty())
            words = {std::bit_cast<std::int64_t>(value), std::bit_cast<std::int64_t>(value), 1};
          words[0] = std::bit_cast<std::int64_t>(std::min(std::bit_cast<double>(words[0]), value));
          words[1] = std::bit_cast<std::int64_t>(std::max(std::bit_cast<double>(words[1]), value));
          if (value != std::floor(value)) words[2] = 0;
        });
      },
      communicator, job);
  if (!extremes) return forward(extremes.error());
  Extremes all{kNoData, kNoData, true};
  for (const auto& words : *extremes) {
    if (words.empty()) continue;
    all.low = std::fmin(all.low, std::bit_cast<double>(words[0]));
    all.high = std::fmax(all.high, std::bit_cast<double>(words[1]));
    all.whole = all.whole && words[2] != 0;
  }
  return std::isnan(all.low) ? Extremes() : all;
}

} // namespace

std::vector<double> edges_of(double low, double high, int bins, bool logarithmic) {
  std::vector<double> edges(static_cast<std::size_t>(bins) + 1, low);
  const bool ratios = logarithmic && low > 0;
  for (int bin = 1; bin < bins; ++bin) {
    const double share = static_cast<double>(bin) / bins, length = high - low;
    edges[static_cast<std::size_t>(bin)] =
        ratios ? without_rounding_errors(std::pow(10, std::lerp(std::log10(low), std::log10(high), share)))
        : std::isfinite(length) ? low + length * bin / bins
                                : std::lerp(low, high, share);
  }
  edges.back() = high;
  for (auto& edge : edges) edge = std::clamp(edge, low, high);
  return edges;
}

int bin_of(double value, const std::vector<double>& edges, bool logarithmic) {
  const double low = edges.front(), high = edges.back();
  if (!(value >= low) || value > high || (logarithmic && !(value > 0))) return -1;
  if (low == high) return 0;
  const auto bins = edges.size() - 1;
  const double share = logarithmic
                           ? (std::log(value) - std::log(low)) / (std::log(high) - std::log(low))
                           : (value / 2 - low / 2) / (high / 2 - low / 2); // high − low may be infinite
  auto bin = std::min(bins - 1, static_cast<std::size_t>(share * static_cast<double>(bins)));
  // The edges decide, because others compare values with them.
  while (bin > 0 && value < edges[bin]) --bin;
  while (bin + 1 < bins && value >= edges[bin + 1]) ++bin;
  return static_cast<int>(bin);
}

Expected<Histogram> histogram(const Bound& bound, const Question& question, const HistogramQuestion& asked,
                              Communicator& communicator, const Job& job) {
  if (auto valid = check(bound, question); !valid) return forward(valid.error());
  if (auto limits = check_limits(asked); !limits) return forward(limits.error());
  if (asked.data)
    if (auto node = node_at(asked.data->definition(), question.level); !node) {
      auto error = node.error();
      error.place = "data";
      return forward(std::move(error));
    }
  const auto pieces = pieces_of(bound, question.range, 1);
  Histogram result;
  double low = asked.low.value_or(0), high = asked.high.value_or(0);
  int bins = asked.bins > 0 ? asked.bins : kDefaultBins;
  if (!asked.low || !asked.high) {
    auto extremes = extremes_of(bound, question, pieces, asked, communicator, job);
    if (!extremes) return forward(extremes.error());
    if (!asked.low) low = asked.high ? std::min(extremes->low, high) : extremes->low;
    if (!asked.high) high = std::max(extremes->high, low);
    result.whole = asked.bins == 0 && !asked.low && !asked.high && !asked.logarithmic && extremes->whole &&
                   low < high && high - low < kMaxWholeNumbers;
  }
  if (result.whole) bins = static_cast<int>(++high - low);
  if (low == high) bins = 1;
  result.edges = edges_of(low, high, bins, asked.logarithmic);
  std::vector<const Bound*> metrics{&bound};
  if (asked.data) metrics.push_back(asked.data);
  const Binning binning(result, asked);
  auto parts = sweep(
      metrics, question, pieces,
      [&](const Piece& piece, std::size_t, std::span<const Steps> steps, Words& words) {
        binning.of(piece, steps).write(words);
      },
      communicator, job);
  if (!parts) return forward(parts.error());
  const auto objects =
      question.objects.empty() ? bound.data().objects().at(question.level).size() : question.objects.size();
  std::vector<Part> sums(objects, binning.part());
  for (const auto& words : *parts) {
    const auto* word = words.data();
    for (auto& sum : sums)
      sum.add(word, [&](double before, double after) { return binning.continued(before, after); });
  }
  const auto cells_of = [&](auto member) {
    std::vector<std::vector<std::remove_cvref_t<decltype(member(Cell()))>>> values(objects);
    for (std::size_t object = 0; object < objects; ++object)
      for (const auto& cell : sums[object].cells) values[object].push_back(member(cell));
    return values;
  };
  result.time = cells_of([](const Cell& cell) { return cell.time; });
  result.bursts = cells_of([](const Cell& cell) { return cell.bursts; });
  for (const auto& sum : sums) result.outside.push_back(sum.outside);
  if (!asked.data) return result;
  result.integral = cells_of([](const Cell& cell) { return cell.time > 0 ? cell.data.integral : kNoData; });
  result.minimum = cells_of([](const Cell& cell) { return cell.data.minimum; });
  result.maximum = cells_of([](const Cell& cell) { return cell.data.maximum; });
  return result;
}

} // namespace jitterscope::efficiency::metrics
