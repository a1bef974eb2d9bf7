#include "core/causal/groups/column_roles.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "core/base/duration_names.h"
#include "core/causal/base/lists.h"
#include "core/causal/base/tiers.h"
#include "core/causal/statistics/moments.h"

namespace jitterscope::causal {
namespace {

constexpr Eigen::Index kMinComplete = 64; ///< minimum rows of the sample with all values
constexpr std::int64_t kSampledRows = 16'384;
constexpr std::int64_t kSampledValues = std::int64_t{1} << 22;
/// Maximum values of an identifier: a column with more values is assumed to be a row number.
constexpr std::size_t kMaxValues = 100'000;
constexpr std::size_t kMinCodes = 12;             ///< minimum distinct integers of an identifier
constexpr double kRowsPerCode = 4;                ///< minimum mean number of rows per distinct integer
constexpr double kMinIntraclassCorrelation = 0.1; ///< minimum correlation of rows with the same code
constexpr double kClear = 4; ///< minimum excess of the variance between codes, in standard errors
constexpr double kNeighboursApart =
    1; ///< minimum of von Neumann's ratio: near 2 for codes in random order, near 0 for a trend
constexpr double kComposed = 0.98, kNotAlone = 0.9,
                 kSameClock = 0.5; ///< correlations of the target with the difference (minimum) and with
                                   ///< each time (maximum); correlation of the times (minimum)

struct Named {
  Place place;
  const char* plural;
  std::vector<std::string_view> words;
};
const std::array<Named, 8> kPlaces{{
    {Place::cluster, "clusters", {"cluster", "site", "system", "machine", "datacenter", "region"}},
    {Place::cabinet, "cabinets", {"cabinet", "rack", "chassis", "drawer", "pod"}},
    {Place::node, "nodes", {"node", "host", "hostname", "nodename", "server"}},
    {Place::rank, "ranks", {"rank", "process", "pid"}},
    {Place::device,
     "GPUs",
     {"gpu", "gpus", "device", "deviceid", "dev", "uuid", "guid", "serial", "card", "accelerator", "pci",
      "bus", "gcd"}},
    {Place::day, "days", {"day", "night", "date"}},
    {Place::run, "runs", {"run", "job", "trial", "session"}},
    {Place::other, "groups", {"stream", "streamid"}},
}};
constexpr double kMinNumbered = 100; ///< minimum launches, to detect a column that numbers them
constexpr double kEvenly = 0.998;    ///< minimum R² of a straight line along the launches
constexpr std::string_view kIdentify[]{"id", "uuid", "uid", "guid", "serial"};
constexpr std::string_view kQualifiers[]{"id",   "uid",    "number", "nr",  "no",      "index",  "idx",
                                         "name", "global", "local",  "mpi", "address", "string", "recorded"};
constexpr std::string_view kUnits[]{"ns", "us", "ms", "s", "sec", "seconds", "utc", "epoch", "unix", "time"};
constexpr std::string_view kMoments[]{"start", "end", "begin", "stop", "timestamp", "ts"};
constexpr std::string_view kDates[]{"date", "datetime"};

bool is_unknown(std::string_view label) {
  constexpr std::string_view unknown[]{"-1", "?", "none", "None", "unknown", "null"};
  return label.empty() || contains(unknown, label);
}

bool is_integer(double v) {
  return v == std::floor(v) && std::fabs(v) < 9e15;
}

/// Whether a column samples a quantity that is never 0 while a program runs.
bool is_never_zero(std::string_view name) {
  constexpr std::string_view kNames[]{"temperature", "temp", "power", "pwr", "voltage"};
  return is_clock(name) ||
         std::ranges::any_of(words_of(name), [&](const auto& word) { return contains(kNames, word); });
}

/// Samples rows by a hash of their index, so that periods of the table do not alias with the sample.
bool in_sample(std::int64_t row, std::int64_t rows, std::int64_t requested) {
  auto x = static_cast<std::uint64_t>(row) + 0x9E3779B97F4A7C15ull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull, x = (x ^ (x >> 27)) * 0x94D049BB133111EBull, x ^= x >> 31;
  return rows <= requested || static_cast<double>(x >> 11) * 0x1.0p-53 * static_cast<double>(rows) <
                                  static_cast<double>(requested);
}

class Finder {
public:
  Finder(const RowSource& source, const Options& options, Communicator& communicator, const Job& job)
      : source_(source), options_(options), communicator_(communicator), job_(job),
        features_(source.features()), roles_(features_.size()), integers_(features_.size(), 1),
        no_other_small_(features_.size(), 1), none_near_zero_(features_.size(), 1), zeros_(features_.size()) {
  }

