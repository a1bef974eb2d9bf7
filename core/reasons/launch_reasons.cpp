#include "core/reasons/launch_reasons.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>

#include "core/base/median.h"
#include "core/base/stop.h"
#include "core/base/stratified_sample.h"
#include "core/store/format/analysis_rows.h"

namespace jitterscope::analysis {
namespace {

constexpr std::size_t kRowsOfABlock = 16, kMinBlocks = 10, kMaxBlocks = 400;
constexpr std::int64_t kSampledRun = 16, kFirstSampledRun = 4; ///< launches per run of a sample
constexpr int kFirstReplicates = 20;
constexpr std::int64_t kRowsAtOnce = 8'192; ///< rows between two checks for cancellation

/// Whether a feature is a component of a launch's time, ns.
bool is_part_of_duration(std::string_view feature) {
  return feature == kCollectiveWait || feature == BurstCounters::kOffCore;
}

/// Runs of rows [first, last).
using Runs = std::vector<std::pair<std::int64_t, std::int64_t>>;

Runs runs_of(std::int64_t rows, std::int64_t maximum, std::int64_t of_a_run) {
  const std::int64_t runs = (rows + of_a_run - 1) / of_a_run;
  Runs all;
  for (const auto run : stratified_sample(runs, std::max<std::int64_t>(1, maximum / of_a_run))) {
    const std::int64_t first = run * of_a_run, last = std::min(rows, first + of_a_run);
    if (!all.empty() && all.back().second == first && last - all.back().first <= kRowsAtOnce)
      all.back().second = last;
    else
      all.emplace_back(first, last);
  }
  return all;
}

struct Gathered {
  std::vector<FittedLaunch> launches;
  std::vector<float> values;
};

/// Call sites of `rows`, which are session rows in ascending order.
std::vector<std::uint32_t> places_of(const Session& session, const CallSites& sites,
                                     const std::vector<std::int64_t>& rows) {
  constexpr std::int64_t kNear = 2 * LaunchContext::kReach; // rows farther apart are read separately
  std::vector<std::uint32_t> places;
  for (std::size_t first = 0, last = 0; first < rows.size(); first = last) {
    for (last = first + 1;
         last < rows.size() && rows[last] - rows[last - 1] < kNear && rows[last] - rows[first] < 65'536;)
      ++last;
    std::size_t at = first;
    for (const auto& segment : session.segments(rows[first], rows[last - 1] + 1)) {
      const auto of_segment = sites.read(segment);
      const auto begin = session.traces()[segment.trace].first_launch + segment.first;
      for (; at < last && rows[at] < begin + segment.rows(); ++at)
        places.push_back(of_segment[static_cast<std::size_t>(rows[at] - begin)]);
    }
  }
  return places;
}

/// Same as all_gather(), but in pieces: copying the values of all launches takes too long without a check for
/// cancellation. `width` values for each of `mine`'s launches.
Expected<std::vector<float>> gather_values(std::span<const float> mine, std::size_t width,
                                           Communicator& communicator, const Job& job) {
  const std::size_t piece = kRowsAtOnce * std::max<std::size_t>(width, 1);
  const std::array own{static_cast<std::int64_t>(mine.size())};
  const auto sizes = communicator.all_gather<std::int64_t>(own);
  if (!sizes) return forward(sizes.error());
  const auto maximum = static_cast<std::size_t>(*std::max_element(sizes->begin(), sizes->end()));
  std::vector<float> all;
  all.reserve(static_cast<std::size_t>(std::accumulate(sizes->begin(), sizes->end(), std::int64_t{0})));
  for (const auto size : *sizes)
    for (std::int64_t at = 0; at < size; at += static_cast<std::int64_t>(piece)) {
      if (job.cancelled()) return Job::cancelled_error();
      all.resize(all.size() +
                 static_cast<std::size_t>(std::min(static_cast<std::int64_t>(piece), size - at)));
    }
  for (std::size_t at = 0; at < maximum; at += piece) {
    if (job.cancelled()) return Job::cancelled_error();
    const auto first = std::min(at, mine.size());
    auto pieces = communicator.all_gather<float>(mine.subspan(first, std::min(piece, mine.size() - first)));
    if (!pieces) return forward(pieces.error());
    auto from = pieces->begin();
    std::size_t of_rank = 0;
    for (const auto rank_size : *sizes) {
      const auto size = static_cast<std::size_t>(rank_size), begin = std::min(at, size);
      const auto count = static_cast<std::ptrdiff_t>(std::min(piece, size - begin));
      std::copy(from, from + count, all.begin() + static_cast<std::ptrdiff_t>(of_rank + begin));
      from += count, of_rank += size;
    }
  }
  return all;
}

/// Every rank reads its share of the runs; the result is complete on all ranks.
Expected<Gathered> gather(const Session& session, const CallSites* sites, const LaunchRows& rows,
                          const Runs& runs, Communicator& communicator, const Job& job) {
  const auto mine =
      share_of(static_cast<std::int64_t>(runs.size()), communicator.rank(), communicator.size());
  std::vector<FittedLaunch> launches;
  std::vector<float> values;
  causal::RowBlock block;
  const auto features = static_cast<Eigen::Index>(rows.features().size());
  std::size_t count = 0;
  for (auto k = mine.first; k < mine.last; ++k)
    count += static_cast<std::size_t>(runs[static_cast<std::size_t>(k)].second -
                                      runs[static_cast<std::size_t>(k)].first);
  launches.reserve(count), values.reserve(count * rows.features().size());
  for (auto k = mine.first; k < mine.last; ++k) {
    if (job.cancelled()) return Job::cancelled_error();
    job.progress(k - mine.first, mine.last - mine.first, "reasons of durations");
    const auto [first, last] = runs[static_cast<std::size_t>(k)];
    const auto numbers = rows.session_rows(first, last - first);
    if (auto done = rows.read(first, last - first, block); !done) return forward(done.error());
    const auto places = sites ? places_of(session, *sites, numbers) : block.group;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const auto segment = session.segments(numbers[i], numbers[i] + 1).front();
      const auto& trace = session.traces()[segment.trace];
      launches.push_back({numbers[i],
                          trace.starts()[static_cast<std::size_t>(segment.first)] + trace.shift_ns,
                          block.duration_ns[i], places[i]});
      for (Eigen::Index f = 0; f < features; ++f)
        values.push_back(static_cast<float>(block.values(static_cast<Eigen::Index>(i), f)));
    }
  }
  if (job.cancelled()) return Job::cancelled_error();
  auto all = communicator.all_gather<FittedLaunch>(launches);
  if (!all) return forward(all.error());
  if (job.cancelled()) return Job::cancelled_error();
  auto all_values = gather_values(values, rows.features().size(), communicator, job);
  if (!all_values) return forward(all_values.error());
  if (job.cancelled()) return Job::cancelled_error();
  return Gathered{std::move(*all), std::move(*all_values)};
}

std::vector<double> medians_of(const causal::FitRows& rows, std::size_t groups) {
  std::vector<std::vector<double>> durations(groups);
  for (std::size_t i = 0; i < rows.rows(); ++i)
    if (rows.duration_ns[i] > 0) durations[rows.peers[i]].push_back(rows.duration_ns[i]);
  std::vector<double> medians(groups, causal::kMissing);
  for (std::size_t g = 0; g < groups; ++g) {
    if (durations[g].size() < LaunchReasons::kMinPeers) continue;
    medians[g] = median_of(durations[g]);
  }
  return medians;
}

} // namespace

Expected<LaunchReasons> LaunchReasons::make(const Session& session, const LaunchColumns& columns,
                                            std::shared_ptr<const TypicalRows> typical,
                                            Communicator& communicator, const Job& job, bool first) {
  if (!session.has_durations())
    return failure(
        ErrorKind::BadInput,
        "no duration is recorded, so launches cannot be compared with others of their configuration");
  auto rows =
      LaunchRows::make(session, columns, {}, "kernel_variability", communicator, job, {}, std::move(typical));
  if (!rows) return forward(rows.error());
  rows->describe_single_launches();
  const CallSites* sites = columns.call_sites();
  LaunchReasons reasons;
  reasons.run_ = first ? kFirstSampledRun : kSampledRun;
  const auto runs = runs_of(rows->rows(), first ? kFirstSample : kSample, reasons.run_);
  auto gathered = gather(session, sites, *rows, runs, communicator, job);
  if (!gathered) return forward(gathered.error());
  reasons.session_ = &session, reasons.sites_ = sites;
  auto& launches = gathered->launches;
  auto& sample = reasons.sample_;
  const std::size_t n = launches.size(), features = rows->features().size();
  reasons.share_ = rows->rows() > 0 ? static_cast<double>(n) / static_cast<double>(rows->rows()) : 1.0;
  sample.features = rows->features();
  if (reasons.share_ < 1) sample.run = static_cast<std::size_t>(reasons.run_);
  for (std::size_t f = 0; f < features; ++f)
    if (is_part_of_duration(sample.features[f].name)) sample.parts.push_back(f);
  const auto without_parts = [&](std::size_t i) {
    double duration = launches[i].duration_ns;
    for (const auto f : sample.parts) duration -= static_cast<double>(gathered->values[i * features + f]);
    return duration;
  };
  Stop stop(job);
  for (std::size_t i = 0; i < n && !stop.at(i); ++i)
    sample.duration_ns.push_back(without_parts(i)), sample.peers.push_back(launches[i].peers);
  if (stop.requested()) return Job::cancelled_error();
  sample.typical_ns = medians_of(sample, sites ? sites->all().size() : session.configurations().size());
  for (std::uint32_t c = 0; sites && c < session.configurations().size(); ++c)
    if (sites->several(c)) sample.typical_ns[c] = causal::kMissing; // the call site is unknown
  if (reasons.share_ < 1)
    if (auto done = reasons.add_totals(sample.typical_ns.size(), communicator, job); !done)
      return forward(done.error());
  sample.kernels = static_cast<std::uint32_t>(session.kernels().size());
  for (std::size_t f = 0; f < features; ++f) {
    if (stop.requested()) return Job::cancelled_error();
    sample.values.emplace_back(n);
  }
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  sort_stably(
      order, [&](auto a, auto b) { return launches[a].start_ns < launches[b].start_ns; }, stop);
  if (stop.requested()) return Job::cancelled_error();
  sample.blocks = static_cast<std::uint32_t>(std::clamp(n / kRowsOfABlock, kMinBlocks, kMaxBlocks));
  sample.block.resize(n);
  for (std::size_t k = 0; k < n; ++k) {
    const auto block = static_cast<std::uint32_t>(k * sample.blocks / n);
    sample.block[order[k]] = block;
    if (reasons.block_begins_.size() <= block)
      reasons.block_begins_.resize(block + 1, launches[order[k]].start_ns);
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (i % 4'096 == 0 && stop.requested()) return Job::cancelled_error();
    sample.kernel.push_back(reasons.kernel_of(launches[i].peers));
    for (std::size_t f = 0; f < features; ++f) sample.values[f][i] = gathered->values[i * features + f];
  }
  causal::FitOptions options;
  if (rows_are(session, store::AnalysisRows::Bursts)) options.excluded = {"gap_ns"};
  if (first) options.replicates = kFirstReplicates;
  auto fit = causal::fit_launches(sample, options, communicator, job);
  if (!fit) return forward(fit.error());
  reasons.fit_ = std::move(*fit);
  std::vector<std::string> names;
  for (const auto& term : reasons.fit_.terms) names.push_back(term.feature.name);
  reasons.all_ = std::make_shared<const LaunchRows>(rows->with_features(names));
  auto& known = reasons.sampled_;
  known.launches = std::move(launches), known.features = reasons.fit_.terms.size();
  for (std::size_t i = 0; i < n && !stop.at(i); ++i)
    for (const auto& term : reasons.fit_.terms)
      for (std::size_t f = 0; f < features; ++f)
        if (sample.features[f].name == term.feature.name)
          known.values.push_back(static_cast<double>(sample.values[f][i]));
  if (stop.requested()) return Job::cancelled_error();
  return reasons;
}

Expected<void> LaunchReasons::add_totals(std::size_t groups, Communicator& communicator, const Job& job) {
  std::vector<std::int64_t> sums(2 * groups);
  const auto share = share_of(session_->launches(), communicator.rank(), communicator.size());
  for (auto first = share.first; first < share.last; first += kRowsAtOnce) {
    if (job.cancelled()) return Job::cancelled_error();
    for (const auto& segment : session_->segments(first, std::min(first + kRowsAtOnce, share.last))) {
      const auto& trace = session_->traces()[segment.trace];
      const auto durations = trace.durations();
      const auto configurations = trace.configurations();
      const auto places = sites_ ? sites_->read(segment) : std::vector<std::uint32_t>();
      for (auto row = segment.first; row < segment.last; ++row) {
        const auto at = static_cast<std::size_t>(row);
        if (durations[at] == store::kMissingDuration || durations[at] <= 0) continue;
        const std::size_t peers = sites_ ? places[static_cast<std::size_t>(row - segment.first)]
                                         : trace.configuration[configurations[at]];
        sums[2 * peers] += 1, sums[2 * peers + 1] += durations[at];
      }
    }
  }
  if (auto done = communicator.sum(sums); !done) return forward(done.error());
  for (std::size_t g = 0; g < groups; ++g) totals_.push_back({sums[2 * g], sums[2 * g + 1]});
  return {};
}

std::uint32_t LaunchReasons::block_of(std::int64_t start_ns) const {
  const auto above =
      std::upper_bound(block_begins_.begin(), block_begins_.end(), start_ns) - block_begins_.begin();
  return static_cast<std::uint32_t>(std::max<std::ptrdiff_t>(above - 1, 0));
}

FittedLaunches LaunchReasons::read(const Segment& segment) const {
  const auto& trace = session_->traces()[segment.trace];
  FittedLaunches read;
  read.features = fit_.terms.size();
  causal::RowBlock block;
  if (!all_->read(trace.first_launch + segment.first, segment.rows(), block))
    return read; // all_ holds all launches: its rows are session rows
  const auto places = sites_ ? sites_->read(segment) : block.group;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto row = static_cast<std::size_t>(segment.first) + i;
    read.launches.push_back({trace.first_launch + static_cast<std::int64_t>(row),
                             trace.starts()[row] + trace.shift_ns, block.duration_ns[i], places[i]});
    for (std::size_t t = 0; t < read.features; ++t)
      read.values.push_back(block.values(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(t)));
  }
  return read;
}

Expected<FittedLaunches> LaunchReasons::read(const LaunchRows& rows, bool all_features,
                                             Communicator& communicator, const Job& job) const {
  std::vector<std::string> names;
  for (const auto& term : fit_.terms) names.push_back(term.feature.name);
  LaunchRows narrow = all_features ? rows : rows.with_features(names);
  auto gathered =
      gather(*session_, sites_, narrow, runs_of(rows.rows(), kSample, kSampledRun), communicator, job);
  if (!gathered) return forward(gathered.error());
  if (job.cancelled()) return Job::cancelled_error();
  FittedLaunches read;
  read.launches = std::move(gathered->launches), read.features = narrow.features().size();
  if (rows.rows() > 0)
    read.share = static_cast<double>(read.launches.size()) / static_cast<double>(rows.rows());
  read.values.reserve(gathered->values.size());
  Stop stop(job);
  for (std::size_t i = 0; i < gathered->values.size() && !stop.at(i); ++i)
    read.values.push_back(gathered->values[i]);
  if (stop.requested()) return Job::cancelled_error();
  return read;
}

} // namespace jitterscope::analysis
