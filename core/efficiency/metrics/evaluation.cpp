#include "core/efficiency/metrics/evaluation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>

namespace jitterscope::efficiency::metrics {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kOften = 4'096; ///< steps between two polls of the halt

double truth(bool value) {
  return value ? 1.0 : 0.0;
}

double apply(Op op, const double* v, std::size_t count) {
  switch (op) {
  case Op::Negate:
    return finite(-v[0]);
  case Op::Not:
    return truth(v[0] == 0);
  case Op::Add:
    return finite(v[0] + v[1]);
  case Op::Subtract:
    return finite(v[0] - v[1]);
  case Op::Multiply:
    return finite(v[0] * v[1]);
  case Op::Divide:
    return v[1] == 0 ? 0.0 : finite(v[0] / v[1]);
  case Op::Modulo:
    return v[1] == 0 ? 0.0 : finite(v[0] - v[1] * std::floor(v[0] / v[1]));
  case Op::Less:
    return truth(v[0] < v[1]);
  case Op::LessEqual:
    return truth(v[0] <= v[1]);
  case Op::Greater:
    return truth(v[0] > v[1]);
  case Op::GreaterEqual:
    return truth(v[0] >= v[1]);
  case Op::Equal:
    return truth(v[0] == v[1]);
  case Op::NotEqual:
    return truth(v[0] != v[1]);
  case Op::And:
    return truth(v[0] != 0 && v[1] != 0);
  case Op::Or:
    return truth(v[0] != 0 || v[1] != 0);
  case Op::Sign:
    return truth(v[0] != 0);
  case Op::Abs:
    return std::abs(v[0]);
  case Op::Floor:
    return finite(std::floor(v[0]));
  case Op::Round:
    return finite(std::round(v[0]));
  case Op::Sqrt:
    return v[0] > 0 ? std::sqrt(v[0]) : 0.0;
  case Op::If:
    return v[0] != 0 ? v[1] : v[2];
  case Op::Within:
    return v[0] >= v[1] && v[0] <= v[2] ? v[0] : 0.0;
  case Op::Smallest:
    return *std::min_element(v, v + count);
  case Op::Largest:
    return *std::max_element(v, v + count);
  default:
    return 0;
  }
}

/// For attributes: comparisons with a missing value are false, other results are missing.
double apply_to_attributes(Op op, const double* v, std::size_t count) {
  const bool logic = (op >= Op::Less && op <= Op::Or) || op == Op::Not;
  if (!logic && op != Op::If && std::any_of(v, v + count, [](double x) { return std::isnan(x); }))
    return kMissing;
  if (op == Op::Not && std::isnan(v[0])) return 0;
  if (op == Op::NotEqual && (std::isnan(v[0]) || std::isnan(v[1]))) return 0;
  if (op == Op::And || op == Op::Or) {
    const bool a = v[0] != 0 && !std::isnan(v[0]), b = v[1] != 0 && !std::isnan(v[1]);
    return truth(op == Op::And ? a && b : a || b);
  }
  if (op == Op::If) return std::isnan(v[0]) ? kMissing : v[0] != 0 ? v[1] : v[2];
  return apply(op, v, count);
}

std::int64_t window_begin(std::int64_t time, std::int64_t width) {
  const auto quotient = time / width - (time % width < 0 ? 1 : 0);
  return quotient * width;
}

/// Steps of [from, to), cut to [begin, end).
Steps cut(const Steps& steps, std::int64_t begin, std::int64_t end) {
  Steps inside;
  for (const auto& step : steps) {
    if (step.begin >= end) break;
    append_step(inside, std::max(step.begin, begin), step.value);
  }
  return inside;
}

/// Index of the step that is valid at a time.
std::size_t step_at(const Steps& steps, std::int64_t time) {
  const auto after = std::ranges::upper_bound(steps, time, {}, &StepFunction::Step::begin);
  return after == steps.begin() ? 0 : static_cast<std::size_t>(after - steps.begin()) - 1;
}

/// At each time, the length of the interval between the borders around it; the last interval ends at `next`.
/// 0 before the first border, and after the last if there is no `next`.
Steps intervals(const std::vector<std::int64_t>& borders, std::optional<std::int64_t> next,
                std::int64_t begin) {
  Steps steps{{begin, 0}};
  for (std::size_t i = 0; i < borders.size(); ++i) {
    const auto to = i + 1 < borders.size() ? borders[i + 1] : std::max(next.value_or(borders[i]), borders[i]);
    append_step(steps, std::max(borders[i], begin), static_cast<double>(to - borders[i]));
  }
  return steps;
}

template <class Visit>
void each_part(const Steps& steps, std::int64_t begin, std::int64_t end, Visit&& visit) {
  for (auto i = step_at(steps, begin); i < steps.size() && steps[i].begin < end; ++i) {
    const auto from = std::max(begin, steps[i].begin);
    const auto to = i + 1 < steps.size() ? std::min(end, steps[i + 1].begin) : end;
    if (to > from) visit(steps[i].value, to - from);
  }
}

double window_value(Op op, const Steps& steps, std::int64_t begin, std::int64_t end) {
  const bool highest = op == Op::WindowMaximum || op == Op::MaximumOver;
  if (op == Op::WindowAverage || op == Op::MeanOver)
    return finite(integral(steps, begin, end) / static_cast<double>(end - begin));
  double found = highest ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  each_part(steps, begin, end, [&](double value, std::int64_t) {
    found = highest ? std::max(found, value) : std::min(found, value);
  });
  return found;
}

} // namespace

