#include "core/engine/operations.h"

#include <algorithm>
#include <exception>
#include <new>

namespace jitterscope::engine {

const std::vector<Operation>& operations() {
  static const std::vector<Operation> kAll = [] {
    std::vector<Operation> all;
    for (auto group : {session_operations, statistics_operations, timeline_operations, launch_operations, table_operations, causal_operations, reason_operations})
      for (auto& operation : group()) all.push_back(std::move(operation));
    return all;
  }();
  return kAll;
}

const Operation* find_operation(const std::string& name) {
  for (const auto& operation : operations())
    if (operation.name == name) return &operation;
  return nullptr;
}

namespace {

// "open" replaces the session, "import" and "verify" do not use it.
bool uses_session(const Operation& operation) {
  return operation.name != "open" && operation.name != "import" && operation.name != "verify";
}

// A rank whose stores are not intact stays out of the operation: the first call to the communicator of the others then
// fails, and no rank begins.
Expected<void> agree_on_stores(const Operation& operation, const Context& context) {
  if (!uses_session(operation)) return {};
  if (auto intact = check_stores(context.workspace); !intact) return intact;
  if (operation.reach != Reach::AllRanks || context.communicator.size() == 1) return {};
  std::int64_t well[1] = {1};
  return context.communicator.minimum(well);
}

} // namespace

Expected<Answer> run_operation(const Operation& operation, const Context& context,
                               const nlohmann::json& options) {
  try {
    if (auto agreed = agree_on_stores(operation, context); !agreed) return forward(agreed.error());
    auto answer = operation.run(context, options);
    // An error may itself come from numbers that are not those of the store.
    if (auto intact = check_stores(context.workspace); !intact && operation.name != "import") return forward(intact.error());
    return answer;
  } catch (const nlohmann::json::exception& problem) {
    return failure(ErrorKind::BadUse,
                   "the options of '" + operation.name + "' are not valid: " + problem.what());
  } catch (const std::bad_alloc&) {
    return failure(ErrorKind::Engine, "out of memory while running '" + operation.name + "'", {}, {},
                   "Close other programs, choose a smaller range, or spread the work over more nodes.");
  } catch (const std::exception& problem) {
    return failure(ErrorKind::Internal, operation.name + ": " + problem.what());
  }
}

Expected<void> check_stores(const Workspace& workspace) {
  if (workspace.session)
    for (const auto& trace : workspace.session->traces())
      if (auto intact = trace.store.check_intact(); !intact) return intact;
  return {};
}

std::string column_name(std::string text) {
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
}

Expected<void> require_session(const Workspace& workspace) {
  if (!workspace.session) return failure(ErrorKind::BadUse, "no session is open");
  return {};
}

} // namespace jitterscope::engine
