#include "core/engine/operations/model_launches.h"

#include <algorithm>
#include <filesystem>

#include "core/import/machine_file.h"
#include "core/model/gpu/gpu_table.h"

namespace jitterscope::engine {
namespace {

constexpr std::int64_t kRows = 4'096; // rows per read: a few milliseconds with all counters

} // namespace

Expected<LeftOut> for_each_model_launch(const analysis::Session& session,
                                        const analysis::LaunchColumns& columns,
                                        const analysis::Selection& selection, const ModelColumns& counters,
                                        const std::vector<GpuSpecification>& gpus, const Job& job,
                                        const std::function<Expected<void>(ModelLaunch&)>& use) {
  LeftOut left_out;
  for (std::int64_t first = 0; first < session.launches(); first += kRows)
    for (const auto& segment : session.segments(first, std::min(first + kRows, session.launches()))) {
      if (job.cancelled()) return Job::cancelled_error();
      job.progress(first, session.launches(), "performance model");
      const auto mask = selection.select(session, columns, segment);
      if (auto done =
              analysis::for_model_launches(session, columns, segment, mask, counters, gpus, left_out, use);
          !done)
        return forward(done.error());
    }
  return left_out;
}

Expected<LeftOut> for_model_rows(const analysis::Session& session, const analysis::LaunchColumns& columns,
                                 std::int64_t first, std::int64_t last, const ModelColumns& counters,
                                 const std::vector<GpuSpecification>& gpus, const Job& job,
                                 const std::function<Expected<void>(ModelLaunch&)>& use) {
  LeftOut left_out;
  for (std::int64_t at = first; at < last; at += kRows)
    for (const auto& segment : session.segments(at, std::min(at + kRows, last))) {
      if (job.cancelled()) return Job::cancelled_error();
      if (auto done =
              analysis::for_model_launches(session, columns, segment, {}, counters, gpus, left_out, use);
          !done)
        return forward(done.error());
    }
  return left_out;
}

Expected<GpuSpecification> gpu_named(const std::string& name, const Job& job) {
  std::error_code ignored;
  if (!std::filesystem::exists(name, ignored)) return model::find_gpu(name);
  const auto machine = import::machine_of_file(name, job);
  if (!machine) return forward(machine.error());
  if (machine->gpus.empty())
    return failure(ErrorKind::BadInput, "the file does not describe a GPU", name, {},
                   "Name a result of MT4G.");
  return model::completed(machine->gpus.front());
}

Expected<std::vector<GpuSpecification>> gpus_of(const analysis::Session& session,
                                                const std::string& requested, const Job& job) {
  if (requested.empty()) return analysis::recorded_gpus(session);
  auto named = gpu_named(requested, job);
  if (!named) return forward(named.error());
  return std::vector<GpuSpecification>(session.traces().size(),
                                       analysis::with_measured_bandwidth(std::move(*named), session));
}

} // namespace jitterscope::engine