double integral(const Steps& steps, std::int64_t begin, std::int64_t end) {
  double area = 0;
  each_part(steps, begin, end,
            [&](double value, std::int64_t length) { area += value * static_cast<double>(length); });
  return area;
}

Steps Evaluation::of(const Node& node, std::uint32_t object, std::int64_t begin, std::int64_t end) {
  if (begin >= end || halt_.requested()) return {{begin, 0}};
  switch (node.op) {
  case Op::Number:
    return {{begin, node.number}};
  case Op::Let:
    return operand(node, bound_.definition().lets[node.index], object, begin, end);
  case Op::Counter:
  case Op::NextCounter:
  case Op::CounterToNext:
    return counter(node, object, begin, end);
  case Op::CounterInterval:
    return counter_interval(node, object, begin, end);
  case Op::BorderInterval:
    return border_interval(node, object, begin, end);
  case Op::Count:
  case Op::Active:
    return running(node, object, begin, end);
  case Op::Value:
    return value(node, object, begin, end);
  case Op::Total:
  case Op::Rate:
    return total(node, object, begin, end);
  case Op::Recorded:
    return {{begin, truth(bound_.recorded(node, object))}};
  case Op::Starts:
  case Op::Frequency:
    return starts(node, object, begin, end);
  case Op::WindowAverage:
  case Op::WindowMaximum:
  case Op::WindowMinimum:
    return windows(node, object, begin, end);
  case Op::Across:
    return across(node, object, begin, end);
  default:
    return pointwise(node, object, begin, end);
  }
}

// Caches values that several objects or expressions use: values of lets, and of objects that contain
// `object`.
Steps Evaluation::operand(const Node& node, const Node& child, std::uint32_t object, std::int64_t begin,
                          std::int64_t end) {
  const auto of_child = bound_.data().objects().above(node.level, object, child.level);
  const bool shared = node.op == Op::Let || (child.level != node.level && child.op != Op::Number);
  if (!shared) return of(child, of_child, begin, end);
  const std::tuple key(&child, of_child, begin, end);
  if (const auto found = kept_.find(key); found != kept_.end()) return found->second;
  return kept_.emplace(key, of(child, of_child, begin, end)).first->second;
}

Steps Evaluation::pointwise(const Node& node, std::uint32_t object, std::int64_t begin, std::int64_t end) {
  const auto count = node.children.size();
  std::vector<Steps> operands;
  for (const auto& child : node.children) operands.push_back(operand(node, child, object, begin, end));
  std::vector<std::size_t> at(count);
  std::vector<double> values(count);
  Steps joined;
  for (auto time = begin;;) {
    auto next = end;
    for (std::size_t i = 0; i < count; ++i) {
      const auto& steps = operands[i];
      while (at[i] + 1 < steps.size() && steps[at[i] + 1].begin <= time) ++at[i];
      values[i] = steps[at[i]].value;
      if (at[i] + 1 < steps.size()) next = std::min(next, steps[at[i] + 1].begin);
    }
    append_step(joined, time, apply(node.op, values.data(), count));
    if (next >= end || (joined.size() % kOften == 0 && halt_.requested())) return joined;
    time = next;
  }
}

