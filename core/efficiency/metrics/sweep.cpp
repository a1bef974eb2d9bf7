#include "core/efficiency/metrics/sweep.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include <fmt/core.h>

#include "core/base/parallel.h"
#include "core/efficiency/metrics/pieces.h"

namespace jitterscope::efficiency::metrics {
namespace {

constexpr std::int64_t kFarthest = std::int64_t{1} << 60; // ns: windows around it do not overflow
constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

std::int64_t word(double value) {
  return std::bit_cast<std::int64_t>(value);
}
double number(std::int64_t word) {
  return std::bit_cast<double>(word);
}

class Splitter {
public:
  Splitter(const Bound& bound, Interval range, int count) : bound_(bound), range_(range), count_(count) {
    std::size_t objects = 1;
    for (int level = 0; level < kLevels; ++level)
      objects = std::max(objects, bound.data().objects().at(static_cast<Level>(level)).size());
    // Each piece costs about a microsecond per object, as much as several records.
    constexpr double kRecords = 20'000, kMaxPieces = 4'096, kOfObject = 16;
    maximum_ = std::max({kRecords, kOfObject * static_cast<double>(objects), bound.work(range) / kMaxPieces});
    shortest_ = std::max<std::int64_t>(bound.definition().longest_window, 1);
  }

  void columns(int first, int last, std::vector<Piece>& pieces) {
    const Interval range{{column_begin(range_, first, count_)}, {column_begin(range_, last, count_)}};
    if (range.empty()) return;
    const bool splits = range.length().count > shortest_ && bound_.work(range) > maximum_;
    if (splits && last - first > 1) {
      const int middle = first + (last - first) / 2;
      columns(first, middle, pieces);
      columns(middle, last, pieces);
    } else if (splits) {
      time(range, first, pieces);
    } else {
      pieces.push_back({range, first, last});
    }
  }

private:
  void time(Interval range, int column, std::vector<Piece>& pieces) {
    if (range.length().count <= shortest_ || range.length().count < 2 || bound_.work(range) <= maximum_)
      return pieces.push_back({range, column, column + 1});
    const Nanoseconds middle{range.begin.count + range.length().count / 2};
    time({range.begin, middle}, column, pieces);
    time({middle, range.end}, column, pieces);
  }

