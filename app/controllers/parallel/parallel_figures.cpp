#include "app/controllers/parallel/parallel_figures.h"

namespace jitterscope::app {

const std::vector<ParallelFigure>& parallel_figures() {
  static const std::vector<ParallelFigure> kFigures = {
      {"grid",
       "&Grid size against kernel variability",
       "Kernel, grid and block of the launches against kernel variability",
       {"short_name", "blocks", "threads_per_block", "duration", "kernel_variability"},
       "blocks",
       "short_name",
       {},
       "kernel_variability"},
      {"copy",
       "&Copy kind against kernel variability",
       "Kind of the memory operations that feed or overlap the launches against kernel variability",
       {"short_name", "copy_kind", "linked_transfer_ns", "duration", "kernel_variability"},
       "copy_kind",
       "copy_kind",
       "copy_kind",
       "kernel_variability"}};
  return kFigures;
}

} // namespace jitterscope::app
