#include "core/engine/model/message_answer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "core/engine/model/message_cost.h"
#include "core/model/network/k_fit.h"

namespace jitterscope::engine {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxTrainingMessages = 5'000; // maximum messages in the training data of a correction
constexpr std::size_t kAnswersBetweenPolls = 1'024; // messages between two polls for cancellation

/// The published parameters of a class as a model.
model::MessageModel published(const LinkClass& link, Distance distance, const char* source) {
  using model::MessageForm;
  model::MessageModel out;
  out.distance = distance, out.source = source;
  const auto rate = [](const LinkClass::Rate& of, double last) {
    model::MessageRegime regime;
    regime.form = MessageForm::k_rate, regime.last_size = last;
    regime.alpha = of.alpha_us, regime.rate = of.base, regime.added_rate = of.more;
    return regime;
  };
  model::MessageRegime brief;
  brief.form = MessageForm::k_short, brief.last_size = static_cast<double>(link.short_limit);
  brief.alpha = link.short_alpha_us, brief.beta = link.short_beta_us;
  out.regimes = {brief, rate(link.eager, static_cast<double>(link.eager_limit) - 1),
                 rate(link.rendezvous, std::numeric_limits<double>::infinity())};
  return out;
}

int octave(std::int64_t bytes) {
  return bytes > 0 ? static_cast<int>(std::floor(std::log2(static_cast<double>(bytes)))) : -1;
}

int regime_of(const model::MessageModel& m, double bytes) {
  int regime = 0;
  while (regime + 1 < static_cast<int>(m.regimes.size()) &&
         bytes > m.regimes[static_cast<std::size_t>(regime)].last_size)
    ++regime;
  return regime;
}

/// Messages per second that leave each node, over the whole time of its messages.
std::map<std::uint32_t, double> rates_of(const SessionMessages& messages) {
  struct Span {
    std::int64_t first = INT64_MAX, last = INT64_MIN, count = 0;
  };
  std::map<std::uint32_t, Span> spans;
  for (const auto& m : messages.list) {
    auto& span = spans[m.node];
    span.first = std::min(span.first, m.start), span.last = std::max(span.last, m.end), ++span.count;
  }
  std::map<std::uint32_t, double> out;
  for (const auto& [node, span] : spans)
    out[node] = 1e9 * static_cast<double>(span.count) /
                std::max<double>(1, static_cast<double>(span.last - span.first));
  return out;
}

std::vector<double> features_of(const SessionMessage& m, const model::MessageModel& of, double predicted_ns,
                                const SessionMessages& all, double rate) {
  const auto is = [](bool yes) { return yes ? 1.0 : 0.0; };
  return {std::log(std::max(predicted_ns, 1e-3)),
          is(m.distance == Distance::intra_socket),
          is(m.distance == Distance::inter_socket),
          is(m.distance == Distance::inter_node),
          static_cast<double>(regime_of(of, static_cast<double>(m.bytes))),
          std::log(static_cast<double>(m.bytes) + 1),
          m.concurrency,
          is(!m.collective),
          is(m.collective == model::Collective::all_reduce),
          is(m.collective == model::Collective::all_gather),
          is(m.collective == model::Collective::broadcast),
          static_cast<double>(all.ranks) / static_cast<double>(std::max<std::int64_t>(all.nodes, 1)),
          static_cast<double>(all.nodes),
          is(of.memory == BufferMemory::device),
          std::log(std::max(rate, 1e-9))};
}

double measured_ns(const SessionMessage& m) {
  return static_cast<double>(m.end - m.start);
}

std::string group_of(const SessionMessage& m, bool by_pair) {
  if (!by_pair) return fmt::format("2^{}", octave(m.bytes));
  return m.to >= 0 ? fmt::format("{}-{}", std::min(m.from, m.to), std::max(m.from, m.to))
                   : fmt::format("all of {}", m.from);
}

json validation_document(const model::Correction& c, const char* split) {
  const auto& v = c.validation;
  return {{"folds", v.folds},
          {"groups", v.groups},
          {"rows", v.rows},
          {"split", split},
          {"applied", c.applied()},
          {"refusal", c.applied() ? json() : json(c.refusal)},
          {"analytical_mean_percent", v.analytical.mean},
          {"analytical_median_percent", v.analytical.median},
          {"analytical_p95_percent", v.analytical.p95},
          {"corrected_mean_percent", v.corrected.mean},
          {"corrected_median_percent", v.corrected.median},
          {"corrected_p95_percent", v.corrected.p95}};
}

/// The messages of a session as training rows of a correction.
class MessageRows {
public:
  MessageRows(const PredictedMessages& of, const MessageModels& models)
      : of_(of), models_(models), rates_(rates_of(of.messages)) {}
  std::vector<double> values(std::size_t i) const {
    const auto& m = of_.messages.list[i];
    return features_of(m, models_.of(m.distance), of_.analytical_ns[i], of_.messages, rates_.at(m.node));
  }
  bool usable(std::size_t i) const {
    return measured_ns(of_.messages.list[i]) > 0 && of_.analytical_ns[i] > 0;
  }

private:
  const PredictedMessages& of_;
  const MessageModels& models_;
  std::map<std::uint32_t, double> rates_;
};

/// Multiplies the predictions by the correction's factors; messages in `held_out` have the factor of the fold
/// that excluded them.
using HeldOut = std::map<std::size_t, model::Factor>;

Expected<void> apply(PredictedMessages& out, const MessageRows& rows, const HeldOut& held_out,
                     const Job& job) {
  if (!out.correction->applied()) return {};
  for (std::size_t i = 0; i < out.messages.list.size(); ++i) {
    if (i % kAnswersBetweenPolls == 0 && job.cancelled()) return Job::cancelled_error();
    const auto known = held_out.find(i);
    if (known == held_out.end() && !rows.usable(i)) continue;
    const auto factor =
        known != held_out.end() ? known->second : model::factor_of(*out.correction, rows.values(i));
    out.predicted_ns[i] *= factor.value;
    out.extrapolated[i] = factor.extrapolated;
  }
  return {};
}

/// Trains on a sample of each kind of message: operation, ranks and size octave.
Expected<HeldOut> learn(PredictedMessages& out, const MessageRows& messages, const Job& job) {
  const auto& list = out.messages.list;
  std::vector<std::size_t> usable;
  std::map<std::tuple<std::string, std::int32_t, std::int32_t, int>, std::uint64_t> numbers;
  std::vector<std::uint64_t> kinds;
  std::set<std::string> pairs;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i % kAnswersBetweenPolls == 0 && job.cancelled()) return Job::cancelled_error();
    if (!messages.usable(i)) continue;
    usable.push_back(i);
    const auto& m = list[i];
    kinds.push_back(numbers.emplace(std::tuple(m.operation, m.from, m.to, octave(m.bytes)), numbers.size())
                        .first->second);
    pairs.insert(group_of(list[i], true));
  }
  const bool by_pair = pairs.size() >= 5;
  model::CorrectionRows rows;
  rows.features = message_feature_names();
  std::vector<std::size_t> learnt;
  for (const auto i : model::sample_rows(kinds, kMaxTrainingMessages)) learnt.push_back(usable[i]);
  for (const auto i : learnt) {
    rows.values.push_back(messages.values(i));
    rows.measured.push_back(measured_ns(list[i])), rows.predicted.push_back(out.analytical_ns[i]);
    rows.groups.push_back(group_of(list[i], by_pair));
  }
  auto fit = model::fit_correction(rows, "messages", job.cancelled);
  if (!fit) return forward(fit.error());
  HeldOut held_out;
  for (const auto i : usable) {
    if (held_out.size() % kAnswersBetweenPolls == 0 && job.cancelled()) return Job::cancelled_error();
    held_out[i] = fit->held_out_factor(messages.values(i), group_of(list[i], by_pair));
  }
  for (std::size_t i = 0; i < learnt.size(); ++i) held_out[learnt[i]] = fit->held_out[i];
  out.validation = validation_document(fit->correction, by_pair ? "grouped by pair of ranks"
                                                                : "grouped by size (powers of two)");
  out.correction = std::move(fit->correction);
  return held_out;
}