// The value of a sample holds until the next sample, or with NextCounter from the previous one on; 0 before
// the first. With CounterToNext and NextCounter also 0 after the last.
Steps Evaluation::counter(const Node& node, std::uint32_t object, std::int64_t begin,
                          std::int64_t end) const {
  const auto& [trace, series] = bound_.samples(node, object);
  Steps steps{{begin, 0}};
  if (!series) return steps;
  const auto& of = bound_.data().session().traces()[trace];
  const auto values = of.store.column<double>("samples", "value");
  const auto times = series->times;
  const auto value = [&, &series = series](std::size_t i) { return values[series->first + i]; };
  const auto shown = [&](std::size_t i) {
    if (node.op == Op::Counter) return finite(value(i));
    auto after = i + 1;
    while (after < times.size() && std::isnan(value(after))) ++after;
    return after == times.size() ? 0.0 : finite(value(node.op == Op::NextCounter ? after : i));
  };
  auto i = static_cast<std::size_t>(std::ranges::upper_bound(times, begin - of.shift_ns) - times.begin());
  auto held = i;
  while (held > 0 && std::isnan(value(held - 1))) --held;
  if (held > 0) steps = {{begin, shown(held - 1)}};
  for (; i < times.size() && times[i] + of.shift_ns < end; ++i)
    if (!std::isnan(value(i))) append_step(steps, std::max(begin, times[i] + of.shift_ns), shown(i));
  return steps;
}

// At each time, the distance between the previous and the next sample that have a value; 0 before the first
// and after the last.
Steps Evaluation::counter_interval(const Node& node, std::uint32_t object, std::int64_t begin,
                                   std::int64_t end) const {
  const auto& [trace, series] = bound_.samples(node, object);
  if (!series) return {{begin, 0}};
  const auto& of = bound_.data().session().traces()[trace];
  const auto values = of.store.column<double>("samples", "value");
  const auto times = series->times;
  const auto known = [&, &series = series](std::size_t i) { return !std::isnan(values[series->first + i]); };
  const auto from = std::ranges::upper_bound(times, begin - of.shift_ns) - times.begin();
  auto last = static_cast<std::size_t>(from); // one past the last known sample at or before `begin`
  while (last > 0 && !known(last - 1)) --last;
  std::vector<std::int64_t> borders;
  if (last > 0) borders.push_back(times[last - 1] + of.shift_ns);
  std::optional<std::int64_t> next;
  for (auto i = static_cast<std::size_t>(from); i < times.size(); ++i) {
    if (!known(i)) continue;
    if (times[i] + of.shift_ns >= end) {
      next = times[i] + of.shift_ns;
      break;
    }
    borders.push_back(times[i] + of.shift_ns);
  }
  return intervals(borders, next, begin);
}

// The last start or end at or before a time, searched in parts of the run that grow.
std::optional<std::int64_t> Evaluation::border_before(const Node& node, std::uint32_t object,
                                                      std::int64_t time, std::int64_t step) {
  const auto first = bound_.data().extent().begin.count;
  for (auto from = time; !halt_.requested(); step *= 4) {
    from = time - first > step ? time - step : first;
    std::optional<std::int64_t> found;
    for (const auto& record : records(*node.records, object, from - 1, time + 1)) // one may end at `from`
      for (const auto border : {record.begin, record.end})
        if (border >= from && border <= time) found = std::max(found.value_or(border), border);
    if (found || from <= first) return found;
  }
  return {};
}

// The first start or end at or after a time.
std::optional<std::int64_t> Evaluation::border_after(const Node& node, std::uint32_t object,
                                                     std::int64_t time, std::int64_t step) {
  const auto last = bound_.data().extent().end.count;
  for (auto to = time; !halt_.requested(); step *= 4) {
    to = last - time > step ? time + step : last + 1;
    std::optional<std::int64_t> found;
    for (const auto& record : records(*node.records, object, time - 1, to)) // one may end at `time`
      for (const auto border : {record.begin, record.end})
        if (border >= time && border < to) found = std::min(found.value_or(border), border);
    if (found || to > last) return found;
  }
  return {};
}

Steps Evaluation::border_interval(const Node& node, std::uint32_t object, std::int64_t begin,
                                  std::int64_t end) {
  constexpr std::int64_t kMinStep = 1'000, kMaxStep = std::int64_t{1} << 50; // ns
  const auto step = std::clamp(end - begin, kMinStep, kMaxStep);
  std::vector<std::int64_t> borders;
  for (const auto& record : records(*node.records, object, begin, end))
    for (const auto border : {record.begin, record.end})
      if (border > begin && border < end) borders.push_back(border);
  if (const auto before = border_before(node, object, begin, step)) borders.push_back(*before);
  std::ranges::sort(borders);
  borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
  return intervals(borders, border_after(node, object, end, step), begin);
}

