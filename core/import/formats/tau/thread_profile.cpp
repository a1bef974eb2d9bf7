#include "core/import/formats/tau/thread_profile.h"

#include <algorithm>
#include <array>
#include <limits>
#include <unordered_map>
#include <utility>

#include <fmt/core.h>

#include "core/import/formats/tau/function_name.h"

namespace jitterscope::import::tau {
namespace {

using store::Severity;

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
/// Times, best first: the clock of a GPU exists only in profiles with GPUs, and includes the host.
constexpr std::array<std::string_view, 15> kTimes = {
    "TAUGPU_TIME",       "TAUCUDA_TIME",  "TIME",         "Time",        "GET_TIME_OF_DAY",
    "P_WALL_CLOCK_TIME", "CLOCK_GETTIME", "LINUX_TIMERS", "LINUXTIMERS", "CRAY_TIMERS",
    "BGL_TIMERS",        "BGP_TIMERS",    "BGQ_TIMERS",   "CPU_TIME",    "P_VIRTUAL_TIME"};

std::size_t rank_of(std::string_view metric) {
  return static_cast<std::size_t>(std::find(kTimes.begin(), kTimes.end(), metric) - kTimes.begin());
}

/// Indices of the rows of one function.
struct Parts {
  std::vector<std::size_t> whole, paths, variants, variants_of_paths;
};

double value_of(const ThreadProfile& profile, std::size_t row) {
  const auto& sums = profile.functions()[row].sums;
  return profile.time() ? sums.exclusive[*profile.time()] : sums.calls;
}

double sum_of(const ThreadProfile& profile, const std::vector<std::size_t>& rows) {
  double sum = 0;
  for (const auto row : rows)
    if (const auto value = value_of(profile, row); value > 0) sum += value;
  return sum;
}

// Whether a sum is at most the sum of the other rows, up to rounding: some versions of TAU round each row to
// whole µs.
bool within(double sum, double others, std::size_t rows) {
  return sum <= others * (1 + 1e-6) + 0.5 * static_cast<double>(rows + 1);
}

void subtract(double& from, double what) {
  if (what > 0) from = std::max(from - what, 0.0);
}

// What the parts leave of their function; nothing if they cover all of it.
std::optional<ProfileRow> rest_of(const ThreadProfile& profile, std::size_t whole,
                                  const std::vector<std::size_t>& parts) {
  auto rest = profile.functions()[whole];
  if (within(value_of(profile, whole), sum_of(profile, parts), parts.size())) return {};
  for (const auto part : parts) {
    const auto& sums = profile.functions()[part].sums;
    subtract(rest.sums.calls, sums.calls), subtract(rest.sums.subroutines, sums.subroutines);
    for (std::size_t m = 0; m < sums.exclusive.size(); ++m) {
      subtract(rest.sums.exclusive[m], sums.exclusive[m]);
      subtract(rest.sums.inclusive[m], sums.inclusive[m]);
    }
  }
  return rest;
}

class Partition {
public:
  Partition(const ThreadProfile& profile, RowIssues& issues) : profile_(profile), issues_(issues) {}

  std::vector<std::size_t> rows() {
    std::unordered_map<std::string_view, Parts> parts;
    std::vector<const Parts*> order;
    for (std::size_t row = 0; row < profile_.functions().size(); ++row) {
      const auto name = parts_of(profile_.functions()[row].name);
      const auto [found, added] = parts.try_emplace(name.function);
      if (added) order.push_back(&found->second);
      auto& of = found->second;
      const bool path = !name.callers.empty(), variant = !name.parameters.empty();
      (path && variant ? of.variants_of_paths
       : path          ? of.paths
       : variant       ? of.variants
                       : of.whole)
          .push_back(row);
    }
    std::vector<std::size_t> chosen;
    for (const auto* of : order) choose(*of, chosen);
    return chosen;
  }
  std::vector<ProfileRow> rests() { return std::move(rests_); }

private:
  void choose(const Parts& parts, std::vector<std::size_t>& out) {
    const std::array<const std::vector<std::size_t>*, 3> finest_first = {&parts.variants_of_paths,
                                                                         &parts.variants, &parts.paths};
    for (const auto* rows : finest_first) {
      if (rows->empty()) continue;
      if (!parts.whole.empty() &&
          !within(sum_of(profile_, *rows), sum_of(profile_, parts.whole), rows->size())) {
        leave_out(*rows);
        continue;
      }
      out.insert(out.end(), rows->begin(), rows->end());
      if (!parts.whole.empty())
        if (auto rest = rest_of(profile_, parts.whole.front(), *rows)) rests_.push_back(std::move(*rest));
      return;
    }
    out.insert(out.end(), parts.whole.begin(), parts.whole.end());
  }

  void leave_out(const std::vector<std::size_t>& rows) {
    issues_.count(
        Severity::Info, "overlapping-parts",
        [&] {
          return fmt::format("the call paths or parameters of {} overlap: only the sum over them is read",
                             parts_of(profile_.functions()[rows.front()].name).function);
        },
        static_cast<std::int64_t>(rows.size()));
  }

  const ThreadProfile& profile_;
  RowIssues& issues_;
  std::vector<ProfileRow> rests_;
};

} // namespace

bool ThreadProfile::on_gpu() const {
  constexpr std::array<std::string_view, 4> kKeys = {"CUDA Device", "ROCM_GPU_ID", "ROCM_KERNEL_ID",
                                                     "ROCM_MEMORY_ID"};
  return std::any_of(kKeys.begin(), kKeys.end(), [&](auto key) { return property(key); });
}

bool is_time(std::string_view metric) {
  return rank_of(metric) < kTimes.size();
}

void ThreadProfile::add(ProfileFile file) {
  const auto m = metrics_.size();
  metrics_.push_back(file.metric);
  if (is_time(file.metric) && (!time_ || rank_of(file.metric) < rank_of(metrics_[*time_]))) time_ = m;
  for (auto& function : file.functions) {
    auto known = by_name_.find(function.name);
    if (known == by_name_.end()) {
      const auto row = functions_.size();
      functions_.push_back({std::move(function.name), std::move(function.group), {}});
      functions_.back().sums.calls = function.calls,
      functions_.back().sums.subroutines = function.subroutines;
      known = by_name_.emplace(functions_.back().name, row).first;
    }
    auto& sums = functions_[known->second].sums;
    const bool again = sums.exclusive.size() > m; // one name for several functions
    sums.exclusive.resize(m + 1, kMissing), sums.inclusive.resize(m + 1, kMissing);
    sums.exclusive[m] = function.exclusive + (again ? sums.exclusive[m] : 0);
    sums.inclusive[m] = function.inclusive + (again ? sums.inclusive[m] : 0);
    if (again && m == 0) sums.calls += function.calls, sums.subroutines += function.subroutines;
  }
  for (auto& row : functions_)
    row.sums.exclusive.resize(m + 1, kMissing), row.sums.inclusive.resize(m + 1, kMissing);
  if (events_.empty()) events_ = std::move(file.events);
  file.functions.clear(), file.events.clear();
  if (m == 0) description_ = std::move(file);
}

std::vector<std::size_t> ThreadProfile::disjoint_rows(RowIssues& issues) {
  Partition partition(*this, issues);
  auto rows = partition.rows();
  for (auto& rest : partition.rests()) {
    rows.push_back(functions_.size());
    functions_.push_back(std::move(rest));
  }
  return rows;
}

} // namespace jitterscope::import::tau