  Expected<std::vector<ColumnRole>> run() {
    target_ = options_.target.empty() ? source_.default_target() : options_.target;
    const bool plain = std::ranges::any_of(features_, [](const auto& f) { return f.of_plain_table; });
    for (std::size_t f = 0; f < features_.size(); ++f) by_name(f);
    if (!plain) return roles_;
    if (auto done = read(); !done) return forward(done.error());
    if (!sample_.empty()) by_values();
    return roles_;
  }

private:
  bool is_free(std::size_t f) const {
    const FeatureInfo& info = features_[f];
    return info.of_plain_table && info.role == FeatureRole::numeric && info.tier < 0 &&
           info.name != target_ && !options_.knowledge.has_tier(info.name);
  }

  void by_name(std::size_t f) {
    const FeatureInfo& info = features_[f];
    ColumnRole& role = roles_[f];
    const auto place = identified_by_name(info.name);
    if (info.role == FeatureRole::category) {
      role.kind = ColumnRole::Kind::identifier, role.place = place.value_or(Place::other);
      for (std::size_t code = 0; code < info.labels.size(); ++code)
        if (!place || !is_unknown(info.labels[code])) role.values.push_back(static_cast<double>(code));
    } else if (is_free(f) && is_timestamp_by_name(info.name)) {
      role.kind = ColumnRole::Kind::timestamp;
    } else if (is_free(f) && place) {
      role.kind = ColumnRole::Kind::identifier, role.place = *place;
    }
  }

  /// Reads the values of identifiers and the sample, and determines whether numeric columns hold only
  /// integers.
  Expected<void> read() {
    std::vector<std::set<double>> values(features_.size());
    const std::int64_t rows = source_.rows(), width = static_cast<std::int64_t>(features_.size()) + 1;
    const std::int64_t requested = std::min(kSampledRows, kSampledValues / width);
    const Share share = share_of(rows, communicator_.rank(), communicator_.size());
    std::vector<double> mine;
    const auto visit = [&](std::int64_t at, const RowBlock& block) {
      for (std::size_t f = 0; f < features_.size(); ++f)
        if (features_[f].role == FeatureRole::numeric) scan(f, block, values[f]);
      for (Eigen::Index r = 0; r < block.values.rows(); ++r)
        if (in_sample(at + r, rows, requested)) add_row(block, r, mine);
    };
    if (auto read = read_tiles(source_, share.first, share.last, job_, visit); !read) return read;
    auto done = assign(sample_, communicator_.all_gather<double>(mine));
    if (done) done = communicator_.minimum(integers_);
    if (done) done = communicator_.minimum(no_other_small_);
    if (done) done = communicator_.minimum(none_near_zero_);
    if (done) done = communicator_.sum(zeros_);
    for (std::size_t f = 0; f < features_.size() && done; ++f) {
      roles_[f].minus_one_is_missing = no_other_small_[f] != 0 && features_[f].of_plain_table &&
                                       features_[f].role == FeatureRole::numeric &&
                                       features_[f].name != target_;
      if (none_near_zero_[f] != 0 && 2 * zeros_[f] < rows && is_free(f) && is_never_zero(features_[f].name))
        roles_[f].missing_zeros = zeros_[f];
      if (roles_[f].kind == ColumnRole::Kind::identifier && features_[f].role == FeatureRole::numeric)
        done = collect(f, {values[f].begin(), values[f].end()});
    }
    return done;
  }