Steps Evaluation::running(const Node& node, std::uint32_t object, std::int64_t begin, std::int64_t end) {
  const auto found = records(*node.records, object, begin, end);
  std::vector<std::int64_t> ends;
  std::int64_t open = 0;
  for (const auto& record : found) {
    if (record.begin == record.end) continue;
    open += record.begin <= begin ? 1 : 0;
    if (record.end < end) ends.push_back(record.end);
  }
  if (!std::ranges::is_sorted(ends)) std::ranges::sort(ends); // most are sorted already
  const auto show = [&](std::int64_t running) {
    return node.op == Op::Active ? truth(running > 0) : static_cast<double>(running);
  };
  Steps steps{{begin, show(open)}};
  std::size_t b = 0, e = 0;
  while (b < found.size() && found[b].begin <= begin) ++b;
  while (b < found.size() || e < ends.size()) {
    const auto time =
        std::min(b < found.size() ? found[b].begin : INT64_MAX, e < ends.size() ? ends[e] : INT64_MAX);
    for (; b < found.size() && found[b].begin == time; ++b) open += found[b].end > found[b].begin ? 1 : 0;
    for (; e < ends.size() && ends[e] == time; ++e) --open;
    append_step(steps, time, show(open));
  }
  return steps;
}

/// Records that have the attribute and a non-zero length, with their attribute.
std::pair<std::vector<Record>, std::vector<double>>
Evaluation::with_attribute(const Node& node, std::uint32_t object, std::int64_t begin, std::int64_t end) {
  auto found = records(*node.records, object, begin, end);
  auto values = attribute(node.children.front(), node.records->source, object, found);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i].begin == found[i].end || !std::isfinite(values[i])) continue;
    found[kept] = found[i];
    values[kept++] = values[i];
  }
  found.resize(kept);
  values.resize(kept);
  return {std::move(found), std::move(values)};
}

// Value of the record that began last among those running; when it ends, the previous one applies again.
Steps Evaluation::value(const Node& node, std::uint32_t object, std::int64_t begin, std::int64_t end) {
  const auto [found, values] = with_attribute(node, object, begin, end);
  std::priority_queue<std::size_t> open; // indices into `found`
  Steps steps{{begin, 0}};
  const auto drain = [&, &found = found, &values = values](std::int64_t until) {
    while (!open.empty() && found[open.top()].end <= until) {
      const auto time = found[open.top()].end;
      while (!open.empty() && found[open.top()].end <= time) open.pop();
      append_step(steps, std::max(time, begin), open.empty() ? 0.0 : values[open.top()]);
    }
  };
  for (std::size_t i = 0; i < found.size(); ++i) {
    drain(found[i].begin);
    open.push(i);
    append_step(steps, std::max(found[i].begin, begin), values[i]);
  }
  drain(end - 1);
  return steps;
}

Steps Evaluation::total(const Node& node, std::uint32_t object, std::int64_t begin, std::int64_t end) {
  auto [found, values] = with_attribute(node, object, begin, end);
  constexpr double kSecond = 1e9;
  std::vector<std::int64_t> times{begin};
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (node.op == Op::Rate)
      values[i] = finite(values[i] / static_cast<double>(found[i].end - found[i].begin) * kSecond);
    if (found[i].begin > begin) times.push_back(found[i].begin);
    if (found[i].end < end) times.push_back(found[i].end);
  }
  std::ranges::sort(times);
  times.erase(std::unique(times.begin(), times.end()), times.end());
  Steps steps;
  std::vector<std::size_t> open; // in the order of records, so that sums do not depend on the range
  std::size_t next = 0;
  for (std::size_t t = 0; t < times.size(); ++t) {
    if (t % kOften == 0 && halt_.requested()) break;
    std::erase_if(open, [&, &found = found](std::size_t i) { return found[i].end <= times[t]; });
    for (; next < found.size() && found[next].begin <= times[t]; ++next)
      if (found[next].end > times[t]) open.push_back(next);
    double sum = 0;
    for (const auto i : open) sum += values[i];
    append_step(steps, times[t], finite(sum));
  }
  return steps.empty() ? Steps{{begin, 0}} : steps;
}

Steps Evaluation::starts(const Node& node, std::uint32_t object, std::int64_t begin, std::int64_t end) {
  const auto width = node.window, first = window_begin(begin, width),
             last = window_begin(end - 1, width) + width;
  const auto found = records(*node.records, object, first, last);
  constexpr double kSecond = 1e9;
  Steps steps{{first, 0}};
  for (std::size_t i = 0; i < found.size();) {
    const auto window = window_begin(found[i].begin, width);
    const auto from = i;
    while (i < found.size() && window_begin(found[i].begin, width) == window) ++i;
    if (window < first) continue; // the previous window extends into the range
    const auto count = static_cast<double>(i - from);
    const auto time = static_cast<double>(recorded_part(window, window + width).length().count);
    append_step(steps, window, node.op == Op::Starts ? count : count / time * kSecond);
    append_step(steps, window + width, 0);
  }
  return cut(steps, begin, end);
}

