#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/base/job.h"
#include "core/engine/messages/messages.h"

namespace jitterscope::app {

/// Synchronous engine operations, for the command line. One rank runs inside this
/// process; more ranks run in an engine started by mpirun.
class BlockingEngine {
public:
  explicit BlockingEngine(int ranks);
  ~BlockingEngine();

  /// `partial` receives results before the answer is complete, if the operation supports it.
  using Partial = std::function<void(const engine::Answer& so_far)>;
  Expected<engine::Answer> run(const engine::Request& request, const Job& job = {},
                               const Partial& partial = {});
  int ranks() const; ///< that answer

private:
  struct Local;
  struct Remote;
  std::unique_ptr<Local> local_;
  std::unique_ptr<Remote> remote_;
};

} // namespace jitterscope::app
