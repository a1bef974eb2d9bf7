#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/analysis/columns/columns.h"
#include "core/analysis/session/session.h"
#include "core/base/job.h"
#include "core/engine/model/session_messages.h"
#include "core/model/correction/correction.h"
#include "core/model/network/network_model.h"

namespace jitterscope::engine {

/// Models of messages by class: fitted to the network measurements of the session, else the published
/// parameters of Choi et al. (ICS 2020) for Lassen (between nodes) and Summit (within a node).
class MessageModels {
public:
  explicit MessageModels(const analysis::Session& session);
  /// The model for messages of a distance class: of device memory if that was measured, else of host memory;
  /// a class that was not measured uses the nearest measured one.
  const model::MessageModel& of(Distance distance) const;
  bool measured() const { return measured_; }
  std::string source() const;

private:
  std::vector<model::MessageModel> models_;
  bool measured_ = false;
};

/// Time of a message by its model [µs]; for a collective, with `processes` ranks. 0 if nothing is sent.
double predicted_us(const MessageModels& models, const SessionMessage& message, double processes);

struct PredictedMessages {
  SessionMessages messages;
  std::vector<double> analytical_ns, predicted_ns; ///< predicted times of each message
  std::vector<std::uint8_t> extrapolated;
  std::optional<model::Correction> correction; ///< the correction that was applied, trained or given
  nlohmann::json validation;                   ///< null without a correction
};

/// Correction of message predictions.
struct MessageCorrection {
  bool fit = false;                       ///< whether to train on the session
  std::optional<model::Correction> saved; ///< correction of kind "messages" to apply; precedes `fit`
};
/// Names of the feature columns of a correction of messages.
const std::vector<std::string>& message_feature_names();

/// Predicts all messages of the session; non-blocking ones by the bandwidth benchmark of their class. A
/// correction (kind "messages") is validated with the pairs of ranks in folds, or with size octaves if there
/// are fewer than five pairs; training messages have the factor of the fold that excluded them. Messages of a
/// profile are not corrected. Errors: Cancelled.
Expected<PredictedMessages> predict_messages(const analysis::Session& session,
                                             const analysis::LaunchColumns& columns,
                                             const MessageModels& models, const RankPlacement& placement,
                                             const MessageCorrection& correction, const Job& job);

/// {messages: [{operation, distance, count, bytes, concurrency, measured_ns, analytical_ns, predicted_ns,
/// waited_ns, extrapolated, pipelined, regime}], validation, model, measured_network, ranks, nodes,
/// unknown_bytes, summed, assumptions}: one entry per operation, class and size octave, with means over its
/// messages. `pipelined`: predicted by a bandwidth benchmark. `summed`: the messages are from sums of a
/// profile.
nlohmann::json messages_document(const PredictedMessages& predicted, const MessageModels& models);

} // namespace jitterscope::engine
