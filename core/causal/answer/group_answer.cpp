#include "core/causal/answer/assembler.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/causal/answer/sentences.h"
#include "core/causal/base/lists.h"
#include "core/causal/base/tiers.h"
#include "core/causal/base/wording.h"
#include "core/causal/groups/grouped_rows.h"

namespace jitterscope::causal {
namespace {

constexpr double kMinNamedPercent = 1; ///< minimum share of the units themselves to be reported, percent
constexpr std::int64_t kPowerRows = 65'536;
// A power limit: most rows are near a multiple of kLimitStep watts, with the median close below it.
constexpr double kLimitStep = 25, kBelowLimit = 0.96, kAboveLimit = 1.01, kMedianAtLimit = 0.97,
                 kRowsAtLimit = 0.8;

/// Scales a contribution to its share of the whole variance: shares multiply, their relative errors add in
/// quadrature.
void scale(const VarianceComponent& of, double share, Contribution& c) {
  const auto end = [&](double own, double whole) { return std::hypot(own, whole); };
  const double p = std::max(c.percent, 1e-12), s = std::max(share, 1e-12);
  const double low = end((c.percent - c.ci_low) / p, (share - of.ci_low / 100) / s);
  const double high = end((c.ci_high - c.percent) / p, (of.ci_high / 100 - share) / s);
  c.percent *= share;
  c.ci_low = std::max(0.0, c.percent * (1 - low)), c.ci_high = std::min(100.0, c.percent * (1 + high));
}

struct Part {
  Reading reading = Reading::between;
  VarianceComponent of;
  std::string words; ///< " between GPUs"
};

class Answer {
public:
  Answer(const GroupedRows& rows, const Options& options,
         const std::function<Expected<CausalResult>(const Options&)>& ask, Communicator& communicator,
         const Job& job)
      : rows_(rows), options_(options), ask_(ask), communicator_(communicator), job_(job),
        estimates_(estimate_groups(rows, target_of(rows, options))) {}

  Expected<CausalResult> run() {
    if (auto done = rows_.by_unit() ? parts() : whole(); !done) return forward(done.error());
    // Differences between units lead the answer if they matter; small or uncertain ones follow the causes.
    auto& said = result_.sentences;
    const VarianceComponent& between = estimates_.between;
    const bool leads = said.empty() || (between.percent >= 100 * kMinShareBetween && between.ci_low > 0);
    said.insert(leads ? said.begin() : said.end(), estimates_.sentences.front());
    said.insert(said.end(), estimates_.sentences.begin() + 1, estimates_.sentences.end());
    result_.warnings.insert(result_.warnings.end(), estimates_.notes.begin(), estimates_.notes.end());
    result_.groups = std::move(estimates_);
    return std::move(result_);
  }

private:
  static bool has_cause(const CausalResult& result) {
    return std::ranges::any_of(result.contributions, [](const auto& c) { return c.role == Role::cause; });
  }

  // Where no single group is a cause of the variability, the differences between all of a level may be one.
  // If none of many groups stands out, they need not be examined one by one.
  Expected<void> whole() {
    const bool launches = rows_.has_durations() && target_of(rows_, options_) == "kernel_variability";
    const auto level = launches && options_.bootstrap != 0 ? largest_level() : std::nullopt;
    if (level && none_stands_out()) {
      const auto answered = answer_besides_groups(*level, false);
      if (!answered) return forward(answered.error());
      if (*answered) return {};
    }
    if (auto done = assign(result_, ask_(options_)); !done) return done;
    if (!level || has_cause(result_)) return {};
    const auto answered = answer_besides_groups(*level, true);
    if (!answered) return forward(answered.error());
    return {};
  }

  /// The level of the groups with the largest component of the variance; empty if all are small.
  std::optional<std::size_t> largest_level() const {
    const auto& levels = rows_.row_groups()->levels;
    std::optional<std::size_t> largest;
    for (std::size_t level = 0; level <= rows_.row_groups()->unit; ++level)
      if (const auto* of = component_of(levels[level]);
          of && of->percent >= kMinPercent &&
          (!largest || of->percent > component_of(levels[*largest])->percent))
        largest = level;
    return largest;
  }
  const VarianceComponent* component_of(const GroupLevel& level) const {
    const auto& name = rows_.features()[level.feature].name;
    const auto of = std::ranges::find(estimates_.components, name, &VarianceComponent::group);
    return of == estimates_.components.end() ? nullptr : &*of;
  }
  bool none_stands_out() const {
    constexpr double kMaxPart = 0.2; // of one group, in the sum of all differences
    double all = 0, largest = 0;
    for (const DeviceEstimate& d : estimates_.devices) {
      const double difference = std::fabs(d.difference_percent) * static_cast<double>(d.n);
      if (std::isfinite(difference)) all += difference, largest = std::max(largest, difference);
    }
    return estimates_.devices.size() > kMaxLevels && largest < kMaxPart * all;
  }

