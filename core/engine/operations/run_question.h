#pragma once

#include <nlohmann/json.hpp>

#include "core/engine/messages/model_options.h"
#include "core/engine/model/message_answer.h"
#include "core/engine/operations/operations.h"
#include "core/model/gpu/what_if.h"

namespace jitterscope::engine {

/// The changes of a request; null: none. Errors: those of looking up a GPU by name or file.
Expected<model::WhatIf> what_if_of(const WhatIfOptions* requested, const Job& job);

/// Adds "mpi" (message_answer.h) and "run" (run_answer.h) to the answer of "predict". A trained correction of
/// messages is "message_model", as the text of a file.
Expected<void> predict_run(const Context& context, const PredictOptions& options,
                           const MessageCorrection& correction, nlohmann::json& document);

/// "sha256 path" of the files and the names of the GPUs on which a correction was trained.
model::Provenance provenance_of(const analysis::Session& session, const std::vector<GpuSpecification>& gpus);

} // namespace jitterscope::engine
