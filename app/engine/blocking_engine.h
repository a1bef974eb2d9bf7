#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/base/job.h"
#include "core/engine/messages/messages.h"

namespace jitterscope::app {

/// Operations of the engine called one after the other, for the command line. One rank runs inside this
/// process, more ranks in an engine started through mpirun.
class BlockingEngine {
public:
  explicit BlockingEngine(int ranks);
  ~BlockingEngine();

  /// `partial` is given what is known before the answer is complete, where the operation tells it.
  using Partial = std::function<void(const engine::Answer& so_far)>;
  Expected<engine::Answer> run(const std::string& operation, const nlohmann::json& options,
                               const Job& job = {}, const Partial& partial = {});

private:
  struct Local;
  struct Remote;
  std::unique_ptr<Local> local_;
  std::unique_ptr<Remote> remote_;
};

} // namespace jitterscope::app