  /// Answers with the differences between the groups of a level as a cause, and without the columns that name
  /// groups. False, without an answer, if they are too small or, unless `beside_causes`, other causes are
  /// found.
  Expected<bool> answer_besides_groups(std::size_t level, bool beside_causes) {
    const auto share = rows_.share_of_level(level, communicator_, job_);
    if (!share) return forward(share.error());
    if (100 * share->share < kMinPercent || share->interval.low <= 0) return false;
    const RowGroups& groups = *rows_.row_groups();
    Options besides = options_;
    besides.besides_groups = true;
    for (const GroupLevel& of : groups.levels) besides.left_out.push_back(rows_.features()[of.feature].name);
    auto answer = ask_(besides);
    if (!answer) return forward(answer.error());
    if (!beside_causes && has_cause(*answer)) return false;
    result_ = std::move(*answer);
    const VarianceComponent& of = *component_of(groups.levels[level]);
    const auto& words = level == groups.unit ? estimates_.unit : of.label;
    Contribution c;
    c.feature = of.group, c.label = fmt::format("differences between {}", words);
    c.role = Role::cause, c.stability = 1, c.of_rows = result_.n;
    c.percent = of.percent;
    c.ci_low = std::isfinite(of.ci_low) ? of.ci_low : c.percent;
    c.ci_high = std::isfinite(of.ci_high) ? of.ci_high : c.percent;
    c.lowest_at = share->lowest, c.highest_at = share->highest;
    c.attributable_percent = percent_of(share->share), c.rest_percent = percent_of(share->share);
    c.attributable_ci_low = percent_of(share->interval.low);
    c.attributable_ci_high = percent_of(share->interval.high);
    result_.sentences.insert(
        result_.sentences.begin(),
        fmt::format(
            "{} of the variability comes from differences between {}: launches are shortest at {} {} and "
            "longest at {} {} (compared with all at their mean).",
            share_with_interval(*c.attributable_percent, c.attributable_ci_low, c.attributable_ci_high, 0),
            words, words_for(of.group), share->lowest, words_for(of.group), share->highest));
    result_.without_cause_percent =
        std::max(0.0, std::min(result_.without_cause_percent, 100.0) - *c.attributable_percent);
    result_.unexplained_percent = std::max(0.0, result_.unexplained_percent - c.percent);
    result_.contributions.insert(result_.contributions.begin(), std::move(c));
    return true;
  }

  Expected<void> parts() {
    const VarianceComponent& between = estimates_.between;
    VarianceComponent within = between;
    within.percent = 100 - between.percent, within.ci_low = 100 - between.ci_high,
    within.ci_high = 100 - between.ci_low;
    std::vector<Part> parts{{Reading::between, between, fmt::format(" between {}", estimates_.unit)},
                            {Reading::within, within, fmt::format(" within {}", estimates_.unit)}};
    if (within.percent > between.percent) std::swap(parts[0], parts[1]);
    bool answered = false;
    for (const Part& part : parts) {
      if (part.of.percent < 100 * kMinShareBetween) continue;
      Options o = options_;
      o.reading = part.reading, o.part = part.words;
      o.besides_groups =
          part.reading == Reading::between && level_of_differences().group != estimates_.between.group;
      auto result = ask_(o);
      if (!result && result.error().kind == ErrorKind::Cancelled) return forward(result.error());
      if (!result) continue; // no differences between units, or within them
      caused_percent_ += part.of.percent / 100 * (100 - result->without_cause_percent);
      for (Contribution& c : result->contributions) scale(part.of, part.of.percent / 100, c);
      answered ? add(std::move(*result)) : void(result_ = std::move(*result));
      answered = true;
    }
    if (!answered) return whole();
    return finish();
  }

  void add(CausalResult&& more) {
    for (Contribution& c : more.contributions) {
      const auto known = std::ranges::find(result_.contributions, c.feature, &Contribution::feature);
      if (known == result_.contributions.end()) {
        result_.contributions.push_back(std::move(c));
        continue;
      }
      known->percent += c.percent, known->ci_low += c.ci_low,
          known->ci_high = std::min(100.0, known->ci_high + c.ci_high);
      if (c.role == Role::cause) known->role = Role::cause;
    }
    result_.sentences.insert(result_.sentences.end(), more.sentences.begin(), more.sentences.end());
  }

