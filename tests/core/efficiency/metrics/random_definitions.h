#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <utility>

#include "tests/core/efficiency/metrics/metric_session.h"

// The semantics of resources/help/metrics.md, evaluated nanosecond by nanosecond: random definitions on
// random programs. Each random expression is made as text and also as its value at every nanosecond,
// from the list of the program's activities; nothing of the evaluator is used.

namespace jitterscope::test::random_metrics {

using efficiency::metrics::Level;

inline constexpr int kRanks = 3, kStreams = 2;
inline constexpr std::int64_t kLength = 400, kMargin = 120; // windows extend over the ends

enum Owner { Application, Process, Device, Stream, Thread };
inline constexpr const char* kLevels[] = {"application", "process", "device", "stream", "thread"};
inline constexpr int kCount[] = {1, kRanks, kRanks, kRanks* kStreams, kRanks};

inline bool covers(Owner above, Owner below) {
  return below == Thread ? above <= Process || above == Thread : above <= below;
}
inline int parent(Owner from, int object, Owner to) {
  return to == Application ? 0 : from == Stream && to != Stream ? object / kStreams : object;
}

struct Item {
  std::int64_t begin, end;
  std::string name;
};
/// Items of each object of an owner.
using Items = std::vector<std::vector<Item>>;

struct Line {
  std::string text;
  Owner owner = Application;
  std::vector<std::vector<double>> values; ///< [object][time + kMargin]
  double at(Owner from, int object, std::int64_t time) const {
    return values[static_cast<std::size_t>(parent(from, object, owner))]
                 [static_cast<std::size_t>(time + kMargin)];
  }
};

struct Attribute {
  std::string text;
  std::function<double(const Item&, int object)> of; ///< NaN: missing
};

inline double finite(double value) {
  return std::isfinite(value) ? value : 0;
}

class World {
public:
  explicit World(unsigned seed) : random_(seed) {
    for (auto* items : {&kernels_}) items->resize(kRanks * kStreams);
    for (auto* items : {&copies_, &mpi_, &states_}) items->resize(kRanks);
    samples_.resize(kRanks);
    for (int rank = 0; rank < kRanks; ++rank) program_.add_rank(kStreams);
    for (int rank = 0; rank < kRanks; ++rank) fill(rank);
  }

  Program& program() { return program_; }
  std::int64_t below(std::int64_t limit) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(limit));
  }

  /// Makes a random expression.
  Line line(int depth) {
    const auto kind = depth <= 0 ? below(5) : below(14);
    if (kind == 0) return constant(static_cast<double>(below(7)) - 2);
    if (kind == 1) return counter();
    if (kind <= 4) return of_records(depth);
    if (kind <= 8) return joined(depth);
    if (kind <= 10) return across(depth);
    if (kind == 11) return window(depth);
    return unary(depth);
  }

