#include "views/model/model_data.h"

#include <algorithm>

namespace jitterscope::views {

const RunPart& runPart(std::size_t part) {
  static const std::array<RunPart, kRunParts> kParts{
      {{QStringLiteral("only kernels"), QStringLiteral("time in which only kernels run"), 0},
       {QStringLiteral("only copies"), QStringLiteral("time in which only memory operations run"), 2},
       {QStringLiteral("only MPI"), QStringLiteral("time in which only MPI runs"), 1},
       {QStringLiteral("only computation"), QStringLiteral("time in which only threads of the host compute"),
        5},
       {QStringLiteral("overlapped"), QStringLiteral("time in which several of these run"), 3},
       {QStringLiteral("nothing of these"), QStringLiteral("time in which none of these runs"), -1}}};
  return kParts[part];
}

std::vector<std::size_t> ModelData::shownRunParts() const {
  std::vector<std::size_t> out;
  for (std::size_t part = 0; part < kRunParts; ++part)
    if (std::any_of(runs.begin(), runs.end(), [&](const ModelRun& run) { return run.parts[part] > 0; }))
      out.push_back(part);
  return out;
}

} // namespace jitterscope::views
