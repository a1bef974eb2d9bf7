#pragma once

#include <nlohmann/json.hpp>

#include "core/engine/model/message_answer.h"
#include "core/engine/operations/operations.h"
#include "core/model/gpu/what_if.h"

namespace jitterscope::engine {

/// The option what_if {gpu, block, hit_rates: {level: rate}} of "predict". Errors: those of looking up a GPU
/// by name or file.
Expected<model::WhatIf> what_if_of(const nlohmann::json& options, const Job& job);

/// Adds "mpi" (message_answer.h) and "run" (run_answer.h) to the answer of "predict". Options: nodes [2, 4]
/// (default if there is MPI), scaling strong | weak, message_size, what_if.gpu, ranks_per_node,
/// ranks_per_socket. A trained correction of messages is "message_model", as the text of a file.
Expected<void> predict_run(const Context& context, const nlohmann::json& options,
                           const MessageCorrection& correction, nlohmann::json& document);

/// "sha256 path" of the files and the names of the GPUs on which a correction was trained.
model::Provenance provenance_of(const analysis::Session& session, const std::vector<GpuSpecification>& gpus);

} // namespace jitterscope::engine
