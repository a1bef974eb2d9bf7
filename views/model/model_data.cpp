#include "views/model/model_data.h"

#include <algorithm>

#include "views/base/text.h"

namespace jitterscope::views {

QString briefName(const QString& name) {
  QString out = name;
  if (out.startsWith(QLatin1String("void "))) out.remove(0, 5);
  for (const auto anonymous : {QLatin1String("<unnamed>::"), QLatin1String("(anonymous namespace)::")})
    out.remove(anonymous);
  if (!out.endsWith(')')) return out;
  int open = 0;
  for (auto at = out.size() - 1; at > 0; --at) {
    open += out[at] == ')' ? 1 : out[at] == '(' ? -1 : 0;
    if (open == 0) return out.left(at);
  }
  return out;
}

const RunPart& runPart(std::size_t part) {
  static const std::array<RunPart, kRunParts> kParts{
      {{Text::tr("only kernels"), Text::tr("time in which only kernels run"), 0},
       {Text::tr("only memory operations"), Text::tr("time in which only memory operations run"), 2},
       {Text::tr("only MPI"), Text::tr("time in which only MPI runs"), 1},
       {Text::tr("only computation"), Text::tr("time in which only threads of the host compute"), 5},
       {Text::tr("overlapped"),
        Text::tr("time in which several of these run: kernels, memory operations, MPI and computation"), 3},
       {Text::tr("none of these"),
        Text::tr("time in which no kernel, memory operation, MPI call or computation runs"), -1}}};
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