  const Bound& bound_;
  Interval range_;
  int count_;
  double maximum_;
  std::int64_t shortest_;
};

} // namespace

std::int64_t column_begin(Interval range, int c, int count) {
  return range.begin.count + static_cast<std::int64_t>(Int128{range.length().count} * c / count);
}

std::vector<Piece> pieces_of(const Bound& bound, Interval range, int count) {
  std::vector<Piece> pieces;
  Splitter(bound, range, count).columns(0, count, pieces);
  return pieces;
}

Expected<Node> node_at(const Definition& definition, Level level) {
  if (level == definition.metric.level) return definition.metric;
  if (!covers(level, definition.metric.level))
    return failure(ErrorKind::BadUse,
                   fmt::format("the metric is defined per {} and has no values per {}",
                               to_string(definition.metric.level), to_string(level)),
                   {}, "level", "Choose its own level or a coarser level.");
  Node node;
  node.op = Op::Across;
  node.id = kMaxNodes;
  node.level = level;
  node.aggregator = definition.across;
  node.children.push_back(definition.metric);
  return node;
}

Expected<void> check(const Bound& bound, const Question& question) {
  if (question.range.empty() || question.range.begin.count < -kFarthest ||
      question.range.end.count > kFarthest)
    return failure(ErrorKind::BadUse, "the range is empty or outside the supported times (±2^60 ns)", {},
                   "range", "Choose a range inside the trace.");
  const auto objects = bound.data().objects().at(question.level).size();
  for (const auto object : question.objects)
    if (object >= objects)
      return failure(ErrorKind::BadUse,
                     fmt::format("there is no {} with the number {}", to_string(question.level), object), {},
                     "objects");
  return {};
}

Expected<std::vector<Words>>
sweep(std::span<const Bound* const> metrics, const Question& question, const std::vector<Piece>& pieces,
      const std::function<void(const Piece&, std::size_t, std::span<const Steps>, Words&)>& fold,
      Communicator& communicator, const Job& job) {
  std::vector<Node> nodes;
  for (const auto* metric : metrics) {
    auto node = node_at(metric->definition(), question.level);
    if (!node) return forward(node.error());
    nodes.push_back(std::move(*node));
  }
  const auto objects = question.objects.empty() ? metrics.front()->data().objects().at(question.level).size()
                                                : question.objects.size();
  const auto share =
      share_of(static_cast<std::int64_t>(pieces.size()), communicator.rank(), communicator.size());
  std::vector<Words> mine(static_cast<std::size_t>(share.last - share.first));
  Halt halt(job);
  const auto task = [&](std::size_t t) {
    std::vector<Evaluation> evaluations;
    for (const auto* metric : metrics) evaluations.emplace_back(*metric, halt);
    std::vector<Steps> steps(metrics.size());
    const auto& piece = pieces[static_cast<std::size_t>(share.first) + t];
    for (std::size_t i = 0; i < objects && !halt.requested(); ++i) {
      const auto object = question.objects.empty() ? static_cast<std::uint32_t>(i) : question.objects[i];
      for (std::size_t m = 0; m < metrics.size(); ++m)
        steps[m] = evaluations[m].of(nodes[m], object, piece.range.begin.count, piece.range.end.count);
      fold(piece, i, steps, mine[t]);
    }
  };
  const bool done = parallel_for(mine.size(), worker_threads(), task, [&] { return halt.requested(); });
  if (!done || halt.requested()) return Job::cancelled_error();
  Words flat;
  for (const auto& words : mine) {
    flat.push_back(static_cast<std::int64_t>(words.size()));
    flat.insert(flat.end(), words.begin(), words.end());
  }
  auto all = communicator.all_gather(std::span<const std::int64_t>(flat));
  if (!all) return forward(all.error());
  std::vector<Words> result;
  for (std::size_t at = 0; at < all->size();) {
    const auto begin = all->begin() + static_cast<std::ptrdiff_t>(at) + 1;
    result.emplace_back(begin, begin + (*all)[at]);
    at += 1 + result.back().size();
  }
  return result;
}

Expected<std::vector<Words>>
sweep(const Bound& bound, const Question& question, const std::vector<Piece>& pieces,
      const std::function<void(const Piece&, std::size_t, const Steps&, Words&)>& fold,
      Communicator& communicator, const Job& job) {
  const Bound* const metrics[] = {&bound};
  return sweep(
      metrics, question, pieces,
      [&](const Piece& piece, std::size_t object, std::span<const Steps> steps, Words& words) {
        fold(piece, object, steps.front(), words);
      },
      communicator, job);
}

Expected<std::vector<ColumnValues>> columns(const Bound& bound, const Question& question, int count,
                                            Communicator& communicator, const Job& job) {
  if (auto valid = check(bound, question); !valid) return forward(valid.error());
  const auto pieces = pieces_of(bound, question.range, count);
  // By object and column of the piece: integral, minimum, maximum.
  const auto fold = [&](const Piece& piece, std::size_t, const Steps& steps, Words& words) {
    std::size_t at = 0;
    for (int c = piece.first; c < piece.last; ++c) {
      const auto begin = std::max(piece.range.begin.count, column_begin(question.range, c, count));
      const auto end = std::min(piece.range.end.count, column_begin(question.range, c + 1, count));
      double low = std::numeric_limits<double>::infinity(), high = -low, area = 0;
      while (at + 1 < steps.size() && steps[at + 1].begin <= begin) ++at;
      for (auto i = at; begin < end && i < steps.size() && steps[i].begin < end; ++i) {
        const auto from = std::max(begin, steps[i].begin),
                   to = i + 1 < steps.size() ? std::min(end, steps[i + 1].begin) : end;
        area += steps[i].value * static_cast<double>(to - from);
        low = std::min(low, steps[i].value);
        high = std::max(high, steps[i].value);
      }
      words.insert(words.end(), {word(area), word(low), word(high)});
    }
  };
  auto parts = sweep(bound, question, pieces, fold, communicator, job);
  if (!parts) return forward(parts.error());
  const auto objects =
      question.objects.empty() ? bound.data().objects().at(question.level).size() : question.objects.size();
  const auto width = static_cast<std::size_t>(count);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::vector<ColumnValues> values(objects,
                                   {std::vector<double>(width), std::vector<double>(width, kInfinity),
                                    std::vector<double>(width, -kInfinity)});
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    std::size_t at = 0;
    for (auto& of : values)
      for (auto c = static_cast<std::size_t>(pieces[p].first); c < static_cast<std::size_t>(pieces[p].last);
           ++c, at += 3) {
        of.average[c] += number((*parts)[p][at]);
        of.minimum[c] = std::min(of.minimum[c], number((*parts)[p][at + 1]));
        of.maximum[c] = std::max(of.maximum[c], number((*parts)[p][at + 2]));
      }
  }
  for (auto& of : values)
    for (int c = 0; c < count; ++c) {
      const auto i = static_cast<std::size_t>(c);
      const auto length = column_begin(question.range, c + 1, count) - column_begin(question.range, c, count);
      of.average[i] = length > 0 ? of.average[i] / static_cast<double>(length) : kNothing;
      if (length <= 0) of.minimum[i] = of.maximum[i] = kNothing;
    }
  return values;
}