private:
  struct Source {
    std::string text;
    Owner owner;
    const Items* items;
    std::function<bool(const Item&, int)> holds;
  };
  struct Sample {
    std::int64_t time;
    double value;
  };

  void fill(int rank) {
    const auto thread = program_.thread(rank);
    const char* names[] = {"gemm_a", "gemm_b", "ncclKernel", "copy"};
    for (int s = 0; s < kStreams; ++s)
      for (auto n = 1 + below(40); n > 0; --n) {
        const auto begin = below(kLength), end = std::min(kLength, begin + below(n % 6 == 0 ? 90 : 14));
        kernels_[static_cast<std::size_t>(rank * kStreams + s)].push_back({begin, end, names[below(4)]});
        program_.kernel(rank, s,
                        {begin, end, kernels_[static_cast<std::size_t>(rank * kStreams + s)].back().name});
      }
    for (auto n = 1 + below(20); n > 0; --n) {
      const auto begin = below(kLength), end = std::min(kLength, begin + below(25));
      copies_[static_cast<std::size_t>(rank)].push_back({begin, end, "host-to-device"});
      program_.copy(rank, {begin, end, ""});
    }
    for (auto n = 1 + below(20); n > 0; --n) {
      const auto begin = below(kLength), end = std::min(kLength, begin + below(40));
      mpi_[static_cast<std::size_t>(rank)].push_back({begin, end, n % 2 ? "MPI_Wait" : "MPI_Send"});
      program_.mpi(thread, {begin, end, mpi_[static_cast<std::size_t>(rank)].back().name});
    }
    for (std::int64_t at = 0; at < kLength; at += 1 + below(60)) {
      samples_[static_cast<std::size_t>(rank)].push_back({at, static_cast<double>(below(9))});
      program_.sample(thread - kStreams - 1, "Clock", at,
                      samples_[static_cast<std::size_t>(rank)].back().value);
    }
    for (auto* items : {&kernels_, &copies_, &mpi_})
      for (auto& of : *items) std::ranges::stable_sort(of, {}, &Item::begin);
  }

  Line made(std::string text, Owner owner, const std::function<double(int, std::int64_t)>& value) const {
    Line line{std::move(text), owner, {}};
    for (int object = 0; object < kCount[owner]; ++object) {
      auto& values = line.values.emplace_back();
      for (auto t = -kMargin; t < kLength + kMargin; ++t) values.push_back(value(object, t));
    }
    return line;
  }

  Line constant(double value) {
    return made(value < 0 ? "-" + std::to_string(static_cast<int>(-value))
                          : std::to_string(static_cast<int>(value)),
                Application, [&](int, std::int64_t) { return value; });
  }

  Line counter() {
    if (below(3) == 0)
      return made("counter_interval(\"Clock\")", Device, [&](int rank, std::int64_t t) {
        const auto& samples = samples_[static_cast<std::size_t>(rank)];
        for (std::size_t i = samples.size(); i-- > 0;)
          if (samples[i].time <= t)
            return i + 1 < samples.size() ? static_cast<double>(samples[i + 1].time - samples[i].time) : 0.0;
        return 0.0;
      });
    const bool next = below(2);
    return made(next ? "next_counter(/^Cl/)" : "counter(\"Clock\")", Device, [&](int rank, std::int64_t t) {
      const auto& samples = samples_[static_cast<std::size_t>(rank)];
      for (std::size_t i = samples.size(); i-- > 0;)
        if (samples[i].time <= t)
          return !next ? samples[i].value : i + 1 < samples.size() ? samples[i + 1].value : 0.0;
      return 0.0;
    });
  }

  Source plain_source() {
    switch (below(3)) {
    case 0:
      return {"kernels", Stream, &kernels_, [](const Item&, int) { return true; }};
    case 1:
      return {"copies", Device, &copies_, [](const Item&, int) { return true; }};
    default:
      return {"mpi", Thread, &mpi_, [](const Item&, int) { return true; }};
    }
  }

  Source source(int depth) {
    auto source = plain_source();
    if (below(2)) return source;
    const auto limit = below(20);
    switch (below(4)) {
    case 0:
      source.text += "[name ~ /gemm|Wait/]";
      source.holds = [](const Item& i, int) { return i.name.starts_with("gemm") || i.name == "MPI_Wait"; };
      return source;
    case 1:
      source.text += "[duration >= " + std::to_string(limit) + "ns and not name == \"gemm_a\"]";
      source.holds = [limit](const Item& i, int) { return i.end - i.begin >= limit && i.name != "gemm_a"; };
      return source;
    case 2:
      if (source.owner != Stream) return source;
      source.text += "[collective or begin % 7 < 3]";
      source.holds = [](const Item& i, int) { return i.name == "ncclKernel" || i.begin % 7 < 3; };
      return source;
    default: {
      auto attribute = this->attribute(source, depth - 1);
      source.text += "[" + attribute.text + " > " + std::to_string(limit) + "]";
      source.holds = [attribute, limit](const Item& i, int object) {
        return attribute.of(i, object) > static_cast<double>(limit);
      };
      return source;
    }
    }
  }

  Attribute attribute(const Source& source, int depth) {
    switch (below(depth > 0 ? 6 : 3)) {
    case 0:
      return {"duration", [](const Item& i, int) { return static_cast<double>(i.end - i.begin); }};
    case 1:
      return {"(begin - end)", [](const Item& i, int) { return static_cast<double>(i.begin - i.end); }};
    case 2:
      return {"(begin / 3)", [](const Item& i, int) { return static_cast<double>(i.begin) / 3; }};
    case 3: {
      const auto a = attribute(source, depth - 1), b = attribute(source, depth - 1);
      return {"(" + a.text + " + " + b.text + ")",
              [a, b](const Item& i, int o) { return finite(a.of(i, o) + b.of(i, o)); }};
    }
    case 4:
      return over(source, depth);
    default:
      return group(source, depth);
    }
  }

  Attribute over(const Source& source, int depth) {
    auto line = this->line(depth - 2);
    if (!covers(line.owner, source.owner)) return attribute(source, 0);
    const auto kind = below(3);
    const char* names[] = {"mean", "maximum", "minimum"};
    return {std::string(names[kind]) + "(" + line.text + ")",
            [line, kind, owner = source.owner](const Item& i, int object) {
              if (i.begin == i.end) return line.at(owner, object, i.begin);
              double sum = 0, low = INFINITY, high = -INFINITY;
              for (auto t = i.begin; t < i.end; ++t) {
                const double v = line.at(owner, object, t);
                sum += v, low = std::min(low, v), high = std::max(high, v);
              }
              return kind == 0 ? sum / static_cast<double>(i.end - i.begin) : kind == 1 ? high : low;
            }};
  }

  // In this program, all kernels with the same name have the same configuration.
  Attribute group(const Source& source, int depth) {
    const auto inner = attribute(source, depth - 1);
    const bool deviation = below(2);
    std::map<std::string, std::pair<double, int>> groups;
    for (std::size_t object = 0; object < source.items->size(); ++object)
      for (const auto& item : (*source.items)[object])
        if (source.holds(item, static_cast<int>(object))) {
          auto& [sum, count] = groups[item.name];
          sum += inner.of(item, static_cast<int>(object));
          ++count;
        }
    return {(deviation ? "deviation(" : "group_mean(") + inner.text + ")",
            [groups, inner, deviation](const Item& i, int o) {
              const auto found = groups.find(i.name);
              if (found == groups.end() || found->second.second < (deviation ? 2 : 1)) return std::nan("");
              const double mean = found->second.first / found->second.second;
              return deviation ? std::abs(inner.of(i, o) - mean) : mean;
            }};
  }

  /// Records of an object that meet the condition, in start order.
  static std::vector<Item> chosen(const Source& source, int object) {
    std::vector<Item> items;
    for (const auto& item : (*source.items)[static_cast<std::size_t>(object)])
      if (source.holds(item, object)) items.push_back(item);
    return items;
  }

  Line of_records(int depth) {
    const auto kind = below(8);
    auto source = this->source(depth);
    std::vector<std::vector<Item>> items;
    for (int o = 0; o < kCount[source.owner]; ++o) items.push_back(chosen(source, o));
    const auto running = [&](int o, std::int64_t t, const std::function<void(const Item&)>& visit) {
      for (const auto& item : items[static_cast<std::size_t>(o)])
        if (item.begin <= t && t < item.end) visit(item);
    };
    if (kind == 0 || kind == 1) {
      return made((kind ? "count(" : "active(") + source.text + ")", source.owner,
                  [&](int o, std::int64_t t) {
                    double count = 0;
                    running(o, t, [&](const Item&) { ++count; });
                    return kind ? count : std::min(count, 1.0);
                  });
    }
    if (kind == 2)
      return made("recorded(" + source.text + ")", source.owner, [&](int o, std::int64_t) {
        return items[static_cast<std::size_t>(o)].empty() ? 0.0 : 1.0;
      });
    if (kind == 3) {
      const auto width = 1 + below(60);
      const bool rate = below(2);
      return made((rate ? "frequency(" : "starts(") + source.text + ", " + std::to_string(width) + "ns)",
                  source.owner, [&](int o, std::int64_t t) {
                    double count = 0;
                    for (const auto& item : items[static_cast<std::size_t>(o)])
                      count += std::floor(static_cast<double>(item.begin) / static_cast<double>(width)) ==
                               std::floor(static_cast<double>(t) / static_cast<double>(width));
                    const auto [begin, end] = window_around(t, width);
                    return rate ? count / static_cast<double>(end - begin) * 1e9 : count;
                  });
    }
    if (kind == 7)
      return made("interval(" + source.text + ")", source.owner, [&](int o, std::int64_t t) {
        std::int64_t last = -1, next = std::numeric_limits<std::int64_t>::max();
        for (const auto& item : items[static_cast<std::size_t>(o)])
          for (const auto border : {item.begin, item.end}) {
            if (border <= t) last = std::max(last, border);
            if (border > t) next = std::min(next, border);
          }
        const bool between = last >= 0 && next < std::numeric_limits<std::int64_t>::max();
        return between ? static_cast<double>(next - last) : 0.0;
      });
    const auto attribute = this->attribute(source, depth - 1);
    const char* names[] = {"value(", "total(", "rate("};
    return made(names[kind - 4] + source.text + ", " + attribute.text + ")", source.owner,
                [&](int o, std::int64_t t) {
                  double last = 0, sum = 0;
                  running(o, t, [&](const Item& item) {
                    const double v = attribute.of(item, o);
                    if (std::isnan(v)) return;
                    last = v;
                    sum += kind == 6 ? v / static_cast<double>(item.end - item.begin) * 1e9 : v;
                  });
                  return kind == 4 ? last : sum;
                });
  }

  Line joined(int depth) {
    const auto a = line(depth - 1), b = line(depth - 1);
    if (!covers(a.owner, b.owner) && !covers(b.owner, a.owner)) return a;
    const auto owner = covers(a.owner, b.owner) ? b.owner : a.owner;
    struct Operator {
      const char* text;
      double (*f)(double, double);
    };
    static const Operator kOperators[] = {
        {"+", [](double x, double y) { return finite(x + y); }},
        {"-", [](double x, double y) { return finite(x - y); }},
        {"*", [](double x, double y) { return finite(x * y); }},
        {"/", [](double x, double y) { return y == 0 ? 0 : finite(x / y); }},
        {"%", [](double x, double y) { return y == 0 ? 0 : finite(x - y * std::floor(x / y)); }},
        {"<", [](double x, double y) { return x < y ? 1.0 : 0.0; }},
        {">=", [](double x, double y) { return x >= y ? 1.0 : 0.0; }},
        {"==", [](double x, double y) { return x == y ? 1.0 : 0.0; }},
        {"!=", [](double x, double y) { return x != y ? 1.0 : 0.0; }},
        {"and", [](double x, double y) { return x != 0 && y != 0 ? 1.0 : 0.0; }},
        {"or", [](double x, double y) { return x != 0 || y != 0 ? 1.0 : 0.0; }}};
    const auto& op = kOperators[below(std::size(kOperators))];
    // Operands of comparisons and divisions are whole numbers: sums of others depend on the order of
    // addition.
    const auto whole = [](const Line& l, double v) { return l.text.empty() ? v : std::round(v * 16); };
    const auto text = [](const Line& l) { return "round(16 * (" + l.text + "))"; };
    return made("(" + text(a) + " " + op.text + " " + text(b) + ")", owner, [&](int o, std::int64_t t) {
      return op.f(whole(a, a.at(owner, o, t)), whole(b, b.at(owner, o, t)));
    });
  }

  Line unary(int depth) {
    const auto a = line(depth - 1);
    const auto value = [&](int o, std::int64_t t) { return std::round(a.at(a.owner, o, t)); };
    const auto text = "round(" + a.text + ")";
    switch (below(6)) {
    case 0:
      return made("not " + text, a.owner,
                  [&](int o, std::int64_t t) { return value(o, t) == 0 ? 1.0 : 0.0; });
    case 1:
      return made("sign(" + text + ")", a.owner,
                  [&](int o, std::int64_t t) { return value(o, t) != 0 ? 1.0 : 0.0; });
    case 2:
      return made("abs(" + text + ")", a.owner, [&](int o, std::int64_t t) { return std::abs(value(o, t)); });
    case 3:
      return made("within(" + text + ", 1, 5)", a.owner, [&](int o, std::int64_t t) {
        return value(o, t) >= 1 && value(o, t) <= 5 ? value(o, t) : 0.0;
      });
    case 4:
      return made("if(" + text + " > 2, 7, " + text + ")", a.owner,
                  [&](int o, std::int64_t t) { return value(o, t) > 2 ? 7.0 : value(o, t); });
    default:
      return made("max(" + text + ", 3, sqrt(" + text + "))", a.owner, [&](int o, std::int64_t t) {
        return std::max({value(o, t), 3.0, value(o, t) > 0 ? std::sqrt(value(o, t)) : 0.0});
      });
    }
  }

  Line across(int depth) {
    const auto a = line(depth - 1);
    std::vector<Owner> targets;
    for (const auto to : {Application, Process, Device})
      if (covers(to, a.owner)) targets.push_back(to);
    const auto to = targets[static_cast<std::size_t>(below(static_cast<std::int64_t>(targets.size())))];
    const char* names[] = {"sum", "mean", "min", "max", "any", "all", "number"};
    const auto kind = below(7);
    return made(std::string(names[kind]) + "(round(" + a.text + ") per " + kLevels[to] + ")", to,
                [&](int o, std::int64_t t) {
                  double sum = 0, low = INFINITY, high = -INFINITY;
                  int children = 0, nonzero = 0;
                  for (int child = 0; child < kCount[a.owner]; ++child) {
                    if (parent(a.owner, child, to) != o) continue;
                    const double v = std::round(a.at(a.owner, child, t));
                    ++children, nonzero += v != 0, sum += v, low = std::min(low, v), high = std::max(high, v);
                  }
                  const double values[] = {sum,
                                           sum / children,
                                           low,
                                           high,
                                           nonzero ? 1.0 : 0.0,
                                           nonzero == children ? 1.0 : 0.0,
                                           static_cast<double>(nonzero)};
                  return values[kind];
                });
  }

  /// From the first to the last record or sample.
  std::pair<std::int64_t, std::int64_t> recorded_time() const {
    std::pair<std::int64_t, std::int64_t> time{kLength, 0};
    const auto widen = [&](std::int64_t begin, std::int64_t end) {
      time = {std::min(time.first, begin), std::max(time.second, end)};
    };
    for (const auto* items : {&kernels_, &copies_, &mpi_, &states_})
      for (const auto& of : *items)
        for (const auto& item : of) widen(item.begin, item.end);
    for (const auto& of : samples_)
      for (const auto& sample : of) widen(sample.time, sample.time + 1);
    return time;
  }

  /// The recorded part of the window around a time, all of it outside the recorded time.
  std::pair<std::int64_t, std::int64_t> window_around(std::int64_t t, std::int64_t width) const {
    const auto begin = t - ((t % width) + width) % width, end = begin + width;
    const auto [first, last] = recorded_time();
    const std::pair part(std::max(begin, first), std::min(end, last));
    return part.first < part.second ? part : std::pair(begin, end);
  }

  // A window may extend beyond the margin, where it is cut. Times that are compared are not affected, because
  // windows of at most 40 ns are narrower than the margin.
  Line window(int depth) {
    const auto a = line(std::min(depth - 1, 0));
    const auto width = 1 + below(40);
    const char* names[] = {"average", "maximum", "minimum"};
    const auto kind = below(3);
    return made(std::string(names[kind]) + "(" + a.text + ", " + std::to_string(width) + "ns)", a.owner,
                [&](int o, std::int64_t t) {
                  const auto [begin, end] = window_around(t, width);
                  double sum = 0, low = INFINITY, high = -INFINITY;
                  for (auto i = begin; i < end; ++i) {
                    const double v = a.at(a.owner, o, std::clamp(i, -kMargin, kLength + kMargin - 1));
                    sum += v, low = std::min(low, v), high = std::max(high, v);
                  }
                  return kind == 0 ? sum / static_cast<double>(end - begin) : kind == 1 ? high : low;
                });
  }

  std::mt19937_64 random_;
  Program program_;
  Items kernels_, copies_, mpi_, states_;
  std::vector<std::vector<Sample>> samples_;
};

inline double value_at(const efficiency::metrics::Steps& steps, std::int64_t time) {
  double value = std::nan("");
  for (const auto& step : steps)
    if (step.begin <= time) value = step.value;
  return value;
}

} // namespace jitterscope::test::random_metrics