  void scan(std::size_t f, const RowBlock& block, std::set<double>& values) {
    const bool named = roles_[f].kind == ColumnRole::Kind::identifier;
    bool zero_or_one = roles_[f].kind == ColumnRole::Kind::timestamp;
    for (const double v : block.values.col(static_cast<Eigen::Index>(f))) {
      if (std::isnan(v)) continue;
      if (!is_integer(v)) integers_[f] = 0;
      if (v != -1 && v < kMinOtherThanMinusOne) no_other_small_[f] = 0;
      if (v != -1 && v != 0 && v < kMinOtherThanMinusOne) none_near_zero_[f] = 0;
      zeros_[f] += v == 0;
      zero_or_one = zero_or_one && (v == 0 || v == 1);
      if (named && values.size() <= kMaxValues) values.insert(v);
    }
    if (zero_or_one) roles_[f].kind = ColumnRole::Kind::amount; // "cold_start": 0 or 1 is an event
  }

  /// Appends the target, then all columns.
  void add_row(const RowBlock& block, std::int64_t r, std::vector<double>& to) const {
    double y = kMissing;
    for (std::size_t f = 0; f < features_.size(); ++f)
      if (features_[f].name == target_) y = block.values(r, static_cast<Eigen::Index>(f));
    const bool launches = !block.duration_ns.empty() && std::isnan(y);
    to.push_back(launches ? std::log(block.duration_ns[r]) : y);
    for (Eigen::Index f = 0; f < block.values.cols(); ++f) to.push_back(block.values(r, f));
  }

  Expected<void> collect(std::size_t f, const std::vector<double>& mine) {
    auto all = communicator_.all_gather<double>(mine);
    if (!all) return forward(all.error());
    std::ranges::sort(*all);
    all->erase(std::unique(all->begin(), all->end()), all->end());
    // A single value below 0 is not a device number.
    if (const auto first = std::ranges::upper_bound(*all, -0.5);
        all->begin() != first && std::distance(all->begin(), first) == 1)
      all->erase(all->begin());
    if (!integers_[f] || all->size() > kMaxValues)
      roles_[f] = {}; // a measurement, not an identifier
    else
      roles_[f].values = std::move(*all);
    return {};
  }

  void by_values() {
    const auto width = features_.size() + 1, rows = sample_.size() / width;
    std::vector<std::size_t> open;
    for (std::size_t f = 0; f < features_.size(); ++f) {
      if (!is_free(f) || roles_[f].kind != ColumnRole::Kind::amount) continue;
      if (integers_[f] && source_.has_durations() && numbers_the_rows(f, width, rows))
        roles_[f].kind = ColumnRole::Kind::timestamp;
      else if (!tier_by_name(features_[f].name))
        open.push_back(f);
    }
    for (const auto f : open)
      if (integers_[f] && features_[f].unit.empty() && !is_device_state(features_[f].name) &&
          !ends_with_unit(features_[f].name))
        find_codes(f, width, rows); // quantities are no codes
    std::erase_if(open, [&](std::size_t f) { return roles_[f].kind != ColumnRole::Kind::amount; });
    find_times(open, width, rows);
  }

  /// Whether the values rise evenly along the launches and never fall: an iteration or a step number shows
  /// when, not why.
  bool numbers_the_rows(std::size_t f, std::size_t width, std::size_t rows) const {
    double n = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0, before = -std::numeric_limits<double>::infinity();
    for (std::size_t r = 0; r < rows; ++r) {
      const double v = sample_[r * width + 1 + f], at = static_cast<double>(r);
      if (std::isnan(v)) continue;
      if (v < before) return false;
      before = v, n += 1, x += at, y += v, xx += at * at, xy += at * v, yy += v * v;
    }
    const double of_rows = xx - x * x / n, of_values = yy - y * y / n, both = xy - x * y / n;
    return n >= kMinNumbered && of_values > 0 && both * both >= kEvenly * of_rows * of_values;
  }