Expected<void> correct(PredictedMessages& out, const MessageModels& models, const MessageCorrection& how,
                       const Job& job) {
  const MessageRows rows(out, models);
  HeldOut held_out;
  if (how.saved) {
    out.correction = how.saved;
    out.validation = validation_document(*how.saved, "on the training data");
  } else {
    auto learnt = learn(out, rows, job);
    if (!learnt) return forward(learnt.error());
    held_out = std::move(*learnt);
  }
  return apply(out, rows, held_out, job);
}

} // namespace

const std::vector<std::string>& message_feature_names() {
  static const std::vector<std::string> kNames = {
      "ln_predicted", "intra_socket",   "inter_socket",   "inter_node",    "regime",
      "ln_bytes",     "concurrency",    "point_to_point", "all_reduce",    "all_gather",
      "broadcast",    "ranks_per_node", "nodes",          "device_memory", "ln_message_rate"};
  return kNames;
}

MessageModels::MessageModels(const analysis::Session& session) {
  std::map<std::pair<Distance, BufferMemory>, std::vector<NetworkMeasurement>> classes;
  for (const auto& trace : session.traces())
    for (const auto& m : trace.store.manifest().machine.networks)
      if (m.point_to_point) classes[{m.distance, m.memory}].push_back(m);
  for (const auto& [of, curves] : classes) {
    auto fitted = model::fit_messages(curves);
    if (!fitted) continue;
    fitted->distance = of.first, fitted->memory = of.second;
    models_.push_back(std::move(*fitted));
  }
  measured_ = !models_.empty();
  if (measured_) return;
  models_.push_back(published(within_node(), Distance::intra_socket, "Summit, two ranks of a socket"));
  models_.push_back(published(between_nodes(), Distance::inter_node, "Lassen, InfiniBand EDR"));
}