  Expected<void> finish() {
    double explained = 0;
    bool clock = false;
    for (const Contribution& c : result_.contributions) {
      explained += c.percent;
      const auto words = words_of(c.feature);
      for (const auto* word : {"clock", "freq", "frequency"}) clock = clock || contains(words, word);
    }
    if (clock)
      if (auto done = report_power_limit(); !done) return done;
    add_units(std::max(0.0, estimates_.between.percent - explained));
    std::ranges::stable_sort(result_.contributions, {}, [](const Contribution& c) {
      return std::tuple(c.role != Role::cause, -c.percent);
    });
    result_.unexplained_percent = 100;
    for (const Contribution& c : result_.contributions) result_.unexplained_percent -= c.percent;
    result_.unexplained_percent = std::max(0.0, result_.unexplained_percent);
    result_.without_cause_percent = std::max(0.0, 100 - caused_percent_);
    return {};
  }

  /// The level that has nearly all differences between units: "cabinet", if the nodes of a cabinet hardly
  /// differ; else that of the units.
  const VarianceComponent& level_of_differences() const {
    constexpr double kNearlyAll = 0.9;
    for (const VarianceComponent& of : estimates_.components)
      if (of.group != "rest" && of.percent >= kNearlyAll * estimates_.between.percent) return of;
    return estimates_.between;
  }

  /// Adds the differences between units that no recorded column explains as a contribution.
  void add_units(double left) {
    if (left < kMinNamedPercent) return;
    const VarianceComponent& between = estimates_.between;
    const VarianceComponent& where = level_of_differences();
    Contribution c;
    c.feature = where.group;
    c.label = fmt::format("differences between {} that nothing recorded explains",
                          where.group == between.group ? estimates_.unit : where.label);
    c.percent = left, c.stability = 1, c.of_rows = result_.n;
    c.ci_low = std::max(0.0, left - (between.percent - between.ci_low)),
    c.ci_high = std::min(100.0, left + between.ci_high - between.percent);
    c.role = left >= kMinPercent && c.ci_low > 0 ? Role::cause : Role::associated;
    if (c.role == Role::cause) caused_percent_ += c.percent;
    result_.contributions.push_back(std::move(c));
  }

  Expected<void> report_power_limit() {
    for (std::size_t f = 0; f < rows_.features().size(); ++f) {
      const FeatureInfo& info = rows_.features()[f];
      const auto words = words_of(info.name);
      const bool power = std::ranges::any_of(words, [](const auto& w) { return w == "power" || w == "pwr"; });
      if (!power || info.role != FeatureRole::numeric) continue;
      auto values = values_of(f);
      if (!values) return forward(values.error());
      if (values->empty()) continue;
      const auto middle = values->begin() + static_cast<std::ptrdiff_t>(values->size() / 2);
      std::nth_element(values->begin(), middle, values->end());
      const double watts = info.unit == "mW" ? 1e-3 : 1,
                   limit = kLimitStep * std::ceil(*middle * watts / kLimitStep);
      std::vector<double> near; // in percent of the limit
      for (const double v : *values)
        if (v * watts >= kBelowLimit * limit && v * watts <= kAboveLimit * limit)
          near.push_back(100 * v * watts / limit);
      const double part = static_cast<double>(near.size()) / static_cast<double>(values->size());
      if (!(limit > 0) || *middle * watts < kMedianAtLimit * limit || part < kRowsAtLimit) continue;
      const auto [low, high] = std::ranges::minmax_element(near);
      result_.sentences.push_back(fmt::format("{} is between {:.1f} % and {:.1f} % of {:.0f} W in {} of the "
                                              "rows, as under a power limit of {:.0f} W.",
                                              words_for(info.name), *low, *high, limit,
                                              share_in_words(100 * part), limit));
    }
    return {};
  }

  /// Values of a sample of at most kPowerRows rows.
  Expected<std::vector<double>> values_of(std::size_t feature) const {
    const std::int64_t stride = rows_.rows() / kPowerRows + 1;
    const Share share = share_of(rows_.rows(), communicator_.rank(), communicator_.size());
    std::vector<double> mine;
    const auto visit = [&](std::int64_t at, const RowBlock& block) {
      for (std::int64_t r = 0; r < block.values.rows(); ++r)
        if (const double v = block.values(r, static_cast<Eigen::Index>(feature));
            (at + r) % stride == 0 && std::isfinite(v))
          mine.push_back(v);
    };
    if (auto done = read_tiles(rows_, share.first, share.last, job_, visit); !done)
      return forward(done.error());
    return communicator_.all_gather<double>(mine);
  }

  const GroupedRows& rows_;
  const Options& options_;
  const std::function<Expected<CausalResult>(const Options&)>& ask_;
  Communicator& communicator_;
  const Job& job_;
  GroupEstimates estimates_;
  double caused_percent_ = 0; ///< of the whole variance
  CausalResult result_;
};

} // namespace

Expected<CausalResult> answer_by_groups(const GroupedRows& rows, const Options& options,
                                        const std::function<Expected<CausalResult>(const Options&)>& ask,
                                        Communicator& communicator, const Job& job) {
  return Answer(rows, options, ask, communicator, job).run();
}

} // namespace jitterscope::causal
