#include "core/efficiency/steps.h"

#include <algorithm>
#include <cctype>
#include <map>

#include <fmt/core.h>

namespace jitterscope::efficiency {
namespace {

constexpr std::uint8_t kLevels = 2; ///< outermost levels of ranges that are searched

/// Whether the name is a common one for an iteration.
bool is_named_as_step(std::string_view name) {
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const char* word : {"step", "iter", "batch", "epoch"})
    if (lower.find(word) != std::string::npos) return true;
  return false;
}

/// Ranges of one name on one thread.
struct Candidate {
  std::vector<Interval> ranges;
  std::int64_t time = 0; ///< Σ length [ns]
  bool overlaps = false;

  void add(Interval range) {
    if (!ranges.empty() && range.begin < ranges.back().end) overlaps = true;
    time += range.length().count;
    if (ranges.size() <= kMaxSteps) ranges.push_back(range);
  }
  std::int64_t extent() const { return ranges.back().end.count - ranges.front().begin.count; }
  /// Whether the ranges cover most of the time in which they occur.
  bool dense() const { return time >= extent() / 2; }
  bool good() const { return !overlaps && ranges.size() >= 2 && ranges.size() <= kMaxSteps; }
};

class Search {
public:
  Search(const Activity& activity, const analysis::Session& session, const std::string& name,
         const std::optional<Interval>& within, const Job& job)
      : activity_(activity), session_(session), name_(name), within_(within),
        whole_(within.value_or(recorded_time(activity, session)).length().count), stop_(job) {}

  Expected<Steps> run() {
    for (std::size_t trace = 0; trace < session_.traces().size(); ++trace)
      for (const auto& series : activity_.series(trace))
        if (series.kind == store::SeriesKind::Ranges && series.level < kLevels) read(series, trace);
    if (stop_.requested()) return Job::cancelled_error();
    if (best_.ranges.empty())
      return failure(
          ErrorKind::BadUse,
          fmt::format(
              "no steps were found: no range{} is repeated by one thread, 2 to {} times without overlaps{}",
              name_.empty() ? " that has the name of a step or covers most of the time"
                            : " called \"" + name_ + "\"",
              kMaxSteps, within_ ? " inside the requested range" : ""),
          {}, {},
          "Name a range with --step, or mark iterations with NVTX or ROCTX ranges, or with profiler.step() "
          "of PyTorch.");
    return best_;
  }

private:
  void read(const store::Series& series, std::size_t trace) {
    const auto& of = session_.traces()[trace];
    std::map<std::uint32_t, std::string> names;
    std::map<std::string, Candidate> found;
    for (std::size_t position = 0; position < series.events() && !stop_.at(position); ++position) {
      const auto event = series.at(position);
      const Interval range{{event.begin + of.shift_ns}, {event.end + of.shift_ns}};
      if (range.empty() || (within_ && (range.begin < within_->begin || within_->end < range.end))) continue;
      const auto [known, fresh] = names.try_emplace(event.name);
      if (fresh) known->second = without_numbers(of.store.string({event.name}));
      if (!name_.empty() && known->second.find(without_numbers(name_)) == std::string::npos) continue;
      found[known->second].add(range);
    }
    for (auto& [name, candidate] : found) {
      const bool named = is_named_as_step(name);
      const std::pair value(named, candidate.time);
      if (!candidate.good() || value <= best_value_) continue;
      if (name_.empty() && !(candidate.dense() && (named || candidate.extent() >= whole_ / 2))) continue;
      best_value_ = value;
      best_ = {name, thread_name(of, series.resource), std::move(candidate.ranges)};
    }
  }

  static std::string thread_name(const analysis::Trace& trace, std::uint32_t resource) {
    const auto& r = trace.store.resources()[resource];
    const auto thread = fmt::format("thread {}", r.number);
    if (r.parent >= trace.store.resources().size() || trace.store.resources()[r.parent].rank < 0)
      return thread;
    return fmt::format("rank {} · {}", trace.store.resources()[r.parent].rank, thread);
  }

  const Activity& activity_;
  const analysis::Session& session_;
  const std::string& name_;
  const std::optional<Interval>& within_;
  const std::int64_t whole_; ///< length of the time in which steps are searched [ns]
  Stop stop_;
  Steps best_;
  std::pair<bool, std::int64_t> best_value_{false, 0}; ///< named as a step, time covered
};

} // namespace

std::string without_numbers(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool digit = c >= '0' && c <= '9';
    if (digit && !out.empty() && out.back() == '#') continue;
    out += digit ? '#' : c;
  }
  return out;
}

Expected<Steps> find_steps(const Activity& activity, const analysis::Session& session,
                           const std::string& name, const std::optional<Interval>& within, const Job& job) {
  return Search(activity, session, name, within, job).run();
}

} // namespace jitterscope::efficiency
