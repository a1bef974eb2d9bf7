#include "core/model/network/network_model.h"

#include <algorithm>

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

Distance distance_of(std::int64_t a, std::int64_t b, std::int64_t ranks_per_node,
                     std::int64_t ranks_per_socket) {
  if (ranks_per_node <= 0) return Distance::unknown;
  if (a / ranks_per_node != b / ranks_per_node) return Distance::inter_node;
  if (ranks_per_socket <= 0) return Distance::unknown;
  const bool same = a % ranks_per_node / ranks_per_socket == b % ranks_per_node / ranks_per_socket;
  return same ? Distance::intra_socket : Distance::inter_socket;
}

} // namespace jitterscope::model
