#pragma once

#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include "core/analysis/columns/term_columns.h"
#include "core/analysis/prediction/launch_inputs.h"

namespace jitterscope::analysis {

/// Terms of the analytical kernel model as columns of launches, of sessions whose launches have the counters
/// and whose GPUs are known. Values depend on the launch alone: the same on any rank and whatever was asked
/// before. A correction is not applied: it would depend on which launches it was learnt from.
class LaunchModel final : public TermColumns {
public:
  enum Term : std::size_t {
    kPredicted,      ///< time of the model at the launch's clock [ns]
    kResidual,       ///< measured minus predicted [ns]
    kRelative,       ///< measured / predicted − 1
    kBottleneck,     ///< index into bottlenecks()
    kMwp,            ///< memory warp parallelism
    kCwp,            ///< computation warp parallelism
    kWarps,          ///< resident warps of a multiprocessor
    kMemoryLatency,  ///< Mem_L [cycles]
    kDepartureDelay, ///< [cycles]
    kWaves,          ///< Blocks / (resident blocks · multiprocessors)
    kL2Bytes,        ///< that arrive at L2 [B]
    kMemoryBytes,    ///< that arrive at DRAM [B]
    kTerms
  };
  struct Column {
    std::string_view name, unit, description;
    int tier; ///< causal tier
  };
  static const std::array<Column, kTerms>& columns();
  /// Texts of the bottleneck column.
  static const std::vector<std::string>& bottlenecks();

  /// Null where launches lack counters that are needed, or a GPU is not known.
  static std::shared_ptr<const LaunchModel> of(const Session& session, const LaunchColumns& columns);

  const std::vector<TermColumn>& terms() const override;
  std::vector<double> read_term(std::size_t term, const Segment& segment) const override {
    return read(static_cast<Term>(term), segment);
  }
  /// Values of a term for the rows of a segment; NaN where a launch lacks counters.
  std::vector<double> read(Term term, const Segment& segment) const;

private:
  LaunchModel(const Session& session, const LaunchColumns& columns, ModelColumns counters,
              std::vector<GpuSpecification> gpus);
  using Values = std::array<std::vector<double>, kTerms>;
  Values all(const Segment& segment) const;

  const Session* session_;
  const LaunchColumns* columns_;
  ModelColumns counters_;
  std::vector<GpuSpecification> gpus_; ///< of each trace
  std::uint64_t id_;                   ///< of this object among all
};

} // namespace jitterscope::analysis