const model::MessageModel& MessageModels::of(Distance distance) const {
  const auto apart = [&](const model::MessageModel& m) {
    const int classes = m.distance == Distance::unknown
                            ? 1
                            : 2 * std::abs(static_cast<int>(m.distance) - static_cast<int>(distance));
    return 4 * classes + (m.memory == BufferMemory::device ? 0 : m.memory == BufferMemory::host ? 1 : 2);
  };
  return *std::min_element(models_.begin(), models_.end(),
                           [&](const auto& a, const auto& b) { return apart(a) < apart(b); });
}

std::string MessageModels::source() const {
  if (measured_) return "fitted to the network measurements of the session";
  return "published parameters of Lassen between nodes and of Summit within a node, because the session has "
         "no network measurements of this machine";
}

double predicted_us(const MessageModels& models, const SessionMessage& m, double processes) {
  const auto& of = models.of(m.distance);
  const auto bytes = static_cast<double>(m.bytes);
  if (m.collective) return model::collective_time(*m.collective, processes, bytes, of);
  return m.nonblocking ? of.pipelined_time(bytes, m.concurrency) : of.time(bytes, m.concurrency);
}

Expected<PredictedMessages> predict_messages(const analysis::Session& session,
                                             const analysis::LaunchColumns& columns,
                                             const MessageModels& models, const RankPlacement& placement,
                                             const MessageCorrection& correction, const Job& job) {
  PredictedMessages out;
  auto messages = session_messages(session, columns, placement, job);
  if (!messages) return forward(messages.error());
  out.messages = std::move(*messages);
  for (const auto& m : out.messages.list) {
    if (out.analytical_ns.size() % kAnswersBetweenPolls == 0 && job.cancelled())
      return Job::cancelled_error();
    out.analytical_ns.push_back(1e3 * predicted_us(models, m, static_cast<double>(out.messages.ranks)));
  }
  out.predicted_ns = out.analytical_ns;
  out.extrapolated.assign(out.predicted_ns.size(), 0);
  if (!out.messages.profile.empty()) {
    if (correction.saved)
      out.messages.assumptions.push_back(
          "The correction is not applied: it was trained on individual messages, and this session contains "
          "only sums over messages.");
    return out;
  }
  if ((correction.fit || correction.saved) && !out.predicted_ns.empty())
    if (auto done = correct(out, models, correction, job); !done) return forward(done.error());
  return out;
}

json messages_document(const PredictedMessages& predicted, const MessageModels& models) {
  struct Sums {
    std::int64_t count = 0, extrapolated = 0;
    double bytes = 0, k = 0, measured = 0, analytical = 0, corrected = 0, waited = 0;
  };
  std::map<std::tuple<std::string, Distance, int, bool>, Sums>
      groups; // operation, class, size octave, non-blocking
  for (std::size_t i = 0; i < predicted.messages.list.size(); ++i) {
    const auto& m = predicted.messages.list[i];
    auto& sums = groups[{m.operation, m.distance, octave(m.bytes), m.nonblocking}];
    const auto n = static_cast<double>(m.count);
    sums.count += m.count, sums.extrapolated += predicted.extrapolated[i];
    sums.bytes += n * static_cast<double>(m.bytes), sums.k += n * m.concurrency;
    sums.measured += n * measured_ns(m), sums.waited += n * static_cast<double>(m.waited);
    sums.analytical += n * predicted.analytical_ns[i], sums.corrected += n * predicted.predicted_ns[i];
  }
  json list = json::array();
  for (const auto& [of, sums] : groups) {
    const auto n = static_cast<double>(sums.count);
    const auto& [operation, distance, size, nonblocking] = of;
    const auto& model = models.of(distance);
    const int regime = regime_of(model, sums.bytes / n);
    const auto& r = model.regimes[static_cast<std::size_t>(regime)];
    list.push_back({{"operation", operation},
                    {"distance", to_string(distance)},
                    {"count", sums.count},
                    {"bytes", sums.bytes / n},
                    {"concurrency", sums.k / n},
                    {"measured_ns", sums.measured / n},
                    {"waited_ns", sums.waited / n},
                    {"analytical_ns", sums.analytical / n},
                    {"predicted_ns", sums.corrected / n},
                    {"extrapolated", sums.extrapolated > 0},
                    {"pipelined", nonblocking && !model.pipelined.empty()},
                    {"regime",
                     {{"number", regime},
                      {"form", model::to_string(r.form)},
                      {"alpha_us", r.alpha},
                      {"beta_us_per_byte", r.beta},
                      {"rate_bytes_per_us", r.rate},
                      {"added_rate_bytes_per_us", r.added_rate}}}});
  }
  return {{"messages", std::move(list)},
          {"validation", predicted.validation},
          {"model", models.source()},
          {"measured_network", models.measured()},
          {"ranks", predicted.messages.ranks},
          {"nodes", predicted.messages.nodes},
          {"summed", !predicted.messages.profile.empty()},
          {"assumptions", predicted.messages.assumptions},
          {"unknown_bytes", predicted.messages.unknown_bytes}};
}

} // namespace jitterscope::engine
