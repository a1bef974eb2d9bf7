#pragma once

#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include "core/analysis/columns/term_columns.h"
#include "core/analysis/prediction/launch_inputs.h"

namespace jitterscope::analysis {

/// Terms of the analytical kernel model as launch columns, for sessions whose launches have the counters and
/// whose GPUs are known. Values depend on the launch alone: they are the same on any rank and independent of
/// earlier queries. No correction is applied: it would depend on the launches used to fit it.
class LaunchModel final : public TermColumns {
public:
  enum Term : std::size_t {
    kPredicted,      ///< predicted time at the launch's clock [ns]
    kResidual,       ///< measured minus predicted [ns]
    kRelative,       ///< measured / predicted − 1
    kBottleneck,     ///< index into bottlenecks()
    kMwp,            ///< memory warp parallelism
    kCwp,            ///< computation warp parallelism
    kWarps,          ///< resident warps of a multiprocessor
    kMemoryLatency,  ///< Mem_L [cycles]
    kDepartureDelay, ///< between two memory instructions of a multiprocessor [cycles]
    kWaves,          ///< Blocks / (resident blocks · multiprocessors)
    kL2Bytes,        ///< traffic that reaches L2 [B]
    kMemoryBytes,    ///< traffic that reaches DRAM [B]
    kTerms
  };
  struct Column {
    std::string_view name, unit, description;
    int tier; ///< causal tier
  };
  static const std::array<Column, kTerms>& columns();
  /// Texts of the bottleneck column.
  static const std::vector<std::string>& bottlenecks();

  /// Null if launches lack required counters, or a GPU is unknown.
  static std::shared_ptr<const LaunchModel> of(const Session& session, const LaunchColumns& columns);

  const std::vector<TermColumn>& terms() const override;
  std::vector<double> read_term(std::size_t term, const Segment& segment) const override {
    return read(static_cast<Term>(term), segment);
  }
  /// Values of a term for the rows of a segment; NaN for launches without the counters.
  std::vector<double> read(Term term, const Segment& segment) const;

private:
  LaunchModel(const Session& session, const LaunchColumns& columns, ModelColumns counters,
              std::vector<GpuSpecification> gpus);
  using Values = std::array<std::vector<double>, kTerms>;
  Values all(const Segment& segment) const;

  const Session* session_;
  const LaunchColumns* columns_;
  ModelColumns counters_;
  std::vector<GpuSpecification> gpus_; ///< GPU of each trace
  std::uint64_t id_;
};

} // namespace jitterscope::analysis
