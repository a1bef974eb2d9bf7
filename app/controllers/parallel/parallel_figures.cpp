#include "app/controllers/parallel/parallel_figures.h"

#include "views/base/text.h"

namespace jitterscope::app {

using views::Text;

const std::vector<ParallelFigure>& parallel_figures() {
  static const std::vector<ParallelFigure> kFigures = {
      {"grid",
       Text::tr("&Grid size against kernel variability"),
       Text::tr("Kernel, grid and block of the launches against kernel variability"),
       {"short_name", "blocks", "threads_per_block", "duration", "kernel_variability"},
       "blocks",
       "short_name",
       {},
       "kernel_variability"},
      {"copy",
       Text::tr("&Copy kind against kernel variability"),
       Text::tr("Kind of the memory operations that feed or overlap the launches against kernel variability"),
       {"short_name", "copy_kind", "linked_transfer_ns", "duration", "kernel_variability"},
       "copy_kind",
       "copy_kind",
       "copy_kind",
       "kernel_variability"}};
  return kFigures;
}

} // namespace jitterscope::app