Interval Evaluation::recorded_part(std::int64_t begin, std::int64_t end) const {
  const auto recorded = bound_.data().recorded();
  const Interval part{{std::max(begin, recorded.begin.count)}, {std::min(end, recorded.end.count)}};
  return part.empty() ? Interval{{begin}, {end}} : part;
}

// Windows without changes have the value of the timeline: only the others are evaluated.
Steps Evaluation::windows(const Node& node, std::uint32_t object, std::int64_t begin, std::int64_t end) {
  const auto width = node.window, first = window_begin(begin, width),
             last = window_begin(end - 1, width) + width;
  const auto steps = operand(node, node.children.front(), object, first, last);
  const auto value_in = [&](std::int64_t window) {
    const auto part = recorded_part(window, window + width);
    return window_value(node.op, steps, part.begin.count, part.end.count);
  };
  Steps result;
  for (std::size_t i = 0; i < steps.size();) {
    if (i % kOften == 0 && halt_.requested()) break;
    const auto window = window_begin(steps[i].begin, width);
    append_step(result, window, value_in(window));
    while (i < steps.size() && steps[i].begin < window + width) ++i;
    if (window + width < last) append_step(result, window + width, value_in(window + width));
  }
  return result.empty() ? Steps{{begin, 0}} : cut(result, begin, end);
}

std::vector<Record> Evaluation::records(const Records& set, std::uint32_t object, std::int64_t begin,
                                        std::int64_t end) {
  auto found = bound_.data().records(set.source, object, begin, end, bound_.calls());
  if (!set.condition || found.empty()) return found;
  const auto holds = attribute(*set.condition, set.source, object, found);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < found.size(); ++i)
    if (holds[i] != 0 && !std::isnan(holds[i])) found[kept++] = found[i];
  found.resize(kept);
  return found;
}

std::vector<double> Evaluation::attribute(const Node& node, Source source, std::uint32_t object,
                                          std::span<const Record> records) {
  std::vector<double> values(records.size(), node.number);
  if (node.op == Op::Number || records.empty() || halt_.requested()) return values;
  if (node.op == Op::Field || node.op == Op::TextEqual || node.op == Op::TextMatch) {
    bound_.read(node, records, values.data());
    return values;
  }
  if (node.op == Op::MeanOver || node.op == Op::MaximumOver || node.op == Op::MinimumOver)
    return over_records(node, source, object, records);
  if (node.op == Op::GroupMean || node.op == Op::Deviation) {
    if (node.op == Op::Deviation) values = attribute(node.children.front(), source, object, records);
    for (std::size_t i = 0; i < records.size(); ++i) {
      const double mean = bound_.group_mean(node, records[i]);
      values[i] = node.op == Op::GroupMean ? mean : std::abs(values[i] - mean);
    }
    return values;
  }
  std::vector<std::vector<double>> operands;
  for (const auto& child : node.children) operands.push_back(attribute(child, source, object, records));
  std::vector<double> row(operands.size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    for (std::size_t o = 0; o < row.size(); ++o) row[o] = operands[o][i];
    values[i] = apply_to_attributes(node.op, row.data(), row.size());
  }
  return values;
}

// Evaluates the child over the time of each record, for a record of zero length at its start. Proceeds in
// groups of records, so that the time between distant groups is not evaluated.
std::vector<double> Evaluation::over_records(const Node& node, Source source, std::uint32_t object,
                                             std::span<const Record> records) {
  const auto& child = node.children.front();
  const auto of_child = bound_.data().objects().above(level_of(source), object, child.level);
  std::vector<double> values(records.size());
  constexpr std::size_t kGroup = 1'024;
  for (std::size_t first = 0; first < records.size(); first += kGroup) {
    const auto group = records.subspan(first, std::min(kGroup, records.size() - first));
    std::int64_t end = INT64_MIN;
    for (const auto& record : group) end = std::max({end, record.end, record.begin + 1});
    const auto begin = std::ranges::min(group, {}, &Record::begin).begin;
    const auto steps = of(child, of_child, begin, end);
    for (std::size_t i = 0; i < group.size(); ++i)
      values[first + i] = group[i].begin == group[i].end
                              ? steps[step_at(steps, group[i].begin)].value
                              : window_value(node.op, steps, group[i].begin, group[i].end);
  }
  return values;
}

} // namespace jitterscope::efficiency::metrics
