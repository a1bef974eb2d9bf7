#include "core/model/network/network_model.h"

#include <algorithm>
#include <cmath>

#include "core/base/gpu_specification.h"

namespace jitterscope::model {

const char* to_string(MessageForm form) {
  switch (form) {
  case MessageForm::max_rate:
    return "max-rate";
  case MessageForm::k_short:
    return "K-model, short";
  case MessageForm::k_rate:
    return "K-model";
  case MessageForm::postal:
    break;
  }
  return "postal";
}

double MessageRegime::time(double bytes, double k) const {
  const double pairs = std::max(k, 1.0);
  switch (form) {
  case MessageForm::max_rate:
    return alpha + pairs * bytes / std::min(node_rate, pairs * rate);
  case MessageForm::k_short:
    return alpha + pairs * beta * bytes;
  case MessageForm::k_rate:
    return alpha + pairs * bytes / (rate + (pairs - 1) * added_rate);
  case MessageForm::postal:
    break;
  }
  return alpha + beta * bytes;
}

const MessageRegime* MessageModel::regime(double bytes) const {
  for (const auto& r : regimes)
    if (bytes <= r.last_size) return &r;
  return regimes.empty() ? nullptr : &regimes.back();
}

double MessageModel::time(double bytes, double k) const {
  const auto* r = regime(bytes);
  return r ? r->time(bytes, k) : kUnknownQuantity;
}

double PipelinedRate::gap(double bytes) const {
  if (!(bytes > 0) || points.empty()) return 0;
  const auto after =
      std::find_if(points.begin(), points.end(), [&](const NetworkPoint& p) { return p.bytes >= bytes; });
  if (after == points.end()) return pairs * bytes / points.back().value;
  if (after == points.begin() || after->bytes == bytes) return pairs * bytes / after->value;
  const auto& before = *std::prev(after);
  const double share = std::log(bytes / before.bytes) / std::log(after->bytes / before.bytes);
  return pairs * bytes / (before.value * std::pow(after->value / before.value, share));
}

namespace {

/// Factor on the time per byte if k pairs send in place of `pairs`.
double scaling(const MessageRegime& regime, double bytes, double pairs, double k) {
  const double of_pairs = regime.time(bytes, pairs) - regime.alpha,
               of_k = regime.time(bytes, k) - regime.alpha;
  return of_pairs > 0 && of_k > 0 ? of_k / of_pairs : 1;
}

} // namespace

double MessageModel::pipelined_time(double bytes, double k) const {
  const auto* r = regime(bytes);
  if (!r || pipelined.empty()) return time(bytes, k);
  const double senders = std::max(k, 1.0);
  const auto &fewest = pipelined.front(), &most = pipelined.back();
  if (pipelined.size() == 1) return r->alpha + fewest.gap(bytes) * scaling(*r, bytes, fewest.pairs, senders);
  if (senders >= most.pairs) return r->alpha + most.gap(bytes) * senders / most.pairs;
  const auto after = std::find_if(pipelined.begin(), pipelined.end(),
                                  [&](const PipelinedRate& rate) { return rate.pairs >= senders; });
  if (after == pipelined.begin()) return r->alpha + after->gap(bytes);
  const auto& before = *std::prev(after);
  const double share = (senders - before.pairs) / (after->pairs - before.pairs);
  return r->alpha + before.gap(bytes) + share * (after->gap(bytes) - before.gap(bytes));
}

Distance distance_of(std::int64_t a, std::int64_t b, std::int64_t ranks_per_node,
                     std::int64_t ranks_per_socket) {
  if (ranks_per_node <= 0) return Distance::unknown;
  if (a / ranks_per_node != b / ranks_per_node) return Distance::inter_node;
  if (ranks_per_socket <= 0) return Distance::unknown;
  const bool same = a % ranks_per_node / ranks_per_socket == b % ranks_per_node / ranks_per_socket;
  return same ? Distance::intra_socket : Distance::inter_socket;
}

} // namespace jitterscope::model