Expected<std::vector<Steps>> exact(const Bound& bound, const Question& question, std::size_t limit,
                                   Communicator& communicator, const Job& job) {
  if (auto valid = check(bound, question); !valid) return forward(valid.error());
  const auto pieces = pieces_of(bound, question.range, 1);
  std::atomic<std::size_t> counted = 0;
  const auto fold = [&](const Piece&, std::size_t, const Steps& steps, Words& words) {
    words.push_back(static_cast<std::int64_t>(steps.size()));
    if ((counted += steps.size()) > limit) return; // more steps than `limit`: the result is an error
    for (const auto& step : steps) words.insert(words.end(), {step.begin, word(step.value)});
  };
  auto parts = sweep(bound, question, pieces, fold, communicator, job);
  if (!parts) return forward(parts.error());
  const auto objects =
      question.objects.empty() ? bound.data().objects().at(question.level).size() : question.objects.size();
  std::size_t total = 0;
  for (const auto& words : *parts)
    for (std::size_t at = 0, object = 0; object < objects && at < words.size(); ++object) {
      const auto count = static_cast<std::size_t>(words[at]);
      total += count;
      at += 1 + 2 * count;
      if (total > limit)
        return failure(ErrorKind::BadUse,
                       fmt::format("the metric has more than {} steps in this range", limit), {}, "range",
                       "Request columns instead of steps, fewer objects or a shorter range.");
    }
  std::vector<Steps> result(objects);
  for (const auto& words : *parts)
    for (std::size_t at = 0, object = 0; object < objects; ++object) {
      const auto count = static_cast<std::size_t>(words[at++]);
      for (std::size_t i = 0; i < count; ++i, at += 2)
        if (result[object].empty() || result[object].back().value != number(words[at + 1]))
          result[object].push_back({words[at], number(words[at + 1])});
    }
  return result;
}

Expected<std::vector<double>> averages(const Bound& bound, Level level, std::span<const Interval> intervals,
                                       std::span<const std::uint32_t> objects, Halt& halt) {
  const auto node = node_at(bound.definition(), level);
  if (!node) return forward(node.error());
  // An interval of zero length gets the average over the nanosecond after its start.
  const auto end_of = [&](std::size_t i) {
    return std::max(intervals[i].end.count, intervals[i].begin.count + 1);
  };
  std::vector<double> values(intervals.size(), kNothing);
  std::vector<std::size_t> order(intervals.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return objects[i]; });
  Evaluation evaluation(bound, halt);
  constexpr std::size_t kGroup = 1'024;
  for (std::size_t first = 0; first < order.size() && !halt.requested();) {
    const auto object = objects[order[first]];
    if (object == kNone) break; // kNone is sorted last
    auto last = first;
    std::int64_t end = INT64_MIN;
    for (; last < order.size() && last < first + kGroup && objects[order[last]] == object; ++last)
      end = std::max(end, end_of(order[last]));
    const auto steps = evaluation.of(*node, object, intervals[order[first]].begin.count, end);
    evaluation.forget();
    for (; first < last; ++first) {
      const auto begin = intervals[order[first]].begin.count, until = end_of(order[first]);
      values[order[first]] = integral(steps, begin, until) / static_cast<double>(until - begin);
    }
  }
  return values;
}

} // namespace jitterscope::efficiency::metrics