  void find_codes(std::size_t f, std::size_t width, std::size_t rows) {
    struct Code {
      double n = 0, sum = 0;
    };
    std::map<double, Code> codes;
    double n = 0, sum = 0, squares = 0, last = -std::numeric_limits<double>::infinity();
    bool falls = false;
    for (std::size_t r = 0; r < rows; ++r) {
      const double y = sample_[r * width], v = sample_[r * width + 1 + f];
      if (!std::isfinite(y) || std::isnan(v)) continue;
      falls = falls || v < last, last = v;
      auto& code = codes[v];
      code.n += 1, code.sum += y, n += 1, sum += y, squares += y * y;
    }
    const auto k = static_cast<double>(codes.size());
    if (!falls || codes.size() < kMinCodes || k * kRowsPerCode > n) return; // what only rises is counted
    double between = 0, steps = 0, spread = 0, before = 0, mean_of_means = 0;
    for (const auto& [v, code] : codes)
      between += code.sum * code.sum / code.n, mean_of_means += code.sum / code.n / k;
    between -= sum * sum / n;
    const double within = (squares - sum * sum / n - between) / (n - k), size = n / k;
    const double alike = (between / (k - 1) - within) / (between / (k - 1) + (size - 1) * within);
    bool first = true;
    for (const auto& [v, code] : codes) {
      const double mean = code.sum / code.n;
      if (!first) steps += (mean - before) * (mean - before);
      spread += (mean - mean_of_means) * (mean - mean_of_means), before = mean, first = false;
    }
    const bool differ = between / (k - 1) / std::max(within, 1e-300) > 1 + kClear * std::sqrt(2 / (k - 1));
    if (!differ || alike < kMinIntraclassCorrelation ||
        steps / std::max(spread, 1e-300) * k / (k - 1) < kNeighboursApart)
      return;
    roles_[f].kind = ColumnRole::Kind::identifier;
    for (const auto& [v, code] : codes) roles_[f].values.push_back(v);
  }

  /// Finds two columns, neither of which is the target, whose difference is the target.
  void find_times(const std::vector<std::size_t>& open, std::size_t width, std::size_t rows) {
    constexpr std::size_t maximum = 64;
    if (open.size() < 2 || open.size() > maximum) return;
    Eigen::MatrixXd x(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(open.size()) + 1);
    Eigen::Index used = 0;
    for (std::size_t r = 0; r < rows; ++r) {
      x(used, 0) = sample_[r * width];
      for (std::size_t i = 0; i < open.size(); ++i)
        x(used, static_cast<Eigen::Index>(i) + 1) = sample_[r * width + 1 + open[i]];
      if (x.row(used).allFinite()) ++used;
    }
    if (used < kMinComplete) return;
    const Eigen::MatrixXd c = Moments::of(x.topRows(used)).covariance();
    const auto r = [&](Eigen::Index a, Eigen::Index b) {
      return c(a, b) / std::sqrt(std::max(c(a, a) * c(b, b), 1e-300));
    };
    for (Eigen::Index a = 1; a < c.rows(); ++a)
      for (Eigen::Index b = a + 1; b < c.rows(); ++b) {
        if (std::fabs(r(0, a)) > kNotAlone || std::fabs(r(0, b)) > kNotAlone || r(a, b) < kSameClock)
          continue;
        const double difference = c(a, a) + c(b, b) - 2 * c(a, b);
        if (std::fabs(c(0, a) - c(0, b)) < kComposed * std::sqrt(std::max(difference * c(0, 0), 0.0)))
          continue;
        for (const auto i : {a, b})
          roles_[open[static_cast<std::size_t>(i) - 1]].kind = ColumnRole::Kind::timestamp;
      }
  }

