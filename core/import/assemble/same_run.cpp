#include "core/import/assemble/same_run.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

#include <fmt/core.h>

#include "core/base/spill_vector.h"

namespace jitterscope::import {
namespace {

using store::Severity;

// Suffixes that tools add to the name chosen by the user.
constexpr std::array<std::string_view, 20> kAdded = {"results",
                                                     "kernel_trace",
                                                     "cuda_gpu_trace",
                                                     "gpu_trace",
                                                     "gputrace",
                                                     "gpu",
                                                     "trace",
                                                     "hip_api_trace",
                                                     "hsa_api_trace",
                                                     "hip_runtime_trace",
                                                     "hip_trace",
                                                     "memory_copy_trace",
                                                     "marker_api_trace",
                                                     "rccl_api_trace",
                                                     "scratch_memory_trace",
                                                     "counter_collection",
                                                     "agent_info",
                                                     "kernel_stats",
                                                     "domain_stats",
                                                     "pt"};

// Sorted columns of a record, so that the order of rows in a format does not matter.
struct LaunchTimes {
  std::int64_t first = 0;
  SpillVector<std::int64_t> starts, durations;
  std::map<std::uint32_t, std::size_t> by_name;
};

LaunchTimes launches_of(const Draft& draft, const FilePart& part) {
  LaunchTimes out;
  const auto from = static_cast<std::ptrdiff_t>(part.from.launches),
             to = static_cast<std::ptrdiff_t>(part.to.launches);
  out.starts.assign(draft.launches.start.begin() + from, draft.launches.start.begin() + to);
  out.durations.assign(draft.launches.duration.begin() + from, draft.launches.duration.begin() + to);
  std::sort(out.starts.begin(), out.starts.end());
  std::sort(out.durations.begin(), out.durations.end());
  out.first = out.starts.front();
  for (auto row = part.from.launches; row < part.to.launches; ++row)
    ++out.by_name[draft.kernels[draft.configurations[draft.launches.configuration[row]].kernel].short_name];
  return out;
}

std::vector<std::size_t> counts_of(const LaunchTimes& launches) {
  std::vector<std::size_t> counts;
  for (const auto& [name, count] : launches.by_name) counts.push_back(count);
  std::sort(counts.begin(), counts.end());
  return counts;
}

// Both are sorted: if any pairing keeps all values within kSameNs of their partners, pairing in order does.
bool near(const SpillVector<std::int64_t>& a, std::int64_t zero_a, const SpillVector<std::int64_t>& b,
          std::int64_t zero_b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (std::abs((a[i] - zero_a) - (b[i] - zero_b)) > kSameNs) return false;
  return true;
}

std::size_t count(const RunRecord& record) {
  return record.part.to.launches - record.part.from.launches;
}

bool named_alike(const RunRecord& a, const RunRecord& b) {
  for (const auto& x : *a.inputs)
    for (const auto& y : *b.inputs)
      if (const auto stem = stem_of_run(x); !stem.empty() && stem == stem_of_run(y)) return true;
  return false;
}

// A quick comparison that rules out nearly all pairs: sorting the launches of many ranks would take long.
struct Glance {
  std::int64_t first = 0, last = 0; // starts
  std::int64_t sum = 0;             // sum of the durations
};

Glance glance_at(const Draft& draft, const FilePart& part) {
  const auto& start = draft.launches.start;
  Glance glance{start[part.from.launches], start[part.from.launches], 0};
  for (auto row = part.from.launches; row < part.to.launches; ++row) {
    SpillMemory::relieve_at(row);
    glance.first = std::min(glance.first, start[row]);
    glance.last = std::max(glance.last, start[row]);
    glance.sum += draft.launches.duration[row] >> 8; // scaled down, so that no sum overflows
  }
  return glance;
}

bool may_be_same(const Glance& a, const Glance& b, std::size_t launches, bool one_format) {
  if (one_format) return a.first == b.first && a.last == b.last && a.sum == b.sum;
  return std::abs((a.last - a.first) - (b.last - b.first)) <= 2 * kSameNs &&
         std::abs(a.sum - b.sum) <= static_cast<std::int64_t>(launches) * (kSameNs >> 8 | 1);
}

// Ranks of the processes whose launches a record holds; -1 where one is unknown.
std::set<std::int32_t> ranks_of(const Draft& draft, const FilePart& part) {
  std::set<std::uint32_t> streams;
  std::uint32_t last = kNone;
  for (auto row = part.from.launches; row < part.to.launches; ++row) {
    SpillMemory::relieve_at(row);
    if (draft.launches.stream[row] != last) streams.insert(last = draft.launches.stream[row]);
  }
  std::set<std::int32_t> ranks;
  for (auto resource : streams) {
    while (resource != kNone && draft.resources[resource].kind != store::ResourceKind::Process)
      resource = draft.resources[resource].parent;
    ranks.insert(resource == kNone ? -1 : draft.resources[resource].rank);
  }
  return ranks;
}

bool ranks_differ(const Draft& draft, const RunRecord& a, const RunRecord& b) {
  const auto x = ranks_of(draft, a.part), y = ranks_of(draft, b.part);
  return x != y && !x.contains(-1) && !y.contains(-1);
}

bool same_run(const Draft& draft, const RunRecord& a, const RunRecord& b) {
  if (ranks_differ(draft, a, b)) return false;
  const auto x = launches_of(draft, a.part), y = launches_of(draft, b.part);
  if (a.format == b.format)
    return x.starts == y.starts && x.durations == y.durations && x.by_name == y.by_name;
  if (count(a) < kManyLaunches && std::abs(x.first - y.first) > kSameNs && !named_alike(a, b)) return false;
  return near(x.starts, x.first, y.starts, y.first) && near(x.durations, 0, y.durations, 0) &&
         (x.by_name == y.by_name || counts_of(x) == counts_of(y));
}

// A kind of rows that a record may hold in addition to launches.
struct Kind {
  const char* name;
  std::size_t DraftSizes::*rows;
};
constexpr std::array kKinds = {Kind{"memory operations", &DraftSizes::transfers},
                               Kind{"calls", &DraftSizes::calls}, Kind{"ranges", &DraftSizes::ranges},
                               Kind{"samples of counters", &DraftSizes::samples},
                               Kind{"messages", &DraftSizes::messages}};

bool has(const RunRecord& record, const Kind& kind) {
  return record.part.to.*kind.rows > record.part.from.*kind.rows;
}

bool has(const RunRecord& record, const Attribute& attribute) {
  const auto& numbers = attribute.numbers.values();
  for (auto row = record.part.from.launches; row < record.part.to.launches; ++row)
    if (attribute.text ? row < attribute.strings.size() && attribute.strings[row] != kNone
                       : row < numbers.size() && numbers[row] == numbers[row])
      return true;
  return false;
}

int rank_of_format(const RunRecord& record) {
  const std::string_view head = record.inputs->front().head;
  if (head.starts_with("SQLite format 3")) return 2;
  const auto first = head.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (head[first] == '{' || head[first] == '[') ? 1 : 0;
}

using Richness = std::tuple<std::ptrdiff_t, std::ptrdiff_t, int>;

Richness richness(const Draft& draft, const RunRecord& record) {
  const auto kinds =
      std::count_if(kKinds.begin(), kKinds.end(), [&](const Kind& kind) { return has(record, kind); });
  const auto& attributes = draft.attributes.all();
  const auto columns =
      std::count_if(attributes.begin(), attributes.end(), [&](const Attribute& a) { return has(record, a); });
  return {kinds, columns, rank_of_format(record)};
}

/// Collects all that was left out in one message, because a report keeps one message of each kind.
class LossReport {
public:
  explicit LossReport(const Draft& draft) : draft_(draft) {}