  const RowSource& source_;
  const Options& options_;
  Communicator& communicator_;
  const Job& job_;
  const std::vector<FeatureInfo>& features_;
  std::vector<ColumnRole> roles_;
  /// By feature: 1 if all values are integers; 1 if no value except −1 is below kMinOtherThanMinusOne.
  std::vector<std::int64_t> integers_, no_other_small_;
  std::vector<std::int64_t> none_near_zero_; ///< by feature: 1 if values are −1, 0 or not small
  std::vector<std::int64_t> zeros_;
  std::vector<double> sample_;
  std::string target_;
};

/// A column whose name is that of an outcome; empty if there is none.
std::string outcome_by_name(const std::vector<std::string>& numbers) {
  for (const std::string_view name :
       {"kernel_variability", "variability", "memory_stall_variability", "stall_variability"})
    if (contains(numbers, name)) return std::string(name);
  const auto found = std::find_if(numbers.rbegin(), numbers.rend(), [](const std::string& name) {
    constexpr std::string_view durations[]{"duration", "runtime", "elapsed", "latency", "perf"};
    const auto words = words_of(name);
    if (words.empty() || words.size() > 2) return false;
    return contains(durations, words.front()) ||
           (words.front() == "time" && words.size() == 2 && contains(kUnits, words.back()));
  });
  if (found != numbers.rend()) return *found;
  std::vector<DurationName> names;
  for (const auto& name : numbers) names.push_back(duration_name(words_of(name)));
  const auto similar = duration_among(names);
  return similar < numbers.size() ? numbers[similar] : std::string();
}

bool measures(const std::string& name) {
  return !identified_by_name(name) && !is_timestamp_by_name(name);
}

} // namespace

std::string words_for(Place place) {
  return std::ranges::find(kPlaces, place, &Named::place)->plural;
}

std::optional<Place> identified_by_name(std::string_view name) {
  const auto words = words_of(name);
  if (words.empty()) return std::nullopt;
  std::optional<Place> place;
  bool all = true;
  for (const auto& word : words) {
    const auto found = std::ranges::find_if(kPlaces, [&](const Named& p) { return contains(p.words, word); });
    if (found != kPlaces.end()) place = found->place;
    all = all && (found != kPlaces.end() || contains(kQualifiers, word));
  }
  if (all && place) return place;
  return contains(kIdentify, words.back()) ? std::optional(place.value_or(Place::other)) : std::nullopt;
}

bool is_timestamp_by_name(std::string_view name) {
  auto words = words_of(name);
  const bool first =
      !words.empty() && contains(kMoments, words.front()) && words.size() > 1 && contains(kUnits, words[1]);
  while (words.size() > 1 && contains(kUnits, words.back())) words.pop_back();
  return first || (!words.empty() && (contains(kMoments, words.back()) || contains(kDates, words.back())));
}

int ColumnRole::find(double value) const {
  const auto at = std::ranges::lower_bound(values, value);
  return at != values.end() && *at == value ? static_cast<int>(at - values.begin()) : -1;
}

Expected<std::vector<ColumnRole>> column_roles(const RowSource& source, const Options& options,
                                               Communicator& communicator, const Job& job) {
  return Finder(source, options, communicator, job).run();
}

std::string guess_target(const std::vector<std::string>& numbers, const std::vector<std::string>& varying) {
  if (const auto named = outcome_by_name(varying); !named.empty() || numbers.empty()) return named;
  const auto found = std::find_if(numbers.rbegin(), numbers.rend(), measures);
  return found == numbers.rend() ? numbers.back() : *found;
}

bool is_result_by_name(const std::string& name) {
  return !outcome_by_name({name}).empty();
}

std::string guess_first_column(const std::vector<std::string>& numbers) {
  if (const auto named = outcome_by_name(numbers); !named.empty() || numbers.empty()) return named;
  const auto found = std::ranges::find_if(numbers, measures);
  return found == numbers.end() ? numbers.front() : *found;
}

} // namespace jitterscope::causal