  void add(const RunRecord& left, const RunRecord& kept) {
    std::string lost;
    const auto lose = [&](std::string_view what) { lost += (lost.empty() ? "" : ", ") + std::string(what); };
    for (const auto& kind : kKinds)
      if (has(left, kind) && !has(kept, kind)) lose(kind.name);
    for (const auto& attribute : draft_.attributes.all())
      if (lost.size() < 200 && has(left, attribute) && !has(kept, attribute)) lose(attribute.name);
    if (!lost.empty()) severity_ = Severity::Drop;
    if (++count_ > kMaxSentences) return;
    text_ += fmt::format(
        "{}{} ({}) was left out: it records the same run as {} ({}), which has more data or is read first; "
        "kernels, starts and durations of {} {} are the same{}",
        text_.empty() ? "" : "; ", left.name, left.format, kept.name, kept.format, count(left),
        count(left) == 1 ? "launch" : "launches",
        lost.empty()
            ? std::string()
            : " (only the file that was left out contains " + lost + "; open it separately to see them)");
  }

  void report(store::ImportReport& report) const {
    if (count_ > 0) report.add(severity_, "same-run", text_, count_);
  }

private:
  static constexpr std::int64_t kMaxSentences = 5;
  const Draft& draft_;
  std::string text_;
  std::int64_t count_ = 0;
  Severity severity_ = Severity::Info;
};

} // namespace

std::string stem_of_run(const Input& input) {
  auto name = input.file_name();
  name.resize(std::min(name.size(), name.find_last_of('.')));
  for (bool again = true; again;) {
    again = false;
    for (const auto added : kAdded)
      for (const char between : {'_', '.', '-'})
        if (name.size() > added.size() + 1 && name.ends_with(added) &&
            name[name.size() - added.size() - 1] == between) {
          name.resize(name.size() - added.size() - 1);
          again = true;
        }
  }
  return name;
}

std::vector<bool> repeated_runs(const Draft& draft, const std::vector<RunRecord>& records,
                                store::ImportReport& report) {
  std::map<std::size_t, std::vector<std::size_t>> by_count; // most traces have a unique number of launches
  for (std::size_t i = 0; i < records.size(); ++i)
    if (count(records[i]) > 0 && !records[i].timeless) by_count[count(records[i])].push_back(i);
  std::vector<bool> repeated(records.size(), false);
  LossReport losses(draft);
  for (const auto& [launches, alike] : by_count) {
    std::vector<Glance> glances;
    if (alike.size() > 1)
      for (const auto record : alike) glances.push_back(glance_at(draft, records[record].part));
    for (std::size_t i = 0; i < glances.size(); ++i)
      for (auto j = i + 1; j < glances.size() && !repeated[alike[i]]; ++j) {
        const auto &a = records[alike[i]], &b = records[alike[j]];
        const bool one_format = a.format == b.format;
        if (repeated[alike[j]] || (one_format && launches < kManyLaunches) ||
            !may_be_same(glances[i], glances[j], launches, one_format) || !same_run(draft, a, b))
          continue;
        const bool first_kept = richness(draft, a) >= richness(draft, b);
        repeated[alike[first_kept ? j : i]] = true;
        losses.add(first_kept ? b : a, first_kept ? a : b);
      }
  }
  losses.report(report);
  return repeated;
}

} // namespace jitterscope::import
